"""Display of what reservations cost, and of where one is best put: cells of tables, texts, notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.formats import MISSING, show_count, show_exact, show_time
from oas.core.result import ProofKind
from oas.show.html import fragment, remark, short_name, table
from oas.show.svg import inline_gantt
from oas.show.texts import MAX_METHODS, first_lines, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from oas.problems.rigid import Reservation
    from oas.studies.reservations.optimum import Optimum
    from oas.studies.reservations.placement import PlacedReservation
    from oas.studies.reservations.prices import ReservationPrice, ReservationPrices
    from oas.studies.slot_sizes.points import Interval

MOST_RANGES = 5
_PROOFS = {
    ProofKind.CERTIFICATE: "certificate",
    ProofKind.BRUTE_FORCE: "brute force",
    ProofKind.SOLVER: "solver's word",
}
PRICE_HEADINGS = ("without", "makespan", "lower bound", "status", "price", "proof")
CURVE_HEADINGS = ("first start", "last start", "optimum at first", "optimum at last", "delay at first", "delay at last")


def show_reservation(reservation: Reservation) -> str:
    """Return a reservation in one line: [4, 7) × 6 processors."""
    span = f"[{show_time(reservation.start)}, {show_time(reservation.end)})"
    return f"{span} × {show_count(reservation.processors, 'processor')}"


def show_interval(interval: Interval | None) -> str:
    """Return what is known of a time: one number, or two where it is open."""
    return MISSING if interval is None else show_between(interval.low, interval.high)


def show_between(low: Fraction, high: Fraction | None) -> str:
    """Return one number, or the two that it lies between."""
    if low == high:
        return show_time(low)
    return f"at least {show_time(low)}" if high is None else f"{show_time(low)} to {show_time(high)}"


def price_cells(study: ReservationPrices, prices: Sequence[ReservationPrice]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of `PRICE_HEADINGS`: with all reservations, without each of `prices`, and without any."""
    many = len(study.instance.organizations) > 1
    yield "none", *_optimum_cells(study.with_all), MISSING, _proof(study.with_all)
    for one in prices:
        name = f"{one.organization} " if many else ""
        yield (
            f"{name}{show_reservation(one.reservation)}",
            *_optimum_cells(one.without),
            show_interval(one.price),
            _proof(one.without),
        )
    if len(study.prices) > 1:
        yield "any", *_optimum_cells(study.without_any), show_interval(study.price), _proof(study.without_any)


def _optimum_cells(optimum: Optimum) -> tuple[str, str, str]:
    return show_time(optimum.makespan), show_time(optimum.lower_bound), optimum.status.value.replace("_", " ")


def _proof(optimum: Optimum) -> str:
    """The proof of its own solve; what others settle rests on theirs."""
    return str(optimum.proof) if optimum.proof else "by the others" if optimum.proven else MISSING


def prices_text(study: ReservationPrices) -> str:
    """Return a line a reservation."""
    rows = (
        f"without {where}: makespan {end}, {status}, price {price}" for where, end, _, status, price, _ in _each(study)
    )
    heading = f"ReservationPrices of {short_name(study.instance)}: makespan {show_time(study.with_all.makespan)}"
    return text(f"{heading} with all {len(study):,}", first_lines(rows, len(study), MAX_METHODS))


def _each(study: ReservationPrices) -> Iterator[tuple[str, ...]]:
    return (cells for cells in price_cells(study, study.prices[:MAX_METHODS]) if cells[0] not in ("none", "any"))


def prices_html(study: ReservationPrices) -> str:
    """Return a table of the prices."""
    rows = list(price_cells(study, study.prices))
    return fragment(f"{short_name(study.instance)}: the price of reservations", table(PRICE_HEADINGS, rows, len(rows)))


def placed_lines(found: PlacedReservation) -> list[str]:
    """Return what is found, and how far it is proven."""
    optimum, without, delay = found.optimum, found.without, found.delay
    start, makespan = show_exact(found.reservation.start), show_time(optimum.makespan)
    kinds = ", ".join(f"{_PROOFS[kind]} {count}" for kind, count in found.proof_kinds.items())
    lines = [
        f"best start {start}: makespan {makespan} with the reservation, {_verdict(found)}",
        f"without it {show_between(without.lower_bound, without.makespan)}: it delays the optimum by"
        f" {show_between(delay.low, delay.high)}",
    ]
    if not optimum.proven:
        lines.append(f"no start has an optimum below {show_time(optimum.lower_bound)}")
    if found.rivals:
        lines.append(f"starts that are open: {_ranges(found.rivals)}")
    return [*lines, f"{show_count(len(found.steps), 'solve')}, proofs of their bounds: {kinds}"]


def _ranges(ranges: Sequence[tuple[Fraction, Fraction]]) -> str:
    shown = [show_between(*one) for one in ranges[:MOST_RANGES]]
    return ", ".join([*shown, "…"] if len(ranges) > MOST_RANGES else shown)


def _verdict(found: PlacedReservation) -> str:
    if found.proven:
        return "proven"
    if found.optimum.proven:
        return "proven, though an earlier start may be as good"
    return "not proven: another start may be better"


def curve_cells(found: PlacedReservation) -> Iterator[tuple[str, ...]]:
    """Yield the cells of `CURVE_HEADINGS`, a row a piece of the curve."""
    for one in found.curve:
        ends = ((one.low_first, one.high_first), (one.low_last, one.high_last))
        delays = (show_between(*_delay(found.without, *end)) for end in ends)
        yield show_time(one.first), show_time(one.last), *(show_between(*end) for end in ends), *delays


def curve_remarks(found: PlacedReservation) -> list[str]:
    """Return why the optimum is an interval at some starts, and why other starts are missing."""
    remarks = []
    if not all(one.proven for one in found.curve):
        remarks.append(
            "intervals: optimum not proven (time limit, Ctrl-C, or no curve requested); it lies between the two"
        )
    if found.excluded:
        remarks.append(f"starts at which it does not fit alongside the other reservations: {_ranges(found.excluded)}")
    return remarks


def _delay(without: Optimum, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    assert without.makespan is not None
    return max(low - without.makespan, low * 0), high - without.lower_bound


def placed_text(found: PlacedReservation) -> str:
    """Return what is found, and how far it is proven."""
    return text(
        f"PlacedReservation in {short_name(found.instance)}: {show_reservation(found.reservation)}", placed_lines(found)
    )


def placed_html(found: PlacedReservation) -> str:
    """Return the same, the curve as a table, and a Gantt chart of the schedule."""
    rows = list(curve_cells(found))
    return fragment(
        f"{short_name(found.instance)}: where to put {show_reservation(found.reservation)}",
        *map(remark, placed_lines(found)),
        table(CURVE_HEADINGS, rows, len(rows)),
        *map(remark, curve_remarks(found)),
        inline_gantt(found.placed, found.schedule, found.optimum.lower_bound),
    )
