"""Link rows for float solvers: small numbers, and not one comparison changed."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product
from random import Random

import pytest

from oas.core.errors import InputError
from oas.models.coallocation.link_rows import LARGEST_LOAD_BITS, link_rows
from oas.models.coallocation.saturation import demand
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.saturation import PLAIN, Saturation


def random_links(seed: int, digits: int) -> CoallocationInstance:
    draw = Random(seed)
    jobs = [Job(f"j{index}", draw.randint(1, 5), 1, F(draw.randint(1, 10**digits), 7)) for index in range(3)]
    bandwidths = [F(draw.randint(0, 3 * 10**digits), draw.choice((1, 7, 11))) for _ in range(2)]
    return CoallocationInstance([Cluster(f"c{k}", [NodeGroup(3, 1)], own) for k, own in enumerate(bandwidths)], jobs)


@pytest.mark.parametrize("digits", [0, 3, 6, 9, 12])
@pytest.mark.parametrize("seed", range(5))
def test_the_same_sums_fit(seed: int, digits: int) -> None:
    scaled = random_links(seed, digits).scaled()
    capacities, loads = link_rows(scaled)
    assert max(map(max, loads)) <= 2**LARGEST_LOAD_BITS
    for counts in product(*(range(tasks + 1) for tasks in scaled.tasks)):
        exact = sum(row[count] for row, count in zip(scaled.link_loads, counts, strict=True))
        small = sum(row[count] for row, count in zip(loads, counts, strict=True))
        for capacity, narrow in zip(scaled.link_capacity, capacities, strict=True):
            assert small <= narrow or exact > capacity  # what fits still fits
            if digits <= 9:  # within 40 bits the reverse holds too
                assert (small <= narrow) == (exact <= capacity)


def test_no_traffic_at_all() -> None:
    instance = CoallocationInstance([Cluster("c", [NodeGroup(2, 1)], 5)], [Job("j", 2, 1)])
    assert link_rows(instance.scaled()) == ((0.0,), ((0.0, 0.0, 0.0),))


def test_an_unknown_policy_is_refused() -> None:
    assert demand(PLAIN, 3) is True
    assert demand(PLAIN, -1) is False
    with pytest.raises(InputError, match="saturation: no model treats this policy; known: forbid"):
        demand(Saturation("slowdown"), 3)
