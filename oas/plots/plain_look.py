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

_CANDIDATES = 16  # parts of a run; its connector may be at the end of all but the first and last


def connectors(lanes: Lanes, boxes: Sequence[Box]) -> list[tuple[float, float, float]]:
    """Return the connectors as (time, upper end, lower end).

    A job's connectors are at one moment of its run: of several moments, the earliest with the lowest cost for crossed
    boxes of other jobs and for nearby earlier connectors.
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
    """Return upper and lower end of the gaps between a job's parts on successive clusters."""
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


MOST_MARKED = 120  # number of jobs on several clusters up to which they are marked
MOST_OWNERS = 12  # in the legend; lanes show their owners' colours for any number
_CONNECTOR: dict[str, Any] = {"color": INK, "linewidth": 0.9, "marker": "o", "markersize": 1.9, "zorder": 3}
STRIP = 4.0  # points: width of the owner's colour at a lane


def marks_coallocation(schedule: Schedule) -> bool:
    """Return whether to hatch and connect jobs on several clusters: more than `MOST_MARKED` would hide the chart."""
    return sum(len(placement.nodes) > 1 for placement in schedule.placements) <= MOST_MARKED


class Look:
    """The default style of an instance's charts, and base class of the styles of problems.

    Each job has a colour and each cluster its name; jobs on several clusters are hatched and connected if they are few.
    """

    margin = 0.0  # points between the axes and the numbers of nodes

    def __init__(self, instance: Any, frame: Frame | None = None) -> None:
        """Use the frame of `instance`, or `frame` if given, such as that of a schedule without an instance."""
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
        """Draw everything but the boxes, here the connectors; the last argument is the height of a lane in points."""
        if not marks_coallocation(schedule):
            return
        for x, top, bottom in connectors(lanes, boxes):
            ax.plot([x, x], [top, bottom], color="white", linewidth=1.9, zorder=2.9, solid_capstyle="butt")
            ax.plot([x, x], [top, bottom], **_CONNECTOR)

    def legend(self, schedules: Iterable[Schedule]) -> list[Artist]:
        """Return entries that explain charts of `schedules`: hatching and connectors, if any job is hatched."""
        marked = (placement for one in schedules if marks_coallocation(one) for placement in one.placements)
        if all(len(placement.nodes) <= 1 for placement in marked):
            return []
        with rc_context({"hatch.linewidth": 0.6}):
            hatching = Patch(facecolor="#dddddd", edgecolor="#666666", hatch=HATCH, label="co-allocated over clusters")
        return [hatching, Line2D([], [], **_CONNECTOR, label="connects parts of a job")]


class OwnersLook(Look):
    """Base class of the styles of problems with organizations: jobs and edges of clusters have their owner's colour.

    Jobs on other organizations' clusters are therefore visible.
    """

    margin = STRIP + 3.5

    def colour(self, job: int) -> str:
        """Return the colour of the job's owner."""
        return job_colour(self.instance.owner[self.instance.jobs[job].id])

    def label(self, cluster: int, points: float) -> str:
        """Return the name of an organization, and its number of processors m if there is room."""
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
