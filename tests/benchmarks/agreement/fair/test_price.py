"""A sample of the agreement on fair sharing: brute force = both models by the solvers, on every objective and class."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from benchmarks.agreement.fair import price
from benchmarks.agreement.fair.price import MODELS, case, examine, features, main
from benchmarks.agreement.participants import AGREED, MISMATCH
from oas.exact.fair.brute_force import brute_force
from oas.problems.fair.objectives import Objective
from tests.slow import mostly_slow

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.fair.instance import FairInstance
    from oas.problems.fair.objectives import ScheduleClass

PARTIES = {
    "brute force",
    "bounds",
    "price of fairness",
    *(f"{make(Objective.FLOW, 'any').name}/{s}" for make, s in MODELS),
}


@pytest.mark.parametrize("seed", mostly_slow(range(6), quick={2}))
def test_all_agree(seed: int) -> None:
    findings = list(examine(case(seed)))
    assert {one.verdict for one in findings} == {AGREED}, findings
    assert {one.participant for one in findings} >= PARTIES


def test_the_instances_cover_what_they_should() -> None:
    drawn = [case(seed) for seed in range(40)]
    assert len({one.digest for one in drawn}) == 40
    assert {len(one.organizations) for one in drawn} == {2, 3}
    assert {len(one.jobs) for one in drawn} >= {4, 5, 6, 7} and max(one.horizon for one in drawn) == 12
    assert sum(any(job.processors > 1 for job in one.jobs) for one in drawn) >= 10
    assert sum(any(job.release for job in one.jobs) for one in drawn) >= 15


@pytest.mark.slow
def test_schedules_differ_and_greed_costs() -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        seen.update(features(case(seed)))
    assert min(seen[f"{objective}: greedy schedules differ"] for objective in Objective) >= 10, seen
    assert seen["flow: greed costs"] >= 2 and seen["identical organizations"] >= 8, seen


@pytest.mark.parametrize("error", [-1, 1])
def test_a_wrong_optimum_is_seen_by_every_party(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: int
) -> None:
    def wrong(instance: FairInstance, objective: Objective, wanted: ScheduleClass) -> tuple[int, Schedule] | None:
        found = brute_force(instance, objective, wanted)
        return None if found is None else (found[0] + error, found[1])

    monkeypatch.setattr(price, "brute_force", wrong)
    assert main(["--count", "1", "--seed", "4"]) == 1
    shown = capsys.readouterr()
    assert "1 instances; on 0 of them all agree" in shown.out
    for party in PARTIES - {"bounds"}:
        assert f"seed 4: {party}: {MISMATCH}: " in shown.err
