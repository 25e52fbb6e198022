"""Instances, tables and studies of MOSP as text, in a terminal and in a notebook."""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING, Any

from oas.core.formats import MISSING, plural, show_count, show_exact, show_factor, show_percent, show_ratio, show_time
from oas.core.result import ProofKind
from oas.problems.mosp.availability import availability
from oas.problems.mosp.runs import local_schedule
from oas.show.comparison import ProblemTables, title_of
from oas.show.tables import Gantt, Table, first_lines, fragment, short_name, table, text, title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from oas.problems.mosp.availability import Availability
    from oas.problems.mosp.instance import MospInstance
    from oas.problems.rigid import Reservation
    from oas.show.comparison import Line
    from oas.show.tables import Part
    from oas.studies.comparison import Comparison, ComparisonRow
    from oas.studies.cooperation import PriceStudy
    from oas.studies.reservations.placement import PlacedReservation
    from oas.studies.reservations.prices import ReservationPrice, ReservationPrices
    from oas.studies.study import Interval, Optimum


def instance_text(instance: MospInstance) -> str:
    """Return the size of an instance, its first organizations and its locality."""
    pairs = zip(instance.organizations, instance.local_makespans, strict=True)
    organizations = (
        f"{one.id}: {show_count(one.processors, 'processor')}, {show_count(len(one.jobs), 'job')}"
        + ("" if alone is None else f", alone done at {show_time(alone)}")
        for one, alone in pairs
    )
    count = len(instance.organizations)
    locality = "no locality" if instance.locality is None else f"locality {show_exact(instance.locality)}"
    jobs = f"{show_count(len(instance.jobs), 'job')} of {show_count(count, 'organization')}"
    size = f"{jobs}, {show_count(instance.node_count, 'processor')}, {locality}"
    return text(f"{title(instance)}: {size}", first_lines(organizations, count))


def instance_html(instance: MospInstance) -> str:
    """Return tables of organizations and jobs, and the local schedules if there are any."""
    from oas.show.pictures import inline_gantt

    organizations = (
        (one.id, f"{one.processors:,}", f"{len(one.jobs):,}", f"{len(one.reservations):,}", show_time(alone))
        for one, alone in zip(instance.organizations, instance.local_makespans, strict=True)
    )
    jobs = (
        (job.id, instance.organizations[instance.owner[job.id]].id, show_time(job.time), f"{job.processors:,}")
        for job in instance.jobs
    )
    locality = "no locality" if instance.locality is None else f"locality {show_exact(instance.locality)}"
    return fragment(
        f"{short_name(instance)}: {len(instance.jobs):,} jobs, {instance.node_count:,} processors, {locality}",
        table(
            ("organization", "processors", "jobs", "reservations", "makespan alone"),
            organizations,
            len(instance.organizations),
        ),
        table(("job", "organization", "time p", "processors q"), jobs, len(instance.jobs)),
        "" if instance.local is None else inline_gantt(instance, local_schedule(instance)),
    )


class MospTables(ProblemTables):
    """Lines and columns of organizations."""

    side = ("compaction", "time", "/ papers' bound", "guarantee / observed", "locality kept")

    def title(self, instance: MospInstance) -> str:
        """Return jobs, organizations and locality."""
        sizes = " + ".join(str(organization.processors) for organization in instance.organizations)
        bound = "no locality" if instance.locality is None else f"locality {show_time(instance.locality)}"
        count = f"{show_count(len(instance.jobs), 'job')}, {show_count(len(instance.organizations), 'organization')}"
        return f"{count} ({sizes} {plural(instance.node_count, 'processor')}), {bound}"

    def facts(self, instance: MospInstance) -> list[Line]:
        """Return the class of the reservations, for one organization that has any."""
        found = _availability(instance)
        return [] if found is None else [("reservations", str(found))]

    def document(self, instance: MospInstance) -> dict[str, Any]:
        """Return the class of the reservations: `Availability` without its steps, or null."""
        found = _availability(instance)
        if found is None:
            return {"availability": None}
        alpha = None if found.alpha is None else str(found.alpha)
        known = {"least_free": found.least_free, "alpha": alpha, "non_increasing": found.non_increasing}
        return {"availability": known}

    def headings(self, _instance: MospInstance) -> list[str]:
        """Return makespan, locality, compaction, the papers' ratio, and guarantees."""
        return ["makespan", "locality\nkept", "compaction", "/ papers'\nbound", "guarantee\n/ observed"]

    def cells(self, _instance: MospInstance, row: ComparisonRow) -> list[str]:
        """Return the cells under `headings`."""
        kept = MISSING if row.keeps_locality is None else ("yes" if row.keeps_locality else "no")
        figures = [show_time(row.makespan), kept, show_percent(row.compaction), show_ratio(row.ratio)]
        return [*figures, _guarantee_and_observed(row)]

    def further(self, comparison: Comparison) -> list[Part]:
        """Return what each organization gains in the exact schedule against staying alone, where there are both."""
        instance: Any = comparison.instance
        schedule = comparison.result.schedule
        if schedule is None or instance.local is None:
            return []
        rows = []
        for organization, alone in zip(instance.organizations, instance.local_makespans, strict=True):
            if organization.jobs:
                together = max(schedule[job.id].end for job in organization.jobs)
                times = (show_time(alone), show_time(together), show_percent(1 - together / alone))
                rows.append((organization.id, str(len(organization.jobs)), *times))
        return ["", Table(("organization", "jobs", "alone", "together", "gain"), rows, side=("jobs", "alone"))]


