"""Local searches of co-allocation: feasible, deterministic, resumable, never worse than before."""

from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heuristics.coallocation.search import beam as beam_module
from heuristics.coallocation.search.annealing import AnnealingSearch
from heuristics.coallocation.search.widest_first import WidestFirst
from heuristics.registry import own_methods
from oas.core.verifier import check
from oas.exact.coallocation import search as exact_module
from oas.exact.coallocation.brute_force import brute_force
from oas.generate.coallocation.section4 import section4
from oas.generate.coallocation.tiny import tiny
from oas.problems.coallocation.allocations import runs_from_schedule, schedule_from_runs
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.heuristics.coallocation.search.searches import (
    PlainBeam,
    annealing,
    beam,
    checked,
    exact_search_of,
    makespan,
    several_classes,
    worst_list,
)
from tests.slow import every_fourth_quick, mostly_slow
from tests.strategies import instances_with_schedule

SEARCHES = {"annealing": annealing, "beam": beam}
every_search = pytest.mark.parametrize("make", SEARCHES.values(), ids=SEARCHES)


@pytest.fixture
def narrow(monkeypatch):
    """Few children and states, so that the beam's plain loops are quick."""
    monkeypatch.setattr(beam_module, "WIDTH", 3)
    monkeypatch.setattr(beam_module, "CHILDREN", 4)


@pytest.mark.parametrize(("make", "steps", "compiled"), [(annealing, 3_000, None), (beam, 4_000, None)], ids=SEARCHES)
@pytest.mark.parametrize("seed", every_fourth_quick(range(8)))
def test_tiny_instances_are_solved_to_the_optimum(make, steps, compiled, seed):
    instance = tiny(seed=seed)
    best, _ = brute_force(instance)
    target = int(best / instance.scaled().tick)
    assert checked(instance, make(instance, seed, compiled=compiled).improve(target, steps)).makespan == best


@given(instances_with_schedule(max_jobs=5, max_nodes=8), st.integers(0, 10**6))
def test_every_schedule_passes_the_verifier_and_none_is_worse_than_the_start(case, seed):
    instance, schedule = case
    start = runs_from_schedule(instance, instance.scaled(), schedule)
    search, last = annealing(instance, seed), schedule.makespan
    for steps in (0, 1, 30, 30):
        found = checked(instance, search.improve(0, steps, start)).makespan
        assert found <= last
        last = found


