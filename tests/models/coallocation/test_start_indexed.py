"""The start-indexed model allows exactly the verifier's schedules, and its reductions lose no optimum."""

from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from itertools import product
from random import Random

import pytest

from heuristics.registry import own_methods
from oas.core.errors import InputError, SolverError, TooLargeError
from oas.core.verifier import verify
from oas.exact.coallocation.brute_force import brute_force
from oas.generate.coallocation.tiny import draw_tiny, tiny
from oas.models.coallocation import start_indexed
from oas.models.coallocation.reductions import (
    LARGEST_LOAD_BITS,
    identical_jobs,
    link_rows,
    normal_patterns,
    reduced_allocations,
)
from oas.models.coallocation.start_indexed import StartIndexedSpec, build, prepare, start_values, ticks_of
from oas.problems.coallocation.allocations import (
    Run,
    allocations,
    jobs_without_allocation,
    runs_from_schedule,
    schedule_from_runs,
)
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.registry import COALLOCATION
from oas.solvers.isolation.client import run
from oas.solvers.task import Limits, Settings, Task, integer_bound
from tests.models.rows import broken, rows_of
from tests.strategies import random_feasible_runs


@cache
def small(count, most_ticks):
    """The first tiny instances with two jobs or more whose optimum is at most so many ticks, and the optimum."""
    found = []
    seed = 0
    while len(found) < count:
        instance = tiny(seed=seed)
        optimum = int(brute_force(instance)[0] / instance.scaled().tick)
        if len(instance.jobs) > 1 and optimum <= most_ticks:
            found.append((instance, optimum))
        seed += 1
    return tuple(found)


def unreduced(instance, horizon, lower_bound=0):
    """Every allocation, every start."""
    scaled = instance.scaled()
    choices = tuple(tuple(allocations(scaled, job)) for job in range(scaled.job_count))
    starts = tuple(tuple(range(horizon)) for _ in choices)
    return StartIndexedSpec(instance, horizon, lower_bound, choices, starts, ())


def values_of(spec, runs, makespan=None):
    """The values of runs as they are, without any reduction."""
    end = max(run.end for run in runs) if makespan is None else makespan
    started = {("start", (run.job, spec.choices[run.job].index(run.allocation), run.start)): 1.0 for run in runs}
    return started | {("beyond", (index,)): 1.0 for index, one in enumerate(spec.ends) if one <= end}


def accepted(instance, spec, runs):
    try:
        return not verify(instance, schedule_from_runs(instance, spec.scaled, runs))
    except InputError:  # more nodes of a class than there are
        return False


def test_the_rows_allow_exactly_what_the_verifier_accepts():
    verdicts = {True: 0, False: 0}
    families = set()
    for number, (instance, optimum) in enumerate(small(40, 12)):
        rng = Random(number)
        spec = unreduced(instance, optimum + 6)
        rows = rows_of(build(spec))
        for _ in range(60):
            latest = rng.choice((2, optimum, optimum + 6))
            runs = [
                Run(job, rng.randint(0, max(0, min(latest, spec.horizon - choice.duration))), choice)
                for job, choice in enumerate(map(rng.choice, spec.choices))
            ]
            if max(run.end for run in runs) <= spec.horizon:
                own = broken(rows, values_of(spec, runs))
                assert (own == set()) == accepted(instance, spec, runs), (instance, runs, own)
                verdicts[own == set()] += 1
                families |= own
    assert min(verdicts.values()) >= 300, verdicts
    assert families >= {"nodes", "links"}


def test_the_makespan_cannot_be_understated():
    for number, (instance, _) in enumerate(small(40, 12)):
        runs = random_feasible_runs(instance, number)
        end = max(run.end for run in runs)
        for bound in (0, end):
            spec = unreduced(instance, end + 1, lower_bound=bound)
            assert broken(rows_of(build(spec)), values_of(spec, runs)) == set()
            assert bound or "late" in broken(rows_of(build(spec)), values_of(spec, runs, end - 1))


