"""A Gantt chart in characters: a line for each node, a letter for each job."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from oas.core.formats import show_time
from oas.plots.lanes import chart_style
from oas.plots.mosp.reservations import ReservedBox

if TYPE_CHECKING:
    from oas.core.instances import Instance
    from oas.core.schedule import Schedule

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
