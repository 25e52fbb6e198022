"""A fifth of the MOSP agreement benchmark: brute force = every formulation by every solver, on tiny instances."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction as F
from typing import TYPE_CHECKING

import pytest

from benchmarks.agreement import participants
from benchmarks.agreement.mosp import optima
from benchmarks.agreement.mosp.optima import MIXES, MODELS, all_agree, case, examine, features, longest_start, main, run
from benchmarks.agreement.participants import MISMATCH
from oas.core.verifier import verify
from oas.exact.mosp.brute_force import brute_force
from oas.problems.mosp.runs import local_schedule
from tests.slow import mostly_slow

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.mosp.instance import MospInstance

CHUNKS, EACH = 10, 10
PARTIES = {"brute force", "pipeline", *(f"{formulation}/{solver}" for formulation, solver in MODELS)}


@pytest.mark.parametrize("chunk", mostly_slow(range(CHUNKS), quick={4}))
def test_all_agree(chunk: int) -> None:
    for instance, findings in run(EACH, chunk * EACH):
        assert all_agree(findings), (instance.name, findings)
        assert {finding.participant for finding in findings} >= PARTIES


@pytest.mark.slow
def test_the_instances_cover_what_they_should() -> None:
    seen: Counter[str] = Counter()
    mixes: Counter[object] = Counter()
    for seed in range(CHUNKS * EACH):
        instance = case(seed)
        own = set(features(instance))
        seen.update(own)
        mixes["clusters alike" in own, instance.locality, "releases" in own, "reservations" in own] += 1
        if instance.locality is not None:
            free, _ = brute_force(instance.with_locality(None))
            seen["locality costs"] += brute_force(instance)[0] > free
    assert set(mixes) == set(MIXES)
    assert min(seen[f"locality {value}"] for value in ("none", "1", "3/2")) >= 30, seen
    assert min(seen[f"{clusters}"] for clusters in ("one cluster", "clusters alike", "clusters not alike")) >= 15, seen
    assert min(seen["releases"], seen["reservations"], seen["no releases"], seen["no reservations"]) >= 30, seen
    assert min(seen[f"local {policy}"] for policy in ("HF", "LPT", "SPT", "RND", "FCFS", "SJF", "given")) >= 5, seen
    assert seen["5 jobs"] >= 15 and seen["a job wider than some cluster"] >= 4, seen
    assert seen["locality costs"] >= 2, seen


@pytest.mark.slow
def test_models_start_far_from_the_optimum() -> None:
    longer = 0
    for seed in range(CHUNKS * EACH):
        instance = case(seed)
        start = longest_start(instance)
        assert not verify(instance, start)
        assert start.makespan >= local_schedule(instance).makespan
        longer += start.makespan > brute_force(instance)[0]
    assert longer >= 70


@pytest.mark.parametrize("error", [F(-1, 10**9), F(1, 10**9)])
def test_a_wrong_optimum_is_seen_by_every_party(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: F
) -> None:
    def wrong(instance: MospInstance) -> tuple[F, Schedule]:
        optimum, schedule = brute_force(instance)
        return optimum + error, schedule

    monkeypatch.setattr(optima, "brute_force", wrong)
    assert {one.participant for one in examine(case(4)) if one.verdict == MISMATCH} >= PARTIES
    assert main(["--count", "1", "--seed", "4"]) == 1
    shown = capsys.readouterr()
    assert "tiny MOSP, seed 4: start-indexed/cbc: mismatch: " in shown.err
    assert "1 instances; on 0 of them all agree" in shown.out


def test_without_cp_sat_that_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(participants, "find_spec", lambda _: None)
    assert main(["--count", "2"]) == 0
    shown = capsys.readouterr()
    assert "CP-SAT IS MISSING" in shown.err
    assert shown.out.endswith("2 of them all agree: brute force, start-indexed/highs, start-indexed/cbc\n")
