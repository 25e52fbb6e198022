"""Display of co-allocation: instances, tables and studies as texts and HTML."""

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
from oas.show.comparison import ProblemTables, title_of
from oas.show.tables import MAX_ROWS, Table, fragment, remark, short_name, show_interval, sized_text, table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from oas.coallocation.instance import CoallocationInstance
    from oas.coallocation.saturation_price import SaturationPoint, SaturationPrice
    from oas.coallocation.slot_sizes.points import Advice, SlotPoint
    from oas.coallocation.slot_sizes.study import SlotStudy
    from oas.core.numbers import Exact
    from oas.show.comparison import Line
    from oas.show.tables import Part
    from oas.solving.comparison import ComparisonRow
    from oas.solving.study import Interval


def instance_text(instance: CoallocationInstance) -> str:
    """Return the size of an instance, its slot size and its first clusters."""
    clusters = (
        f"{cluster.id}: {show_count(cluster.size, 'node')}, link {show_time(cluster.bandwidth)}"
        for cluster in instance.clusters
    )
    jobs, groups = show_count(len(instance.jobs), "job"), show_count(len(instance.clusters), "cluster")
    size = f"{jobs}, {groups}, {show_count(instance.node_count, 'node')}, {_slot(instance)}"
    return sized_text(instance, size, clusters)


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
        slot = show_time(instance.slot) if instance.slot else "0 (continuous)"
        return f"{super().title(instance)}, η = {slot}"

    def schedule_lines(
        self, instance: CoallocationInstance, row: ComparisonRow, method: str, bounds: list[Line]
    ) -> list[Line]:
        """Return also the makespan in slots and the figures of the executed schedule."""
        slots, executed, usage = "", "exact times without slots are too long", show_percent(row.compaction)
        if instance.slot:
            number = show_slots(row.makespan, instance.slot)
            slots = f" = {number} {plural(1 if number == '1' else 2, 'slot')}"
        if row.executed is not None:
            executed = f"{show_time(row.executed)} without the slot grid"
            usage += f", executed {show_percent(row.executed_compaction)}"
        return [
            ("makespan", f"{show_time(row.makespan)}{slots}, by {method}"),
            ("executed", executed),
            *bounds,
            ("compaction", usage),
        ]

    def headings(self, instance: CoallocationInstance) -> list[str]:
        slots = ["slots"] if instance.slot else []
        return [*slots, "makespan", "executed\nmakespan", "compaction", "executed\ncompaction"]

    def cells(self, instance: CoallocationInstance, row: ComparisonRow) -> list[str]:
        slots = [show_slots(row.makespan, instance.slot)] if instance.slot else []
        times = [show_time(row.makespan), show_time(row.executed)]
        return [*slots, *times, show_percent(row.compaction), show_percent(row.executed_compaction)]


TABLES = CoallocationTables()


def price_parts(study: SaturationPrice) -> Iterator[Part]:
    """Yield a table with the optimum under ``forbid`` and at each threshold, and notes."""
    first = ("policy", "makespan", "lower\nbound", "status", "forbid / this")
    yield title_of(study.instance)
    yield Table(
        (*first, "best\nheuristic", "its\nmakespan", "proof"),
        [
            (
                _name(point),
                show_time(point.makespan),
                show_time(point.lower_bound) if point.lower_bound else MISSING,
                point.status.value.replace("_", " "),
                show_interval(point.ratio, show_factor),
                point.heuristic or MISSING,
                show_time(point.heuristic_makespan),
                point.proof or MISSING,
            )
            for point in (study.forbid, *study.points)
        ],
        side=("proof", "its makespan", "best heuristic", "lower bound"),
        names=("best heuristic",),
        texts=("proof",),
    )
    yield f"sharing: {study.points[0].saturation.sharing}"
    if study.forbid.status.value == "infeasible":
        yield "no ratio: under forbid, some job can never run"
    elif not study.forbid.optimum.proven or not all(point.optimum.proven for point in study):
        yield "ranges: an optimum is not proven; a longer time limit may prove it"


def _name(point: SaturationPoint) -> str:
    if not point.saturation.slows:
        return point.saturation.policy
    return f"threshold {'none' if point.threshold is None else point.threshold}"


def slots_parts(study: SlotStudy, within: Exact = 5, *, model_sizes: bool = False) -> Iterator[Part]:
    """Yield tables of losses, usage and optionally model sizes, the advised slot size (`within` percent), and notes."""
    yield title_of(study.instance).rpartition(", η")[0]
    yield from (_cost_table(study), "", _use_table(study), "")
    if model_sizes:
        yield from (_model_table(study), "")
    if any(point.model_times for point in study.points):
        yield from (_time_table(study), "")
    yield from _remarks(study, within)
    if model_sizes:
        uncounted = {point.percent: point.sizes.message for point in study.points if point.sizes.message}
        yield from (f"{show_time(percent)} %: {message}" for percent, message in uncounted.items())


