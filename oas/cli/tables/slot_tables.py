"""The tables of `oas slots`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.cli.tables.fitted_table import FittedTable
from oas.core.formats import MISSING, show_percent, show_seconds, show_time

if TYPE_CHECKING:
    from fractions import Fraction

    from rich.table import Table

    from oas.studies.slot_sizes.model_size import ModelSize
    from oas.studies.slot_sizes.points import Advice, Interval, SlotPoint
    from oas.studies.slot_sizes.study import SlotStudy


def cost_table(study: SlotStudy) -> Table:
    """Return what each slot size costs."""
    table = FittedTable("η", side=("executed makespan", "rounding loss", "scheduling loss", "gap"))
    table.add_figures("makespan", "gap", "executed\nmakespan", "rounding\nloss", "scheduling\nloss", "both")
    for point in study.points:
        loss, free = point.loss, study.reference
        split = [MISSING] * 3
        if loss is not None and free is not None:
            ranges = (_range(one, free.makespan) for one in (loss.scheduling, loss.total))
            split = [show_percent(loss.rounding / free.makespan), *ranges]
        gap = "proven" if point.proven else show_percent(point.gap)
        table.add_row(_percent(point), show_time(point.makespan), gap, show_time(point.executed), *split)
    return table


def use_table(study: SlotStudy) -> Table:
    """Return how full each slot size leaves the nodes, and how long it took."""
    table = FittedTable("η", side=("executed compaction", "solved in", "slots"))
    table.add_figures("η, time", "slots", "compaction", "executed\ncompaction", "solved in")
    for point in study.points:
        held = (show_percent(point.compaction), show_percent(point.executed_compaction))
        slots = MISSING if point.slots is None else str(point.slots)
        took = f"{show_seconds(point.seconds)}{' *' if point.cached else ''}"
        table.add_row(_percent(point), show_time(point.slot), slots, *held, took)
    return table


def model_table(study: SlotStudy) -> Table:
    """Return how large the models are at each slot size."""
    table = FittedTable("η", side=("literal constraints", "literal variables", "start-indexed constraints"))
    table.add_figures(
        *(f"{model}\n{what}" for model in ("start-indexed", "literal") for what in ("variables", "constraints"))
    )
    for point in study.points:
        table.add_row(_percent(point), *_size_cells(point.sizes.start_indexed), *_size_cells(point.sizes.literal))
    return table


def _percent(point: SlotPoint) -> str:
    return f"{show_time(point.percent)} %"


def _size_cells(size: ModelSize) -> tuple[str, str]:
    counts = [
        MISSING if one is None else f"{one:,}" if one < 10**9 else f"{one:.1e}"
        for one in (size.variables, size.constraints)
    ]
    return counts[0], counts[1]


def _proof(point: SlotPoint) -> str:
    if point.bound_from == point.percent:
        return str(point.result.proof or MISSING)
    return f"the one at {show_time(point.bound_from)} %"


def _range(interval: Interval, whole: Fraction) -> str:
    low, high = interval.low / whole, interval.high / whole
    return show_percent(low) if interval.exact else f"{100 * float(low):.1f}–{100 * float(high):.1f} %"


def remarks(study: SlotStudy, within: str) -> list[str]:
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
        proofs.setdefault(_proof(point), []).append(_percent(point))
    lines += [f"lower bound at {', '.join(percents)}: {proof}" for proof, percents in proofs.items()]
    if any(point.cached for point in study.points):
        lines.append("*: from the cache, with the time it took then")
    return lines


def model_remarks(study: SlotStudy) -> list[str]:
    """Return why model sizes are missing in the table."""
    uncounted = {point.percent: point.sizes.message for point in study.points if point.sizes.message}
    return [f"{show_time(percent)} %: {message}" for percent, message in uncounted.items()]


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
