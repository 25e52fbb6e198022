"""States are told apart whatever the number and size of node classes: the words that tell them never wrap.

A grid is put beside clusters that one job, the *blocker*, fills from the first moment to the last. They change nothing
but how many node classes a state has to tell of.
"""

from __future__ import annotations

import random
from itertools import pairwise
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oas.core.errors import TooLargeError
from oas.core.verifier import verify
from oas.exact.coallocation.brute_force import brute_force
from oas.exact.coallocation.chronological import kernels
from oas.exact.coallocation.chronological.search import MAX_WORD, ChronologicalSearch, Verdict, Weights, node_words
from oas.problems.coallocation.allocations import jobs_without_allocation
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.runs import schedule_from_runs
from tests.slow import every_fourth_quick


def beside_filled(clusters, jobs, filled, ticks, nodes=1):
    """The grid, of slow nodes, beside so many clusters of fast ones that the blocker fills for so many ticks."""
    if filled:
        clusters = [*clusters, *(Cluster(f"filled {k}", [NodeGroup(nodes, 1)], 0) for k in range(filled))]
        jobs = [*jobs, Job("blocker", filled * nodes, ticks, 0, 1)]
    return CoallocationInstance(clusters, jobs, slot=1)


def search(instance, ticks, *, compiled=False, duals=None):
    scaled = instance.scaled()
    nothing = [Weights(tuple((0,) * len(scaled.powers) for _ in scaled.tasks), 0)]
    return ChronologicalSearch(scaled, duals or nothing, ticks, placed=True, compiled=compiled)


def on_four_clusters(sizes, links, jobs):
    """Four clusters of slow nodes; jobs as (tasks, time, bandwidth), as fast on slow nodes as on fast ones."""
    clusters = [
        Cluster(f"C{k}", [NodeGroup(size, "1/2")], link)
        for k, (size, link) in enumerate(zip(sizes, links, strict=True))
    ]
    return clusters, [Job(f"J{number}", *job, 0) for number, job in enumerate(jobs)]


# Found by drawing. With one word for a job's nodes, where they are on the four clusters has no place in it beside 64
# others, and the branch that holds the only schedule counts as left before: none is found in 3,000,000 decisions.
HIDDEN = [
    (
        ((2, 1, 1, 2), (1, 1, 2, 1)),
        ((2, 2, 1), (1, 1, 1), (2, 3, 1), (2, 4, 1), (2, 4, 0), (1, 1, 0), (4, 3, 1), (2, 3, 1)),
        8,
    ),
    (
        ((2, 1, 3, 2), (2, 2, 1, 1)),
        ((3, 3, 1), (4, 1, 1), (4, 4, 1), (1, 4, 1), (3, 3, 1), (1, 4, 1), (1, 1, 1)),
        7,
    ),
]


@pytest.mark.parametrize(("clusters", "jobs", "ticks"), HIDDEN)
@pytest.mark.parametrize(("filled", "nodes"), [(0, 1), (64, 1), (196, 1), (8, 255)])
def test_a_schedule_is_found_whatever_stands_beside(clusters, jobs, ticks, filled, nodes):
    instance = beside_filled(*on_four_clusters(*clusters, jobs), filled, ticks, nodes)
    one = search(instance, ticks, compiled=True)
    assert one.go_on(6000) is Verdict.FOUND
    schedule = schedule_from_runs(instance, instance.scaled(), one.runs())
    assert verify(instance, schedule) == [] and schedule.makespan == ticks


def test_compiled_and_plain_do_the_same_with_many_words():
    clusters, jobs, ticks = HIDDEN[0]
    instance = beside_filled(*on_four_clusters(*clusters, jobs), 196, ticks)
    both = [search(instance, ticks, compiled=compiled) for compiled in (False, True)]
    assert [one.go_on(6000) for one in both] == [Verdict.FOUND] * 2
    assert both[0].decisions == both[1].decisions and both[0].runs() == both[1].runs()


