"""A share of the benchmark of random MOSP instances, and that it would notice what should never happen."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from typing import TYPE_CHECKING

import pytest

from benchmarks.agreement.mosp import guarantees
from benchmarks.agreement.mosp.guarantees import Report, examine, main
from benchmarks.agreement.mosp.random_instances import KINDS, case, kind_of, with_features
from heuristics.method import Guarantee, Method, NotPlacedError
from heuristics.registry import own_methods
from oas.bounds.lower_bound import LowerBound, lower_bounds
from oas.core.schedule import Placement, Schedule
from oas.generate.mosp.uni import uni
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, RigidJob
from tests.slow import mostly_slow

if TYPE_CHECKING:
    from collections.abc import Callable

COUNT, CHUNKS = 60, 6
METHODS = {method.name: method for method in own_methods(MospInstance)}


@cache
def reports(chunk: int) -> tuple[Report, ...]:
    each = COUNT // CHUNKS
    return tuple(examine(case(seed), kind_of(seed), seed=seed) for seed in range(chunk * each, (chunk + 1) * each))


@pytest.mark.parametrize("chunk", mostly_slow(range(CHUNKS), quick={0}))
def test_what_is_promised_is_kept(chunk: int) -> None:
    for report in reports(chunk):
        assert report.faults == [], report.kind
        assert len(report.bounds) == len(lower_bounds(MospInstance))
        assert [trial.method for trial in report.trials] == list(METHODS)


@pytest.mark.slow
def test_every_method_runs_and_every_theorem_is_tried() -> None:
    trials = [trial for chunk in range(CHUNKS) for report in reports(chunk) for trial in report.trials]
    assert {trial.method for trial in trials if trial.outcome == "applied"} == set(METHODS)
    assert {trial.method for trial in trials if trial.promised and trial.optimum} == {
        name for name, method in METHODS.items() if method.guarantee
    }
    assert sum(trial.optimum is not None for trial in trials) >= 500


def test_the_kinds_are_what_they_say() -> None:
    made = {kind_of(seed): case(seed) for seed in range(len(KINDS))}
    assert {job.processors for job in made["sequential"].jobs} == {1}
    assert len(made["one cluster"].organizations) == 1 and len(made["two clusters"].organizations) == 2
    assert len(made["many of a theorem"].jobs) > 5
    assert all(2 * job.processors > one.processors for one in made["all high"].organizations for job in one.jobs)
    assert all(2 * job.processors <= one.processors for one in made["all low"].organizations for job in one.jobs)
    least = min(one.processors for one in made["fitting"].organizations)
    assert all(job.processors <= least for job in made["fitting"].jobs)
    many = [with_features(uni(seed=1, jobs=20), seed) for seed in range(12)]
    assert {one.locality for one in many} == {None, 1, F(5, 4), F(3, 2)}
    assert any(job.release for one in many for job in one.jobs)
    assert any(own.reservations for one in many for own in one.organizations)
    assert max(len(case(seed).jobs) for seed in range(15, 2000, len(KINDS))) == 500


def two() -> MospInstance:
    """One organization owns two jobs, the other idles: 2 together, 4 alone."""
    return MospInstance([Organization("A", 1, [RigidJob("a", 2, 1), RigidJob("b", 2, 1)]), Organization("B", 1)])


def at(*runs: tuple[str, int, str]) -> Callable[..., Schedule]:
    def run(instance: MospInstance, *, seed: int = 0) -> Schedule:
        return Schedule([Placement(job, F(start), F(start + 2), {cluster: [0]}) for job, start, cluster in runs], "x")

    return run


def lost(instance: MospInstance, *, seed: int = 0) -> Schedule:
    raise NotPlacedError("no room")


@pytest.mark.parametrize(
    ("run", "promise", "fault"),
    [
        (at(("a", 0, "A"), ("b", 1, "A")), None, "x: [capacity] node 0 of cluster A serves a and b at 1"),
        (at(("a", 0, "A"), ("b", 3, "A")), None, "x: [locality] organization A ends at 5, above 1 · 4"),
        (at(("a", 0, "A"), ("b", 2, "A")), F(3, 2), "x: makespan 4, above 3/2 · the optimum without locality, 2"),
        (lost, F(3), "x: promises 3, but: no room"),
    ],
)
def test_what_should_never_happen_is_noticed(run: Callable[..., Schedule], promise: F | None, fault: str) -> None:
    guarantee = None if promise is None else lambda _: Guarantee(promise, "none")
    found = examine(two(), methods=[Method("x", run, "", problem=MospInstance, guarantee=guarantee)])
    assert found.optimum == found.free == 2
    assert any(one.startswith(fault) for one in found.faults), found.faults


def test_nothing_is_promised_and_nothing_wrong() -> None:
    sound = Method("x", at(("a", 0, "A"), ("b", 2, "A")), "", problem=MospInstance)
    assert examine(two(), methods=[sound]).faults == []
    late = replace(sound, run=at(("a", 0, "A"), ("b", 3, "A")), respects_locality=False)
    assert examine(two(), methods=[late]).faults == []
    assert examine(two(), methods=[replace(sound, run=lost)]).trials[0].outcome == "not placed"


def test_a_bound_too_high_is_noticed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = LowerBound("paper LB", lambda instance: sum((job.time for job in instance.jobs), F(1)))
    others = [bound for bound in lower_bounds(MospInstance) if bound.name != wrong.name]
    monkeypatch.setattr(guarantees, "lower_bounds", lambda _: (wrong, *others))
    faults = examine(two(), methods=[METHODS["local"]]).faults
    assert "paper LB bound: its re-check rejects 5" in faults
    assert {"paper LB bound: 5, above 2", "paper LB bound: 5, above 4"} <= set(faults)
    assert main(["--count", "1"]) == 1
    shown = capsys.readouterr()
    assert "tiny, seed 0: paper LB bound: " in shown.err and "violations: 0" not in shown.out


def test_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--count", "12"]) == 0
    shown = capsys.readouterr().out
    assert "| tiny | 3 | 3 |" in shown
    assert "| MOLBA-high |" in shown and "| dual feasible functions | 12 |" in shown
    assert shown.strip().endswith("violations: 0")