def _availability(instance: MospInstance) -> Availability | None:
    """Return what reservations leave free; None without, and for several organizations: the paper is on one cluster."""
    alone = instance.organizations[0]
    return availability(alone) if len(instance.organizations) == 1 and alone.reservations else None


def _guarantee_and_observed(row: ComparisonRow) -> str:
    """Return what is proved of the ratio to the optimum, and the ratio; ≤ where the optimum is not known."""
    if row.guarantee is None:
        return MISSING
    observed = f"{'' if row.observed_exactly or row.observed is None else '≤ '}{show_factor(row.observed)}"
    return f"{show_factor(row.guarantee.value)} / {observed}"


TABLES = MospTables()


MOST_RANGES = 5
_PROOFS = {
    ProofKind.CERTIFICATE: "certificate",
    ProofKind.BRUTE_FORCE: "brute force",
    ProofKind.SOLVER: "solver's word",
}
MOST_PIECES = 200  # of a curve, in a terminal
MOST_PRICES = 100


def show_reservation(reservation: Reservation) -> str:
    """Return a reservation in one line: [4, 7) × 6 processors."""
    span = f"[{show_time(reservation.start)}, {show_time(reservation.end)})"
    return f"{span} × {show_count(reservation.processors, 'processor')}"


def _interval(interval: Interval | None) -> str:
    """Return what is known of a time: one number, or two where it is open."""
    return MISSING if interval is None else show_between(interval.low, interval.high)


def show_between(low: Fraction, high: Fraction | None) -> str:
    """Return one number, or the two that it lies between."""
    if low == high:
        return show_time(low)
    return f"at least {show_time(low)}" if high is None else f"{show_time(low)} to {show_time(high)}"


def price_parts(study: PriceStudy) -> Iterator[Part]:
    """Yield the optimum at each locality, and who ends later than alone."""
    rows = [
        (
            "none" if point.locality is None else show_time(point.locality),
            show_time(point.result.objective),
            show_time(point.result.lower_bound),
            point.result.status.value,
            show_ratio(point.price),
            ", ".join(f"{name} × {show_ratio(ratio)}" for name, ratio in point.losers.items()) or MISSING,
        )
        for point in study
    ]
    last = "who ends later than alone"
    headings = ("locality", "makespan", "lower\nbound", "status", "price", last)
    yield from (title_of(study.instance), Table(headings, rows, ("lower bound", last, "status"), texts=(last,)))


def prices_parts(study: ReservationPrices) -> Iterator[Part]:
    """Yield the optimum with all reservations, without each (of very many the costliest), and without any."""
    prices: Sequence[ReservationPrice] = study.prices
    if len(prices) > MOST_PRICES:
        prices = nlargest(MOST_PRICES, prices, key=lambda one: -1 if one.price is None else one.price.high)
    rows = [("none", *_optimum_cells(study.with_all), MISSING, _proof(study.with_all))]
    for one in prices:
        owner = f"{one.organization} " if len(study.instance.organizations) > 1 else ""
        name = f"{owner}{show_reservation(one.reservation)}"
        rows.append((name, *_optimum_cells(one.without), _interval(one.price), _proof(one.without)))
    if len(study.prices) > 1:
        rows.append(("any", *_optimum_cells(study.without_any), _interval(study.price), _proof(study.without_any)))
    headings = ("without", "makespan", "lower\nbound", "status", "price", "proof")
    yield title_of(study.instance)
    yield Table(headings, rows, side=("proof", "status", "lower bound"), texts=("proof",))
    if len(study.prices) > MOST_PRICES:
        yield f"{show_count(len(study.prices) - MOST_PRICES, 'reservation')} that cost no more: see --json"


def _optimum_cells(optimum: Optimum) -> tuple[str, str, str]:
    return show_time(optimum.makespan), show_time(optimum.lower_bound), optimum.status.value.replace("_", " ")


def _proof(optimum: Optimum) -> str:
    """The proof of its own solve; what others settle rests on theirs."""
    return str(optimum.proof) if optimum.proof else "by the others" if optimum.proven else MISSING


def placed_parts(found: PlacedReservation, *, curve: bool = True) -> Iterator[Part]:
    """Yield what is found, and how far it is proven; with `curve` the optimum at every start; and the schedule."""
    yield from (title_of(found.instance), "", *_placed_lines(found))
    if curve:
        rows = []
        for one in found.curve[:MOST_PIECES]:
            ends = ((one.low_first, one.high_first), (one.low_last, one.high_last))
            delays = (show_between(*_delay(found.without, *end)) for end in ends)
            rows.append((show_time(one.first), show_time(one.last), *(show_between(*end) for end in ends), *delays))
        values = (f"{what}\nat {end}" for what in ("optimum", "delay") for end in ("first", "last"))
        headings = ("first start", "last\nstart", *values)
        yield from ("", Table(headings, rows, side=("delay at last", "delay at first", "optimum at last")))
        if len(found.curve) > MOST_PIECES:
            yield f"{show_count(len(found.curve) - MOST_PIECES, 'row')} more: see --json or --plot"
        yield from _curve_remarks(found)
    yield Gantt(found.placed, found.schedule, found.optimum.lower_bound)


def _placed_lines(found: PlacedReservation) -> list[str]:
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


def _curve_remarks(found: PlacedReservation) -> list[str]:
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
