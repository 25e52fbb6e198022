"""The tree over starts: decides as brute force does, and its certificates are walked again."""

from fractions import Fraction as F
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oas.core.compiling import select_kernels
from oas.core.errors import TooLargeError
from oas.core.result import Termination
from oas.core.rigid import Organization, RigidJob
from oas.core.verifier import verify
from oas.mosp.bounds.start_tree import kernels, make_memory, make_problem, start_tree_bound
from oas.mosp.bounds.start_tree.measures import LIMIT, Part, Timeline, measure_tables
from oas.mosp.bounds.start_tree.prices import (
    PriceProgram,
    flat_measures,
    further_weights,
    interval_measures,
    kinds_of_weights,
    proves,
)
from oas.mosp.generate.reservations import reservations
from oas.mosp.instance import MospInstance
from oas.mosp.runs import ClusterRun, schedule_from_cluster_runs
from oas.mosp.ticks import coarsened
from oas.solving.recheck import recheck
from tests.mosp.instances import alone, optimum, unit
from tests.slow import at_least, draws
from tests.solving.redirected import redirect

SEEDS = range(60)
STATES = 200


def timeline(seed, horizon, *, mirrored=False):
    return Timeline(coarsened(alone(seed).scaled())[0], horizon, mirrored=mirrored)


def walk(line, measures, compiled=False, steps=10**6, order=None):
    """Search a tree of these jobs, without an order of all by their indices, in calls of so many steps."""
    jobs = range(line.scaled.job_count) if order is None else order
    memory = make_memory(len(jobs), line.horizon, np.zeros(100_000, dtype=np.uint8), STATES)
    problem = make_problem(line, measures, jobs)
    loops = select_kernels(compiled, kernels)
    loops.begin(problem, memory)
    status = int(memory.state[kernels.STATUS])
    while status == kernels.SEARCHING:
        status = int(loops.search(problem, memory, steps))
    return status, memory


def flat(line):
    return flat_measures(line, kinds_of_weights(line, ()))


# The tree


@pytest.mark.parametrize("mirrored", [False, True])
def test_the_tree_decides_as_brute_force_does(mirrored):
    for seed in SEEDS:
        best = optimum(seed)
        if best > 1:
            line = timeline(seed, best - 1, mirrored=mirrored)
            assert walk(line, flat(line))[0] == kernels.REFUTED, seed
        for longer in (0, 2):
            line = timeline(seed, best + longer, mirrored=mirrored)
            status, memory = walk(line, flat(line))
            assert status == kernels.FOUND, seed
            starts = [int(start) for start in memory.start]
            if mirrored:
                starts = [line.horizon - start - line.scaled.times[job] for job, start in enumerate(starts)]
            runs = [ClusterRun(job, 0, start) for job, start in enumerate(starts)]
            instance = alone(seed)
            made = schedule_from_cluster_runs(instance, line.scaled, runs)
            assert verify(instance, made) == []
            assert made.makespan <= line.horizon * line.scaled.tick


@pytest.mark.parametrize("mirrored", [False, True])
def test_in_any_order_the_tree_decides_the_same_and_some_jobs_never_refute_more(mirrored):
    for seed in SEEDS:
        lot = Random(seed)
        best = optimum(seed)
        line = timeline(seed, best, mirrored=mirrored)
        jobs = range(line.scaled.job_count)
        order = lot.sample(jobs, len(jobs))
        assert walk(line, flat(line), order=order)[0] == kernels.FOUND, seed
        some = lot.sample(jobs, lot.randint(1, len(jobs)))
        measures = [tuple(part.only(some) for part in measure) for measure in flat(line)]
        assert walk(line, measures, order=some)[0] == kernels.FOUND, seed
        if best > 1:
            shorter = timeline(seed, best - 1, mirrored=mirrored)
            assert walk(shorter, flat(shorter), order=order)[0] == kernels.REFUTED, seed


def test_compiled_loops_do_the_same_however_steps_are_spread():
    for seed in SEEDS[:30]:
        for horizon in (optimum(seed) - 1, optimum(seed)):
            if not horizon:
                continue
            line = timeline(seed, horizon)
            plain, one = walk(line, flat(line))
            fast, other = walk(line, flat(line), True, 7)
            assert plain == fast
            for own, their in zip(one, other, strict=True):
                assert np.array_equal(own, their)


# Measures


@given(st.data())
def test_no_measure_refutes_what_can_be_done(data):
    seed = data.draw(st.sampled_from(SEEDS))
    line = timeline(seed, optimum(seed), mirrored=data.draw(st.booleans()))
    jobs = line.scaled.job_count
    weights = st.lists(st.integers(0, 9), min_size=jobs, max_size=jobs)
    prices = st.lists(st.integers(0, 9), min_size=line.horizon, max_size=line.horizon)
    parts = [Part.of(data.draw(weights), data.draw(prices)) for _ in range(data.draw(st.integers(1, 3)))]
    assert not proves(line, tuple(parts))


