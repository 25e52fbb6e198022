"""Style of the Gantt charts of co-allocation: node powers, and jobs over several clusters hatched and joined.

If saturated links slow jobs down, each phase of a bar is shaded by its SC.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise
from math import lcm
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.patches import Patch, Rectangle

from oas.coallocation import ticks
from oas.coallocation.rates import slowdowns
from oas.plots.axes import HATCH, SEPARATOR, accent, edge_share, job_colour, slowed_shade
from oas.plots.labels import NAME_LENGTH, drawable
from oas.plots.plain_look import Look, marks_coallocation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from oas.coallocation.instance import CoallocationInstance
    from oas.core.schedule import Schedule
    from oas.plots.lanes import Box, Lanes

MOST_SHADES = 4  # slowdowns in the legend; of more, only the least, the middle one and the greatest


@dataclass(frozen=True)
class Phase:
    """A part of a run with constant slowdown of its communication."""

    start: Fraction  # in the instance's time unit
    end: Fraction  # in the instance's time unit
    slowdown: Fraction  # SC, at least 1


def slowed_phases(instance: CoallocationInstance, schedule: Schedule) -> dict[str, list[Phase]]:
    """Return the phases of each run by job, in time; consecutive ones differ in SC, equations (5) to (7).

    The schedule need not be feasible: a run loads its links from its start to its end, and a link of bandwidth 0
    counts as one of bandwidth 1 in the common unit of loads and bandwidths.
    """
    jobs = {job.id: job for job in instance.jobs}
    bandwidths = [cluster.bandwidth for cluster in instance.clusters]
    demands = {
        run.job: [ticks.link_load(jobs[run.job], len(set(run.nodes.get(one.id, ())))) for one in instance.clusters]
        for run in schedule.placements
    }
    unit = lcm(*(value.denominator for row in [bandwidths, *demands.values()] for value in row))
    bandwidth = [max(1, int(value * unit)) for value in bandwidths]
    # The demand of a job is at least 0, also if it has too many nodes.
    scaled = {job: [max(0, int(value * unit)) for value in row] for job, row in demands.items()}
    starting, ending = defaultdict[Fraction, list[str]](list), defaultdict[Fraction, list[str]](list)
    for run in schedule.placements:
        if run.start < run.end:
            starting[run.start].append(run.job)
            ending[run.end].append(run.job)
    phases: dict[str, list[Phase]] = {job: [] for job in demands}
    running: dict[str, list[int]] = {}
    for moment, following in pairwise(sorted({*starting, *ending})):
        for job in ending[moment]:
            del running[job]
        running.update((job, scaled[job]) for job in starting[moment])
        factors = slowdowns(instance.saturation.sharing, bandwidth, list(running.values()))
        for job, factor in zip(running, factors, strict=True):
            last = phases[job][-1] if phases[job] else None
            if last and (last.end, last.slowdown) == (moment, factor):
                phases[job][-1] = Phase(last.start, following, factor)
            else:
                phases[job].append(Phase(moment, following, factor))
    return phases


class CoallocationLook(Look):
    """The drawing style of an instance: node powers next to the lanes and between them."""

    def label(self, cluster: int, points: float) -> str:
        """Return the name and Γ of a cluster, in as many lines as a band of `points` has room for."""
        powers = self.instance.clusters[cluster].node_powers
        groups = [(float(power), len(list(group))) for power, group in groupby(powers)]
        if len(groups) == 1:
            lines = [f"Γ = {groups[0][0]:.3g}"]
        elif len(groups) <= 4:
            lines = [f"{size} × Γ = {power:.3g}" for power, size in groups]
        else:
            lines = [f"Γ = {min(groups)[0]:.3g} … {max(groups)[0]:.3g}"]
        name = drawable(self.instance.clusters[cluster].id, NAME_LENGTH)
        if points >= 11.0 * (1 + len(lines)):
            return "\n".join([name, *lines])
        return f"{name}  {lines[0]}" if len(lines) == 1 else name

    def draw(self, ax: Axes, lanes: Lanes, boxes: Sequence[Box], schedule: Schedule, points: float) -> None:
        """Draw lines where Γ changes, and connectors."""
        for index, cluster in enumerate(self.instance.clusters):
            for node, (above, below) in enumerate(pairwise(cluster.node_powers), start=1):
                if above != below:
                    place = lanes.top(index, node)
                    ax.axhline(place, color=SEPARATOR, linewidth=0.6, linestyle=(0, (4, 3)), zorder=0.7)
        super().draw(ax, lanes, boxes, schedule, points)


def look(instance: CoallocationInstance) -> Look:
    """Return the drawing style of an instance under any saturation policy."""
    return SlowedLook(instance) if instance.saturation.slows else CoallocationLook(instance)


class SlowedLook(CoallocationLook):
    """The drawing style of an instance whose saturated links slow jobs down.

    A bar is light while its job runs at full speed, and darker the more its communication is slowed down.
    """

    def colour(self, job: int) -> str:
        """Return the job's colour at full speed."""
        return slowed_shade(job_colour(job), Fraction(1))

    def draw(self, ax: Axes, lanes: Lanes, boxes: Sequence[Box], schedule: Schedule, points: float) -> None:
        """Shade the phases in which jobs are slowed down; connectors and lines as elsewhere."""
        phases, marks = slowed_phases(self.instance, schedule), marks_coallocation(schedule)
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
            hatch = {"hatch": HATCH, "edgecolor": accent(colour)} if marked else {"edgecolor": edge}
            style: dict[str, Any] = {"facecolor": colour, "linewidth": 0, "zorder": 2.3, **hatch}
            ax.add_patch(Rectangle((float(one.start), top), float(one.end - one.start), box.count, **style))
        length = float(box.end - box.start)
        width = (1.3 if marked else 0.5) * edge_share(ax, length, box.count * points)
        outline: dict[str, Any] = {"facecolor": "none", "edgecolor": edge, "linewidth": width, "zorder": 2.4}
        ax.add_patch(Rectangle((float(box.start), top), length, box.count, **outline))

    def legend(self, schedules: Iterable[Schedule]) -> list[Artist]:
        """Return entries for the shades, if there are any, and the hatching."""
        drawn = list(schedules)
        phases = [one for schedule in drawn for run in slowed_phases(self.instance, schedule).values() for one in run]
        shades = sorted({one.slowdown for one in phases if one.slowdown > 1})
        if len(shades) > MOST_SHADES:
            shades = [shades[0], shades[len(shades) // 2], shades[-1]]
        words = {Fraction(1): "no slowdown"} | {one: f"SC = {float(one):.3g}" for one in shades}
        entries: list[Artist] = [
            Patch(facecolor=slowed_shade("#8c8c8c", one), edgecolor="#666666", linewidth=0.5, label=label)
            for one, label in words.items()
        ]
        return [*(entries if shades else []), *super().legend(drawn)]
