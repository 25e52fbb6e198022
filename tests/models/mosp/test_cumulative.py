"""The cumulative model for CP-SAT allows exactly the verifier's schedules, and finds every optimum."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from random import Random

import pytest

from oas.core.errors import InputError, SolverError, TooLargeError
from oas.core.result import Bound, Termination
from oas.core.verifier import verify
from oas.exact.evidence import Evidence
from oas.exact.model_run import run_model
from oas.exact.mosp.brute_force import brute_force
from oas.models.mosp.cumulative_cpsat import FORMULATION, CumulativeSpec, prepare, read, start_values, ticks_of
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import ClusterRun, cluster_runs_from_schedule, local_schedule, schedule_from_cluster_runs
from oas.problems.rigid import Organization, Reservation, RigidJob
from oas.solvers.isolation.client import run
from oas.solvers.task import Limits, Settings, Task
from tests.problems.mosp import grids
from tests.problems.mosp.instances import random_cluster_runs, random_instance

CPSAT, LIMITS = Settings("cpsat"), Limits(time=60)


def proves(instance: MospInstance, bound: F = F(0)) -> F:
    """Let CP-SAT find and prove the optimum by itself, from the local schedule and from `bound`."""
    evidence = Evidence(instance)
    assert evidence.offer(local_schedule(instance), "local") is None
    evidence.bound = Bound("given", bound)
    ended = run_model(evidence, FORMULATION, CPSAT, LIMITS, lambda *_: None)
    assert ended.termination is Termination.FINISHED, ended.message
    assert ended.claim is not None and ended.claim.bound == evidence.makespan
    return ended.claim.bound


def allows(spec: CumulativeSpec, values: dict) -> bool:
    """Whether the model has a solution with these values, every one of its variables fixed."""
    outcome = run(Task("tests.solvers.cp_builders:fixed", (FORMULATION.builder, spec, values)), CPSAT, LIMITS)
    assert outcome.termination is Termination.FINISHED, outcome.message
    return not outcome.infeasible


@pytest.mark.parametrize("seed", range(6))
def test_equals_brute_force_with_and_without_locality(seed: int) -> None:
    instance = random_instance(seed, max_jobs=4)
    for one in (instance, instance.with_locality(None), instance.with_locality(1)):
        assert proves(one) == brute_force(one)[0]


@pytest.mark.parametrize("seed", range(3))
def test_a_lower_bound_that_is_the_optimum_cuts_nothing_off(seed: int) -> None:
    instance = random_instance(seed, max_jobs=4)
    optimum, _ = brute_force(instance)
    assert proves(instance, optimum) == optimum


@pytest.mark.parametrize("releases", [False, True])
@pytest.mark.parametrize("reservations", [False, True])
@pytest.mark.parametrize("equal", [False, True])
def test_equals_brute_force_with_every_feature(releases: bool, reservations: bool, equal: bool) -> None:
    for seed in range(2):
        instance = random_instance(500 + seed, max_jobs=5, releases=releases, reservations=reservations, equal=equal)
        assert proves(instance) == brute_force(instance)[0]


@pytest.mark.parametrize("make", [grids.unequal, grids.reserved, grids.alike])
def test_equals_brute_force_on_the_grids(make) -> None:
    assert proves(make()) == brute_force(make())[0]


def verified(instance: MospInstance, runs: list[ClusterRun]) -> bool:
    """Whether processors can be named for the runs and the verifier accepts the schedule."""
    try:
        schedule = schedule_from_cluster_runs(instance, instance.scaled(), runs, "random")
    except InputError:
        return False
    return not verify(instance, schedule)


def any_runs(instance: MospInstance, rng: Random) -> list[ClusterRun]:
    """Runs on random clusters wide enough at random starts: feasible or not."""
    scaled = instance.scaled()
    spread = rng.choice((1, 3, 6))
    runs = []
    for job, width in enumerate(scaled.widths):
        fitting = [k for k, size in enumerate(scaled.processors) if size >= width]
        start = rng.choice(scaled.times) * rng.randrange(spread) + rng.choice((0, scaled.releases[job]))
        runs.append(ClusterRun(job, rng.choice(fitting), start))
    return runs


def test_allows_exactly_what_the_verifier_accepts() -> None:
    seen = {True: 0, False: 0}
    for seed in range(40):
        instance = random_instance(seed)
        scaled = instance.scaled()
        local = cluster_runs_from_schedule(instance, scaled, local_schedule(instance))
        rng = Random(seed)
        for runs in (local, random_cluster_runs(scaled, seed), any_runs(instance, rng), any_runs(instance, rng)):
            makespan = max(one.start + scaled.times[one.job] for one in runs)
            latest = max(makespan, *(one.start + scaled.times[one.job] for one in local))
            spec = replace(prepare(instance, scaled, latest, 0), identical_jobs=(), identical_clusters=())
            if any(one.start % spec.unit for one in runs):
                continue  # starts between the model's units are rounded down, which may mend a schedule
            values = {("start", (one.job,)): one.start // spec.unit for one in runs}
            values |= {("on", (one.job, one.cluster)): 1 for one in runs}
            values["makespan", ()] = makespan // spec.unit
            feasible = verified(instance, runs)
            assert allows(spec, values) is feasible, (seed, runs)
            seen[feasible] += 1
    assert min(seen.values()) >= 20, seen


def test_a_makespan_below_the_last_end_is_not_allowed() -> None:
    instance = grids.unequal()
    scaled = instance.scaled()
    runs = cluster_runs_from_schedule(instance, scaled, local_schedule(instance))
    spec = prepare(instance, scaled, max(one.start + scaled.times[one.job] for one in runs), 0)
    values = start_values(spec, runs)
    assert values is not None and allows(spec, values)
    assert not allows(spec, values | {("makespan", ()): values["makespan", ()] - 1})


def test_every_feasible_schedule_has_a_place_that_ends_no_later() -> None:
    for seed in range(40):
        instance = random_instance(seed).with_locality(None)
        scaled = instance.scaled()
        runs = random_cluster_runs(scaled, seed)
        last = max(one.start + scaled.times[one.job] for one in runs)
        spec = prepare(instance, scaled, last, 0)
        values = start_values(spec, runs)
        assert values is not None and allows(spec, values)
        back = read(spec, values)
        assert verified(instance, back)
        assert ticks_of(spec, int(values["makespan", ()])) <= last


@pytest.mark.parametrize("on", [[], [0, 1]])
def test_a_job_on_no_cluster_or_two_is_noticed(on: list[int]) -> None:
    spec = prepare(grids.alike(), grids.alike().scaled(), 20, 0)
    with pytest.raises(SolverError, match="exactly once"):
        read(spec, {("on", (job, cluster)): 1 for job in range(spec.scaled.job_count) for cluster in on})


def minutes() -> MospInstance:
    """Times in whole minutes, given in seconds; the promise ends between two minutes."""
    jobs = [RigidJob("a", 120, 1), RigidJob("b", 180, 1, 60), RigidJob("c", 300, 1)]
    first = Organization("A", 1, jobs[:2], [Reservation(60, 120, 1)])
    return MospInstance([first, Organization("B", 1, jobs[2:])], F(101, 100))


def test_too_many_ticks_are_too_large_and_said_to_be() -> None:
    times = (F(10**14 + 31), F(10**14 + 67))
    instance = MospInstance([Organization("A", 9000, [RigidJob(f"J{i}", time, 9000) for i, time in enumerate(times)])])
    with pytest.raises(TooLargeError, match="processors: demand times ticks"):
        prepare(instance, instance.scaled(), int(sum(times)), 0)
