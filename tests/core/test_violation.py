"""Conflicts of nodes: those that a look at every node and every pair of placements finds."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from oas.core.moments import comparable
from oas.core.schedule import Placement, Schedule
from oas.core.violation import node_conflicts


def by_node(placements):
    """The definition, node by node: each placement in the order of starts against the one before it that ends last."""
    found = {}
    latest = {}
    for one in sorted(placements, key=lambda placement: (placement.start, placement.end)):
        for name, numbers in one.nodes.items():
            for number in set(numbers):
                other = latest.get((name, number))
                if other is not None and one.start < other.end:
                    message = f"node {number} of cluster {name} serves {other.job} and {one.job} at {one.start}"
                    found.setdefault((name, number), []).append(("capacity", (other.job, one.job), message))
                if other is None or one.end > other.end:
                    latest[name, number] = one
    return [violation for node in sorted(found) for violation in found[node]]


def drawn(rng, nodes, jobs, span):
    """Placements of any kind: some last for no time, or end before they start, and some name a node twice."""
    made = []
    for job in range(jobs):
        start = Fraction(rng.randint(-2, span), rng.choice((1, 1, 2, 3)))
        length = Fraction(rng.choice((1, 1, 2, 3, 0, -1)), rng.choice((1, 1, 2)))
        first = rng.randrange(nodes)
        own = list(range(first, min(nodes, first + rng.randint(1, 3))))
        if rng.random() < 0.3:
            own.append(rng.randrange(nodes))
        made.append(Placement(f"j{job}", start, start + length, {rng.choice("BA"): own}))
    return made


@pytest.mark.parametrize("seed", range(300))
def test_conflicts_are_those_of_each_node(seed):
    rng = Random(seed)
    placements = drawn(rng, rng.choice((3, 12)), rng.randint(0, 9), rng.choice((4, 6, 30)))
    found = [(one.rule, one.jobs, one.message) for one in node_conflicts(placements)]
    assert found == by_node(placements)


def test_both_kinds_are_drawn():
    """So that the test above can fail either way."""
    verdicts = [bool(by_node(drawn(Random(seed), 12, 6, 6))) for seed in range(60)]
    assert 10 < sum(verdicts) < 50


@pytest.mark.parametrize("longest", [1, 10, 10**30])
def test_integers_compare_as_moments_do(longest):
    rng = Random(longest)
    moments = [Fraction(rng.randint(-50, 50), rng.randint(1, longest)) for _ in range(40)] + [Fraction(0)] * 2
    found = comparable(moments)
    for one, number in zip(moments, found, strict=True):
        for other, another in zip(moments, found, strict=True):
            assert (one < other, one == other) == (number < another, number == another)
    assert comparable([]) == []


def test_a_schedule_is_ordered_where_times_have_no_short_common_unit():
    rng = Random(1)
    starts = [Fraction(rng.randint(1, 10**30), rng.randint(1, 10**30)) for _ in range(30)]
    schedule = Schedule(Placement(f"j{k}", start, start + 1, {}) for k, start in enumerate(starts))
    assert [one.start for one in schedule.placements] == sorted(starts)
    assert schedule.makespan == max(starts) + 1
