"""When one moment dominates another, decided by the states themselves; what is free just before a moment and at it."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from oas.bounds.coallocation.search_log import certificate as checker
from oas.bounds.coallocation.search_log import replay
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.bounds.coallocation.search_log.logs import refuted

SEEDS = range(100, 130)


def rules_of(seed):
    instance, optimum, certificate = refuted(seed)
    return checker.read_rules(instance.scaled(), optimum - 1, certificate["order"], certificate)


def drawn_path(rules, now, rng):
    """Some jobs begun before `now`, at any levels and on any nodes: what a path can hold."""
    path = checker.make_path(rules)
    for job in range(len(rules.tasks)):
        if rng.random() < 0.7:
            path.level[job] = rng.randrange(len(rules.room))
            # Some have ended by now.
            path.begun[job] = max(0, now - rng.randrange(1, 2 * rules.ticks[job, path.level[job]] + 1))
            path.held[job] = [rng.randrange(nodes + 1) for nodes in rules.class_nodes]
    return path


def later(path, by):
    """The same path, begun so much later."""
    moved = replay.Path(*(np.array(one) for one in path))
    moved.begun[moved.begun >= 0] += by
    return moved


def changed(rules, path, now, rng):
    """The same path with one thing changed, or nothing."""
    path = later(path, 0)
    job = rng.randrange(len(rules.tasks))
    match rng.randrange(5):
        case 0 if path.begun[job] > 0:
            path.begun[job] -= 1
        case 1:
            path.level[job] = rng.randrange(len(rules.room))
        case 2:
            path.held[job, rng.randrange(len(rules.class_nodes))] += rng.choice([-1, 1])
        case 3:
            path.begun[job] = -1 if path.begun[job] >= 0 else now
    return path


def state(rules, path, now):
    """What decides how a path can go on, as plain data."""
    ends = [path.begun[job] + rules.ticks[job, path.level[job]] for job in range(len(rules.tasks))]
    return [
        "waits"
        if path.begun[job] < 0
        else (end - now, path.level[job], tuple(path.held[job]))
        if end > now
        else "has ended"
        for job, end in enumerate(ends)
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_only_what_was_left_and_is_the_same_dominates(seed):
    rules, rng = rules_of(seed), random.Random(seed)
    many = rules._replace(room=rules.room + 10_000)  # rows for any number of jobs that run
    seen = 0
    for _ in range(200):
        then = rng.randrange(1, 12)
        path = drawn_path(rules, then, rng)
        delay = rng.choice([-1, 0, 0, 1, 3])
        if delay < 0 and (path.begun == 0).any():
            continue
        other = changed(rules, later(path, delay), then + delay, rng)
        key, states = checker.make_states(many, [0], 10)
        replay.write_key(rules, path, then, states.key[0])
        same = state(rules, path, then) == state(rules, other, then + delay)
        assert not replay.is_seen(rules, other, states, 0, then + delay, key)  # it was not left yet
        states.time[0] = then
        assert replay.is_seen(rules, other, states, 0, then + delay, key) == (same and delay >= 0)
        assert not replay.is_seen(rules, other, states, 1, then + delay, key)
        seen += same and delay >= 0
    assert 20 < seen < 180


def test_nodes_without_their_links_are_not_free():
    """x ends at 2, on two nodes of a and of b. Before, other nodes of a and c had room for y, the links had not."""
    clusters = [Cluster(name, [NodeGroup(3, 1)], Fraction(4, 3)) for name in "abc"]
    scaled = CoallocationInstance(clusters, [Job("x", 4, 2, 1), Job("y", 4, 1, 1)], 1).scaled()
    fields = {"placed": True, "mirrored": 0, "weights": [], "apart": []}
    rules = checker.read_rules(scaled, 3, [0, 1], fields)
    path = checker.make_path(rules)
    path.begun[0], path.held[0], path.held[1], path.time[0] = 0, [2, 2, 0], [1, 0, 3], 2
    replay.count_free(rules, path, 0)
    assert path.free.tolist() == [[1, 1, 3], [3, 3, 3]]
    assert not replay.has_nodes(rules, path, 1, 0)
    assert replay.has_nodes(rules, path, 1, 1)
    path.held[1] = [3, 1, 0]
    assert not replay.has_nodes(rules, path, 1, 0)
    path.time[0] = 1  # x runs before and at this moment
    replay.count_free(rules, path, 0)
    assert path.free.tolist() == [[1, 1, 3], [1, 1, 3]]
    assert not replay.has_nodes(rules, path, 1, 1)
