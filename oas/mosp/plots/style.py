"""Style of the Gantt charts of MOSP: owners by colour, reservations, and the deadline of each organization."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.transforms import ScaledTranslation

from oas.mosp.plots import reserved_boxes
from oas.plots.axes import BANDS, HATCH, INK, dark, edge_share, format_number, job_colour
from oas.plots.plain_look import OwnersLook

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from oas.core.schedule import Schedule
    from oas.plots.lanes import Box, Lanes

FURTHEST = Fraction(5, 4)  # of the schedule's length: deadlines beyond that are named at the edge
_ROOM_FOR_A_WORD = Fraction(16, 15)
_RESERVED: dict[str, Any] = {"facecolor": "#f7f7f7", "edgecolor": "#8c8c8c", "hatch": HATCH, "linewidth": 0.4}


class OrganizationsLook(OwnersLook):
    """Owners by colour, reservations, and the deadline of each organization."""

    def horizon(self, end: Fraction) -> Fraction:
        """Return the end of the time axis: deadlines not far beyond the schedule are shown, with room for a label."""
        moments = self._deadlines().values()
        latest = max([end, *(moment for moment in moments if moment <= FURTHEST * end)])
        return latest * _ROOM_FOR_A_WORD if any(moment > latest for moment in moments) else latest

    def draw(self, ax: Axes, lanes: Lanes, boxes: Sequence[Box], schedule: Schedule, points: float) -> None:
        """Draw each lane's owner at its left, the reservations, and the deadlines."""
        super().draw(ax, lanes, boxes, schedule, points)
        for box in reserved_boxes(self.instance, schedule):
            place, width = (float(box.start), lanes.top(box.cluster, box.first)), float(box.end - box.start)
            edge = {"linewidth": _RESERVED["linewidth"] * edge_share(ax, width, box.count * points), "zorder": 1.5}
            with rc_context({"hatch.linewidth": 0.5}):
                ax.add_patch(Rectangle(place, width, box.count, **{**_RESERVED, **edge}))
        for index, moment in self._deadlines().items():
            self._draw_deadline(ax, lanes, index, moment, points)

    def legend(self, schedules: Iterable[Schedule]) -> list[Artist]:
        """Return legend entries for hatching, markers and, if there are few, colours."""
        entries = super().legend(schedules)
        if any(organization.reservations for organization in self.instance.organizations):
            with rc_context({"hatch.linewidth": 0.6}):
                entries.append(Patch(**_RESERVED, label="reserved"))
        factor = self.instance.locality
        if factor is not None:
            label = f"owner's deadline: {'' if factor == 1 else f'{format_number(factor)} × '}makespan alone"
            entries.append(Line2D([], [], color=INK, linestyle=":", marker="v", markersize=5, label=label))
        return entries

    def _deadlines(self) -> dict[int, Fraction]:
        """Return the deadline of each organization that has jobs."""
        pairs = zip(self.instance.organizations, self.instance.deadlines, strict=True)
        return {k: moment for k, (one, moment) in enumerate(pairs) if one.jobs and moment is not None}

    def _draw_deadline(self, ax: Axes, lanes: Lanes, index: int, moment: Fraction, points: float) -> None:
        """Draw a marked line over the lane of the organization's cluster, or a text at the edge of the axis."""
        top, size, colour = lanes.top(index), lanes.sizes[index], dark(job_colour(index))
        if float(moment) > ax.get_xlim()[1]:
            text = f"{format_number(moment)} ▸" if size * points >= 14 else "▸"
            behind = {"facecolor": BANDS[index % 2], "edgecolor": "none", "boxstyle": "square,pad=0.1"}
            place: dict[str, Any] = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points"}
            style: dict[str, Any] = {"ha": "right", "va": "center", "fontsize": 8, "color": colour, "zorder": 3.7}
            ax.annotate(text, (1, top + size / 2), (-2, 0), bbox=behind, **place, **style)
            return
        x = float(moment)
        ax.plot([x, x], [top, top + size], color="white", linewidth=2.6, zorder=3.38, solid_capstyle="butt")
        ax.plot([x, x], [top, top + size], color=colour, linewidth=1.6, linestyle=":", zorder=3.4)
        inside = ax.transData + ScaledTranslation(0, -2.5 / 72, ax.figure.dpi_scale_trans)
        marker: dict[str, Any] = {"marker": "v", "markersize": min(7.0, max(3.0, size * points / 3)), "color": colour}
        ax.plot([x], [top], markeredgecolor="white", markeredgewidth=0.6, transform=inside, zorder=3.7, **marker)
