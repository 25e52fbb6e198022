"""Display of MOSP: instances, tables and studies as texts and HTML."""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING, Any

from oas.core.formats import MISSING, plural, show_count, show_exact, show_factor, show_percent, show_ratio, show_time
from oas.core.result import ProofKind
from oas.mosp.availability import availability
from oas.mosp.runs import local_schedule
from oas.show.comparison import ProblemTables, title_of
from oas.show.tables import Gantt, Table, fragment, short_name, show_between, show_interval, sized_text, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from oas.core.rigid import Reservation
    from oas.mosp.availability import Availability
    from oas.mosp.cooperation import PriceStudy
    from oas.mosp.instance import MospInstance
    from oas.mosp.reservations.placement import PlacedReservation
    from oas.mosp.reservations.prices import ReservationPrice, ReservationPrices
    from oas.show.comparison import Line
    from oas.show.tables import Part
    from oas.solving.comparison import Comparison, ComparisonRow
    from oas.solving.study import Interval, Optimum


def instance_text(instance: MospInstance) -> str:
    """Return the size of an instance, its locality and its first organizations."""
    pairs = zip(instance.organizations, instance.local_makespans, strict=True)
    organizations = (
        f"{owner.id}: {show_count(owner.processors, 'processor')}, {show_count(len(owner.jobs), 'job')}"
        + ("" if alone is None else f", makespan alone {show_time(alone)}")
        for owner, alone in pairs
    )
    jobs = f"{show_count(len(instance.jobs), 'job')} of {show_count(len(instance.organizations), 'organization')}"
    size = f"{jobs}, {show_count(instance.node_count, 'processor')}, {_locality(instance)}"
    return sized_text(instance, size, organizations)


def instance_html(instance: MospInstance) -> str:
    """Return tables of organizations and jobs, and the local schedules if there are any."""
    from oas.show.pictures import inline_gantt

    organizations = (
        (owner.id, f"{owner.processors:,}", f"{len(owner.jobs):,}", f"{len(owner.reservations):,}", show_time(alone))
        for owner, alone in zip(instance.organizations, instance.local_makespans, strict=True)
    )
    jobs = (
        (job.id, instance.organizations[instance.owner[job.id]].id, show_time(job.time), f"{job.processors:,}")
        for job in instance.jobs
    )
    size = f"{len(instance.jobs):,} jobs, {instance.node_count:,} processors, {_locality(instance)}"
    return fragment(
        f"{short_name(instance)}: {size}",
        table(
            ("organization", "processors", "jobs", "reservations", "makespan alone"),
            organizations,
            len(instance.organizations),
        ),
        table(("job", "organization", "time p", "processors q"), jobs, len(instance.jobs)),
        "" if instance.local is None else inline_gantt(instance, local_schedule(instance)),
    )


def _locality(instance: MospInstance) -> str:
    return "no locality" if instance.locality is None else f"locality {show_exact(instance.locality)}"


class MospTables(ProblemTables):
    """Lines and columns of MOSP."""

    side = ("compaction", "time", "/ papers' bound", "guarantee / observed", "locality kept")

    def title(self, instance: MospInstance) -> str:
        sizes = " + ".join(str(organization.processors) for organization in instance.organizations)
        bound = "no locality" if instance.locality is None else f"locality {show_time(instance.locality)}"
        count = f"{show_count(len(instance.jobs), 'job')}, {show_count(len(instance.organizations), 'organization')}"
        return f"{count} ({sizes} {plural(instance.node_count, 'processor')}), {bound}"

    def facts(self, instance: MospInstance) -> list[Line]:
        """Return the class of the reservations of a single organization, if it has any."""
        free = _availability(instance)
        return [] if free is None else [("reservations", str(free))]

    def document(self, instance: MospInstance) -> dict[str, Any]:
        """Return the class of the reservations: `Availability` without its steps, or null."""
        free = _availability(instance)
        if free is None:
            return {"availability": None}
        alpha = None if free.alpha is None else str(free.alpha)
        return {"availability": {"least_free": free.least_free, "alpha": alpha, "non_increasing": free.non_increasing}}

    def headings(self, _instance: MospInstance) -> list[str]:
        return ["makespan", "locality\nkept", "compaction", "/ papers'\nbound", "guarantee\n/ observed"]

    def cells(self, _instance: MospInstance, row: ComparisonRow) -> list[str]:
        keeps = MISSING if row.keeps_locality is None else ("yes" if row.keeps_locality else "no")
        figures = [show_time(row.makespan), keeps, show_percent(row.compaction), show_ratio(row.ratio)]
        return [*figures, _guarantee_and_observed(row)]

    def further(self, comparison: Comparison) -> list[Part]:
        """Return a table of each organization's gain in the exact schedule over its local schedule, if both exist."""
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
    """Return the availability of a single organization with reservations; the paper considers one cluster only."""
    alone = instance.organizations[0]
    return availability(alone) if len(instance.organizations) == 1 and alone.reservations else None


def _guarantee_and_observed(row: ComparisonRow) -> str:
    """Return the guaranteed and the observed ratio to the optimum; ≤ if the optimum is not proven."""
    if row.guarantee is None:
        return MISSING
    observed = f"{'' if row.observed_exactly or row.observed is None else '≤ '}{show_factor(row.observed)}"
    return f"{show_factor(row.guarantee.value)} / {observed}"


