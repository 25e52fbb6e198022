"""Traffic on a link, against counting at every moment."""

from __future__ import annotations

from random import Random

import pytest

from oas.problems.coallocation.link_traffic import LinkTraffic


@pytest.mark.parametrize("seed", range(20))
def test_the_first_moment_with_room(seed: int) -> None:
    draw = Random(seed)
    link, load = LinkTraffic(6), [0] * 400
    for _ in range(25):
        start, time, more = draw.randint(0, 30), draw.randint(1, 9), draw.randint(1, 6)
        first = next(t for t in range(start, 400) if all(one + more <= 6 for one in load[t : t + time]))
        assert link.earliest(start, time, more) == first
        link.add(first, first + time, more)
        for t in range(first, first + time):
            load[t] += more


def test_what_is_wider_than_the_link_waits_for_all_others() -> None:
    link = LinkTraffic(6)
    link.add(2, 5, 1)
    assert link.earliest(0, 1, 7) == 5
    assert link.earliest(9, 1, 7) == 9
