"""The Gantt chart style of fair sharing: owners by colour, and the horizon."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D

from oas.plots.axes import format_number
from oas.plots.palette import INK
from oas.plots.plain_look import OwnersLook

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from oas.core.schedule import Schedule
    from oas.plots.lanes import Box, Lanes

_LINE: dict[str, Any] = {"color": INK, "linestyle": (0, (2, 2)), "linewidth": 1.2}


class SharersLook(OwnersLook):
    """Owners by colour, and the horizon."""

    def horizon(self, end: Fraction) -> Fraction:
        """Return the end of the time axis: the instance's horizon is shown."""
        return max(end, Fraction(self.instance.horizon))

    def draw(self, ax: Axes, lanes: Lanes, boxes: Sequence[Box], schedule: Schedule, points: float) -> None:
        """Draw each lane's owner at its left, and the horizon."""
        super().draw(ax, lanes, boxes, schedule, points)
        ax.plot([self.instance.horizon] * 2, [0, lanes.height], zorder=3.4, **_LINE)

    def legend(self, schedules: Iterable[Schedule]) -> list[Artist]:
        """Return legend entries for colours where they are few, and the horizon."""
        moment = format_number(Fraction(self.instance.horizon))
        return [
            *super().legend(schedules),
            Line2D([], [], label=f"horizon {moment}: no job starts from here on", **_LINE),
        ]