def least_ticks(spec):
    """Return the least makespan that the reduced model holds, as HiGHS finds and proves it."""
    task = Task(start_indexed.FORMULATION.builder, spec)
    outcome = run(task, Settings(integer_objective=True), Limits(120))
    assert outcome.values is not None and outcome.bound is not None, outcome
    end = max(one.end for one in start_indexed.read(spec, outcome.values))
    assert end == ticks_of(spec, integer_bound(outcome.bound))
    return end


@pytest.mark.parametrize("slack", [0, 3])
def test_reductions_keep_an_optimum(slack):
    smaller = 0
    for instance, optimum in small(60, 25):
        scaled = instance.scaled()
        spec = prepare(instance, scaled, optimum + slack, 0)
        assert least_ticks(spec) == optimum, instance
        smaller += spec.size < unreduced(instance, optimum + slack).size
    assert smaller >= 40


def roomy(seed):
    """Few small jobs, so that some classes of nodes never bind and allocations dominate one another."""
    rng = Random(seed)
    instance = draw_tiny(rng, 3, 7, 3, slots=(F(1),), unit=F(1, 2))
    jobs = [
        Job(one.id, min(one.tasks, rng.choice((1, 2, 2, 3))), one.base_time, max(one.bandwidth, F(1)), one.sigma)
        for one in instance.jobs
    ]
    return replace(instance, jobs=jobs)


def test_dominance_keeps_an_optimum():
    smaller = 0
    for instance in filter(lambda one: not jobs_without_allocation(one.scaled()), map(roomy, range(75))):
        scaled = instance.scaled()
        optimum = int(brute_force(instance)[0] / scaled.tick)
        assert least_ticks(prepare(instance, scaled, optimum, 0)) == optimum, instance
        kept = reduced_allocations(instance)
        smaller += any(len(own) < len(allocations(scaled, job)) for job, own in enumerate(kept))
    assert smaller >= 25


def identical_clusters_instance():
    clusters = [Cluster(name, [NodeGroup(2, 1), NodeGroup(1, F(1, 2))], 1) for name in "AB"]
    return CoallocationInstance([*clusters, Cluster("C", [NodeGroup(1, 1)], 5)], [Job("j", 4, 2, 1), Job("k", 1, 1)])


def test_clusters_that_differ_in_anything_are_not_alike():
    instance = identical_clusters_instance()
    other = Cluster("B", instance.clusters[1].groups, 2)
    wider = replace(instance, clusters=[instance.clusters[0], other, instance.clusters[2]])
    for one in (instance, wider):
        optimum = int(brute_force(one)[0] / one.scaled().tick)
        assert least_ticks(prepare(one, one.scaled(), optimum, 0)) == optimum
    mirrored = {
        counts[2:4] + counts[:2] + counts[4:] for counts in map(lambda one: one.counts, reduced_allocations(wider)[0])
    }
    assert mirrored & {one.counts for one in reduced_allocations(wider)[0]}


def test_normal_patterns_by_hand():
    assert normal_patterns([{2}, {3}, {4, 5}], 9, 100) == ((0, 3, 4, 5, 7), (0, 2, 4, 5, 6), (0, 2, 3, 5))
    assert normal_patterns([{2}], 9, 100) == ((0,),)
    with pytest.raises(TooLargeError, match="more than 3 starts"):
        normal_patterns([{1}, {2}, {4}], 20, 3)


def test_heuristic_schedules_have_a_place_in_the_reduced_model():
    placed = missing = 0
    for instance, _ in small(30, 40):
        scaled = instance.scaled()
        for schedule in {method(instance).makespan: method(instance) for method in own_methods(COALLOCATION)}.values():
            runs = runs_from_schedule(instance, scaled, schedule)
            end = max(run.end for run in runs)
            spec = prepare(instance, scaled, end, 0)
            values = start_values(spec, runs)
            if values is None:
                missing += 1
                continue
            placed += 1
            assert broken(rows_of(build(spec)), values) == set()
            moved = start_indexed.read(spec, values)
            assert accepted(instance, spec, moved) and max(run.end for run in moved) <= end
            stated = sum(value for key, value in values.items() if key[0] == "beyond")
            assert ticks_of(spec, int(stated)) == end
    assert placed >= 15 * missing and placed >= 30, (placed, missing)


