"""Jobs that can run together, and numbers of nodes for one job, against every split of tiny instances."""

from itertools import combinations, product
from random import Random

import pytest

from oas.checker import coallocation_together
from oas.checker.coallocation_heaviest import heaviest_together
from oas.checker.coallocation_spread import empty_grid_levels, node_counts, nodes_up_to_level
from oas.checker.coallocation_together import Together
from oas.checker.effort import Effort
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.generate import tiny
from tests.checker.instances import own_coallocation
from tests.slow import mostly_slow


def splits(scaled, job):
    """All numbers of tasks by cluster that add up to those of the job."""
    tasks = scaled.tasks[job]
    sizes = [row[-1] for row in nodes_up_to_level(scaled)]
    return [one for one in product(*(range(min(size, tasks) + 1) for size in sizes)) if sum(one) == tasks]


def can_run(scaled, items):
    """Whether some splits of these jobs find nodes, by level, and links."""
    nodes = nodes_up_to_level(scaled)
    return any(
        all(
            sum(split[k] for split, (_, own) in zip(chosen, items, strict=True) if own <= level) <= nodes[k][level]
            for k in range(len(scaled.link_capacity))
            for level in range(len(scaled.powers))
        )
        and all(
            sum(scaled.link_loads[job][split[k]] for split, (job, _) in zip(chosen, items, strict=True)) <= link
            for k, link in enumerate(scaled.link_capacity)
        )
        for chosen in product(*(splits(scaled, job) for job, _ in items))
    )


@pytest.mark.parametrize("tables", [True, False])
@pytest.mark.parametrize("seeds", mostly_slow([range(25), range(25, 200)], quick=[range(25)]), ids=str)
def test_sets_of_jobs(seeds, tables, monkeypatch):
    if not tables:
        monkeypatch.setattr(coallocation_together, "MOST_PAIR_STEPS", -1)
    answers = {(size, answer): 0 for size in (2, 3) for answer in (True, False)}
    for seed in seeds:
        scaled = own_coallocation(tiny(seed=seed, jobs=4, nodes=6)).ticks
        together, levels = Together(scaled, Effort()), range(len(scaled.powers))
        for size in (2, 3):
            for jobs in combinations(range(len(scaled.tasks)), size):
                for chosen in list(product(levels, repeat=size))[:: 2 * size - 3]:
                    items = list(zip(jobs, chosen, strict=True))
                    answer = can_run(scaled, items)
                    assert together.fits(items) == answer, (seed, items)
                    answers[size, answer] += 1
    assert min(answers.values()) > 10, answers


@pytest.mark.parametrize("seed", mostly_slow(range(30), quick=range(0, 16, 4)))
def test_heaviest_sets(seed):
    """Weights are as small as levels: neither passes for the other."""
    scaled, draw = own_coallocation(tiny(seed=seed, jobs=4, nodes=6)).ticks, Random(seed)
    levels = range(len(scaled.powers))
    rows = [[(level, draw.randint(0, 5)) for level in levels] for _ in range(len(scaled.tasks))]
    heaviest = 0
    for chosen in product((None, *levels), repeat=len(rows)):
        items = [(job, level) for job, level in enumerate(chosen) if level is not None]
        weight = sum(rows[job][level][1] for job, level in items)
        if weight > heaviest and can_run(scaled, items):
            heaviest = weight
    assert heaviest_together(Together(scaled, Effort()), rows) == heaviest


def test_a_search_given_up_says_that_jobs_may_fit(monkeypatch):
    clusters = [Cluster(name, [NodeGroup(3, 1)], 1) for name in "AB"]
    jobs = [Job(name, 2, 1, 2) for name in "abc"]  # one of them is split, which asks for too much
    scaled = own_coallocation(CoallocationInstance(clusters, jobs, 1)).ticks
    every = [(0, 0), (1, 0), (2, 0)]
    assert not Together(scaled, Effort()).fits(every)
    monkeypatch.setattr(coallocation_together, "MOST_SPLIT_STEPS", 0)
    assert Together(scaled, Effort()).fits(every)


@pytest.mark.parametrize("seed", range(12))
def test_numbers_of_nodes(seed):
    """Each choice once, from most nodes of the first class downwards, in any order of the classes."""
    scaled = own_coallocation(tiny(seed=seed, feasible=False, jobs=3, nodes=8)).ticks
    levels = empty_grid_levels(scaled)
    for classes in (scaled.classes, sorted(scaled.classes, key=lambda one: -one.level)):
        for job, loads in enumerate(scaled.link_loads):
            expected = []
            for counts in product(*(range(one.count, -1, -1) for one in classes)):
                held = [0] * len(scaled.link_capacity)
                for one, count in zip(classes, counts, strict=True):
                    held[one.cluster] += count
                if sum(counts) == scaled.tasks[job]:
                    asked = tuple(loads[count] for count in held)
                    if all(load <= link for load, link in zip(asked, scaled.link_capacity, strict=True)):
                        expected.append((counts, asked))
            most = [one.count for one in classes]
            assert list(node_counts(classes, loads, most, scaled.link_capacity, Effort())) == expected
            fastest = [
                max(one.level for one, count in zip(classes, counts, strict=True) if count) for counts, _ in expected
            ]
            assert levels[job] == min(fastest, default=None)
