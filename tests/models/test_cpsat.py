"""The models for CP-SAT allow exactly the verifier's schedules, and find every optimum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction as F
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from oas.core.errors import InputError, SolverError, TooLargeError
from oas.core.result import Bound, Termination
from oas.core.verifier import verify
from oas.exact.evidence import Evidence
from oas.exact.model_run import run_model
from oas.exact.parts import exact_parts
from oas.models.coallocation import counts_cpsat
from oas.models.mosp import cumulative_cpsat
from oas.problems.coallocation.allocations import Run, allocations, schedule_from_runs
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import ClusterRun, local_schedule
from oas.problems.rigid import Organization, RigidJob
from oas.solvers.isolation.client import run
from oas.solvers.task import Limits, Settings, Task
from tests.problems.coallocation import grids as coallocation
from tests.problems.mosp import instances as mosp
from tests.problems.mosp.instances import random_cluster_runs
from tests.problems.mosp.instances import random_instance as random_mosp
from tests.strategies import random_feasible_runs, random_instance

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.schedule import Schedule
    from oas.models.formulation import Formulation

CPSAT, LIMITS = Settings("cpsat"), Limits(time=60)


@dataclass(frozen=True)
class Case:
    """A model, and runs of random instances."""

    formulation: Formulation
    instance: Callable[[int], Any]
    first: Callable[[Any], Schedule]  # some feasible schedule
    feasible: Callable[[Any, int], list[Any]]
    anywhere: Callable[[Any, Random], list[Any]]  # feasible or not
    values: Callable[[Any, list[Any]], Any]  # of runs as they are, feasible or not


def serial(instance):
    """The jobs one after another."""
    scaled, runs, now = instance.scaled(), [], 0
    for job in range(scaled.job_count):
        runs.append(Run(job, now, allocations(scaled, job)[0]))
        now = runs[-1].end
    return schedule_from_runs(instance, scaled, runs, "serial")


def any_runs(instance, rng):
    scaled = instance.scaled()
    spread = rng.choice((1, 2, 4))
    durations = [row[0] for row in scaled.durations]
    return [
        Run(job, rng.choice([0, *durations]) * rng.randrange(spread), rng.choice(allocations(scaled, job)))
        for job in range(scaled.job_count)
    ]


def any_cluster_runs(instance, rng):
    scaled = instance.scaled()
    spread = rng.choice((1, 3, 6))
    runs = []
    for job, width in enumerate(scaled.widths):
        fitting = [k for k, size in enumerate(scaled.processors) if size >= width]
        start = rng.choice(scaled.times) * rng.randrange(spread) + rng.choice((0, scaled.releases[job]))
        runs.append(ClusterRun(job, rng.choice(fitting), start))
    return runs


def cluster_values(spec, runs):
    values = {("start", (one.job,)): one.start // spec.unit for one in runs}
    values |= {("on", (one.job, one.cluster)): 1 for one in runs}
    last = max(one.start // spec.unit + spec.scaled.times[one.job] for one in runs)
    return values | {("makespan", ()): last}


COUNTS = Case(
    counts_cpsat.FORMULATION, random_instance, serial, random_feasible_runs, any_runs, counts_cpsat.start_values
)
CUMULATIVE = Case(
    cumulative_cpsat.FORMULATION,
    lambda seed: random_mosp(seed, max_jobs=4),
    local_schedule,
    lambda instance, seed: random_cluster_runs(instance.scaled(), seed),
    any_cluster_runs,
    cluster_values,
)
CASES = pytest.mark.parametrize("case", [COUNTS, CUMULATIVE], ids=lambda case: case.formulation.name)


def proves(case, instance, bound=F(0)):
    """Let CP-SAT find the optimum and prove it by itself, from `bound`; it is the one of brute force."""
    evidence = Evidence(instance)
    assert evidence.offer(case.first(instance), "first") is None
    evidence.bound = Bound("given", bound)
    ended = run_model(evidence, case.formulation, CPSAT, LIMITS, lambda *_: None)
    assert ended.termination is Termination.FINISHED, ended.message
    assert ended.claim.bound == evidence.makespan == exact_parts(instance).brute_force(instance)[0]


def allows(case, spec, values):
    """Whether the model has a solution with these values, every one of its variables fixed."""
    payload = (case.formulation.builder, spec, values)
    outcome = run(Task("tests.solvers.cp_builders:fixed", payload), CPSAT, LIMITS)
    assert outcome.termination is Termination.FINISHED, outcome.message
    return not outcome.infeasible


def several_powers(slot):
    """Three Γ inside each of two clusters, jobs that would need them all."""
    clusters = [
        Cluster("A", [NodeGroup(1, 1), NodeGroup(1, F(3, 4)), NodeGroup(1, F(1, 2))], 2),
        Cluster("B", [NodeGroup(1, F(1, 2)), NodeGroup(1, 1)], 2),
    ]
    jobs = [Job("a", 3, 4, F(1, 2), F(7, 10)), Job("b", 2, 3, 1), Job("c", 2, 3, 1), Job("d", 1, 5)]
    return CoallocationInstance(clusters, jobs, slot=slot)


def tight(bandwidth):
    """Four-task jobs that must be split, over links that carry one, or an uneven split of two."""
    clusters = [Cluster(name, [NodeGroup(size, 1)], bandwidth) for name, size in zip("ABC", (3, 3, 2), strict=True)]
    return CoallocationInstance(clusters, [Job(f"J{index}", 4, 2 + index, 3) for index in range(3)], slot=1)


def loaded(denominator):
    """Two jobs whose loads need fractions of this denominator, over links that carry one of them only."""
    share = F(denominator - 1, denominator)
    clusters = [Cluster(name, [NodeGroup(2, 1)], share) for name in "AB"]
    jobs = [Job("a", 2, 3, share / 2), Job("b", 2, 4, F(denominator + 1, 2 * denominator))]
    return CoallocationInstance(clusters, jobs, slot=1)


FEATURES = [(releases, held, equal) for releases in (False, True) for held in (False, True) for equal in (False, True)]


@pytest.mark.parametrize(
    ("case", "instance"),
    [
        *((COUNTS, random_instance(seed)) for seed in range(6)),
        *((COUNTS, several_powers(slot)) for slot in (0, 1, F(1, 2), 7)),
        *((COUNTS, tight(bandwidth)) for bandwidth in (3, 4, 6, 7, 8)),
        *((COUNTS, coallocation.uniform(slot)) for slot in (1, 5)),
        *((COUNTS, make()) for make in (coallocation.mixed, coallocation.continuous, coallocation.alike)),
        (COUNTS, loaded(10**9 + 7)),  # large loads stay exact
        *((CUMULATIVE, random_mosp(seed, max_jobs=4)) for seed in range(6)),
        *((CUMULATIVE, random_mosp(seed, max_jobs=4).with_locality(None)) for seed in range(6)),
        *(
            (CUMULATIVE, random_mosp(500 + seed, max_jobs=5, releases=releases, reservations=held, equal=equal))
            for seed in range(2)
            for releases, held, equal in FEATURES
        ),
        *((CUMULATIVE, make()) for make in (mosp.unequal, mosp.reserved, mosp.alike)),
    ],
    ids=lambda one: one.formulation.name if isinstance(one, Case) else one.digest[:6],
)
def test_equals_brute_force(case, instance):
    proves(case, instance)


@CASES
def test_a_lower_bound_that_is_the_optimum_cuts_nothing_off(case):
    for seed in range(3):
        instance = case.instance(seed)
        proves(case, instance, exact_parts(instance).brute_force(instance)[0])


def accepted(instance, runs):
    """Whether nodes can be named for the runs and the verifier accepts the schedule."""
    try:
        schedule = exact_parts(instance).from_runs(instance, instance.scaled(), runs)
    except InputError:
        return False
    return not verify(instance, schedule)


def ticks(instance, schedule):
    return int(schedule.makespan / instance.scaled().tick)


@CASES
def test_allows_exactly_what_the_verifier_accepts(case):
    seen = {True: 0, False: 0}
    for seed in range(40):
        instance, rng = case.instance(seed), Random(seed)
        scaled, parts = instance.scaled(), exact_parts(instance)
        first = parts.to_runs(instance, scaled, case.first(instance))
        own = [case.feasible(instance, seed), case.anywhere(instance, rng), case.anywhere(instance, rng)]
        for runs in (first, *own):
            longest = max(map(max, getattr(scaled, "durations", None) or [scaled.times]))
            latest = max(one.start for one in runs) + longest
            spec = case.formulation.prepare(instance, scaled, max(latest, ticks(instance, case.first(instance))), 0)
            if any(run.start % spec.unit for run in runs):
                continue  # starts between the model's units are rounded down, which may mend a schedule
            free = spec if case is COUNTS else replace(spec, identical_jobs=(), identical_clusters=())
            feasible = accepted(instance, runs)
            assert allows(case, free, case.values(free, runs)) is feasible, (seed, runs)
            seen[feasible] += 1
    assert min(seen.values()) >= 20, seen


@CASES
def test_every_feasible_schedule_has_a_place_that_ends_no_later(case):
    """Also where starts are rounded down to the model's units; what is read back is accepted."""
    for seed in range(20):
        instance = case.instance(seed).relaxed()
        if case is COUNTS and seed % 2:
            instance = replace(instance, jobs=tuple(replace(job, base_time=6 * job.base_time) for job in instance.jobs))
        scaled, parts = instance.scaled(), exact_parts(instance)
        runs = case.feasible(instance, seed)
        last = ticks(instance, parts.from_runs(instance, scaled, runs))
        spec = case.formulation.prepare(instance, scaled, last, 0)
        values = case.formulation.start_values(spec, runs)
        assert values is not None and allows(case, spec, values)
        back = parts.from_runs(instance, scaled, case.formulation.read(spec, values))
        assert verify(instance, back) == []
        assert ticks(instance, back) <= case.formulation.ticks_of(spec, int(values["makespan", ()])) <= last