TABLES = MospTables()


MAX_RANGES = 5
_PROOFS = {
    ProofKind.CERTIFICATE: "certificate",
    ProofKind.BRUTE_FORCE: "brute force",
    ProofKind.SOLVER: "claimed by two runs",
}
MAX_PIECES = 200  # of a curve, in a terminal
MAX_PRICES = 100


def show_reservation(reservation: Reservation) -> str:
    """Return a reservation as text: [4, 7) × 6 processors."""
    span = f"[{show_time(reservation.start)}, {show_time(reservation.end)})"
    return f"{span} × {show_count(reservation.processors, 'processor')}"


def _between(low: Fraction, high: Fraction | None) -> str:
    return f"at least {show_time(low)}" if high is None else show_between(low, high)


def price_parts(study: PriceStudy) -> Iterator[Part]:
    """Yield a table with the optimum at each locality and the organizations that end later than alone."""
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
    """Yield a table of the optimum with all reservations, without each (the costliest 100), and without any."""
    prices: Sequence[ReservationPrice] = study.prices
    if len(prices) > MAX_PRICES:
        prices = nlargest(MAX_PRICES, prices, key=lambda row: -1 if row.price is None else row.price.high)
    rows = [_price_row("none", study.with_all, None)]
    for row in prices:
        owner = f"{row.organization} " if len(study.instance.organizations) > 1 else ""
        rows.append(_price_row(f"{owner}{show_reservation(row.reservation)}", row.without, row.price))
    if len(study.prices) > 1:
        rows.append(_price_row("any", study.without_any, study.price))
    headings = ("without", "makespan", "lower\nbound", "status", "price", "proof")
    yield title_of(study.instance)
    yield Table(headings, rows, side=("proof", "status", "lower bound"), texts=("proof",))
    if len(study.prices) > MAX_PRICES:
        yield f"{show_count(len(study.prices) - MAX_PRICES, 'reservation')} that cost no more: see --json"


def _price_row(name: str, optimum: Optimum, price: Interval | None) -> tuple[str, ...]:
    """Return the cells of an optimum; "by the others" if its proof follows from the other solves."""
    proof = str(optimum.proof) if optimum.proof else "by the others" if optimum.proven else MISSING
    times, status = (optimum.makespan, optimum.lower_bound), optimum.status.value.replace("_", " ")
    return (name, *map(show_time, times), status, show_interval(price), proof)


def placed_parts(placed: PlacedReservation, *, curve: bool = True) -> Iterator[Part]:
    """Yield the best start and its proof, the optimum at every start if `curve` is set, and the schedule."""
    yield from (title_of(placed.instance), "", *_placed_lines(placed))
    if curve:
        rows = []
        for piece in placed.curve[:MAX_PIECES]:
            ends = ((piece.low_first, piece.high_first), (piece.low_last, piece.high_last))
            delays = (_between(*_delay(placed.without, *end)) for end in ends)
            rows.append((show_time(piece.first), show_time(piece.last), *(_between(*end) for end in ends), *delays))
        values = (f"{quantity}\nat {end}" for quantity in ("optimum", "delay") for end in ("first", "last"))
        headings = ("first start", "last\nstart", *values)
        yield from ("", Table(headings, rows, side=("delay at last", "delay at first", "optimum at last")))
        if len(placed.curve) > MAX_PIECES:
            yield f"{show_count(len(placed.curve) - MAX_PIECES, 'row')} more: see --json or --plot"
        if not all(piece.proven for piece in placed.curve):
            yield "intervals: optimum not proven (time limit, Ctrl-C, or no curve requested); it lies between the two"
        if placed.excluded:
            yield f"starts at which it does not fit alongside the other reservations: {_ranges(placed.excluded)}"
    yield Gantt(placed.placed, placed.schedule, placed.optimum.lower_bound)


def _placed_lines(placed: PlacedReservation) -> list[str]:
    optimum, without = placed.optimum, placed.without
    start, makespan = show_exact(placed.reservation.start), show_time(optimum.makespan)
    kinds = ", ".join(f"{_PROOFS[kind]} {count}" for kind, count in placed.proof_kinds.items())
    verdict = "not proven: another start may be better"
    if placed.optimum.proven:
        verdict = "proven" if placed.proven else "proven, but an earlier start may be equally good"
    lines = [
        f"best start {start}: makespan {makespan} with the reservation, {verdict}",
        f"without it {_between(without.lower_bound, without.makespan)}: it delays the optimum by"
        f" {show_interval(placed.delay)}",
    ]
    if not optimum.proven:
        lines.append(f"no start has an optimum below {show_time(optimum.lower_bound)}")
    if placed.rivals:
        lines.append(f"starts that may be better: {_ranges(placed.rivals)}")
    return [*lines, f"{show_count(len(placed.steps), 'solve')}, proofs of their bounds: {kinds}"]


def _ranges(ranges: Sequence[tuple[Fraction, Fraction]]) -> str:
    texts = [_between(*ends) for ends in ranges[:MAX_RANGES]]
    return ", ".join([*texts, "…"] if len(ranges) > MAX_RANGES else texts)


def _delay(without: Optimum, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    assert without.makespan is not None
    return max(low - without.makespan, low * 0), high - without.lower_bound
