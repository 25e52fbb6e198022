"""Tables on stdout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from oas.cli.numbers import MISSING, show_percent, show_seconds, show_slots, show_time
from oas.core.metrics import compaction, executed
from oas.core.result import Status

if TYPE_CHECKING:
    from rich.console import OverflowMethod

    from oas.core.coallocation import CoallocationInstance
    from oas.core.result import Result
    from oas.studies.comparison import Comparison, Row


def title_of(instance: CoallocationInstance) -> str:
    """One line about an instance."""
    nodes = " + ".join(str(cluster.size) for cluster in instance.clusters)
    slot = f"η = {show_time(instance.slot)}" if instance.slot else "η = 0 (continuous)"
    name = instance.name or instance.digest[:12]
    return f"{name}: {len(instance.jobs)} jobs, {len(instance.clusters)} clusters ({nodes} nodes), {slot}"


def plain_table(first: str, overflow: OverflowMethod = "ellipsis") -> Table:
    """Return an empty table with its first column, ruled only beneath the headings."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True, header_style="bold")
    table.add_column(first, overflow=overflow, vertical="bottom")
    return table


def result_table(instance: CoallocationInstance, result: Result) -> Table:
    """Return what a solve found and what proves it."""
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in _result_lines(instance, result):
        table.add_row(label, Text(text))
    return table


def _result_lines(instance: CoallocationInstance, result: Result) -> list[tuple[str, str]]:
    slot = instance.slot
    lines = [("status", f"{result.status.value} ({result.termination.value.replace('_', ' ')})")]
    if result.schedule is not None:
        run = executed(instance, result.schedule)
        slots = f" = {show_slots(result.objective, slot)} slots" if slot else ""
        lines += [
            ("makespan", f"{show_time(result.objective)}{slots}, by {result.schedule.method}"),
            ("executed", f"{show_time(run.makespan)} without the slot grid"),
            ("lower bound", show_time(result.lower_bound)),
            ("gap", show_percent(result.gap)),
            (
                "compaction",
                f"{show_percent(compaction(instance, result.schedule))}, "
                f"executed {show_percent(compaction(instance, run))}",
            ),
        ]
    if result.proof is not None:
        lines.append(("proof", str(result.proof)))
    stages = ", ".join(f"{name} {show_seconds(value)}" for name, value in result.seconds.items())
    lines.append(("time", stages))
    if result.message:
        lines.append(("note", result.message))
    return lines


def comparison_table(comparison: Comparison) -> Table:
    """Return a row a method, the exact one first."""
    instance, result = comparison.instance, comparison.result
    proven = result.status is Status.OPTIMAL
    table = plain_table("method", overflow="fold")
    headings = ["slots"] if instance.slot else []
    headings += ["makespan", "executed\nmakespan", "compaction", "executed\ncompaction"]
    for heading in [*headings, f"above\n{'optimum' if proven else 'bound'}", "time"]:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in comparison.rows:
        style = "bold" if row.method == comparison.rows[0].method else ("red" if row.schedule is None else None)
        table.add_row(*_comparison_cells(comparison, row), style=style)
    return table


def _comparison_cells(comparison: Comparison, row: Row) -> list[Text]:
    slot = comparison.instance.slot
    name = row.method
    if row is comparison.rows[0]:
        name = "optimum" if comparison.result.status is Status.OPTIMAL else f"exact ({comparison.result.status.value})"
    cells = [name, *([show_slots(row.makespan, slot)] if slot else [])]
    cells += [show_time(row.makespan), show_time(row.executed)]
    cells += [show_percent(row.compaction), show_percent(row.executed_compaction)]
    cells += [show_percent(row.gap), show_seconds(row.seconds)]
    return [Text(cell) for cell in cells]


def comparison_notes(comparison: Comparison) -> list[str]:
    """What stands beneath the table: the bound, its proof, and what went wrong."""
    result = comparison.result
    notes = [f"lower bound {show_time(result.lower_bound)}, proof: {result.proof or MISSING}"]
    if comparison.instance.slot and comparison.continuous_bound is not None:
        bound = show_time(comparison.continuous_bound)
        notes.append(f"executed makespans stand against {bound}, the combinatorial bound at η = 0 (not an optimum)")
    if result.message:
        notes.append(f"exact: {result.message}")
    notes += [f"{row.method}: {row.note}" for row in comparison.rows[1:] if row.note]
    return notes
