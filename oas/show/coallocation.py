"""Instances, tables and studies of co-allocation as text, in a terminal and in a notebook."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from oas.core.formats import (
    MISSING,
    plural,
    show_count,
    show_exact,
    show_factor,
    show_percent,
    show_seconds,
    show_slots,
    show_time,
)
from oas.core.schedule_metrics import compaction
from oas.problems.coallocation.metrics import executed_if_short
from oas.show.comparison import ProblemTables, title_of
from oas.show.tables import MAX_ROWS, Table, first_lines, fragment, remark, short_name, table, text, title

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from oas.core.numbers import Exact
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.show.comparison import Line
    from oas.show.tables import Part
    from oas.studies.comparison import ComparisonRow
    from oas.studies.saturation_price import SaturationPoint, SaturationPrice
    from oas.studies.slot_sizes.model_size import ModelSize
    from oas.studies.slot_sizes.points import Advice, SlotPoint
    from oas.studies.slot_sizes.study import SlotStudy
    from oas.studies.study import Interval


def instance_text(instance: CoallocationInstance) -> str:
    """Return the size of an instance, its first clusters and its slot."""
    clusters = (
        f"{cluster.id}: {show_count(cluster.size, 'node')}, link {show_time(cluster.bandwidth)}"
        for cluster in instance.clusters
    )
    jobs, groups = show_count(len(instance.jobs), "job"), show_count(len(instance.clusters), "cluster")
    size = f"{jobs}, {groups}, {show_count(instance.node_count, 'node')}, {_slot(instance)}"
    return text(f"{title(instance)}: {size}", first_lines(clusters, len(instance.clusters)))


def instance_html(instance: CoallocationInstance) -> str:
    """Return tables of clusters and jobs."""
    clusters = (
        (
            cluster.id,
            f"{cluster.size:,}",
            ", ".join(f"{group.count:,} × {show_time(group.power)}" for group in islice(cluster.groups, MAX_ROWS)),
            show_time(cluster.bandwidth),
        )
        for cluster in instance.clusters
    )
    jobs = (
        (job.id, f"{job.tasks:,}", show_time(job.base_time), show_time(job.bandwidth), show_time(job.sigma))
        for job in instance.jobs
    )
    return fragment(
        f"{short_name(instance)}: {len(instance.jobs):,} jobs, {instance.node_count:,} nodes",
        remark(_slot(instance)),
        table(("cluster", "nodes", "of power Γ", "link"), clusters, len(instance.clusters)),
        table(("job", "tasks τ", "base time Tb", "bandwidth of a task", "σ"), jobs, len(instance.jobs)),
    )


def _slot(instance: CoallocationInstance) -> str:
    return f"slot η = {show_exact(instance.slot)}" if instance.slot else "continuous time (η = 0)"


class CoallocationTables(ProblemTables):
    """Lines and columns of co-allocation."""

    side = ("executed compaction", "slots", "time", "compaction", "executed makespan")

    def title(self, instance: CoallocationInstance) -> str:
        """Return jobs, clusters and slot size."""
        slot = show_time(instance.slot) if instance.slot else "0 (continuous)"
        return f"{super().title(instance)}, η = {slot}"

    def schedule_lines(self, instance: CoallocationInstance, schedule: Schedule, bounds: list[Line]) -> list[Line]:
        """Return the makespan in slots too, and figures of the executed schedule."""
        run = executed_if_short(instance, schedule)
        slots = ""
        if instance.slot:
            number = show_slots(schedule.makespan, instance.slot)
            slots = f" = {number} {plural(1 if number == '1' else 2, 'slot')}"
        usage = [compaction(instance, one) for one in (schedule, run) if one is not None]
        without = (
            f"{show_time(run.makespan)} without the slot grid" if run else "exact times without slots are too long"
        )
        return [
            ("makespan", f"{show_time(schedule.makespan)}{slots}, by {schedule.method}"),
            ("executed", without),
            *bounds,
            ("compaction", ", executed ".join(map(show_percent, usage))),
        ]

    def headings(self, instance: CoallocationInstance) -> list[str]:
        """Return makespan and compaction, slotted and executed."""
        slots = ["slots"] if instance.slot else []
        return [*slots, "makespan", "executed\nmakespan", "compaction", "executed\ncompaction"]

    def cells(self, instance: CoallocationInstance, row: ComparisonRow) -> list[str]:
        """Return the cells under `headings`."""
        slots = [show_slots(row.makespan, instance.slot)] if instance.slot else []
        times = [show_time(row.makespan), show_time(row.executed)]
        return [*slots, *times, show_percent(row.compaction), show_percent(row.executed_compaction)]


TABLES = CoallocationTables()


def price_parts(study: SaturationPrice) -> Iterator[Part]:
    """Yield the optimum under forbid and at each threshold, the sharing, and what is open."""
    first = ("policy", "makespan", "lower\nbound", "status", "forbid / this")
    yield title_of(study.instance)
    yield Table(
        (*first, "best\nheuristic", "its\nmakespan", "proof"),
        [
            (
                _name(one),
                show_time(one.makespan),
                show_time(one.lower_bound) if one.lower_bound else MISSING,
                one.status.value.replace("_", " "),
                _ratio(one),
                one.heuristic or MISSING,
                show_time(one.heuristic_makespan),
                one.proof or MISSING,
            )
            for one in (study.forbid, *study.points)
        ],
        side=("proof", "its makespan", "best heuristic", "lower bound"),
        names=("best heuristic",),
        texts=("proof",),
    )
    yield f"sharing: {study.points[0].saturation.sharing}"
    if study.forbid.status.value == "infeasible":
        yield "under forbid some job can never run: there is no ratio"
    elif not study.forbid.optimum.proven or not all(one.optimum.proven for one in study):
        yield "a range is given where an optimum is not proven; more time may settle it"


def _name(point: SaturationPoint) -> str:
    if not point.saturation.slows:
        return point.saturation.policy
    return f"threshold {'none' if point.threshold is None else point.threshold}"


def _ratio(point: SaturationPoint) -> str:
    """Return a ratio, or the two that it lies between where they can be told apart."""
    if point.ratio is None:
        return MISSING
    low, high = show_factor(point.ratio.low), show_factor(point.ratio.high)
    return low if low == high else f"{low} to {high}"


def slots_parts(study: SlotStudy, within: Exact = 5, *, model_sizes: bool = False) -> Iterator[Part]:
    """Yield what each slot size costs, how full it leaves the nodes, and the largest that costs so many percent."""
    yield title_of(study.instance).rpartition(", η")[0]
    yield from (_cost_table(study), "", _use_table(study), "")
    if model_sizes:
        yield from (_model_table(study), "")
    yield from _remarks(study, within)
    if model_sizes:
        uncounted = {point.percent: point.sizes.message for point in study.points if point.sizes.message}
        yield from (f"{show_time(percent)} %: {message}" for percent, message in uncounted.items())


def _cost_table(study: SlotStudy) -> Table:
    """Return what each slot size costs."""
    rows = []
    for point in study.points:
        loss, free = point.loss, study.reference
        split = [MISSING] * 3
        if loss is not None and free is not None:
            ranges = (_range(one, free.makespan) for one in (loss.scheduling, loss.total))
            split = [show_percent(loss.rounding / free.makespan), *ranges]
        gap = "proven" if point.proven else show_percent(point.gap)
        rows.append((_percent(point), show_time(point.makespan), gap, show_time(point.executed), *split))
    headings = ("η", "makespan", "gap", "executed\nmakespan", "rounding\nloss", "scheduling\nloss", "both")
    return Table(headings, rows, side=("executed makespan", "rounding loss", "scheduling loss", "gap"))


def _use_table(study: SlotStudy) -> Table:
    """Return how full each slot size leaves the nodes, and how long it took."""
    rows = []
    for point in study.points:
        held = (show_percent(point.compaction), show_percent(point.executed_compaction))
        slots = MISSING if point.slots is None else str(point.slots)
        took = f"{show_seconds(point.seconds)}{' *' if point.cached else ''}"
        rows.append((_percent(point), show_time(point.slot), slots, *held, took))
    headings = ("η", "η, time", "slots", "compaction", "executed\ncompaction", "solved in")
    return Table(headings, rows, side=("executed compaction", "solved in", "slots"))


def _model_table(study: SlotStudy) -> Table:
    """Return how large the models are at each slot size."""
    kinds = [f"{model}\n{what}" for model in ("start-indexed", "literal") for what in ("variables", "constraints")]
    rows = [
        (_percent(point), *_size_cells(point.sizes.start_indexed), *_size_cells(point.sizes.literal))
        for point in study.points
    ]
    side = ("literal constraints", "literal variables", "start-indexed constraints")
    return Table(("η", *kinds), rows, side)


def _percent(point: SlotPoint) -> str:
    return f"{show_time(point.percent)} %"


def _size_cells(size: ModelSize) -> tuple[str, str]:
    counts = [
        MISSING if one is None else f"{one:,}" if one < 10**9 else f"{one:.1e}"
        for one in (size.variables, size.constraints)
    ]
    return counts[0], counts[1]


def _bound_proof(point: SlotPoint) -> str:
    if point.bound_from == point.percent:
        return str(point.result.proof or MISSING)
    return f"the one at {show_time(point.bound_from)} %"


def _range(interval: Interval, whole: Fraction) -> str:
    low, high = interval.low / whole, interval.high / whole
    return show_percent(low) if interval.exact else f"{100 * float(low):.1f}–{100 * float(high):.1f} %"


def _remarks(study: SlotStudy, within: Exact) -> list[str]:
    """Return what stands beneath the tables: the advice, and what they could not show."""
    lines = []
    if study.reference is None:
        lines.append("η = 0 was not reached: nothing to hold the makespans against")
    else:
        words = [
            _advice(study, study.advice(within)),
            f"executed: {_advice(study, study.advice(within, executed=True))}",
        ]
        lines.append(f"largest η within {within} % of the continuous optimum: {'; '.join(words)}")
    proofs: dict[str, list[str]] = {}
    for point in study.points:
        proofs.setdefault(_bound_proof(point), []).append(_percent(point))
    lines += [f"lower bound at {', '.join(percents)}: {proof}" for proof, percents in proofs.items()]
    if any(point.cached for point in study.points):
        lines.append("*: from the cache, with the time it took then")
    return lines


def _advice(study: SlotStudy, advice: Advice) -> str:
    """A slot size and how sure that is."""
    if advice.percent is None:
        found = "none for sure"
    else:
        slot = next(point.slot for point in study.points if point.percent == advice.percent)
        found = f"{show_time(advice.percent)} % = {show_time(slot)}" if slot else "only η = 0"
    if advice.proven:
        return f"{found} (proven)"
    others = ", ".join(f"{show_time(one)} %" for one in advice.undecided)
    return f"{found} (not proven: {others} may be too)"
