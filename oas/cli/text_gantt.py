"""Gantt charts as text."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from oas.core.formats import show_time
from oas.plots.lanes import chart_style

if TYPE_CHECKING:
    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.mosp.plots import ReservedBox

MARKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
RESERVED = "▒"
MAX_NODES = 48
MAX_COLUMNS, MIN_COLUMNS = 72, 24


def text_gantt(instance: Instance, schedule: Schedule, width: int) -> str:
    """Return a Gantt chart in lines of at most `width` characters, or one line if it would be too large.

    Each character shows the job that runs on the node at the midpoint of its time interval. Reservations that do not
    name processors are drawn on processors without jobs.
    """
    clusters = instance.cluster_sizes
    label = max(len(f"{name} {size - 1}") for name, size in clusters)
    columns = min(MAX_COLUMNS, width - label - 3)
    if instance.node_count > MAX_NODES or len(instance.jobs) > len(MARKS) or columns < MIN_COLUMNS:
        return "(too large for a text chart)"
    reserved = chart_style(instance).reserved(instance, schedule)
    marks = dict(zip([job.id for job in instance.jobs], MARKS, strict=False))
    lines = []
    for index, (cluster, size) in enumerate(clusters):
        for node in range(size):
            boxes = [box for box in reserved if box.cluster == index and box.first <= node < box.first + box.count]
            lane = _lane(schedule, cluster, node, columns, marks, boxes)
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
    runs += [(run.start, run.end, marks[run.job]) for run in schedule.placements if node in run.nodes.get(cluster, ())]
    for start, end, mark in runs:
        for column in range(columns):
            if start <= (2 * column + 1) * step / 2 < end:
                lane[column] = mark
    return "".join(lane)
