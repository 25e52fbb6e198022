"""The price of each reservation: how much earlier the optimum would end without it.

Without a reservation every schedule stays feasible, so the optimum without all of them is at most that without one,
and this at most that with all. Lower bounds are carried up and schedules down this order before anything is solved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Unpack, cast

from oas.core.errors import InputError
from oas.core.instances import check_problem
from oas.core.verifier import verify
from oas.exact.options import check_names
from oas.problems.registry import MOSP
from oas.studies.study import Interval, Optimum, PointStudy, SolveSeries, excess, frame_of, interval_columns

if TYPE_CHECKING:
    import pandas

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.exact.options import SolveOptions
    from oas.problems.mosp.instance import MospInstance
    from oas.problems.rigid import Reservation

    _Like = tuple[int, Reservation]  # cluster and reservation


@dataclass(frozen=True)
class ReservationPrice:
    """The price of one reservation.

    Attributes
    ----------
    organization
        Whose cluster it is of.
    reservation
        The reservation.
    without
        The optimum without it.
    price
        The optimum with all reservations less that without this one: an interval where either is open; None where
        either has no schedule.
    """

    organization: str
    reservation: Reservation
    without: Optimum
    price: Interval | None


@dataclass(frozen=True, repr=False)
class ReservationPrices(PointStudy[ReservationPrice]):
    """The result of `price_reservations`: a sequence of prices.

    Attributes
    ----------
    instance
        With all reservations.
    with_all, without_any
        The optimum with all reservations, and without any.
    prices
        One for each reservation, by organization, in the order of the instance.
    price
        Of all reservations together, like that of one.
    interrupted
        Whether Ctrl-C ended it.
    """

    DISPLAY = "oas.show.mosp:prices_parts"
    POINTS = "prices"

    instance: MospInstance
    with_all: Optimum
    without_any: Optimum
    prices: tuple[ReservationPrice, ...]
    interrupted: bool = False

    @property
    def price(self) -> Interval | None:
        """Of all reservations together."""
        return excess(self.with_all, self.without_any)

    @property
    def results(self) -> tuple[Result, ...]:
        """All solves."""
        optima = (self.with_all, self.without_any, *(one.without for one in self.prices))
        return tuple(one.result for one in optima if one.result is not None)

    def to_frame(self) -> pandas.DataFrame:
        """Return one row a reservation.

        Columns: organization, start, end, processors, makespan_without and lower_bound_without, status_without,
        price_low and price_high (all times in the instance's time unit; NaN for missing values). Numbers are floats.
        """
        return frame_of(
            {
                "organization": one.organization,
                "start": one.reservation.start,
                "end": one.reservation.end,
                "processors": one.reservation.processors,
                "makespan_without": one.without.makespan,
                "lower_bound_without": one.without.lower_bound,
                "status_without": one.without.status.value,
                **interval_columns("price", one.price),
            }
            for one in self.prices
        )


def price_reservations(instance: Instance, **solve_options: Unpack[SolveOptions]) -> ReservationPrices:
    """Return the cost of each reservation: the optimum with all reservations minus the optimum without this one.

    The local schedules, and with them the locality, stay unchanged. Ctrl-C keeps the optima found so
    far; an open price is an interval.

    Parameters
    ----------
    instance
        Of MOSP, with at least one reservation.
    **solve_options
        As `oas.solve` takes them; `time_limit` is for all solves together, with equal shares of the remaining time.
        `start` is a schedule of the instance with all reservations.

    Raises
    ------
    InputError
        If the instance is of another problem or has no reservation, or an option is unknown.
    """
    check_problem(instance, MOSP, "only clusters of organizations have reservations")
    check_names(solve_options)
    held = cast("MospInstance", instance)
    if not held.reserved:
        raise InputError("there is none", field="reservations")
    return _Prices(held, solve_options).study()


class _Prices:
    """The solves of one study. Reservations that are alike, as `_Like` has them, have the same price."""

    def __init__(self, instance: MospInstance, options: SolveOptions) -> None:
        self.instance = instance
        self.series = SolveSeries(options)
        self.best: Schedule | None = None  # with all reservations
        self.without_any = Optimum(Fraction(0), None)
        self.with_all = Optimum(Fraction(0), None)
        self.without: dict[_Like, Optimum] = {}
        self.reservations = [(k, r) for k, one in enumerate(instance.organizations) for r in one.reservations]

    def study(self) -> ReservationPrices:
        alike, organizations = list(dict.fromkeys(self.reservations)), self.instance.organizations
        solves = 2 + len(alike)
        try:
            self.best = self._given()
            free = replace(self.instance, organizations=tuple(replace(one, reservations=()) for one in organizations))
            self.without_any = self._solved(free, self.without_any, "without any", solves)
            self._carry()
            self.with_all = self._solved(self.instance, self.with_all, "with all", solves - 1)
            for number, like in enumerate(alike):
                self._carry()
                if not self._is_late(like):
                    known = Optimum(self.without_any.lower_bound, self.with_all.makespan)
                    stage = f"without {number + 1} of {len(alike)}"
                    self.without[like] = self._solved(self._without(like), known, stage, len(alike) - number)
        except KeyboardInterrupt:
            self.series.interrupted = True
        self._carry()
        prices = tuple(map(self._price, self.reservations))
        return ReservationPrices(self.instance, self.with_all, self.without_any, prices, self.series.interrupted)

    def _given(self) -> Schedule | None:
        """Return the schedule to begin with, if there is one."""
        schedule = self.series.start
        violations = [] if schedule is None else verify(self.instance, schedule)
        if violations:
            raise InputError(f"the schedule is not feasible: {violations[0]}", field="start")
        return schedule

    def _solved(self, instance: MospInstance, known: Optimum, stage: str, solves: int) -> Optimum:
        """Return the optimum of `instance`; `solves` solves share the remaining time."""
        if self.series.interrupted:
            raise KeyboardInterrupt
        if known.proven:
            return known
        result = self.series.solve(instance, stage, time_limit=self.series.share(solves), start=self.best)
        if result.schedule is not None and not verify(self.instance, result.schedule):
            self.best = min(filter(None, (self.best, result.schedule)), key=lambda one: one.makespan)
        return Optimum(max(known.lower_bound, result.lower_bound or Fraction(0)), result.objective, result)

    def _carry(self) -> None:
        """Propagate lower bounds from relaxations to restricted instances, and makespans in the opposite direction."""
        if self.best is not None:
            self.with_all = self.with_all.shortened(self.best.makespan)
        free = self.without_any
        for like, one in self.without.items():
            one = replace(one, lower_bound=max(one.lower_bound, free.lower_bound))
            self.without[like] = one = one.shortened(self.with_all.makespan)
            free = free.shortened(one.makespan)
        self.without_any = free = free.shortened(self.with_all.makespan)
        bounds = [one.lower_bound for one in (self.with_all, free, *self.without.values())]
        self.with_all = replace(self.with_all, lower_bound=max(bounds))

    def _price(self, like: _Like) -> ReservationPrice:
        k, reservation = like
        name = self.instance.organizations[k].id
        if self._is_late(like):
            return ReservationPrice(name, reservation, self.with_all, Interval(Fraction(0), Fraction(0)))
        without = self.without.get(like) or Optimum(self.without_any.lower_bound, self.with_all.makespan)
        return ReservationPrice(name, reservation, without, excess(self.with_all, without))

    def _is_late(self, like: _Like) -> bool:
        """Whether the reservation begins no earlier than a schedule with all reservations ends.

        Then it affects no optimum, and the optima with and without it are equal, even if they are not proven.
        """
        end = self.with_all.makespan
        return end is not None and like[1].start >= end

    def _without(self, like: _Like) -> MospInstance:
        """Return the instance without one such reservation."""
        k, reservation = like
        kept = list(self.instance.organizations[k].reservations)
        kept.remove(reservation)
        organizations = list(self.instance.organizations)
        organizations[k] = replace(organizations[k], reservations=tuple(kept))
        return replace(self.instance, organizations=tuple(organizations))
