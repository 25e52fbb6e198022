"""The view of a solve: its title, its table and the schedule as a Gantt chart in characters."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from oas.cli.fitted_table import facts_table
from oas.core.formats import show_percent, show_seconds, show_time
from oas.plots.lanes import chart_style
from oas.plots.mosp import ReservedBox
from oas.show.comparison import limit_text, tables_of, title_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.show.comparison import Line
    from oas.studies.study import ContinuousLimit

MARKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
RESERVED = "▒"
MOST_NODES = 48
MOST_COLUMNS, LEAST_COLUMNS = 72, 24


def text_gantt(instance: Instance, schedule: Schedule, width: int = 80) -> str:
    """Return the chart in lines of at most `width` characters, or one line that says why there is none.

    A character stands for the job that holds the node in the middle of its share of the time axis. Reservations of no
    certain processors are shown on such as no job holds.
    """
    clusters = instance.cluster_sizes
    label = max(len(f"{name} {size - 1}") for name, size in clusters)
    columns = min(MOST_COLUMNS, width - label - 3)
    if instance.node_count > MOST_NODES or len(instance.jobs) > len(MARKS) or columns < LEAST_COLUMNS:
        return "(too much for a chart in text)"
    reserved = chart_style(instance).reserved(instance, schedule)
    marks = dict(zip([job.id for job in instance.jobs], MARKS, strict=False))
    lines = []
    for index, (cluster, size) in enumerate(clusters):
        for node in range(size):
            held = [box for box in reserved if box.cluster == index and box.first <= node < box.first + box.count]
            lane = _lane(schedule, cluster, node, columns, marks, held)
            lines.append(f"{f'{cluster} {node}':>{label}} │{lane}│")
        lines.append("")
    end = show_time(schedule.makespan)
    lines[-1] = f"{'':>{label}}  0{end:>{columns - 1}}"
    names = [f"{mark}={job}".replace(" ", "\xa0") for job, mark in marks.items()]
    names += [f"{RESERVED}=reserved"] if reserved else []
    lines += textwrap.wrap("  ".join(names), width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\xa0", " ")


def _lane(
    schedule: Schedule, cluster: str, node: int, columns: int, marks: dict[str, str], reserved: list[ReservedBox]
) -> str:
    step = schedule.makespan / columns
    lane = ["·"] * columns
    runs = [(box.start, box.end, RESERVED) for box in reserved]
    runs += [(one.start, one.end, marks[one.job]) for one in schedule.placements if node in one.nodes.get(cluster, ())]
    for start, end, mark in runs:
        for column in range(columns):
            if start <= (2 * column + 1) * step / 2 < end:
                lane[column] = mark
    return "".join(lane)


def solve_view(instance: Instance, result: Result, limit: ContinuousLimit | None, width: int) -> Iterator[Any]:
    """Yield what is shown of a solve: a title, what was found and what proves it, and the schedule in text."""
    tables = tables_of(instance)
    yield title_of(instance)
    bounds = [("lower bound", show_time(result.lower_bound)), ("gap", show_percent(result.gap))]
    found = [] if result.schedule is None else tables.schedule_lines(instance, result.schedule, bounds)
    yield facts_table([*tables.facts(instance), *_result_lines(result, found, limit)])
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