def test_a_makespan_below_the_last_end_is_not_allowed():
    instance = mosp.unequal()
    scaled = instance.scaled()
    runs = exact_parts(instance).to_runs(instance, scaled, local_schedule(instance))
    spec = cumulative_cpsat.prepare(instance, scaled, ticks(instance, local_schedule(instance)), 0)
    values = cumulative_cpsat.start_values(spec, runs)
    assert values is not None and allows(CUMULATIVE, spec, values)
    assert not allows(CUMULATIVE, spec, values | {("makespan", ()): values["makespan", ()] - 1})


def test_answers_that_are_no_schedule_are_noticed():
    instance = coallocation.mixed()
    with pytest.raises(SolverError, match="every task"):
        counts_cpsat.read(counts_cpsat.prepare(instance, instance.scaled(), 50, 0), {("count", (0, 0)): 1})
    instance = mosp.alike()
    spec = cumulative_cpsat.prepare(instance, instance.scaled(), 20, 0)
    for on in ([], [0, 1]):
        with pytest.raises(SolverError, match="exactly once"):
            cumulative_cpsat.read(spec, {("on", (job, cluster)): 1 for job in range(4) for cluster in on})


def test_saturation_must_be_forbidden():
    instance = coallocation.mixed().with_saturation("slowdown")
    with pytest.raises(InputError, match="saturation: no model treats this policy; known: forbid"):
        counts_cpsat.prepare(instance, instance.scaled(), 50, 0)


TIMES = (F(10**15 + 37, 1000), F(10**15 + 61, 1000))
WIDE = [Job(f"J{index}", 4000, time) for index, time in enumerate(TIMES)]
LONG = [RigidJob(f"J{index}", time, 9000) for index, time in enumerate((10**14 + 31, 10**14 + 67))]


@pytest.mark.parametrize(
    ("case", "instance", "what"),
    [
        (COUNTS, loaded(10**19 + 51), "link bandwidth"),
        (COUNTS, CoallocationInstance([Cluster("A", [NodeGroup(4000, 1)], 0)], WIDE, slot=F(1, 1000)), "nodes"),
        (CUMULATIVE, MospInstance([Organization("A", 9000, LONG)]), "processors"),
    ],
    ids=["link bandwidth", "nodes", "processors"],
)
def test_numbers_beyond_64_bits_are_too_large_and_said_to_be(case, instance, what):
    with pytest.raises(TooLargeError, match=f"{what}: demand times ticks"):
        case.formulation.prepare(instance, instance.scaled(), ticks(instance, case.first(instance)), 0)
