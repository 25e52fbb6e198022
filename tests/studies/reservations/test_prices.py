"""The price of each reservation against brute force; piecewise linear bounds place by place."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oas
from oas.exact.mosp.brute_force import brute_force
from oas.generate.mosp.tiny import draw_tiny
from oas.studies.reservations.optimum import Optimum, excess
from oas.studies.reservations.pieces import Piece, at_most, gaps, least, lowered, pairs, raised
from oas.studies.reservations.shifts import clear_shifts
from oas.studies.slot_sizes.points import Interval
from tests.slow import mostly_slow

JOBS = [
    oas.RigidJob("a", 4, 5),
    oas.RigidJob("b", 3, 4),
    oas.RigidJob("c", 5, 2),
    oas.RigidJob("d", 2, 8),
    oas.RigidJob("e", 3, 3),
]


def cluster(*reservations):
    return oas.MospInstance([oas.Organization("O", 8, JOBS, reservations)], locality=None)


def without(instance, *places):
    """The instance without the reservations at these places."""
    kept = [
        replace(one, reservations=[r for i, r in enumerate(one.reservations) if (k, i) not in places])
        for k, one in enumerate(instance.organizations)
    ]
    return replace(instance, organizations=kept)


def draw(seed):
    """A tiny instance with a reservation, with locality or without."""
    rng = Random(seed)
    while True:
        instance = draw_tiny(rng, max_jobs=4, max_clusters=2, reservations=True, costly=False)
        if instance.reserved:
            return instance


@pytest.mark.parametrize("seed", mostly_slow(range(32), quick=range(8)))
def test_prices_are_differences_of_optima(seed):
    instance = draw(seed)
    places = [(k, i) for k, one in enumerate(instance.organizations) for i in range(len(one.reservations))]
    with_all = brute_force(instance)[0]
    prices = [with_all - brute_force(without(instance, place))[0] for place in places]
    price_of_all = with_all - brute_force(without(instance, *places))[0]

    study = oas.price_reservations(instance, formulation="brute-force")
    assert study.with_all.proven and study.with_all.makespan == with_all
    assert [one.price for one in study] == [Interval(price, price) for price in prices]
    assert study.price == Interval(price_of_all, price_of_all)
    assert [one.reservation for one in study] == [r for one in instance.organizations for r in one.reservations]

    # Within 100 % of the optimum is soon known: what is open holds the truth.
    rough = oas.price_reservations(instance, gap=1)
    assert rough.with_all.lower_bound <= with_all <= rough.with_all.makespan
    for one, price in zip(rough, prices, strict=True):
        assert one.price.low <= price <= one.price.high
    assert rough.price.low <= price_of_all <= rough.price.high


def test_an_open_optimum_makes_the_price_an_interval():
    more, less = Optimum(F(10), F(14)), Optimum(F(9), F(11))
    assert excess(more, less) == Interval(F(0), F(5))
    assert excess(Optimum(F(13), F(14)), less) == Interval(F(2), F(5))
    assert excess(Optimum(F(14), F(14)), Optimum(F(9), F(9))) == Interval(F(5), F(5))
    assert excess(more, Optimum(F(9), None)) is None and excess(Optimum(F(0), None), less) is None
    assert [one.status.value for one in (more, Optimum(F(9), F(9)), Optimum(F(9), None))] == [
        "feasible",
        "optimal",
        "no_solution",
    ]


def test_reservations_that_are_alike_are_solved_once_and_late_ones_never():
    early, twice, late = oas.Reservation(4, 7, 4), oas.Reservation(1, 2, 1), oas.Reservation(100, 101, 8)
    study = oas.price_reservations(cluster(early, twice, late, twice), formulation="brute-force")
    assert study[1].price == study[3].price and study[1].without.result is study[3].without.result
    assert study[2].price == Interval(F(0), F(0)) and study[2].without == study.with_all
    known = {result.instance_digest for result in study.results}
    assert without(study.instance, (0, 2)).digest not in known
    assert len(known) <= 4  # with all, without any, without one of two kinds


def test_each_of_two_that_are_alike_is_left_out_alone():
    """Two of half the cluster: without one of them the other is still in the way of the widest job."""
    instance = cluster(oas.Reservation(0, 9, 4), oas.Reservation(0, 9, 4))
    study = oas.price_reservations(instance, formulation="brute-force")
    assert study[0].without.makespan == study[1].without.makespan == brute_force(without(instance, (0, 0)))[0]
    assert study.without_any.makespan < study[0].without.makespan < study.with_all.makespan


def test_a_late_reservation_costs_nothing_even_where_the_optimum_is_open():
    jobs = [oas.RigidJob(f"J{k}", 11 + 7 * k % 13, 2 + k % 3) for k in range(9)]
    reservations = [oas.Reservation(10, 17, 4), oas.Reservation(900, 901, 8)]
    many = oas.MospInstance([oas.Organization("O", 8, jobs, reservations)], locality=None)
    study = oas.price_reservations(many, formulation="brute-force")  # too many jobs: heuristics and quick bounds
    assert not study.with_all.proven
    assert study[1].price == Interval(F(0), F(0))
    assert study[0].price.low < study[0].price.high


def test_ctrl_c_keeps_what_is_finished():
    instance = cluster(oas.Reservation(4, 7, 4), oas.Reservation(1, 2, 3))

    def stop(seen):
        if seen.stage == "without 1 of 2":
            raise KeyboardInterrupt

    study = oas.price_reservations(instance, formulation="brute-force", on_progress=stop)
    whole = oas.price_reservations(instance, formulation="brute-force")
    assert study.interrupted and not whole.interrupted
    assert study.with_all.makespan == whole.with_all.makespan and study.without_any.proven
    for one, truth in zip(study, whole, strict=True):
        assert one.price.low <= truth.price.low <= one.price.high


RANGES = [(0, 6), (9, 20)]  # with places between that no function is defined at
NEW = st.builds(
    lambda first, length, value, slope: Piece(first, first + length, value, slope),
    st.integers(0, 20),
    st.integers(0, 12),
    st.integers(0, 12),
    st.integers(0, 3),
)


def values(pieces):
    """The value at each place, each of them in one piece only."""
    found = {}
    for piece in pieces:
        for place in range(piece.first, piece.last + 1):
            assert place not in found
            found[place] = piece.at(place)
    return found


def after(pieces, improve, better):
    """What pieces make of a constant, and the same place by place."""
    function = [Piece(first, last, 6) for first, last in RANGES]
    truth = values(function)
    for new in pieces:
        function = improve(function, new)
        for place in range(new.first, new.last + 1):
            if place in truth:
                truth[place] = better(truth[place], new.at(place))
    assert values(function) == truth
    return function, truth


@given(st.lists(NEW, max_size=8), st.integers(-1, 15))
def test_lowered_and_its_least_value(news, limit):
    function, truth = after(news, lowered, min)
    assert least(function) == min((value, place) for place, value in truth.items())
    held = {place for piece in function if (part := at_most(piece, limit)) for place in values([part])}
    assert held == {place for place, value in truth.items() if value <= limit}


@given(st.lists(NEW, max_size=8))
def test_raised(news):
    after(news, raised, max)


@given(st.lists(NEW, max_size=5), st.lists(NEW, max_size=5))
def test_gaps_and_pairs_of_two_functions(news, others):
    upper, _ = after(news, lowered, min)
    lower, _ = after(others, lowered, min)
    bounds = [Piece(one.first, one.last, max(0, one.value - 3), 0) for one in lower]
    low, high = values(bounds), values(upper)
    known = {place: min(low[place], high[place]) for place in high}
    below = [Piece(place, place, value) for place, value in known.items()]
    seen = {place for first, last in gaps(below, upper) for place in range(first, last + 1)}
    assert seen == {place for place in high if known[place] < high[place]}
    parts = list(pairs(below, upper))
    assert values(part for part, _ in parts) == known and values(part for _, part in parts) == high


BLOCK = st.builds(
    lambda start, length, width: (start, start + length, width),
    st.integers(0, 12),
    st.integers(1, 5),
    st.integers(1, 2),
)


@given(st.lists(BLOCK, min_size=1, max_size=3), st.lists(BLOCK, max_size=4), st.integers(-6, 0), st.integers(0, 12))
def test_clear_shifts_are_those_at_which_no_moment_holds_too_much(moving, fixed, first, last):
    size = max(_most(moving, 0, []), _most([], 0, fixed)) + 1
    found = clear_shifts(moving, fixed, size, first, last)
    assert [shift for low, high in found for shift in range(low, high + 1)] == [
        shift for shift in range(first, last + 1) if _most(moving, shift, fixed) <= size
    ]


def _most(moving, shift, fixed):
    """The most that blocks hold at once when some are shifted."""
    blocks = [*((start + shift, end + shift, width) for start, end, width in moving), *fixed]
    return max(
        (sum(width for start, end, width in blocks if start <= moment < end) for moment in range(-10, 40)), default=0
    )
