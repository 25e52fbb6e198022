"""Searches by windows: they find the optimum and refute what is below with a certificate; nodes that jobs keep."""

from itertools import product
from random import Random

import pytest

from oas.bounds.coallocation.configurations import Weights
from oas.bounds.coallocation.configurations.packing import Packing
from oas.bounds.coallocation.windows import NAME, placing_kernels
from oas.bounds.coallocation.windows.placing_kernels import GIVEN_UP, NO, YES, find_nodes
from oas.checker.coallocation_together import Together
from oas.checker.coallocation_windows import can_keep_nodes
from oas.checker.effort import Effort
from oas.core.result import Bound
from oas.core.verifier import verify
from oas.exact.coallocation.chronological.search import Verdict
from oas.exact.coallocation.windows import WindowsSearch
from oas.exact.recheck import recheck
from oas.generate import tiny
from oas.problems.coallocation.allocations import schedule_from_runs, tasks_by_cluster
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.bounds.coallocation.windows.logs import MANY, WITH_CONFLICTS, refuted, refuted_with_conflicts, search
from tests.checker.instances import own_coallocation
from tests.slow import mostly_slow

BLOCKS = mostly_slow([range(60), range(60, 600)], quick=[range(60)])


@pytest.mark.parametrize("seeds", BLOCKS, ids=str)
def test_tiny_instances(seeds):
    """None of these searches is stuck."""
    for seed in seeds:
        instance, optimum, certificate = refuted(seed)
        scaled = instance.scaled()
        assert recheck(instance, Bound(NAME, scaled.to_time(optimum), certificate))
        made, verdict = search(scaled, optimum)
        assert verdict is Verdict.FOUND
        schedule = schedule_from_runs(instance, scaled, made.runs())
        assert verify(instance, schedule) == []
        assert max(one.end for one in schedule.placements) == scaled.to_time(optimum)


def test_a_certificate_with_conflicts():
    instance, optimum, certificate = refuted_with_conflicts()
    assert certificate["conflicts"]
    proven = instance.scaled().to_time(optimum)
    assert recheck(instance, Bound(NAME, proven, certificate))
    assert not recheck(instance, Bound(NAME, proven, {**certificate, "conflicts": certificate["conflicts"][:1]}))


def test_weights_above_what_is_admitted_are_made_smaller():
    instance, optimum, _ = refuted(WITH_CONFLICTS)
    scaled = instance.scaled()
    nodes = sum(len(one.nodes) for one in scaled.classes)
    weights = Weights(tuple((2**62 * tasks,) * len(scaled.powers) for tasks in scaled.tasks), 2**62 * nodes)
    made = WindowsSearch(scaled, [weights], optimum - 1, Packing(scaled), compiled=False)
    assert made.go_on(MANY) is Verdict.REFUTED
    assert recheck(instance, Bound(NAME, scaled.to_time(optimum), made.certificate()))


def splits(scaled, job, level):
    """All numbers of nodes by class that the job may take at a level."""
    most = [len(one.nodes) if one.level <= level else 0 for one in scaled.classes]
    return [one for one in product(*(range(count + 1) for count in most)) if sum(one) == scaled.tasks[job]]


def fits(scaled, items, counts, moments):
    """Whether nodes and links have room at each moment."""
    for places in moments:
        for number, one in enumerate(scaled.classes):
            if sum(counts[place][number] for place in places) > len(one.nodes):
                return False
        loads = [0] * scaled.cluster_count
        for place in places:
            job = items[place][0]
            for cluster, tasks in enumerate(tasks_by_cluster(scaled, counts[place])):
                loads[cluster] += scaled.link_loads[job][tasks]
        if any(load > link for load, link in zip(loads, scaled.link_capacity, strict=True)):
            return False
    return True


def test_against_all_splits():
    answers = {NO: 0, YES: 0}
    for seed in range(150):
        random, instance = Random(seed), tiny(seed=seed, jobs=4, nodes=5)
        scaled = instance.scaled()
        jobs = random.sample(range(scaled.job_count), min(scaled.job_count, random.randint(2, 4)))
        items = [(job, random.randrange(len(scaled.powers))) for job in jobs]
        moments = [
            sorted(random.sample(range(len(jobs)), min(len(jobs), random.randint(1, 3))))
            for _ in range(random.randint(1, 3))
        ]
        moments.append([place for place in range(len(jobs)) if not any(place in one for one in moments)])
        possible = any(
            fits(scaled, items, counts, moments) for counts in product(*(splits(scaled, *item) for item in items))
        )
        answer, found = find_nodes(scaled, items, moments, 10**6)
        assert answer == (YES if possible else NO), seed
        answers[answer] += 1
        if answer == YES:
            assert all(tuple(own) in splits(scaled, *item) for own, item in zip(found, items, strict=True))
            assert fits(scaled, items, found, moments)
        named = [[items[place][0] for place in places] for places in moments]
        together = Together(own_coallocation(instance).scaled(), Effort())
        assert can_keep_nodes(together, items, named) == possible
    assert min(answers.values()) > 30


def test_jobs_keep_their_nodes():
    """Two clusters of two nodes without links: z and w each fill one of them."""
    clusters = [Cluster(name, [NodeGroup(2, 1)], 0) for name in "ab"]
    jobs = [Job("x", 1, 2), Job("y", 1, 2), Job("z", 2, 1, 1), Job("w", 2, 1, 1)]
    scaled = CoallocationInstance(clusters, jobs, 1).scaled()
    items = [(job, 0) for job in range(4)]
    assert find_nodes(scaled, items, [[0, 2], [1, 2]], 1000)[0] == YES
    assert find_nodes(scaled, items, [[0, 1, 2], [1, 3], [0, 3]], 1000)[0] == YES
    assert find_nodes(scaled, items, [[0, 2], [2, 3], [0, 3]], 1000)[0] == NO
    assert find_nodes(scaled, items, [[0, 2], [2, 3], [0, 3]], 2)[0] == GIVEN_UP


def test_loads_beyond_64_bits_are_given_up(monkeypatch):
    scaled = tiny(seed=0).scaled()
    monkeypatch.setattr(placing_kernels, "MAX_LOADS", 0)
    assert find_nodes(scaled, [(0, 0), (1, 0)], [[0, 1]], 1000) == (GIVEN_UP, [])
