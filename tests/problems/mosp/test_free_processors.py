"""Idle processors: the lowest numbers first, as with a plain list of them."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from oas.problems.mosp.free_processors import FreeProcessors


@pytest.mark.parametrize("seed", range(40))
def test_the_lowest_numbers_are_taken(seed):
    rng = Random(seed)
    size = rng.randint(1, 20)
    found, plain, held = FreeProcessors(size), list(range(size)), []
    for _ in range(60):
        if held and rng.random() < 0.5:
            back = held.pop(rng.randrange(len(held)))
            found.give_back(back)
            plain = sorted([*plain, *(number for one in back for number in one)])
        else:
            count = rng.randint(1, size)
            taken = found.take(count)
            if count > len(plain):
                assert taken is None
                continue
            assert [number for one in taken for number in one] == plain[:count]
            assert all(one.stop < later.start for one, later in pairwise(taken))
            assert all(taken)
            del plain[:count]
            held.append(taken)
        assert found.count == len(plain)


def test_many_processors_are_as_few_ranges():
    found = FreeProcessors(10**15)
    assert found.take(10**14) == (range(10**14),) and found.take(1) == (range(10**14, 10**14 + 1),)
    found.give_back([range(10**14)])
    assert found.take(10**14 + 1) == (range(10**14), range(10**14 + 1, 10**14 + 2))