def _cost_table(study: SlotStudy) -> Table:
    rows = []
    for point in study.points:
        loss, continuous = point.loss, study.reference
        losses = [MISSING] * 3
        if loss is not None and continuous is not None:
            ranges = (_range(interval, continuous.makespan) for interval in (loss.scheduling, loss.total))
            losses = [show_percent(loss.rounding / continuous.makespan), *ranges]
        gap = "proven" if point.proven else show_percent(point.gap)
        rows.append((_percent(point), show_time(point.makespan), gap, show_time(point.executed), *losses))
    headings = ("η", "makespan", "gap", "executed\nmakespan", "rounding\nloss", "scheduling\nloss", "both")
    return Table(headings, rows, side=("executed makespan", "rounding loss", "scheduling loss", "gap"))


def _use_table(study: SlotStudy) -> Table:
    rows = []
    for point in study.points:
        usage = (show_percent(point.compaction), show_percent(point.executed_compaction))
        slots = MISSING if point.slots is None else str(point.slots)
        seconds = f"{show_seconds(point.seconds)}{' *' if point.cached else ''}"
        rows.append((_percent(point), show_time(point.slot), slots, *usage, seconds))
    headings = ("η", "η, time", "slots", "compaction", "executed\ncompaction", "solved in")
    return Table(headings, rows, side=("executed compaction", "solved in", "slots"))


def _model_table(study: SlotStudy) -> Table:
    kinds = [f"{model}\n{count}" for model in ("start-indexed", "literal") for count in ("variables", "constraints")]
    rows = []
    for point in study.points:
        models = (point.sizes.start_indexed, point.sizes.literal)
        counts = [count for size in models for count in (size.variables, size.constraints)]
        cells = [MISSING if count is None else f"{count:,}" if count < 10**9 else f"{count:.1e}" for count in counts]
        rows.append((_percent(point), *cells))
    side = ("literal constraints", "literal variables", "start-indexed constraints")
    return Table(("η", *kinds), rows, side)


def _time_table(study: SlotStudy) -> Table:
    names = list(dict.fromkeys(run.name for point in study.points for run in point.model_times))
    rows = []
    for point in study.points:
        times = {run.name: show_seconds(run.seconds) for run in point.model_times if run.status == "proven"}
        cells = {run.name: run.status for run in point.model_times} | times
        rows.append((_percent(point), show_seconds(point.seconds), *(cells.get(name, MISSING) for name in names)))
    return Table(("η", "solved in", *(name.replace(" ", "\n") for name in names)), rows)


def _percent(point: SlotPoint) -> str:
    return f"{show_time(point.percent)} %"


def _range(interval: Interval, whole: Fraction) -> str:
    low, high = interval.low / whole, interval.high / whole
    return show_percent(low) if interval.exact else f"{100 * float(low):.1f}–{100 * float(high):.1f} %"


def _remarks(study: SlotStudy, within: Exact) -> list[str]:
    """Return the notes below the tables: advised slot size, proofs of bounds, use of the cache."""
    lines = []
    if study.reference is None:
        lines.append("η = 0 was not solved, so that makespans cannot be compared with the continuous optimum")
    else:
        slotted = _advice(study, study.advice(within))
        executed = _advice(study, study.advice(within, executed=True))
        lines.append(f"largest η within {within} % of the continuous optimum: {slotted}; executed: {executed}")
        lines += [_insensitive(study, executed=flag) for flag in (False, True) if study.insensitive(executed=flag)]
    proofs: dict[str, list[str]] = {}
    for point in study.points:
        inherited = point.bound_from != point.percent
        proof = f"as at {show_time(point.bound_from)} %" if inherited else str(point.result.proof or MISSING)
        proofs.setdefault(proof, []).append(_percent(point))
    lines += [f"lower bound at {', '.join(percents)}: {proof}" for proof, percents in proofs.items()]
    if any(point.cached for point in study.points):
        lines.append("*: from the cache; the time is that of the original solve")
    return lines


def _insensitive(study: SlotStudy, *, executed: bool) -> str:
    percent, makespans = study.advice(1, executed=executed).percent, "executed" if executed else "slotted"
    coarsest = percent == study.points[-1].percent
    words = "instance is insensitive to the slot size" if coarsest else "advice is insensitive to the tolerance"
    return f"the {words} ({makespans} makespans): η = {show_time(percent)} % for every tolerance from 1 % to 50 %"


def _advice(study: SlotStudy, advice: Advice) -> str:
    if advice.percent is None:
        advised = "none for certain"
    else:
        slot = next(point.slot for point in study.points if point.percent == advice.percent)
        advised = f"{show_time(advice.percent)} % = {show_time(slot)}" if slot else "only η = 0"
    if advice.proven:
        return f"{advised} (proven)"
    undecided = ", ".join(f"{show_time(percent)} %" for percent in advice.undecided)
    return f"{advised} (not proven: {undecided} may be too)"