@every_search
@pytest.mark.parametrize("seed", every_fourth_quick(range(12)))
@pytest.mark.usefixtures("narrow")
def test_plain_and_compiled_loops_agree_and_are_feasible(make, seed):
    instance = several_classes(seed)
    plain, compiled = (make(instance, seed, compiled=value) for value in (False, True))
    last = makespan(worst_list(instance))
    for steps in (1, 60, 60):
        runs = plain.improve(last * 9 // 10, steps)
        checked(instance, runs)
        assert makespan(runs) == plain.makespan
        assert make is annealing or plain.makespan <= last
        assert runs == compiled.improve(last * 9 // 10, steps) and plain.tried == compiled.tried
        last = plain.makespan
    start = worst_list(instance)
    assert plain.improve(0, 20, start) == compiled.improve(0, 20, start)


@pytest.mark.parametrize(("make", "jobs", "steps"), [(annealing, 16, 900), (beam, 12, 400)], ids=SEARCHES)
@pytest.mark.usefixtures("narrow")
def test_calls_cut_as_they_may_find_the_same(make, jobs, steps):
    instance = section4(jobs=jobs, slot_percent=10)
    once, often, *others = (make(instance, seed) for seed in (3, 3, 4, 5))
    whole = once.improve(0, steps)
    for part in (1, steps // 3, 1, steps // 2, steps - steps // 3 - steps // 2 - 2):
        found = often.improve(0, part)
    assert found == whole and list(once._state) == list(often._state) and once.tried == often.tried
    for other in others:
        other.improve(0, steps)
        assert list(other._state) != list(once._state)


@every_search
@pytest.mark.usefixtures("narrow")
def test_a_better_start_is_taken_a_worse_one_left_and_the_target_ends_it(make):
    instance = section4(jobs=12, slot_percent=10)
    worst = worst_list(instance)
    good = annealing(instance, 1, compiled=True).improve(0, 20_000)
    search = make(instance)
    assert search.improve(0, 0, worst) == worst
    assert search.improve(0, 0, good) == good == search.improve(0, 0, worst)
    tried = search.tried
    assert search.improve(makespan(good), 100) == good and search.tried == tried
    other = make(instance, 5)
    other.improve(makespan(worst) - 1, 10**6)
    assert other.makespan < makespan(worst)


@pytest.mark.parametrize("bandwidth", ["std", "tight"])
@pytest.mark.parametrize(
    ("jobs", "clusters", "nodes"), mostly_slow([(12, 3, 4), (24, 6, 20), (60, 3, 80)], quick=[(12, 3, 4)])
)
@pytest.mark.parametrize("slot", [0, 10])
def test_annealing_beats_the_lists(bandwidth, jobs, clusters, nodes, slot):
    instance = section4(seed=slot, jobs=jobs, clusters=clusters, nodes=nodes, bandwidth=bandwidth, slot_percent=slot)
    found = checked(instance, annealing(instance, 1, compiled=None).improve(0, 60_000))
    assert found.makespan <= min(method(instance).makespan for method in own_methods(CoallocationInstance))


def test_a_job_without_allocation():
    clusters = [Cluster("A", [NodeGroup(2, 1)], 1), Cluster("B", [NodeGroup(2, 1)], 1)]
    scaled = CoallocationInstance(clusters, [Job("J", 4, 1, 5, 0)], slot=1).scaled()
    assert AnnealingSearch(scaled).improve(0, 100) is None
    assert WidestFirst(scaled, compiled=False).build() is None


def test_loads_beyond_64_bits():
    """Task counts whose predecessors have a huge common multiple, links that just hold one split job or two."""
    primes = (101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167)
    jobs = [
        Job(f"J{index}", prime + 1, F(index % 5 + 1), F(index + 3, 7), F(1, 2)) for index, prime in enumerate(primes)
    ]
    exact = max(job.bandwidth * min(80, job.tasks // 2) * F(job.tasks - job.tasks // 2, job.tasks - 1) for job in jobs)
    clusters = [Cluster(f"C{k}", [NodeGroup(80, 1), NodeGroup(10, F(1, 2))], exact * (1 + k % 2)) for k in range(3)]
    instance = CoallocationInstance(clusters, jobs, slot=F(1))
    assert max(instance.scaled().link_capacity) > 2**64
    checked(instance, annealing(instance, compiled=None).improve(0, 500))
    checked(instance, annealing(instance).improve(0, 20))


@pytest.fixture
def few_jobs(monkeypatch):
    """Few jobs are put into beams too, by plain loops."""
    monkeypatch.setattr(exact_module, "LEAST_JOBS", 2)
    monkeypatch.setattr(exact_module, "BeamSearch", PlainBeam)


@pytest.mark.usefixtures("few_jobs")
@pytest.mark.parametrize("part", ["local", "beam"])
def test_the_exact_search_offers_what_is_found_and_tells_what_others_find(part, monkeypatch):
    """Each of the two alone; a schedule found elsewhere reaches the running search."""
    if part == "beam":
        monkeypatch.setattr(AnnealingSearch, "improve", lambda _, target, steps, start: start)
    else:
        monkeypatch.setattr(exact_module, "LEAST_JOBS", 10**9)
    improved = 0
    for seed in range(4):
        instance = tiny(seed=seed)
        best, schedule = brute_force(instance)
        if makespan(worst_list(instance)) * instance.scaled().tick == best:
            continue
        exact = exact_search_of(instance, best)
        exact._search_locally(300)
        assert exact.evidence.makespan == best
        told = exact_search_of(instance, F(0))
        with monkeypatch.context() as slow:
            slow.setattr(PlainBeam, "pace", 1)  # too slow to find a schedule
            told._search_locally(1)
            first = getattr(told, part)
            assert first.makespan == told.upper
            assert told.evidence.offer(schedule, "told") is None
            told._search_locally(1)
            assert getattr(told, part) is first and first.makespan == told.upper == exact.upper
        improved += 1
    assert improved > 1


@pytest.mark.parametrize("bandwidth", ["std", "tight"])
def test_feasible_deterministic_and_the_same_compiled(bandwidth):
    instance = section4(seed=5, jobs=40, clusters=4, nodes=9, bandwidth=bandwidth, slot_percent=25)
    scaled = instance.scaled()
    searches = [WidestFirst(scaled, 3, compiled=compiled) for compiled in (False, True, True)]
    for _ in range(5):
        runs, *others = [search.build() for search in searches]
        assert runs is not None and all(other == runs for other in others)
        assert [run.job for run in runs] == list(range(40))
        check(instance, schedule_from_runs(instance, scaled, runs))
