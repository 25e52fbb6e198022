"""Nodes as ranges: they say and compare as the tuples that they stand for."""

from __future__ import annotations

import pickle
from itertools import chain, pairwise
from random import Random

import pytest

from oas.core.errors import InputError
from oas.core.node_ranges import NodeRanges, stretches
from oas.core.schedule import Placement


def numbers(rng: Random) -> list[int]:
    """Some with repetitions, some consecutive."""
    drawn = [rng.randrange(12) for _ in range(rng.randrange(9))]
    return rng.choice((drawn, list(dict.fromkeys(drawn)), list(range(rng.randrange(5), rng.randrange(5, 12)))))


@pytest.mark.parametrize("seed", range(40))
def test_they_are_the_tuples_given(seed):
    rng = Random(seed)
    given = {name: numbers(rng) for name in "ABC"}
    tuples = {name: tuple(sorted(own)) for name, own in given.items() if own}
    for asked_first in (False, True):
        found = NodeRanges(given)
        if asked_first:
            assert all(tuple(chain.from_iterable(found.ranges(name))) == own for name, own in tuples.items())
        assert found == tuples and tuples == found and dict(found) == tuples and list(found) == list(tuples)
        assert found == NodeRanges(tuples) and repr(found) == repr(tuples) and len(found) == len(tuples)
        assert [found.count(name) for name in found] == [len(own) for own in tuples.values()]
        assert pickle.loads(pickle.dumps(found)) == found
        assert found.get("D", 7) == 7 and "D" not in found and found.ranges("D") == ()
        assert found != {**tuples, "D": (1,)}
        with pytest.raises(KeyError):
            found["D"]


@pytest.mark.parametrize("seed", range(20))
def test_ranges_are_as_long_as_they_can_be(seed):
    own = sorted(numbers(Random(seed)))
    found = list(stretches(own))
    assert [number for one in found for number in one] == own
    assert all(later.start != one.stop for one, later in pairwise(found))


def test_what_is_given_as_ranges_equals_what_is_given_as_numbers():
    found = NodeRanges.of_ranges("A", [range(2, 5), range(6, 7)])
    assert found == NodeRanges({"A": [6, 2, 3, 4]}) == {"A": (2, 3, 4, 6)}
    assert found.ranges("A") == (range(2, 5), range(6, 7)) and found.count("A") == 4
    assert NodeRanges.of_ranges("A", []) == {}
    placement = Placement("J", 0, 1, found)
    assert placement == Placement("J", 0, 1, {"A": (2, 3, 4, 6)}) and placement.nodes["A"] == (2, 3, 4, 6)
    assert hash(placement) == hash(Placement("J", 0, 1, {})) and placement.tasks == 4
    assert NodeRanges({"A": range(3), "B": range(0)}) == {"A": (0, 1, 2)}
    assert NodeRanges({"A": range(4, 0, -2)}) == {"A": (2, 4)}


@pytest.mark.parametrize(
    "ranges",
    [(range(3, 3),), (range(2), range(2, 4)), (range(3), range(2, 4)), (range(0, 4, 2),), (range(-1, 2),)],
)
def test_ranges_that_are_no_ascending_stretches_are_refused(ranges):
    with pytest.raises(InputError) as caught:
        NodeRanges.of_ranges("A", ranges)
    assert caught.value.field == "nodes.A"


@pytest.mark.parametrize("wrong", [range(-1, 2), [1, -1], [True], [1.5], ["1"]])
def test_numbers_that_no_node_has_are_refused(wrong):
    with pytest.raises(InputError) as caught:
        NodeRanges({"A": wrong})
    assert caught.value.field == "nodes.A"


def test_a_cluster_as_large_as_can_be_takes_no_room():
    placement = Placement("J", 0, 1, {"A": range(10**12)})
    assert placement.tasks == 10**12 and placement.ranges("A") == (range(10**12),)
    assert placement == Placement("J", 0, 1, placement.nodes)


def test_numbers_beyond_what_a_range_can_be_long():
    """A file may name such nodes; the verifier says that there are none of them."""
    found = NodeRanges({"A": [0, 2**63], "B": [2**64, 2**64 + 1]})
    assert found == {"A": (0, 2**63), "B": (2**64, 2**64 + 1)}
    assert found.ranges("A") == (range(1), range(2**63, 2**63 + 1)) and found.count("A") == 2
    assert found.ranges("B") == (range(2**64, 2**64 + 2),) and found.count("B") == 2
