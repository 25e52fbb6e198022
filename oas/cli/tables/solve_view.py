"""The view of a solve: its title, its table and the schedule in text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from oas.cli.tables.problem_tables import tables_of
from oas.cli.tables.tables import limit_text, title_of
from oas.cli.tables.text_gantt import text_gantt
from oas.core.formats import show_percent, show_seconds, show_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.cli.tables.problem_tables import Line
    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.studies.continuous_limit import ContinuousLimit


def solve_view(instance: Instance, result: Result, limit: ContinuousLimit | None, width: int) -> Iterator[Any]:
    """Yield what is shown of a solve: a title, what was found and what proves it, and the schedule in text."""
    tables = tables_of(instance)
    yield title_of(instance)
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    bounds = [("lower bound", show_time(result.lower_bound)), ("gap", show_percent(result.gap))]
    found = [] if result.schedule is None else tables.schedule_lines(instance, result.schedule, bounds)
    for label, text in (*tables.facts(instance), *_result_lines(result, found, limit)):
        table.add_row(label, Text(text))
    yield table
    if result.schedule is not None:
        yield ""
        yield text_gantt(instance, result.schedule, width)


def _result_lines(result: Result, found: list[Line], limit: ContinuousLimit | None) -> list[Line]:
    lines = [("status", f"{result.status.value} ({result.termination.value.replace('_', ' ')})")]
    lines += found
    if result.proof is not None:
        lines.append(("proof", str(result.proof)))
    if limit is not None:
        lines.append(("η = 0", limit_text(limit)))
    stages = ", ".join(f"{name} {show_seconds(value)}" for name, value in result.seconds.items())
    lines.append(("time", stages))
    if result.message:
        lines.append(("note", result.message))
    return lines