def test_read_refuses_nonsense():
    instance, optimum = small(40, 12)[0]
    spec = prepare(instance, instance.scaled(), optimum + 2, 0)
    for values in ({}, {("start", (0, 0, 0)): 1.0}, {("start", (0, 0, 0)): 1.0, ("start", (0, 0, 1)): 1.0}):
        with pytest.raises(SolverError, match="does not start every job exactly once"):
            start_indexed.read(spec, values)


def test_size_is_known_before_building():
    for instance, optimum in small(20, 12):
        spec = prepare(instance, instance.scaled(), optimum + 2, 1)
        model = build(spec)
        assert len(model.start) == spec.size
        assert len(model.beyond) == len(spec.ends)
        links_and_nodes = [terms for family, terms, _, _ in rows_of(build(spec)) if family in ("nodes", "links")]
        used = sum(sum(name == "start" for name, _ in terms) for terms in links_and_nodes)
        assert used <= spec.nonzeros


def test_a_model_too_large_is_refused_before_it_is_built():
    jobs = [Job(f"J{index}", 6, 1000 + index) for index in range(12)]
    clusters = [Cluster(f"C{index}", [NodeGroup(4, F(1, index + 1))], 9) for index in range(3)]
    instance = CoallocationInstance(clusters, jobs)
    with pytest.raises(TooLargeError):
        prepare(instance, instance.scaled(), 40_000, 0)


# Link rows for float solvers: small numbers, and not one comparison changed


def random_links(seed, digits):
    draw = Random(seed)
    jobs = [Job(f"j{index}", draw.randint(1, 5), 1, F(draw.randint(1, 10**digits), 7)) for index in range(3)]
    bandwidths = [F(draw.randint(0, 3 * 10**digits), draw.choice((1, 7, 11))) for _ in range(2)]
    return CoallocationInstance([Cluster(f"c{k}", [NodeGroup(3, 1)], own) for k, own in enumerate(bandwidths)], jobs)


@pytest.mark.parametrize("digits", [0, 3, 6, 9, 12])
@pytest.mark.parametrize("seed", range(5))
def test_the_same_sums_fit(seed, digits):
    scaled = random_links(seed, digits).scaled()
    capacities, loads = link_rows(scaled)
    assert max(map(max, loads)) <= 2**LARGEST_LOAD_BITS
    for counts in product(*(range(tasks + 1) for tasks in scaled.tasks)):
        exact = sum(row[count] for row, count in zip(scaled.link_loads, counts, strict=True))
        small = sum(row[count] for row, count in zip(loads, counts, strict=True))
        for capacity, narrow in zip(scaled.link_capacity, capacities, strict=True):
            assert small <= narrow or exact > capacity  # what fits still fits
            if digits <= 9:  # within 40 bits the reverse holds too
                assert (small <= narrow) == (exact <= capacity)


def test_an_allocation_that_loads_a_link_less_is_kept():
    """Both jobs at once, if one takes A and B and the other a node of each other cluster: each link carries one."""
    clusters = [Cluster(name, [NodeGroup(2, 1)], 9 if name in "AB" else 1) for name in "ABSTUV"]
    instance = CoallocationInstance(clusters, [Job("u", 4, 5, 1), Job("v", 4, 5, 1)])
    scaled = instance.scaled()
    assert least_ticks(prepare(instance, scaled, 5, 0)) == 5


def test_identical_jobs():
    jobs = [Job("a", 1, 2), Job("b", 1, 3), Job("c", 1, 2), Job("d", 2, 2), Job("e", 1, 2, 5), Job("f", 2, 2, 1)]
    instance = CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 0)], jobs, slot=1)
    assert identical_jobs(instance) == ((0, 2, 4),)  # one task sends nothing, whatever its bandwidth
    assert identical_jobs(instance.with_slot(3)) == ((0, 1, 2, 4),)
