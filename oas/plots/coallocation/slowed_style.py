"""Style of the Gantt charts of co-allocation where saturated links slow jobs down: bars shaded by slowdown."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.patches import Patch, Rectangle

from oas.plots.axes import edge_share
from oas.plots.coallocation.phases import slowed_phases
from oas.plots.coallocation.style import CoallocationLook
from oas.plots.palette import HATCH, accent, job_colour, slowed_shade
from oas.plots.plain_look import marks_coallocation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from oas.core.schedule import Schedule
    from oas.plots.coallocation.phases import Phase
    from oas.plots.lanes import Box, Lanes
    from oas.plots.plain_look import Look
    from oas.problems.coallocation.instance import CoallocationInstance

MOST_SHADES = 4  # of slowdowns in the legend; of more, the least, the middle one and the greatest
_GREY = "#8c8c8c"


def look(instance: CoallocationInstance) -> Look:
    """Return the drawing style of an instance under any saturation policy."""
    return SlowedLook(instance) if instance.saturation.slows else CoallocationLook(instance)


class SlowedLook(CoallocationLook):
    """The drawing style of an instance whose saturated links slow jobs down.

    A bar is light while its job runs at full speed, and darker the more its communication is slowed down.
    """

    def __init__(self, instance: CoallocationInstance) -> None:
        super().__init__(instance)
        object.__setattr__(self, "_instance", instance)

    _instance: CoallocationInstance

    def colour(self, job: int) -> str:
        """Return the job's colour at full speed."""
        return slowed_shade(job_colour(job), Fraction(1))

    def draw(self, ax: Axes, lanes: Lanes, boxes: Sequence[Box], schedule: Schedule, points: float) -> None:
        """Shade the phases in which jobs are slowed down; connectors and lines as elsewhere."""
        phases, marks = slowed_phases(self._instance, schedule), marks_coallocation(schedule)
        with rc_context({"hatch.linewidth": 0.45}):
            for box in boxes:
                slowed = [one for one in phases[self.frame.jobs[box.job]] if one.slowdown > 1]
                if slowed:
                    self._shade(ax, lanes, box, slowed, points, marked=box.coallocated and marks)
        super().draw(ax, lanes, boxes, schedule, points)

    def _shade(self, ax: Axes, lanes: Lanes, box: Box, slowed: Sequence[Phase], points: float, *, marked: bool) -> None:
        top, edge = lanes.top(box.cluster, box.first), accent(self.colour(box.job))
        for one in slowed:
            colour = slowed_shade(job_colour(box.job), one.slowdown)
            look: dict[str, Any] = {"facecolor": colour, "edgecolor": edge, "linewidth": 0, "zorder": 2.3}
            if marked:
                look |= {"hatch": HATCH, "edgecolor": accent(colour)}
            ax.add_patch(Rectangle((float(one.start), top), float(one.end - one.start), box.count, **look))
        length = float(box.end - box.start)
        width = (1.3 if marked else 0.5) * edge_share(ax, length, box.count * points)
        outline: dict[str, Any] = {"facecolor": "none", "edgecolor": edge, "linewidth": width, "zorder": 2.4}
        ax.add_patch(Rectangle((float(box.start), top), length, box.count, **outline))

    def legend(self, schedules: Iterable[Schedule]) -> list[Artist]:
        """Return entries for the shades, where there are any, and the hatching."""
        drawn = list(schedules)
        phases = [one for schedule in drawn for run in slowed_phases(self._instance, schedule).values() for one in run]
        found = sorted({one.slowdown for one in phases if one.slowdown > 1})
        entries: list[Artist] = []
        if found:
            kept = found if len(found) <= MOST_SHADES else [found[0], found[len(found) // 2], found[-1]]
            entries = [
                Patch(facecolor=slowed_shade(_GREY, one), edgecolor="#666666", linewidth=0.5, label=words)
                for one, words in [(Fraction(1), "no slowdown"), *((one, f"SC = {float(one):.3g}") for one in kept)]
            ]
        return [*entries, *super().legend(drawn)]
