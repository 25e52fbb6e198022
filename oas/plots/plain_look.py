"""The default style of Gantt charts, and common parts of the styles of problems."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.transforms import ScaledTranslation

from oas.plots.axes import HATCH, INK, job_colour
from oas.plots.labels import NAME_LENGTH, drawable
from oas.plots.lanes import frame_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from oas.core.schedule import Schedule
    from oas.plots.lanes import Box, Frame, Lanes

_CANDIDATES = 16  # places along a run at which its connector may stand


def connectors(lanes: Lanes, boxes: Sequence[Box]) -> list[tuple[float, float, float]]:
    """Return the connectors as (time, upper end, lower end).

    A job's connector stands at one moment of its run: the earliest of those tried that cross the fewest boxes of
    other jobs and keep clear of the connectors before it.
    """
    drawn: list[tuple[float, float, float]] = []
    horizon = max((float(box.end) for box in boxes), default=0.0)
    for _, group in groupby(boxes, key=lambda box: (box.job, box.start)):
        parts = list(group)
        gaps = _gaps(lanes, parts)
        if not gaps:
            continue
        start, end = float(parts[0].start), float(parts[0].end)
        others = [
            (float(box.start), float(box.end), *_span(lanes, box))
            for box in boxes
            if box.job != parts[0].job and box.start < parts[0].end and box.end > parts[0].start
        ]
        moments = [start + (end - start) * index / _CANDIDATES for index in range(2, _CANDIDATES)]
        costs = [sum(_cost(moment, gap, others, drawn, horizon / 60) for gap in gaps) for moment in moments]
        x = moments[costs.index(min(costs))]
        drawn += [(x, top, bottom) for top, bottom in gaps]
    return drawn


def _gaps(lanes: Lanes, parts: Sequence[Box]) -> list[tuple[float, float]]:
    """Vertical stretches between a job's parts in one cluster and those in the next that it uses."""
    clusters = [list(group) for _, group in groupby(parts, key=lambda box: box.cluster)]
    spans = [(_span(lanes, boxes[0])[0], _span(lanes, boxes[-1])[1]) for boxes in clusters]
    return [(above[1], below[0]) for above, below in pairwise(spans)]


def _span(lanes: Lanes, box: Box) -> tuple[float, float]:
    top = lanes.top(box.cluster, box.first)
    return top, top + box.count


def _cost(
    moment: float,
    gap: tuple[float, float],
    others: Sequence[tuple[float, float, float, float]],
    drawn: Sequence[tuple[float, float, float]],
    distance: float,
) -> int:
    top, bottom = gap
    boxes = sum(
        3 if abs(moment - (start + end) / 2) < distance else 1  # the label is in the middle of its box
        for start, end, upper, lower in others
        if start <= moment < end and upper < bottom and lower > top
    )
    near = sum(abs(x - moment) < distance / 2 and upper < bottom and lower > top for x, upper, lower in drawn)
    return boxes + 5 * near


MOST_MARKED = 120  # jobs on several clusters
MOST_OWNERS = 12  # in the legend; each lane bears its owner's colour at any number
_CONNECTOR: dict[str, Any] = {"color": INK, "linewidth": 0.9, "marker": "o", "markersize": 1.9, "zorder": 3}
STRIP = 4.0  # points: width of the owner's colour at a lane


def marks_coallocation(schedule: Schedule) -> bool:
    """Tell whether jobs on several clusters are hatched and joined: more than `MOST_MARKED` would hide the chart."""
    return sum(len(placement.nodes) > 1 for placement in schedule.placements) <= MOST_MARKED


class Look:
    """The drawing style of one instance's charts, and the base of those of problems that have their own.

    Each job has a colour and each cluster its name; a few jobs on several clusters are hatched and joined.
    """

    margin = 0.0  # points between the axes and the numbers of nodes

    def __init__(self, instance: Any, frame: Frame | None = None) -> None:
        """Take the frame of `instance`; without an instance, that of a schedule is given."""
        self.instance = instance
        self.frame = frame or frame_of(instance)

    def horizon(self, end: Fraction) -> Fraction:
        """Return the end of the time axis for schedules that end at `end`."""
        return end

    def colour(self, job: int) -> str:
        """Return a job's colour."""
        return job_colour(job)

    def label(self, cluster: int, _points: float) -> str:
        """Return the label of a cluster whose band has this height in points."""
        return drawable(self.frame.clusters[cluster][0], NAME_LENGTH)

    def draw(self, ax: Axes, lanes: Lanes, boxes: Sequence[Box], schedule: Schedule, _points: float) -> None:
        """Draw everything but the boxes, on lanes of this height in points: the connectors."""
        if not marks_coallocation(schedule):
            return
        for x, top, bottom in connectors(lanes, boxes):
            ax.plot([x, x], [top, bottom], color="white", linewidth=1.9, zorder=2.9, solid_capstyle="butt")
            ax.plot([x, x], [top, bottom], **_CONNECTOR)

    def legend(self, schedules: Iterable[Schedule]) -> list[Artist]:
        """Return entries that explain charts of `schedules`: hatching and connectors, if something is hatched."""
        marked = (placement for one in schedules if marks_coallocation(one) for placement in one.placements)
        if all(len(placement.nodes) <= 1 for placement in marked):
            return []
        with rc_context({"hatch.linewidth": 0.6}):
            hatching = Patch(facecolor="#dddddd", edgecolor="#666666", hatch=HATCH, label="co-allocated over clusters")
        return [hatching, Line2D([], [], **_CONNECTOR, label="connects parts of a job")]


class OwnersLook(Look):
    """Each job has its owner's colour, so that jobs on others' clusters stand out, and so has the edge of each cluster.

    A base for problems of organizations.
    """

    margin = STRIP + 3.5

    def colour(self, job: int) -> str:
        """Return the colour of the job's owner."""
        return job_colour(self.instance.owner[self.instance.jobs[job].id])

    def label(self, cluster: int, points: float) -> str:
        """Return the name and m of an organization."""
        organization = self.instance.organizations[cluster]
        name, size = drawable(organization.id, NAME_LENGTH), f"m = {organization.processors:,}"
        return f"{name}\n{size}" if points >= 22 else name

    def draw(self, ax: Axes, lanes: Lanes, _boxes: Sequence[Box], _schedule: Schedule, _points: float) -> None:
        """Draw the colour of each cluster's owner at the left of its lanes."""
        width = STRIP / 72 * ax.figure.dpi / ax.get_window_extent().width
        shift = ScaledTranslation(-(STRIP + 2.0) / 72, 0, ax.figure.dpi_scale_trans)
        place: dict[str, Any] = {"transform": ax.get_yaxis_transform() + shift, "clip_on": False, "linewidth": 0}
        for index, size in enumerate(lanes.sizes):
            ax.add_patch(Rectangle((0, lanes.top(index)), width, size, facecolor=job_colour(index), **place))

    def legend(self, _schedules: Iterable[Schedule]) -> list[Artist]:
        """Return an entry for each organization with jobs, if there are few."""
        organizations = self.instance.organizations
        if len(organizations) > MOST_OWNERS:
            return []
        return [
            Patch(facecolor=job_colour(index), label=f"jobs of {drawable(one.id, NAME_LENGTH)}")
            for index, one in enumerate(organizations)
            if one.jobs
        ]
