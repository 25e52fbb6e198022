"""The Gantt chart style of fair sharing: owners by colour, and the horizon."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D

from oas.plots.axes import format_number
from oas.plots.owners import STRIP_MARGIN, draw_strips, owner_label, owner_legend
from oas.plots.palette import INK, job_colour

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from oas.core.schedule import Schedule
    from oas.plots.lanes import Box, Lanes
    from oas.problems.fair.instance import FairInstance

_LINE: dict[str, Any] = {"color": INK, "linestyle": (0, (2, 2)), "linewidth": 1.2}


@dataclass(frozen=True)
class SharersLook:
    """The drawing style of `instance`; see `oas.plots.plain_look.Look`."""

    instance: FairInstance
    margin = STRIP_MARGIN

    def horizon(self, end: Fraction) -> Fraction:
        """Return the end of the time axis: the instance's horizon is shown."""
        return max(end, Fraction(self.instance.horizon))

    def colour(self, job: int) -> str:
        """Return the colour of the job's owner."""
        return job_colour(self.instance.owner[self.instance.jobs[job].id])

    def label(self, cluster: int, points: float) -> str:
        """Return the name and m of an organization."""
        return owner_label(self.instance.organizations[cluster], points)

    def draw(self, ax: Axes, lanes: Lanes, _boxes: Sequence[Box], _schedule: Schedule, _points: float) -> None:
        """Draw each lane's owner at its left, and the horizon."""
        draw_strips(ax, lanes)
        ax.plot([self.instance.horizon] * 2, [0, lanes.height], zorder=3.4, **_LINE)

    def legend(self, _schedules: Iterable[Schedule]) -> list[Artist]:
        """Return legend entries for colours where they are few, and the horizon."""
        moment = format_number(Fraction(self.instance.horizon))
        return [
            *owner_legend(self.instance.organizations),
            Line2D([], [], label=f"horizon {moment}: no job starts from here on", **_LINE),
        ]
