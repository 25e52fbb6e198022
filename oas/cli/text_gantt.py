"""A Gantt chart in characters: a line for each node, a letter for each job."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oas.core.coallocation import CoallocationInstance
    from oas.core.schedule import Schedule

MARKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
MOST_NODES = 48


def text_gantt(instance: CoallocationInstance, schedule: Schedule, width: int = 72) -> str:
    """Return the chart, or one line that says why there is none.

    A character stands for the job that holds the node in the middle of its share of the time axis.
    """
    if instance.node_count > MOST_NODES or len(instance.jobs) > len(MARKS):
        return "(too many nodes or jobs for a chart in text; --gantt draws a picture)"
    marks = {job.id: mark for job, mark in zip(instance.jobs, MARKS, strict=False)}
    step = schedule.makespan / width
    label = max(len(f"{cluster.id} {cluster.size - 1}") for cluster in instance.clusters)
    lines = []
    for cluster in instance.clusters:
        for node in range(cluster.size):
            lane = ["·"] * width
            for placement in schedule.placements:
                if node in placement.nodes.get(cluster.id, ()):
                    for column in range(width):
                        if placement.start <= (2 * column + 1) * step / 2 < placement.end:
                            lane[column] = marks[placement.job]
            lines.append(f"{f'{cluster.id} {node}':>{label}} │{''.join(lane)}│")
        lines.append("")
    names = "  ".join(f"{mark}={job}" for job, mark in marks.items())
    return "\n".join([*lines[:-1], names])
