"""Prices and best starts of reservations: compared with brute force at every start, and their proofs."""

from dataclasses import replace
from fractions import Fraction as F
from random import Random

import pytest

import oas
from oas.core.errors import InputError, TooLargeError
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.mosp.generate.tiny import draw_tiny
from oas.mosp.instance import MospInstance
from oas.mosp.reservations.placement import place_reservation
from oas.mosp.reservations.search import Kind
from oas.mosp.reservations.site import site_of
from oas.solving.brute_force import brute_force
from oas.solving.study import Interval, Optimum, excess
from tests.slow import mostly_slow


def random_task(seed):
    """Return an instance of one or two clusters, and parameters of `oas.place_reservation`."""
    rng = Random(seed)
    size, clusters = rng.randint(1, 4), rng.choice((1, 1, 1, 2))
    organizations = []
    for k in range(clusters):
        count = rng.randint(1, 4) if k == 0 else 1
        releases = [rng.choice((0, 0, 0, 3, 5)) for _ in range(count)]
        jobs = [RigidJob(f"J{k}{i}", rng.randint(1, 7), rng.randint(1, size), r) for i, r in enumerate(releases)]
        reservations, moment = [], 0
        for _ in range(rng.choice((0, 0, 1, 2))):
            start = moment + rng.randint(0, 5)
            moment = start + rng.randint(1, 4)
            reservations.append(Reservation(start, moment, rng.randint(1, size)))
        organizations.append(Organization(f"O{k}", size, jobs, reservations))
    earliest = rng.randint(0, 4)
    asked = {
        "length": rng.randint(1, 6),
        "processors": rng.randint(1, size),
        "between": (earliest, earliest + rng.randint(0, 16)),
        "organization": f"O{rng.randrange(clusters)}",
    }
    return MospInstance(organizations, locality=None), asked


def optimum_at(instance, asked, start):
    """Return the optimum with the reservation at `start`, by brute force; None if it does not fit there."""
    held = Reservation(start, start + F(asked["length"]), asked["processors"])
    try:
        own = [
            replace(one, reservations=(*one.reservations, held)) if one.id == asked["organization"] else one
            for one in instance.organizations
        ]
    except InputError:
        return None
    return brute_force(MospInstance(own, locality=None))[0]


def optima(instance, asked, starts):
    """Return the optimum at each of the starts at which the reservation fits."""
    every = ((F(start), optimum_at(instance, asked, start)) for start in starts)
    return {start: optimum for start, optimum in every if optimum is not None}


SEEDS = range(76)
# Two jobs of all processors behind one another: before, between or after them a reservation costs nothing but itself.
PAIR = oas.MospInstance([oas.Organization("O", 2, [oas.RigidJob("a", 3, 2), oas.RigidJob("b", 3, 2)])], locality=None)
# More jobs than brute force takes: each solve ends with the schedules of heuristics and the quick bounds.
TIMES, WIDTHS = (19, 29, 23, 37, 31, 13, 26, 17, 34), (4, 2, 5, 3, 3, 5, 4, 4, 2)
MANY = oas.MospInstance(
    [oas.Organization("O", 7, [oas.RigidJob(f"J{k}", *one) for k, one in enumerate(zip(TIMES, WIDTHS, strict=True))])],
    locality=None,
)


def place(instance, asked, **options):
    return place_reservation(instance, **asked, formulation="brute-force", **options)


def at(piece, start):
    """Bounds on the optimum at a start of a piece of the curve."""
    part = (start - piece.first) / (piece.last - piece.first) if start > piece.first else 0
    low = piece.low_first + part * (piece.low_last - piece.low_first)
    return low, piece.high_first + part * (piece.high_last - piece.high_first)


def curve_of(found, step=1):
    """The bounds on the optimum at each start."""
    bounds = {}
    for piece in found.curve:
        count = (piece.last - piece.first) / step
        assert count.denominator == 1
        for number in range(int(count) + 1):
            start = piece.first + number * step
            assert start not in bounds
            bounds[start] = at(piece, start)
    return bounds


def proven_by(found, truth, site):
    """The bound at each start that the solves of the proof give, each of them done again by brute force."""
    proven = dict.fromkeys(truth, F(0))
    for step in found.steps:
        first, last = (int((one - site.time(0)) / (site.step * site.scaled.tick)) for one in (step.first, step.last))
        solved = {
            Kind.FREE: lambda: site.instance,
            Kind.COMMON: lambda first=first, last=last: site.with_common(first, last),
            Kind.DELAY: lambda first=first, last=last: site.with_delay(first, last),
        }[step.kind]()
        bound = brute_force(solved)[0]
        assert step.result.lower_bound == bound
        for start in (one for one in truth if one <= step.last):
            others = site.instance.organizations[site.cluster].reservations
            free_after = all(one.start < start + site.length * site.scaled.tick for one in others)
            if start >= step.first:
                less = step.last - start if step.kind is Kind.DELAY else 0
            elif step.kind is Kind.COMMON and step.first == step.last and free_after:
                less = step.last - start
            else:
                continue
            assert bound - less <= truth[start]
            proven[start] = max(proven[start], bound - less)
    return proven


