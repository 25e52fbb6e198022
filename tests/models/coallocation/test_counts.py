"""The counts model for CP-SAT allows exactly the verifier's schedules, and finds every optimum."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from random import Random

import pytest

from oas.core.errors import InputError, SolverError, TooLargeError
from oas.core.result import Bound, Termination
from oas.core.verifier import verify
from oas.exact.coallocation.brute_force import brute_force
from oas.exact.evidence import Evidence
from oas.exact.model_run import run_model
from oas.models.coallocation.counts_cpsat import FORMULATION, CountsSpec, prepare, read, start_values, ticks_of
from oas.problems.coallocation.allocations import Run, allocations, schedule_from_runs
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.solvers.isolation.client import run
from oas.solvers.task import Limits, Settings, Task
from tests.problems.coallocation import grids
from tests.strategies import random_feasible_runs, random_instance

CPSAT, LIMITS = Settings("cpsat"), Limits(time=60)


def proves(instance: CoallocationInstance, bound: F = F(0)) -> F:
    """Let CP-SAT find and prove the optimum by itself, from the jobs one after another and from `bound`."""
    scaled = instance.scaled()
    runs, now = [], 0
    for job in range(scaled.job_count):
        runs.append(Run(job, now, allocations(scaled, job)[0]))
        now = runs[-1].end
    evidence = Evidence(instance)
    assert evidence.offer(schedule_from_runs(instance, scaled, runs, "serial"), "serial") is None
    evidence.bound = Bound("given", bound)
    ended = run_model(evidence, FORMULATION, CPSAT, LIMITS, lambda *_: None)
    assert ended.termination is Termination.FINISHED, ended.message
    assert ended.claim is not None and ended.claim.bound == evidence.makespan
    return ended.claim.bound


def allows(spec: CountsSpec, runs: list[Run]) -> bool:
    """Whether the model has a solution with these values, every one of its variables fixed."""
    payload = (FORMULATION.builder, spec, start_values(spec, runs))
    outcome = run(Task("tests.solvers.cp_builders:fixed", payload), CPSAT, LIMITS)
    assert outcome.termination is Termination.FINISHED, outcome.message
    return not outcome.infeasible


def several_powers(slot: int | F) -> CoallocationInstance:
    """Three Γ inside each of two clusters, jobs that would need them all."""
    clusters = [
        Cluster("A", [NodeGroup(1, 1), NodeGroup(1, F(3, 4)), NodeGroup(1, F(1, 2))], 2),
        Cluster("B", [NodeGroup(1, F(1, 2)), NodeGroup(1, 1)], 2),
    ]
    jobs = [Job("a", 3, 4, F(1, 2), F(7, 10)), Job("b", 2, 3, 1), Job("c", 2, 3, 1), Job("d", 1, 5)]
    return CoallocationInstance(clusters, jobs, slot=slot)


def tight(bandwidth: int) -> CoallocationInstance:
    """Four-task jobs that must be split, over links that carry one, or an uneven split of two."""
    clusters = [Cluster(name, [NodeGroup(size, 1)], bandwidth) for name, size in zip("ABC", (3, 3, 2), strict=True)]
    return CoallocationInstance(clusters, [Job(f"J{index}", 4, 2 + index, 3) for index in range(3)], slot=1)


@pytest.mark.parametrize("seed", range(6))
def test_equals_brute_force_on_random_instances(seed: int) -> None:
    instance = random_instance(seed)
    assert proves(instance) == brute_force(instance)[0]


@pytest.mark.parametrize("seed", range(3))
def test_a_lower_bound_that_is_the_optimum_cuts_nothing_off(seed: int) -> None:
    instance = random_instance(seed)
    optimum, _ = brute_force(instance)
    assert proves(instance, optimum) == optimum


@pytest.mark.parametrize(
    "instance",
    [
        *(several_powers(slot) for slot in (0, 1, F(1, 2), 7)),
        *(tight(bandwidth) for bandwidth in (3, 4, 6, 7, 8)),
        grids.mixed(),
        grids.continuous(),
        grids.uniform(1),
        grids.uniform(5),
        grids.alike(),
    ],
    ids=lambda instance: f"{len(instance.jobs)} jobs, η {instance.slot}, MBW {instance.clusters[0].bandwidth}",
)
def test_equals_brute_force_where_something_binds(instance: CoallocationInstance) -> None:
    assert proves(instance) == brute_force(instance)[0]


def accepted(instance: CoallocationInstance, runs: list[Run]) -> bool:
    """Whether nodes can be named for the runs and the verifier accepts the schedule."""
    try:
        schedule = schedule_from_runs(instance, instance.scaled(), runs, "random")
    except InputError:
        return False
    return not verify(instance, schedule)


def any_runs(instance: CoallocationInstance, rng: Random) -> list[Run]:
    """Runs on random allocations at random starts: feasible or not."""
    scaled = instance.scaled()
    spread = rng.choice((1, 2, 4))
    durations = [row[0] for row in scaled.durations]
    return [
        Run(job, rng.choice([0, *durations]) * rng.randrange(spread), rng.choice(allocations(scaled, job)))
        for job in range(scaled.job_count)
    ]


def test_allows_exactly_what_the_verifier_accepts() -> None:
    seen = {True: 0, False: 0}
    for seed in range(40):
        instance = random_instance(seed)
        scaled = instance.scaled()
        rng = Random(seed)
        for runs in (random_feasible_runs(instance, seed), any_runs(instance, rng), any_runs(instance, rng)):
            spec = prepare(instance, scaled, max(max(run.end for run in runs), scaled.durations[0][-1] * 9), 0)
            if any(run.start % spec.unit for run in runs):
                continue  # starts between the model's units are rounded down, which may mend a schedule
            feasible = accepted(instance, runs)
            assert allows(spec, runs) is feasible, (seed, runs)
            seen[feasible] += 1
    assert min(seen.values()) >= 20, seen


def test_rounding_starts_down_keeps_a_schedule() -> None:
    for seed in range(20):
        instance = random_instance(seed, slots=[F(1)]) if seed % 2 else random_instance(seed)
        longer = replace(instance, jobs=tuple(replace(job, base_time=6 * job.base_time) for job in instance.jobs))
        scaled = longer.scaled()
        runs = random_feasible_runs(longer, seed)
        assert allows(prepare(longer, scaled, max(run.end for run in runs), 0), runs)


def test_what_is_read_is_the_schedule_that_was_handed_over() -> None:
    for seed in range(15):
        instance = random_instance(seed)
        scaled = instance.scaled()
        runs = random_feasible_runs(instance, seed)
        spec = prepare(instance, scaled, max(run.end for run in runs), 0)
        values = start_values(spec, runs)
        assert values is not None
        back = read(spec, values)
        schedule = schedule_from_runs(instance, scaled, back, "back")
        assert verify(instance, schedule) == []
        assert schedule.makespan <= max(run.end for run in runs) * scaled.tick
        assert ticks_of(spec, int(values["makespan", ()])) * scaled.tick == schedule.makespan


def test_a_job_that_is_not_placed_whole_is_noticed() -> None:
    instance = grids.mixed()
    spec = prepare(instance, instance.scaled(), 50, 0)
    with pytest.raises(SolverError, match="every task"):
        read(spec, {("count", (0, 0)): 1})


def test_saturation_must_be_forbidden() -> None:
    instance = grids.mixed().with_saturation("slowdown")
    with pytest.raises(InputError, match="saturation: no model treats this policy; known: forbid"):
        prepare(instance, instance.scaled(), 50, 0)


def loaded(denominator: int) -> CoallocationInstance:
    """Two jobs whose loads need fractions of this denominator, over links that carry one of them only."""
    share = F(denominator - 1, denominator)
    clusters = [Cluster(name, [NodeGroup(2, 1)], share) for name in "AB"]
    jobs = [Job("a", 2, 3, share / 2), Job("b", 2, 4, F(denominator + 1, 2 * denominator))]
    return CoallocationInstance(clusters, jobs, slot=1)


def test_large_loads_stay_exact() -> None:
    instance = loaded(10**9 + 7)
    assert proves(instance) == brute_force(instance)[0]


def test_loads_beyond_64_bits_are_too_large_and_said_to_be() -> None:
    instance = loaded(10**19 + 51)
    with pytest.raises(TooLargeError, match="link bandwidth: demand times ticks"):
        prepare(instance, instance.scaled(), 7, 0)


def test_many_ticks_times_many_nodes_are_too_large() -> None:
    times = (F(10**15 + 37, 1000), F(10**15 + 61, 1000))
    jobs = [Job(f"J{index}", 4000, time) for index, time in enumerate(times)]
    instance = CoallocationInstance([Cluster("A", [NodeGroup(4000, 1)], 0)], jobs, slot=F(1, 1000))
    with pytest.raises(TooLargeError, match="nodes: demand times ticks"):
        prepare(instance, instance.scaled(), int(sum(times) * 1000), 0)
