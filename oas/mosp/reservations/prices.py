"""The price of each reservation: how much earlier the optimum would end without it.

Without a reservation every schedule stays feasible, so the optimum without any reservation is at most that without one,
which is at most that with all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Unpack, cast

from oas.core.errors import InputError
from oas.core.formats import attributes
from oas.core.instances import check_problem
from oas.core.registry import MOSP
from oas.core.verifier import verify
from oas.solving.options import check_names
from oas.solving.study import Interval, Optimum, PointStudy, RelaxationSeries, excess, frame_of, interval_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.core.rigid import Reservation
    from oas.mosp.instance import MospInstance
    from oas.solving.options import SolveOptions

    _Key = str | tuple[int, Reservation]  # `ALL`, `NONE`, or the one that is missing, with the index of its cluster

ALL, NONE = "all reservations", "no reservation"


@dataclass(frozen=True)
class ReservationPrice:
    """The price of one reservation."""

    organization: str  #: the organization whose cluster is reserved
    reservation: Reservation
    without: Optimum  #: the optimum without it
    #: the optimum with all reservations less that without this one: an interval if either is open; None if either has
    #: no schedule
    price: Interval | None


@dataclass(frozen=True, repr=False)
class ReservationPrices(PointStudy[ReservationPrice]):
    """The result of `price_reservations`: a sequence of prices."""

    DISPLAY = "oas.mosp.tables:prices_parts"
    POINTS = "prices"

    instance: MospInstance  #: with all reservations
    with_all: Optimum  #: the optimum with all reservations
    without_any: Optimum  #: the optimum without any reservation
    prices: tuple[ReservationPrice, ...]  #: one for each reservation, by organization, in the order of the instance
    interrupted: bool = False  #: whether Ctrl-C ended the study

    @property
    def price(self) -> Interval | None:
        """The price of all reservations together."""
        return excess(self.with_all, self.without_any)

    @property
    def results(self) -> tuple[Result, ...]:
        """All solves."""
        optima = (self.with_all, self.without_any, *(row.without for row in self.prices))
        return tuple(optimum.result for optimum in optima if optimum.result is not None)

    def to_frame(self) -> pandas.DataFrame:
        """Return one row per reservation.

        Columns: organization, start, end, processors, makespan_without and lower_bound_without, status_without,
        price_low and price_high (all times in the instance's time unit; NaN for missing values). Numbers are floats.
        """
        return frame_of(
            {
                "organization": row.organization,
                **attributes(row.reservation, "start", "end", "processors"),
                "makespan_without": row.without.makespan,
                "lower_bound_without": row.without.lower_bound,
                "status_without": row.without.status,
                **interval_columns("price", row.price),
            }
            for row in self.prices
        )


def price_reservations(instance: Instance, **solve_options: Unpack[SolveOptions]) -> ReservationPrices:
    """Return the cost of each reservation: the optimum with all reservations minus the optimum without this one.

    The local schedules, and with them the deadlines of locality, stay unchanged. Ctrl-C keeps the optima found so far;
    an open price is an interval.

    Parameters
    ----------
    instance
        An instance of MOSP with at least one reservation.
    **solve_options
        As for `oas.solve`; `time_limit` is for all solves together, with equal shares of the remaining time.
        `start` is a schedule of the instance with all reservations.

    Raises
    ------
    InputError
        If the instance is of another problem or has no reservation, or an option is unknown.
    """
    check_problem(instance, MOSP, "only clusters of organizations have reservations")
    check_names(solve_options)
    whole = cast("MospInstance", instance)
    if not whole.reserved:
        raise InputError("there is none", field="reservations")
    reservations = [(k, r) for k, organization in enumerate(whole.organizations) for r in organization.reservations]
    alike = list(dict.fromkeys(reservations))  # identical reservations have the same price
    instances: dict[_Key, MospInstance] = {ALL: whole, **{like: _without(whole, [like]) for like in alike}}
    instances[NONE] = _without(whole, reservations)
    series = RelaxationSeries(instances, lambda one, other: one in (other, NONE) or other == ALL, solve_options)
    with series.interruptible():
        if series.start is not None:
            violations = verify(whole, series.start)
            if violations:
                raise InputError(f"the schedule is not feasible: {violations[0]}", field="start")
            series.learn_schedule(ALL, series.start)
        stages: dict[_Key, str] = {NONE: "without any", ALL: "with all"}
        stages |= {like: f"without {number} of {len(alike)}" for number, like in enumerate(alike, start=1)}
        for place, (key, stage) in enumerate(stages.items()):
            if series.interrupted:
                break
            if not _is_late(key, series):
                series.solve_open(key, stage, len(instances) - place)
                result = series.results.get(key)
                if result is not None and result.schedule is not None and not verify(whole, result.schedule):
                    series.learn_schedule(ALL, result.schedule)
    with_all = series.optimum(ALL)
    prices = []
    for key in reservations:
        late = _is_late(key, series)
        without = with_all if late else series.optimum(key)
        price = Interval(Fraction(0), Fraction(0)) if late else excess(with_all, without)
        prices.append(ReservationPrice(whole.organizations[key[0]].id, key[1], without, price))
    return ReservationPrices(whole, with_all, series.optimum(NONE), tuple(prices), series.interrupted)


def _is_late(key: _Key, series: RelaxationSeries[_Key]) -> bool:
    """Whether the reservation begins no earlier than a schedule with all reservations ends.

    Then it affects no optimum, and the optima with and without it are equal, even if they are not proven.
    """
    schedule = series.schedules.get(ALL)
    return isinstance(key, tuple) and schedule is not None and key[1].start >= schedule.makespan


def _without(instance: MospInstance, reservations: Iterable[tuple[int, Reservation]]) -> MospInstance:
    """Return the instance without these reservations, given with the indices of their clusters."""
    organizations = list(instance.organizations)
    for k, reservation in reservations:
        remaining = list(organizations[k].reservations)
        remaining.remove(reservation)
        organizations[k] = replace(organizations[k], reservations=tuple(remaining))
    return replace(instance, organizations=tuple(organizations))
