"""Tables on stdout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from oas.cli.tables.problem_tables import tables_of
from oas.core.formats import (
    MISSING,
    show_exact,
    show_percent,
    show_seconds,
    show_time,
)
from oas.core.result import Status

if TYPE_CHECKING:
    from rich.console import OverflowMethod

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.studies.comparison import Comparison, Row
    from oas.studies.continuous_limit import ContinuousLimit


def title_of(instance: Instance) -> str:
    """One line about an instance."""
    name = instance.name or instance.digest[:12]
    return f"{name}: {tables_of(instance).title(instance)}"


def plain_table(first: str, overflow: OverflowMethod = "ellipsis") -> Table:
    """Return an empty table with its first column, ruled only beneath the headings."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True, header_style="bold")
    table.add_column(first, overflow=overflow, vertical="bottom")
    return table


def limit_text(limit: ContinuousLimit) -> str:
    """Return the text on what is proven for η = 0."""
    if limit.lower_bound is None:
        return "no bound"
    best = "proven optimum" if limit.proven else f"optimum at most {show_time(limit.best)}"
    return f"bound {show_time(limit.lower_bound)} ({best}), proof: {limit.result.proof or MISSING}"


def result_table(instance: Instance, result: Result, limit: ContinuousLimit | None = None) -> Table:
    """Return what a solve found and what proves it, and what is known of η = 0."""
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in _result_lines(instance, result, limit):
        table.add_row(label, Text(text))
    return table


def _result_lines(instance: Instance, result: Result, limit: ContinuousLimit | None) -> list[tuple[str, str]]:
    lines = [("status", f"{result.status.value} ({result.termination.value.replace('_', ' ')})")]
    if result.schedule is not None:
        lines += _schedule_lines(instance, result, result.schedule)
    if result.proof is not None:
        lines.append(("proof", str(result.proof)))
    if limit is not None:
        lines.append(("η = 0", limit_text(limit)))
    stages = ", ".join(f"{name} {show_seconds(value)}" for name, value in result.seconds.items())
    lines.append(("time", stages))
    if result.message:
        lines.append(("note", result.message))
    return lines


def _schedule_lines(instance: Instance, result: Result, schedule: Schedule) -> list[tuple[str, str]]:
    bounds = [("lower bound", show_time(result.lower_bound)), ("gap", show_percent(result.gap))]
    return tables_of(instance).schedule_lines(instance, schedule, bounds)


def comparison_table(comparison: Comparison) -> Table:
    """Return a row a method, the exact one first."""
    proven = comparison.result.status is Status.OPTIMAL
    table = plain_table("method", overflow="fold")
    for heading in [
        *tables_of(comparison.instance).headings(comparison.instance),
        f"above\n{'optimum' if proven else 'bound'}",
        "time",
    ]:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in comparison.rows:
        style = "bold" if row.method == comparison.rows[0].method else ("red" if row.schedule is None else None)
        table.add_row(*(Text(cell) for cell in _comparison_cells(comparison, row)), style=style)
    return table


def _comparison_cells(comparison: Comparison, row: Row) -> list[str]:
    name = row.method
    if row is comparison.rows[0]:
        name = "optimum" if comparison.result.status is Status.OPTIMAL else f"exact ({comparison.result.status.value})"
    return [
        name,
        *tables_of(comparison.instance).cells(comparison.instance, row),
        show_percent(row.gap),
        show_seconds(row.seconds),
    ]


def comparison_notes(comparison: Comparison) -> list[str]:
    """Return the lines beneath the table: the bound, its proof, and what went wrong."""
    result, free = comparison.result, comparison.without_locality
    notes = [f"lower bound {show_time(result.lower_bound)}, proof: {result.proof or MISSING}"]
    if comparison.continuous is not None:
        notes.append(f"executed makespans stand against η = 0: {limit_text(comparison.continuous)}")
    if free is not None:
        what = "optimum" if free.status is Status.OPTIMAL else "best schedule (not proven)"
        notes.append(f"without locality: {what} {show_time(free.objective)}, lower bound {show_time(free.lower_bound)}")
    if result.message:
        notes.append(f"exact: {result.message}")
    notes += [f"{row.method}: {row.note}" for row in comparison.rows[1:] if row.note]
    broken = [
        f"{row.method}: is above its guarantee: please report it" for row in comparison.rows if row.breaks_guarantee
    ]
    proved = {
        f"{row.method} ≤ {show_exact(row.guarantee.value)} · optimum: {row.guarantee.hypothesis}"
        for row in comparison.rows
        if row.guarantee
    }
    return [*notes, *broken, *sorted(proved)]