def drawn(seed):
    """Up to four jobs on four small clusters whose links carry little."""
    draw = random.Random(seed)
    sizes, links = ([draw.randint(1, 2) for _ in range(4)], [draw.choice([0, 1, 1, 2]) for _ in range(4)])
    jobs = [(draw.randint(1, 3), draw.randint(1, 4), draw.choice([0, 1, 1])) for _ in range(draw.randint(3, 4))]
    return on_four_clusters(sizes, links, jobs)


@pytest.mark.parametrize("seed", every_fourth_quick(range(20)))
def test_brute_forces_optimum_is_found_beside_up_to_196_classes(seed):
    clusters, jobs = drawn(seed)
    alone = beside_filled(clusters, jobs, 0, 0)
    if jobs_without_allocation(alone.scaled()):
        return
    optimum = int(brute_force(alone)[0])
    filled, nodes = random.Random(seed).choice([(60, 1), (64, 1), (120, 3), (196, 2), (8, 255)])
    assert search(beside_filled(clusters, jobs, filled, optimum, nodes), optimum).go_on(6000) is Verdict.FOUND


@given(st.lists(st.integers(1, 100_000), min_size=1, max_size=200))
def test_a_word_holds_the_product_of_its_classes(sizes):
    words = node_words(sizes)
    assert words[0] == 0 and all(b - a in (0, 1) for a, b in pairwise(words))
    for word in range(words[-1] + 1):
        assert prod(size + 1 for size, own in zip(sizes, words, strict=True) if own == word) <= MAX_WORD
    assert words[-1] <= len(sizes) // 3  # 17 bits at most for each: at least three share a word


@pytest.mark.slow
@given(st.data())
def test_states_that_differ_anywhere_are_told_apart(data):
    """Nodes held, drawn for two running jobs, can be read off the words again."""
    sizes = data.draw(st.lists(st.sampled_from([1, 2, 255, 4095, 8000]), min_size=2, max_size=12))
    clusters = [Cluster(f"C{k}", [NodeGroup(size, 1)], 0) for k, size in enumerate(sizes)]
    jobs = [Job(f"J{number}", 1, 2**51, 0, 0) for number in range(3)]
    one = search(CoallocationInstance(clusters, jobs, slot=1), 2**52)
    frames, grid = one._frames, one._grid
    frames.count[0] = 2
    frames.job[0, :2], frames.end[0, :2] = (1, 2), (2**52, data.draw(st.integers(1, 2**52)))
    held = [[data.draw(st.integers(0, size)) for size in sizes] for _ in range(2)]
    frames.held[0, :2] = held
    row = np.zeros_like(one._memory.row)
    assert 0 <= kernels.write_state(grid, frames, 0, row) < 2**42
    assert (row[: 1 + 2 * (1 + grid.node_words)] >= 0).all()
    for index in range(2):
        place = frames.waiting.shape[1] + index * (1 + grid.node_words)
        rest, job = divmod(int(row[place]), 3)
        assert (rest, job) == (frames.end[0, index], index + 1)
        read = []
        for position in reversed(range(len(sizes))):
            word = place + 1 + grid.class_word[position]
            row[word], digit = divmod(int(row[word]), sizes[position] + 1)
            read.append(digit)
        assert read[::-1] == held[index]


def test_numbers_beyond_their_bounds_are_refused():
    clusters, jobs = on_four_clusters((1, 1, 1, 1), (0, 0, 0, 0), [(1, 1, 0)] * 3)
    instance = beside_filled(clusters, jobs, 0, 0)
    with pytest.raises(TooLargeError, match=r"2\^53"):
        search(instance, 2**53)
    with pytest.raises(ValueError, match="alone weighs 5, more than the 4"):
        search(instance, 3, duals=[Weights(((5,),) * 3, 4)])
    many = [Cluster(f"C{k}", [NodeGroup(1, 1)], 0) for k in range(600)]
    with pytest.raises(TooLargeError, match="500 jobs on 600 node classes"):
        search(CoallocationInstance(many, [Job(f"J{k}", 1, 1, 0, 0) for k in range(500)], slot=1), 3)
