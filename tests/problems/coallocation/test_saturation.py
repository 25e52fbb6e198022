"""Saturation policies as values and in files, and how fast jobs progress under them."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oas
from oas.core.errors import InputError
from oas.io import dumps, loads
from oas.problems.coallocation.allocations import allocations
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.rates import rate, rates, slowdowns
from oas.problems.coallocation.saturation import Saturation


def grid(saturation="forbid", bandwidth=(9, 1, 1, 9), slot=0):
    """Return the four jobs of which the fourth should start where nothing ends: one task on each of two clusters."""
    sizes = (1, 2, 2, 2)
    clusters = [
        Cluster(name, [NodeGroup(size, 1)], own) for name, size, own in zip("PQRS", sizes, bandwidth, strict=True)
    ]
    jobs = [Job(name, 2, time, 1, F(1, 2)) for name, time in zip("ABCD", (10, 10, 12, 12), strict=True)]
    return CoallocationInstance(clusters, jobs, slot, saturation)


@pytest.mark.parametrize(
    ("given", "text", "variant"),
    [
        ("forbid", "forbid", "forbid"),
        ("slowdown", "slowdown", "slowdown"),
        ({"policy": "slowdown", "threshold": "1/2"}, "slowdown, threshold 1/2", "slowdown"),
        ({"policy": "slowdown", "sharing": "max-min"}, "slowdown, max-min", "slowdown, max-min"),
        (Saturation("slowdown", F(3, 4), "max-min"), "slowdown, threshold 3/4, max-min", "slowdown, max-min"),
    ],
)
def test_a_policy_is_a_value(given, text, variant):
    instance = grid(given)
    assert str(instance.saturation) == text and instance.variant == variant
    again = loads(dumps(instance))
    assert again == instance and again.digest == instance.digest and hash(again) == hash(instance)
    assert (instance.digest == grid().digest) == (text == "forbid")
    assert instance.with_saturation("forbid") == grid() and instance.with_slot(2).saturation == instance.saturation


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("allow", "saturation: unknown policy; known: forbid, slowdown"),
        ({"policy": "slowdwn"}, r"saturation.policy: unknown policy; did you mean slowdown\?"),
        ({"policy": "slowdown", "threshold": 0}, r"saturation.threshold: must be above 0 and at most 1 \(got '0'\)"),
        ({"policy": "slowdown", "threshold": "5/4"}, "saturation.threshold: must be above 0 and at most 1"),
        ({"policy": "slowdown", "threshold": 0.5}, "saturation.threshold: "),
        ({"policy": "forbid", "threshold": "1/2"}, "saturation.threshold: goes with slowdown alone"),
        ({"policy": "forbid", "sharing": "max-min"}, "saturation.sharing: goes with slowdown alone"),
        ({"policy": "slowdown", "sharing": "equal"}, "saturation.sharing: unknown sharing"),
        ({"policy": "slowdown", "limit": 1}, "saturation.limit: there is no such field"),
        ({"threshold": 1}, "saturation.policy: is missing"),
        (7, "saturation: "),
    ],
)
def test_a_policy_that_is_none(given, message):
    with pytest.raises(InputError, match=message):
        grid(given)


def test_files_name_the_field():
    data = dumps(grid("slowdown")).decode()
    for fields, message in (
        ('{"policy": "slowdown", "threshold": 2}', "f.json: saturation.threshold: must be above 0 and at most 1"),
        ('{"policy": "slowdown", "treshold": 1}', "f.json: saturation.treshold: there is no such field"),
        ('"slow"', "f.json: saturation: unknown policy; did you mean slowdown"),
    ):
        with pytest.raises(InputError, match=message):
            loads(data.replace('"slowdown"', fields).encode(), "f.json")


def test_what_a_link_may_be_asked_for():
    for saturation, limits in (
        ("forbid", (2, 1, 1, 2)),
        ("slowdown", (4, 4, 4, 4)),
        ({"policy": "slowdown", "threshold": "2/3"}, (3, F(3, 2), F(3, 2), 3)),
        ({"policy": "slowdown", "threshold": 1}, (2, 1, 1, 2)),
    ):
        scaled = grid(saturation, bandwidth=(2, 1, 1, 2)).scaled()
        unit = scaled.link_loads[0][1]  # a load of 1
        assert [F(one, unit) for one in scaled.link_capacity] == list(limits)
        assert [F(one, unit) for one in scaled.link_bandwidth] == [2, 1, 1, 2]
    assert grid("slowdown", bandwidth=(0, 1, 1, 2)).scaled().link_capacity[0] == 0
    assert grid("slowdown").scaled().tick == 0 and grid("slowdown", slot=3).scaled().tick == 3


def test_rates_by_hand():
    instance = grid("slowdown")
    scaled = instance.scaled()

    def on(job, *clusters):
        counts = tuple(1 if name in clusters else 0 for name in "PQRS")
        return job, next(one for one in allocations(scaled, job) if one.counts == counts)

    a, b = on(0, "P", "Q"), on(2, "Q", "S")
    assert rates(instance, [a]) == [F(1, 10)]
    assert rates(instance, [a, b]) == [F(1, 15), F(1, 18)]  # Q carries 2 of 1: SC = 2 for both
    assert rates(instance, [a, on(3, "R", "S")]) == [F(1, 10), F(1, 12)]
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


@given(st.data())
def test_under_the_papers_sharing_fewer_jobs_are_faster(data):
    links = data.draw(LINKS)
    bandwidth = data.draw(st.lists(st.integers(1, 9), min_size=links, max_size=links))
    row = st.lists(st.integers(0, 6), min_size=links, max_size=links)
    demands = data.draw(st.lists(row, min_size=2, max_size=5))
    fewer = slowdowns("paper", bandwidth, demands[1:])
    assert all(one <= other for one, other in zip(fewer, slowdowns("paper", bandwidth, demands)[1:], strict=True))


def test_what_does_not_know_the_policy_refuses_it():
    with pytest.raises(InputError, match=r"literal does not implement it.*got 'slowdown'"):
        oas.solve(grid("slowdown"), solver="highs", formulation="literal")
