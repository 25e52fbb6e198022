"""Running sets of the relaxed search and of the checker's tree, compared with the enumeration of all sets."""

import random
from itertools import product

import pytest

from oas.checker.coallocation_log_rules import ApartSets, most_weight
from oas.checker.coallocation_together import Together
from oas.checker.effort import Effort
from oas.coallocation.bounds.configurations import Weights
from oas.coallocation.bounds.configurations.packing import Packing
from oas.coallocation.exact import relaxation as relaxations
from oas.coallocation.exact.relaxation import Relaxation
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.checker.instances import own_instance
from tests.slow import draws


def drawn(seed):
    """Jobs that fit by the number of nodes, but often not on the clusters, which have no or narrow links."""
    draw = random.Random(seed)
    link = draw.choice([0, 0, 1])
    clusters = [Cluster(name, [NodeGroup(2, 1), NodeGroup(1, "1/2")], link) for name in "AB"]
    clusters += [Cluster(name, [NodeGroup(draw.randint(1, 3), 1)], link) for name in "C"[: draw.randint(0, 1)]]
    jobs = [Job(f"J{index}", draw.choice([1, 2, 2, 2, 3]), draw.randint(1, 3), 1, 1) for index in range(5)]
    return CoallocationInstance(clusters, jobs, slot=1)


def all_sets(fastest, levels):
    choices = [[None, *((job, level) for level in range(first, levels))] for job, first in enumerate(fastest)]
    for chosen in product(*choices):
        yield [item for item in chosen if item is not None]


def runs_in_tree(items, apart, tasks, capacity):
    """Whether these are a running set, from the definition."""
    level_of = dict(items)
    return all(
        sum(tasks[job] for job, own in items if own <= level) <= most for level, most in enumerate(capacity)
    ) and not any(all(level_of.get(job, level + 1) <= level for job, level in listed) for listed in apart)


def weigh(weights, items):
    return sum(weights[job][level] for job, level in items)


@pytest.mark.parametrize("most_larger", [200, 1])
def test_no_running_set_is_heavier_than_its_maximum(monkeypatch, most_larger):
    monkeypatch.setattr(relaxations, "MAX_LARGER", most_larger)
    larger = grown = 0
    for seed in range(draws(30)):
        instance, draw = drawn(seed), random.Random(seed)
        scaled, packing = instance.scaled(), Packing(instance.scaled())
        together = Together(own_instance(instance).ticks, Effort())
        sets = list(all_sets(together.fastest, together.levels))
        fitting = [items for items in sets if packing.fits(items)]
        rows = tuple(tuple(draw.randint(1, 3) for _ in scaled.powers) for _ in scaled.tasks)
        dual = Weights(rows, max(weigh(rows, items) for items in fitting))
        relaxation = Relaxation(scaled, packing.fits)
        (valid,) = relaxation.valid([dual])
        listed = [*relaxation.pairs, *relaxation.larger]
        apart = ApartSets(len(scaled.tasks), together.levels)
        for items in listed:
            assert not together.fits(items)
            apart.add(items)
        running = [items for items in sets if runs_in_tree(items, listed, scaled.tasks, packing.capacity)]
        assert running == [items for items in sets if relaxation.allows(items)]
        assert all(items in running for items in fitting)
        heaviest = max(weigh(rows, items) for items in running)
        assert most_weight(together, rows, apart) == heaviest == valid.whole
        larger += len(relaxation.larger)
        grown += valid.whole > dual.whole
    assert larger
    assert bool(grown) is (most_larger == 1)


def test_a_set_is_reduced_to_jobs_that_do_not_fit_at_slow_levels():
    """Three jobs of two tasks on two clusters of three nodes: two run, and the fourth job takes no part."""
    clusters = [Cluster(name, [NodeGroup(2, 1), NodeGroup(1, "1/2")], 0) for name in "AB"]
    jobs = [Job("a", 2, 1, 1, 1), Job("b", 2, 1, 1, 1), Job("c", 2, 1, 1, 1), Job("d", 1, 1, 1, 1)]
    scaled = CoallocationInstance(clusters, jobs, slot=1).scaled()
    relaxation = Relaxation(scaled, Packing(scaled).fits)
    assert relaxation.pairs == []
    assert not relaxation.allows([(0, 0), (1, 0), (2, 0)])  # six tasks on four fast nodes
    assert relaxation.allows([(0, 1), (1, 1), (2, 1)])
    dual = Weights(((2, 2), (2, 2), (2, 2), (0, 0)), 4)
    assert relaxation.valid([dual]) == [dual]
    assert relaxation.larger == [((0, 1), (1, 1), (2, 1))]
    assert not relaxation.allows([(0, 0), (1, 1), (2, 1), (3, 1)])
    assert relaxation.allows([(0, 0), (1, 1), (3, 1)])
