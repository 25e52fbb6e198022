"""The free-capacity profile against a reference that counts tick by tick, plain and compiled."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heuristics.mosp.capacity.kernels import NEVER, bucket, first_within, set_leaf
from heuristics.mosp.capacity.profile import Profiles
from oas.core.errors import TooLargeError

steady = partial(settings, deadline=None, derandomize=True)
SIZES = (4, 2, 7)
HORIZON = 60  # beyond every end

requests = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 12), st.integers(1, 8), st.integers(1, 7)), min_size=1, max_size=12
)


class Ticks:
    """Free processors of each cluster at each tick."""

    def __init__(self) -> None:
        self.free = [[size] * HORIZON for size in SIZES]

    def fits(self, cluster: int, start: int, time: int, width: int) -> bool:
        ticks = range(start, min(start + time, HORIZON))
        return width <= SIZES[cluster] and all(self.free[cluster][tick] >= width for tick in ticks)

    def earliest(self, clusters: list[int], ready: int, time: int, width: int) -> tuple[int, int] | None:
        found = [
            (start, position)
            for position, cluster in enumerate(clusters)
            for start in range(ready, HORIZON)
            if self.fits(cluster, start, time, width)
        ]
        return (clusters[min(found)[1]], min(found)[0]) if found else None

    def occupy(self, cluster: int, start: int, time: int, width: int) -> None:
        for tick in range(start, min(start + time, HORIZON)):
            self.free[cluster][tick] -= width


def play(requests: list[tuple[int, int, int, int]], compiled: bool) -> None:
    naive, profiles = Ticks(), Profiles(SIZES, len(requests), compiled=compiled)
    for first, ready, time, width in requests:
        clusters = [(first + offset) % 3 for offset in range(3)]
        for one in ([first], clusters):
            assert profiles.earliest(one, ready, time, width) == naive.earliest(one, ready, time, width)
        found = naive.earliest(clusters, ready, time, width)
        if found:
            naive.occupy(*found, time, width)
            profiles.occupy(*found, time, width)
    for cluster in range(3):
        steps = list(profiles.steps(cluster))
        assert steps == sorted(steps, key=lambda step: step[0])
        for tick in range(HORIZON):
            assert [free for moment, free in steps if moment <= tick][-1] == naive.free[cluster][tick]


@steady()
@given(requests)
def test_searches_and_placements_are_those_of_the_naive_reference(requests: list[tuple[int, int, int, int]]) -> None:
    play(requests, compiled=False)


@steady(max_examples=30)
@given(requests)
def test_compiled_ones_too(requests: list[tuple[int, int, int, int]]) -> None:
    play(requests, compiled=True)


@pytest.mark.parametrize("compiled", [False, True])
def test_blocks_may_come_in_any_order(compiled: bool) -> None:
    """They are taken in the order of their starts, each from where the one before it began on its cluster."""
    blocks = [(0, 9, 12, 1), (2, 0, 3, 7), (0, 2, 11, 2), (2, 3, 4, 5), (0, 2, 9, 1), (1, 5, 6, 2), (2, 1, 9, 0)]
    naive = Ticks()
    for cluster, start, end, width in blocks:
        naive.occupy(cluster, start, end - start, width)
    for turn in range(len(blocks)):
        profiles = Profiles(SIZES, len(blocks) + 1, blocks[turn:] + blocks[:turn], compiled)
        profiles.occupy(1, 0, 2, 1)
        for cluster in range(3):
            steps = list(profiles.steps(cluster))
            for tick in range(HORIZON):
                own = naive.free[cluster][tick] - (cluster == 1 and tick < 2)
                assert [free for moment, free in steps if moment <= tick][-1] == own
    with pytest.raises(TooLargeError, match="2\\^62"):
        Profiles(SIZES, 1, [(0, 1, NEVER, 1)], compiled)


@pytest.mark.parametrize("compiled", [False, True])
def test_nothing_runs_beyond_a_closed_moment(compiled: bool) -> None:
    profiles = Profiles([3], 3, [(0, 2, 5, 2)], compiled)
    profiles.close(10)
    assert profiles.earliest([0], 0, 5, 2) == (0, 5)
    assert profiles.earliest([0], 0, 10, 1) == (0, 0)
    assert profiles.earliest([0], 0, 6, 2) is None
    assert profiles.earliest([0], 1, 10, 1) is None


@pytest.mark.parametrize("compiled", [False, True])
def test_room_and_ticks_are_bounded(compiled: bool) -> None:
    profiles = Profiles([3], 1, compiled=compiled)
    with pytest.raises(TooLargeError, match="2\\^62"):
        profiles.occupy(0, NEVER - 1, 1, 1)
    profiles.occupy(0, 1, 1, 1)
    with pytest.raises(TooLargeError, match="room"):
        profiles.occupy(0, 5, 1, 1)


@steady()
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), min_size=1, max_size=20),
    st.lists(st.integers(0, 9), min_size=3, max_size=3),
)
def test_first_leaf_within_bounds(leaves: list[tuple[int, int]], bounds: list[int]) -> None:
    size = 32
    tree = [NEVER] * (2 * size * 3)
    for position, (column, value) in enumerate(leaves):
        set_leaf(tree, size, 3, position, column, value)
    for position in range(len(leaves) + 1):
        expected = [i for i, (column, value) in enumerate(leaves) if i >= position and value <= bounds[column]]
        assert first_within(tree, size, 3, position, bounds) == (expected[0] if expected else -1)


@steady()
@given(st.lists(st.integers(1, 50), min_size=1, max_size=9), st.integers(1, 60))
def test_bucket_is_the_last_bound_not_above(bounds: list[int], value: int) -> None:
    ordered = [0, *sorted(set(bounds))]
    assert bucket(ordered, value) == max(i for i, bound in enumerate(ordered) if bound <= value)
