"""The drawing style of Gantt charts, and the one of problems that have no style of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from matplotlib import rc_context
from matplotlib.patches import Patch

from oas.plots.connectors import connectors
from oas.plots.labels import NAME_LENGTH, drawable
from oas.plots.lanes import frame_of
from oas.plots.palette import HATCH, INK, job_colour

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.plots.lanes import Box, Frame, Lanes


MOST_MARKED = 120  # jobs on several clusters


def marks_coallocation(schedule: Schedule) -> bool:
    """Tell whether jobs on several clusters are hatched and joined: more than `MOST_MARKED` would hide the chart."""
    return sum(len(placement.nodes) > 1 for placement in schedule.placements) <= MOST_MARKED


class Look(Protocol):
    """Base class of the drawing style of one instance's charts: the parts that depend on its problem."""

    @property
    def margin(self) -> float:
        """Points between the axes and the numbers of nodes."""

    def horizon(self, end: Fraction) -> Fraction:
        """Return the end of the time axis for schedules that end at `end`."""

    def colour(self, job: int) -> str:
        """Return a job's colour."""

    def label(self, cluster: int, points: float) -> str:
        """Return what stands beside a cluster whose band is `points` high."""

    def draw(self, ax: Axes, lanes: Lanes, boxes: Sequence[Box], schedule: Schedule, points: float) -> None:
        """Draw what is beside the boxes, on lanes that are `points` high."""

    def legend(self, schedules: Iterable[Schedule]) -> list[Artist]:
        """Return entries that explain charts of `schedules`."""


@dataclass(frozen=True)
class PlainLook:
    """Each job has a colour and each cluster its name; a few jobs on several clusters are hatched and joined."""

    frame: Frame
    margin = 0.0

    def horizon(self, end: Fraction) -> Fraction:
        """Return `end`: nothing is drawn beyond the schedule."""
        return end

    def colour(self, job: int) -> str:
        """Return the job's own colour."""
        return job_colour(job)

    def label(self, cluster: int, _points: float) -> str:
        """Return the name of a cluster."""
        return drawable(self.frame.clusters[cluster][0], NAME_LENGTH)

    def draw(self, ax: Axes, lanes: Lanes, boxes: Sequence[Box], schedule: Schedule, _points: float) -> None:
        """Draw the connectors."""
        if not marks_coallocation(schedule):
            return
        for x, top, bottom in connectors(lanes, boxes):
            ax.plot([x, x], [top, bottom], color="white", linewidth=1.9, zorder=2.9, solid_capstyle="butt")
            ax.plot([x, x], [top, bottom], color=INK, linewidth=0.9, marker="o", markersize=1.9, zorder=3)

    def legend(self, schedules: Iterable[Schedule]) -> list[Artist]:
        """Return a legend entry for the hatching, if something is hatched."""
        marked = (placement for one in schedules if marks_coallocation(one) for placement in one.placements)
        if all(len(placement.nodes) <= 1 for placement in marked):
            return []
        with rc_context({"hatch.linewidth": 0.6}):
            return [Patch(facecolor="#dddddd", edgecolor="#666666", hatch=HATCH, label="co-allocated over clusters")]


def plain_look(instance: Instance) -> Look:
    """Return the style of any instance."""
    return PlainLook(frame_of(instance))