def test_programs_prove_more_than_flat_prices_and_never_too_much():
    more = 0
    for seed in range(draws(40)):
        instance = reservations(seed=seed, jobs=6, processors=8, availability="general", releases=bool(seed % 2))
        scaled, _ = coarsened(instance.scaled())
        made = min(walk_down(scaled))
        for horizon in (made, made - 1):
            line = Timeline(scaled, horizon)
            kinds = kinds_of_weights(line, ())
            every = [*kinds, *further_weights(line)]
            by_flat = any(proves(line, one) for one in (*flat_measures(line, every), *interval_measures(line, every)))
            if horizon == made:
                assert not by_flat
            if not by_flat:
                program = PriceProgram(line, kinds)
                assert program.solve(1.0, 60.0)
                refuted = program.value > 1 + 1e-6 and bool(program.measure()) and proves(line, program.measure())
                assert not (refuted and horizon == made)
                more += refuted
    assert more >= at_least(3)


def walk_down(scaled):
    """Return makespans of schedules, the last of them optimal, by trees with flat measures."""
    horizon = sum(scaled.times) + max([*scaled.releases, *(end for _, _, end, _ in scaled.reservations)])
    found = []
    while True:
        line = Timeline(scaled, horizon)
        status, memory = walk(line, flat(line), True)
        if status == kernels.REFUTED:
            return found
        found.append(max(int(memory.start[job]) + time for job, time in enumerate(scaled.times)))
        horizon = found[-1] - 1


# Certificates


def test_a_tree_of_some_jobs_proves_what_these_need():
    """Two wide jobs that exclude one another; the narrow one would fit anywhere."""
    jobs = [RigidJob("a", 3, 2), RigidJob("b", 1, 1), RigidJob("c", 4, 2)]
    instance = MospInstance([Organization("O", 3, jobs)], locality=None)
    line = Timeline(coarsened(instance.scaled())[0], 6)
    weights = (1, 0, 1)
    measure = (Part(weights, ((0, 6, 1),)),)
    assert walk(line, [measure], order=[0, 2])[0] == kernels.REFUTED
    assert walk(line, [measure], order=[0])[0] == kernels.FOUND
    assert walk(Timeline(line.scaled, 7), [measure], order=[0, 2])[0] == kernels.FOUND
    assert Part((5, 6, 7), ((0, 6, 1),)).only([0, 2]).weights == (5, 0, 7)
    assert line.room(weights).tolist() == [1] * 6 + [0]


def test_numbers_that_might_wrap_are_refused():
    line = timeline(3, optimum(3) - 1)
    jobs = line.scaled.job_count
    with pytest.raises(TooLargeError, match="too large"):
        measure_tables(line, [(Part((LIMIT,) * jobs, ((0, line.horizon, LIMIT),)),)], range(jobs))


# The search in the worker


def test_the_search_proves_optima_and_finds_schedules():
    for seed, kind in enumerate(("alpha", "non-increasing", "general")):
        instance = reservations(seed=seed, jobs=8, processors=16, availability=kind, releases=bool(seed % 2))
        upper = F(sum(job.time for job in instance.jobs)) + max(end for _, end, _ in instance.reserved)
        lower, best = F(0), None
        while True:
            found = start_tree_bound(instance, lower, upper)
            assert found.termination is Termination.FINISHED, found.message
            if found.bound is not None:
                assert recheck(instance, found.bound)
                lower = found.bound.value
            if found.runs is None:
                break
            best = schedule_from_cluster_runs(instance, instance.scaled(), found.runs)
            assert verify(instance, best) == []
            assert best.makespan < upper
            upper = best.makespan
        assert best is not None
        assert lower == upper


def test_a_schedule_found_backwards_in_time_is_one(monkeypatch):
    redirect(monkeypatch, "tests.mosp.bounds.worker_side:backwards_tree")
    for seed in range(8):
        instance = alone(seed)
        found = start_tree_bound(instance, F(0), (optimum(seed) + 1) * unit(seed))
        made = schedule_from_cluster_runs(instance, instance.scaled(), found.runs)
        assert verify(instance, made) == []
        assert made.makespan == optimum(seed) * unit(seed)


def test_the_search_refuses_several_clusters():
    two = MospInstance([Organization("A", 2, [RigidJob("a", 1, 1)]), Organization("B", 2)], locality=None)
    found = start_tree_bound(two, F(0), F(5))
    assert found.termination is Termination.TOO_LARGE
    assert found.bound is None
    assert found.runs is None
