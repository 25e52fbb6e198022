"""Local searches of co-allocation: feasible, deterministic, resumable, never worse than before."""

from fractions import Fraction as F
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oas.coallocation.allocations import runs_from_schedule, schedule_from_runs
from oas.coallocation.bounds.configurations import Weights
from oas.coallocation.exact import search as exact_module
from oas.coallocation.exact.search import CoallocationExactSearch
from oas.coallocation.generate.section4 import section4
from oas.coallocation.generate.tiny import tiny
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.search import beam as beam_module
from oas.coallocation.search.annealing import AnnealingSearch, WidestFirst
from oas.coallocation.search.beam import BeamSearch
from oas.core.result import Bound
from oas.core.verifier import check
from oas.solving.brute_force import brute_force
from oas.solving.evidence import Evidence
from oas.solving.methods import toolkit_methods
from tests.slow import every_fourth_quick, mostly_slow
from tests.strategies import instances_with_schedule


def checked(instance, runs):
    assert runs is not None
    assert [run.job for run in runs] == list(range(len(instance.jobs)))
    return check(instance, schedule_from_runs(instance, instance.scaled(), runs))


def makespan(runs):
    return max(run.end for run in runs)


def several_classes(seed):
    """Clusters of two or three Γ, links from absent to wide, jobs up to the whole grid, η = 0 among the slots."""
    rng = Random(seed)
    powers = (F(1), F(3, 4), F(1, 2))
    clusters = [
        Cluster(
            f"C{k}",
            [NodeGroup(rng.randint(1, 6), power) for power in rng.sample(powers, rng.randint(1, 3))],
            rng.choice((F(0), F(5), F(12), F(40), F(1000))),
        )
        for k in range(rng.randint(1, 5))
    ]
    largest, nodes = max(one.size for one in clusters), sum(one.size for one in clusters)
    jobs = []
    for index in range(rng.randint(1, 14)):
        tasks = rng.randint(1, nodes)
        need = F(rng.randint(0, 8), rng.choice((1, 3)))
        job = Job(f"J{index}", tasks, F(rng.randint(1, 30), 3), need, F(7, 10))
        alone = CoallocationInstance(clusters, [job])
        jobs.append(job if AnnealingSearch(alone.scaled(), compiled=False).improve(0, 1) else _cut(job, largest))
    return CoallocationInstance(clusters, jobs, slot=rng.choice((F(0), F(1), F(5, 2))))


def _cut(job, most):
    return Job(job.id, min(job.tasks, most), job.base_time, job.bandwidth, job.sigma)


def worst_list(instance):
    schedules = [method(instance) for method in toolkit_methods(CoallocationInstance)]
    return runs_from_schedule(instance, instance.scaled(), max(schedules, key=lambda schedule: schedule.makespan))


def by_tasks(scaled):
    """Weights of jobs for which the number of nodes is a valid bound."""
    return [[tasks] * len(scaled.powers) for tasks in scaled.tasks]


def duals_of(scaled):
    return [(by_tasks(scaled), sum(len(one.nodes) for one in scaled.classes))]


def annealing(instance, seed=0, *, compiled=False):
    return AnnealingSearch(instance.scaled(), seed, compiled=compiled)


def beam(instance, seed=0, *, compiled=False):
    scaled = instance.scaled()
    return BeamSearch(scaled, worst_list(instance), duals_of(scaled), seed, compiled=compiled)


class PlainBeam(BeamSearch):
    """Plain Python only: starts without loading compiled code."""

    def __init__(self, *arguments):
        super().__init__(*arguments, compiled=False)


def exact_search_of(instance, target):
    """The worst schedule of a list, `target` for a bound, and weights that differ from job to job."""
    scaled = instance.scaled()
    evidence = Evidence(instance)
    assert evidence.offer(schedule_from_runs(instance, scaled, worst_list(instance)), "list") is None
    evidence.bound = Bound("told", target, {})
    exact = CoallocationExactSearch(evidence, 0, lambda: None, lambda: None)
    weights = tuple((job + 1,) * len(scaled.powers) for job in range(scaled.job_count))
    exact.duals = [Weights(weights, 10**6), Weights(weights[::-1], 10**6)]
    return exact


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
def test_plain_and_compiled_loops_agree_whatever_the_calls_and_are_feasible(make, seed):
    instance = several_classes(seed)
    plain, compiled = (make(instance, seed, compiled=value) for value in (False, True))
    last = makespan(worst_list(instance))
    for steps in (1, 60, 60):
        runs = plain.improve(0, steps)
        checked(instance, runs)
        assert makespan(runs) == plain.makespan
        assert make is annealing or plain.makespan <= last
        compiled.improve(0, steps // 3)
        assert runs == compiled.improve(0, steps - steps // 3) and plain.tried == compiled.tried
        assert list(plain._state) == list(compiled._state) != list(make(instance, seed + 1)._state)
        last = plain.makespan
    start = worst_list(instance)
    assert plain.improve(0, 20, start) == compiled.improve(0, 20, start)


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
    assert found.makespan <= min(method(instance).makespan for method in toolkit_methods(CoallocationInstance))


def test_a_job_without_allocation():
    clusters = [Cluster("A", [NodeGroup(2, 1)], 1), Cluster("B", [NodeGroup(2, 1)], 1)]
    scaled = CoallocationInstance(clusters, [Job("J", 4, 1, 5, 0)], slot=1).scaled()
    assert AnnealingSearch(scaled).improve(0, 100) == []
    assert WidestFirst(scaled, compiled=False).build() == []


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
