"""A Gantt chart in characters: a line for each node, a letter for each job."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from oas.cli.numbers import show_time
from oas.core.mosp import MospInstance

if TYPE_CHECKING:
    from oas.core.instances import Instance
    from oas.core.schedule import Schedule

MARKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
MOST_NODES = 48
MOST_COLUMNS, LEAST_COLUMNS = 72, 24


def text_gantt(instance: Instance, schedule: Schedule, width: int = 80) -> str:
    """Return the chart in lines of at most `width` characters, or one line that says why there is none.

    A character stands for the job that holds the node in the middle of its share of the time axis.
    """
    clusters = _clusters(instance)
    label = max(len(f"{name} {size - 1}") for name, size in clusters)
    columns = min(MOST_COLUMNS, width - label - 3)
    if instance.node_count > MOST_NODES or len(instance.jobs) > len(MARKS) or columns < LEAST_COLUMNS:
        return "(too much for a chart in text)"
    marks = dict(zip([job.id for job in instance.jobs], MARKS, strict=False))
    lines = []
    for cluster, size in clusters:
        for node in range(size):
            lane = _lane(schedule, cluster, node, columns, marks)
            lines.append(f"{f'{cluster} {node}':>{label}} │{lane}│")
        lines.append("")
    end = show_time(schedule.makespan)
    lines[-1] = f"{'':>{label}}  0{end:>{columns - 1}}"
    names = [f"{mark}={job}".replace(" ", "\xa0") for job, mark in marks.items()]
    lines += textwrap.wrap("  ".join(names), width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\xa0", " ")


def _clusters(instance: Instance) -> list[tuple[str, int]]:
    if isinstance(instance, MospInstance):
        return [(organization.id, organization.processors) for organization in instance.organizations]
    return [(cluster.id, cluster.size) for cluster in instance.clusters]


def _lane(schedule: Schedule, cluster: str, node: int, columns: int, marks: dict[str, str]) -> str:
    step = schedule.makespan / columns
    lane = ["·"] * columns
    for placement in schedule.placements:
        if node in placement.nodes.get(cluster, ()):
            for column in range(columns):
                if placement.start <= (2 * column + 1) * step / 2 < placement.end:
                    lane[column] = marks[placement.job]
    return "".join(lane)