@pytest.mark.parametrize("seed", mostly_slow(SEEDS, quick=range(12)))
def test_the_start_is_the_best_and_the_curve_the_optimum_at_every_start(seed):
    instance, asked = random_task(seed)
    earliest, latest = asked["between"]
    truth = optima(instance, asked, range(earliest, latest + 1))
    if not truth:
        with pytest.raises(InputError, match="not fit at any start"):
            place(instance, asked)
        return
    least = min(truth.values())
    for curve in (False, True):
        found = place(instance, asked, curve=curve)
        assert found.proven and found.optimum.proven and found.without.proven
        assert found.reservation.start == min(start for start, value in truth.items() if value == least)
        assert found.optimum.makespan == found.schedule.makespan == least
        assert found.without.makespan == brute_force(instance)[0]
        assert found.delay.low == found.delay.high == least - found.without.makespan
        assert oas.verify(found.placed, found.schedule) == []
        bounds = curve_of(found)
        assert set(bounds) == set(truth)
        assert all(low <= truth[start] <= high for start, (low, high) in bounds.items())
        assert not curve or all(low == high for low, high in bounds.values())
        assert proven_by(found, truth, site_of(instance, **asked)) == {start: low for start, (low, _) in bounds.items()}


def test_one_organization_has_no_use_for_locality_and_several_must_not_have_it():
    asked = {"length": 2, "processors": 1, "between": (0, 5)}
    alone = oas.MospInstance(PAIR.organizations, locality=1)
    assert place(alone, asked).optimum == place(PAIR, asked).optimum
    several = oas.MospInstance([*PAIR.organizations, oas.Organization("P", 2)], locality=1)
    with pytest.raises(InputError, match="locality: must be null"):
        place(several, {**asked, "organization": "P"})
    found = place(several.with_locality(None), {**asked, "organization": "P"})
    assert found.organization == "P" and found.placed.organizations[1].reservations == (found.reservation,)


def test_where_more_time_does_not_help_what_is_open_is_an_interval():
    found = place(MANY, {"length": 17, "processors": 4, "between": (5, 20)}, curve=True)
    assert not found.optimum.proven and found.rivals and not found.proven
    assert found.optimum.lower_bound <= found.optimum.makespan == found.schedule.makespan
    assert oas.verify(found.placed, found.schedule) == []
    assert found.delay.high == found.optimum.makespan - found.without.lower_bound
    assert found.delay.low == max(0, found.optimum.lower_bound - found.without.makespan) < found.delay.high
    bounds = curve_of(found)
    assert set(bounds) == set(range(5, 21)) and all(low <= high for low, high in bounds.values())
    assert found.optimum.lower_bound == min(low for low, _ in bounds.values())
    better = {start for start, (low, _) in bounds.items() if low < found.optimum.makespan}
    as_good = {start for start, (low, _) in bounds.items() if low == found.optimum.makespan}
    open_starts = {start for first, last in found.rivals for start in range(int(first), int(last) + 1)}
    assert open_starts == better | {start for start in as_good if start < found.reservation.start}


def test_ctrl_c_keeps_the_best_start_so_far():
    def stop(seen):
        if seen.objective is not None and seen.stage.endswith("solve 2"):
            raise KeyboardInterrupt

    found = place(PAIR, {"length": 2, "processors": 1, "between": (0, 9)}, curve=True, on_progress=stop)
    assert found.interrupted and oas.verify(found.placed, found.schedule) == []

    def stop_at_once(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        place(PAIR, {"length": 2, "processors": 1, "between": (0, 2)}, on_progress=stop_at_once)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"length": 0}, "length: must be above 0"),
        ({"processors": 3}, "processors: more than the 2 processors of O"),
        ({"between": (-1, 3)}, "between: must not be negative"),
        ({"between": (4, 3)}, "between: the latest start must not be before the earliest, 4"),
        ({"every": "-1/2"}, "every: must be above 0"),
        ({"organization": "o"}, "organization: there is no such organization; did you mean O"),
        ({"gap": 1}, "gap: cannot be given here"),
        ({"thread": 1}, "thread: no such option; did you mean threads"),
    ],
)
def test_what_is_asked_for_wrongly_is_named(changed, words):
    with pytest.raises(InputError, match=words):
        place_reservation(PAIR, **{"length": 2, "processors": 1, "between": (0, 3), **changed})


def test_what_cannot_be_placed_is_refused():
    asked = {"length": 2, "processors": 1, "between": (0, 3)}
    with pytest.raises(InputError, match="only clusters of organizations"):
        place(oas.generate.tiny(seed=1), asked)
    two = oas.MospInstance([*PAIR.organizations, oas.Organization("P", 2)], locality=None)
    with pytest.raises(InputError, match="organization: must be given: one of O, P"):
        place(two, asked)
    with pytest.raises(TooLargeError, match="coarser times"):
        place(PAIR, {**asked, "between": (0, 2**53)})
    full = oas.Organization("O", 2, PAIR.organizations[0].jobs, [oas.Reservation(1, 4, 2)])
    with pytest.raises(InputError, match=r"not fit at any start \(got '0 to 3'\)"):
        place(oas.MospInstance([full], locality=None), asked)


JOBS = [oas.RigidJob(*one) for one in (("a", 4, 5), ("b", 3, 4), ("c", 5, 2), ("d", 2, 8), ("e", 3, 3))]


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


def test_reservations_that_are_alike_are_solved_once_and_late_ones_never():
    early, twice, late = oas.Reservation(4, 7, 4), oas.Reservation(1, 2, 1), oas.Reservation(100, 101, 8)
    study = oas.price_reservations(cluster(early, twice, late, twice), formulation="brute-force")
    assert study[1].price == study[3].price and study[1].without.result is study[3].without.result
    assert study[2].price == Interval(F(0), F(0)) and study[2].without == study.with_all
    known = {result.instance_digest for result in study.results}
    assert without(study.instance, (0, 2)).digest not in known
    assert len(known) <= 4  # with all, without any, without one of two kinds


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
