"""How fast jobs progress on shared links, and the ends of runs that are given by their starts."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oas.core.errors import InputError
from oas.problems.coallocation.instance import Job
from oas.problems.coallocation.progress import ends_of, schedule_from_starts
from oas.problems.coallocation.rates import rate, rates, slowdowns
from tests.problems.coallocation.grids import four_jobs, started


@pytest.mark.parametrize(
    ("saturation", "limits"),
    [
        ("forbid", (2, 1, 1, 2)),
        ("slowdown", (4, 4, 4, 4)),
        ({"policy": "slowdown", "threshold": "2/3"}, (3, F(3, 2), F(3, 2), 3)),
        ({"policy": "slowdown", "threshold": 1}, (2, 1, 1, 2)),
    ],
)
def test_what_a_link_may_be_asked_for(saturation, limits):
    scaled = four_jobs(saturation, bandwidth=(2, 1, 1, 2)).scaled()
    unit = scaled.link_loads[0][1]  # a load of 1
    assert [F(one, unit) for one in scaled.link_capacity] == list(limits)
    assert [F(one, unit) for one in scaled.link_bandwidth] == [2, 1, 1, 2]


def test_rates_by_hand():
    instance = four_jobs("slowdown")
    a, _, c, d = ((run.job, run.allocation) for run in started(instance, [0] * 4))
    assert rates(instance, [a]) == [F(1, 10)]
    assert rates(instance, [a, c]) == [F(1, 15), F(1, 18)]  # Q carries 2 of 1: SC = 2 for both
    assert rates(instance, [a, d]) == [F(1, 10), F(1, 12)]
    assert rate(Job("x", 1, 4, 0, F(1, 2)), F(1, 2), F(3)) == F(1, 10)


def test_max_min_gives_away_what_is_left():
    # Jobs 0 and 1 share link 0; job 1 is held up on link 1 with job 2.
    bandwidth, demands = (2, 1), [(2, 0), (2, 2), (0, 2)]
    assert slowdowns("paper", bandwidth, demands) == [2, 4, 4]
    assert slowdowns("max-min", bandwidth, demands) == [F(4, 3), 4, 4]
    assert slowdowns("max-min", (0, 9), [(0, 1), (0, 2)]) == [1, 1]


LINKS = st.integers(1, 4)


@given(st.data())
def test_sharing_holds_what_it_promises(data):
    links, jobs = data.draw(LINKS), data.draw(LINKS)
    bandwidth = data.draw(st.lists(st.integers(1, 9), min_size=links, max_size=links))
    row = st.lists(st.integers(0, 6), min_size=links, max_size=links)
    demands = data.draw(st.lists(row, min_size=jobs, max_size=jobs))
    plain, fair = (slowdowns(one, bandwidth, demands) for one in ("paper", "max-min"))
    for shares in ([1 / one for one in plain], [1 / one for one in fair]):
        for link, own in enumerate(bandwidth):
            assert sum(share * row[link] for share, row in zip(shares, demands, strict=True)) <= own
    assert all(1 <= one <= other for one, other in zip(fair, plain, strict=True))
    for share, row in zip(fair, demands, strict=True):  # held up only by a full link on which nobody is faster
        full = [
            link
            for link, own in enumerate(bandwidth)
            if sum(1 / one * other[link] for one, other in zip(fair, demands, strict=True)) == own
        ]
        assert share == 1 or any(
            row[link] and all(not other[link] or one >= share for one, other in zip(fair, demands, strict=True))
            for link in full
        )
    # Under the paper's sharing fewer jobs are no slower.
    fewer = slowdowns("paper", bandwidth, demands[1:])
    assert all(one <= other for one, other in zip(fewer, plain[1:], strict=True))


def test_starts_without_room():
    with pytest.raises(InputError, match=r"the link of cluster Q is asked for more .* as job C starts at 3"):
        ends_of(four_jobs(), started(four_jobs(), [0, 20, 3, 20]))
    with pytest.raises(InputError, match="job B finds 0 of 1 nodes free at 5"):
        schedule_from_starts(four_jobs("slowdown"), started(four_jobs("slowdown"), [0, 5, 20, 20]))
