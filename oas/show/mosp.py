"""Instances of MOSP, the price of reservations and where one is best put: as text, in a notebook, from data frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.formats import MISSING, show_count, show_exact, show_time
from oas.core.numbers import integer
from oas.core.result import ProofKind
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import local_schedule
from oas.problems.rigid import Organization, Reservation, RigidJob
from oas.show.frames import Row, Rows
from oas.show.views import first_lines, fragment, remark, short_name, study_lines, table, text, title

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from fractions import Fraction

    from oas.core.numbers import Exact
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


def instance_of(
    jobs: object,
    clusters: object,
    decimals: int,
    locality: Exact | None,
    local: str | Mapping[str, Exact] | None,
    seed: int,
    reservations: Mapping[str, Iterable[Reservation]] | None,
    name: str,
) -> MospInstance:
    """See `MospInstance.from_frame`."""
    sizes = _sizes(clusters)
    held = dict(reservations or {})
    for one in held:
        if one not in sizes:
            raise InputError("no organization has this id", field="reservations", value=one)
    columns = {"job": "", "organization": None, "time": None, "processors": None, "release": 0, "local_start": ""}
    table = Rows(jobs, "jobs", columns, integer(decimals, "decimals", least=0))
    owned: dict[str, list[RigidJob]] = {one: [] for one in sizes}
    starts: dict[str, Any] = {}

    def add(row: Row) -> None:
        owner = row.name("organization")
        if owner not in owned:
            raise InputError("is not among the clusters", field="organization", value=owner)
        job = RigidJob(row.name("job"), row["time"], row["processors"], row["release"])
        owned[owner].append(job)
        starts[job.id] = row["local_start"]

    table.each(add)
    if local is None and table.has("local_start"):
        local = starts
    return MospInstance(
        [Organization(one, size, owned[one], held.get(one, ())) for one, size in sizes.items()],
        locality,
        local,
        seed,
        name,
    )


def _sizes(clusters: object) -> dict[str, int]:
    """Return the processors of each organization."""
    if isinstance(clusters, Mapping) and not {"organization", "processors"} <= set(clusters):
        clusters = {"organization": list(clusters), "processors": list(clusters.values())}
    sizes: dict[str, int] = {}

    def add(row: Row) -> None:
        owner = row.name("organization")
        if owner in sizes:
            raise InputError("the id is taken", field="organization", value=owner)
        sizes[owner] = integer(row["processors"], "processors", least=1)

    Rows(clusters, "clusters", {"organization": None, "processors": None}, 0).each(add)
    return sizes


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
    rows = [
        f"without {where}: makespan {end}, {status}, price {price}"
        for where, end, _, status, price, _ in price_cells(study, study.prices)
        if where not in ("none", "any")
    ]
    heading = f"ReservationPrices of {short_name(study.instance)}: makespan {show_time(study.with_all.makespan)}"
    return study_lines(f"{heading} with all {len(study):,}", rows)


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
    from oas.show.pictures import inline_gantt

    rows = list(curve_cells(found))
    return fragment(
        f"{short_name(found.instance)}: where to put {show_reservation(found.reservation)}",
        *map(remark, placed_lines(found)),
        table(CURVE_HEADINGS, rows, len(rows)),
        *map(remark, curve_remarks(found)),
        inline_gantt(found.placed, found.schedule, found.optimum.lower_bound),
    )
