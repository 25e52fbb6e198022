"""A sample of the agreement on instances of one cluster: brute force = every formulation by every solver = pipeline."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction as F
from typing import TYPE_CHECKING

import pytest

from benchmarks.agreement.mosp import optima
from benchmarks.agreement.mosp.optima import MODELS, all_agree, features, run
from benchmarks.agreement.mosp.reservations import COUNT, case, main
from benchmarks.agreement.participants import MISMATCH
from oas.exact.mosp.brute_force import brute_force
from tests.slow import mostly_slow

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.mosp.instance import MospInstance

CHUNKS, EACH = 4, 3
PARTIES = {"brute force", "pipeline", *(f"{formulation}/{solver}" for formulation, solver in MODELS)}


@pytest.mark.parametrize("chunk", mostly_slow(range(CHUNKS), quick={0}))
def test_all_agree(chunk: int) -> None:
    for instance, findings in run(EACH, chunk * EACH, draw=case):
        assert all_agree(findings), (instance.name, findings)
        assert {finding.participant for finding in findings} >= PARTIES


def test_the_instances_are_of_one_cluster_and_of_every_class() -> None:
    drawn = [case(seed) for seed in range(COUNT // 5)]
    assert {(len(one.organizations), one.locality) for one in drawn} == {(1, None)}
    assert len({one.digest for one in drawn}) > len(drawn) * 9 // 10
    seen = Counter(name for one in drawn for name in features(one))
    assert min(seen[f"class {name}"] for name in ("α", "non-increasing", "general")) >= 10, seen
    assert min(seen["releases"], seen["no releases"], seen["reservations"], seen["5 jobs"]) >= 80, seen
    assert sum(any(job.time.denominator > 1 for job in one.jobs) for one in drawn) >= 40


@pytest.mark.parametrize("error", [F(-1, 10**9), F(1, 10**9)])
def test_a_wrong_optimum_is_seen_by_every_party(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: F
) -> None:
    def wrong(instance: MospInstance) -> tuple[F, Schedule]:
        optimum, schedule = brute_force(instance)
        return optimum + error, schedule

    monkeypatch.setattr(optima, "brute_force", wrong)
    assert main(["--count", "1", "--seed", "4"]) == 1
    shown = capsys.readouterr()
    assert "1 instances; on 0 of them all agree" in shown.out
    for party in PARTIES:
        assert f"alone, seed 4: {party}: {MISMATCH}: " in shown.err
