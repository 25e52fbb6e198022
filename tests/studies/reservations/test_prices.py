"""The price of each reservation, against brute force, and what is said where an optimum is open."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from random import Random

import pytest

import oas
from oas.core.errors import InputError
from oas.exact.mosp.brute_force import brute_force
from oas.generate.mosp.tiny import draw_tiny
from oas.studies.reservations.optimum import Optimum, excess
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


def test_the_maintenance_of_the_guide_costs_two():
    study = oas.price_reservations(cluster(oas.Reservation(4, 7, 6)), formulation="brute-force")
    assert (study.with_all.makespan, study.without_any.makespan) == (12, 10)
    assert study[0].price == study.price == Interval(F(2), F(2)) and len(study) == 1
    assert str(study[0].without.proof) == "brute force"


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


def test_what_others_settle_is_not_solved():
    """The optimum without any reservation is one with all of them: then none of them costs anything."""
    study = oas.price_reservations(
        cluster(oas.Reservation(11, 12, 1), oas.Reservation(12, 13, 2)), formulation="brute-force"
    )
    assert len(study.results) == 1 and study.with_all.proven
    assert [one.price for one in study] == 2 * [Interval(F(0), F(0))]


def test_a_late_reservation_costs_nothing_even_where_the_optimum_is_open():
    jobs = [oas.RigidJob(f"J{k}", 11 + 7 * k % 13, 2 + k % 3) for k in range(9)]
    reservations = [oas.Reservation(10, 17, 4), oas.Reservation(900, 901, 8)]
    many = oas.MospInstance([oas.Organization("O", 8, jobs, reservations)], locality=None)
    study = oas.price_reservations(many, formulation="brute-force")  # too many jobs: heuristics and quick bounds
    assert not study.with_all.proven
    assert study[1].price == Interval(F(0), F(0))
    assert study[0].price.low < study[0].price.high


def test_a_reservation_that_begins_earlier_and_ends_later_is_in_the_way():
    jobs = [oas.RigidJob(name, 2, 1) for name in "xyz"]
    instance = oas.MospInstance([oas.Organization("O", 2, jobs, [oas.Reservation(1, 100, 1)])], locality=None)
    study = oas.price_reservations(instance, formulation="brute-force")
    assert study.with_all.makespan == 6 and study[0].price == Interval(F(2), F(2))


def test_the_promise_stays_that_of_the_local_schedules_with_reservations():
    instance = oas.MospInstance(
        [
            oas.Organization("busy", 2, [oas.RigidJob("a", 3, 2), oas.RigidJob("b", 3, 1)], [oas.Reservation(0, 4, 1)]),
            oas.Organization("idle", 2, [oas.RigidJob("c", 1, 1)]),
        ]
    )
    study = oas.price_reservations(instance, formulation="brute-force")
    assert study.with_all.makespan == brute_force(instance)[0]
    assert study[0].without.makespan == brute_force(without(instance, (0, 0)))[0]
    assert study.results[0].instance.deadlines == instance.deadlines


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


def test_a_start_must_be_feasible_with_all_reservations():
    instance = cluster(oas.Reservation(4, 7, 4))
    best = oas.solve(instance, formulation="brute-force")
    assert oas.price_reservations(instance, formulation="brute-force", start=best).with_all.makespan == best.objective
    free = oas.solve(without(instance, (0, 0)), formulation="brute-force")
    with pytest.raises(InputError, match="start: the schedule is not feasible"):
        oas.price_reservations(instance, start=free)


def test_what_has_no_price_is_refused():
    with pytest.raises(InputError, match="only clusters of organizations"):
        oas.price_reservations(oas.generate.tiny(seed=1))
    with pytest.raises(InputError, match="reservations: there is none"):
        oas.price_reservations(cluster())
    with pytest.raises(InputError, match="no such option; did you mean threads"):
        oas.price_reservations(cluster(oas.Reservation(4, 7, 6)), thread=1)


def test_frame_text_and_html():
    study = oas.price_reservations(
        cluster(oas.Reservation(4, 7, 6), oas.Reservation(90, 91, 1)), formulation="brute-force"
    )
    frame = study.to_frame()
    assert frame["price_low"].to_list() == frame["price_high"].to_list() == [2.0, 0.0]
    assert frame["status_without"].to_list() == ["optimal", "optimal"]
    assert repr(study).splitlines()[1:] == [
        "  without [4, 7) × 6 processors: makespan 10, optimal, price 2",
        "  without [90, 91) × 1 processor: makespan 12, optimal, price 0",
    ]
    assert "[4, 7) × 6 processors" in study._repr_html_()
