"""Style of the Gantt charts of co-allocation: node powers, and jobs over several clusters hatched and joined.

Where saturated links slow jobs down, bars are shaded by slowdown: by the phases of each run, and SC in each.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.patches import Patch, Rectangle

from oas.plots.axes import HATCH, SEPARATOR, accent, edge_share, job_colour, slowed_shade
from oas.plots.labels import NAME_LENGTH, drawable
from oas.plots.plain_look import Look, marks_coallocation
from oas.problems.coallocation import ticks
from oas.problems.coallocation.rates import slowdowns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from oas.core.schedule import Placement, Schedule
    from oas.plots.lanes import Box, Lanes
    from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job

MOST_SHADES = 4  # of slowdowns in the legend; of more, the least, the middle one and the greatest
_GREY = "#8c8c8c"


@dataclass(frozen=True)
class Phase:
    """A part of a run in which its communication is slowed down alike."""

    # start, end: in the instance's time unit
    start: Fraction
    end: Fraction
    slowdown: Fraction  # SC, at least 1


def slowed_phases(instance: CoallocationInstance, schedule: Schedule) -> dict[str, list[Phase]]:
    """Return the phases of each run by job, in time; neighbours differ in SC, equations (5) to (7).

    The schedule need not be feasible: a run is taken to load its links from its start to its end, and a link of
    bandwidth 0 that is loaded for one of the least unit that counts.
    """
    jobs = {job.id: job for job in instance.jobs}
    loads = {one.job: _loads(instance, jobs[one.job], one) for one in schedule.placements}
    bandwidth, rows = _scaled([cluster.bandwidth for cluster in instance.clusters], list(loads.values()))
    rows_of = dict(zip(loads, rows, strict=True))
    found: dict[str, list[Phase]] = {job: [] for job in loads}
    runs = [one for one in schedule.placements if one.start < one.end]
    starting, ending = _events(runs)
    moments = sorted({*starting, *ending})
    running: dict[str, list[int]] = {}
    for moment, following in pairwise(moments):
        for job in ending.get(moment, ()):
            del running[job]
        running.update((job, rows_of[job]) for job in starting.get(moment, ()))
        factors = slowdowns(instance.saturation.sharing, bandwidth, list(running.values()))
        for job, factor in zip(running, factors, strict=True):
            _extend(found[job], Phase(moment, following, factor))
    return found


def _events(runs: list[Placement]) -> tuple[dict[Fraction, list[str]], dict[Fraction, list[str]]]:
    starting: dict[Fraction, list[str]] = {}
    ending: dict[Fraction, list[str]] = {}
    for run in runs:
        starting.setdefault(run.start, []).append(run.job)
        ending.setdefault(run.end, []).append(run.job)
    return starting, ending


def _loads(instance: CoallocationInstance, job: Job, placement: Placement) -> list[Fraction]:
    return [ticks.link_load(job, len(set(placement.nodes.get(one.id, ())))) for one in instance.clusters]


def _scaled(bandwidths: list[Fraction], loads: list[list[Fraction]]) -> tuple[list[int], list[list[int]]]:
    """Return both in a common integer unit; the demand of a job is at least 0, also if it has too many nodes."""
    unit = lcm(*(value.denominator for row in [bandwidths, *loads] for value in row))
    rows = [[max(0, int(value * unit)) for value in row] for row in loads]
    return [max(1, int(value * unit)) for value in bandwidths], rows


def _extend(phases: list[Phase], phase: Phase) -> None:
    if phases and phases[-1].end == phase.start and phases[-1].slowdown == phase.slowdown:
        phase = Phase(phases.pop().start, phase.end, phase.slowdown)
    phases.append(phase)


class CoallocationLook(Look):
    """The drawing style of an instance: node powers next to the lanes and between them."""

    def label(self, cluster: int, points: float) -> str:
        """Name and Γ of a cluster."""
        return _cluster_label(self.instance.clusters[cluster], points)

    def draw(self, ax: Axes, lanes: Lanes, boxes: Sequence[Box], schedule: Schedule, points: float) -> None:
        """Lines where Γ changes, and connectors."""
        for index, cluster in enumerate(self.instance.clusters):
            for node in _first_of_groups(cluster):
                place = lanes.top(index, node)
                ax.axhline(place, color=SEPARATOR, linewidth=0.6, linestyle=(0, (4, 3)), zorder=0.7)
        super().draw(ax, lanes, boxes, schedule, points)


def _first_of_groups(cluster: Cluster) -> list[int]:
    """Nodes at which Γ changes."""
    powers = cluster.node_powers
    return [node for node in range(1, cluster.size) if powers[node] != powers[node - 1]]


def _cluster_label(cluster: Cluster, points: float) -> str:
    """Name and Γ of a cluster, in as many lines as a band of `points` has room for."""
    edges = [0, *_first_of_groups(cluster), cluster.size]
    sizes = [after - before for before, after in pairwise(edges)]
    values = [f"{float(cluster.node_powers[node]):.3g}" for node in edges[:-1]]
    if len(values) == 1:
        powers = [f"Γ = {values[0]}"]
    elif len(values) <= 4:
        powers = [f"{size} × Γ = {value}" for size, value in zip(sizes, values, strict=True)]
    else:
        powers = [f"Γ = {float(min(cluster.node_powers)):.3g} … {float(max(cluster.node_powers)):.3g}"]
    name, line = drawable(cluster.id, NAME_LENGTH), 11.0
    if points >= line * (1 + len(powers)):
        return "\n".join([name, *powers])
    return f"{name}  {powers[0]}" if len(powers) == 1 else name


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
            look: dict[str, Any] = {"facecolor": colour, "edgecolor": edge, "linewidth": 0, "zorder": 2.3}
            if marked:
                look |= {"hatch": HATCH, "edgecolor": accent(colour)}
            ax.add_patch(Rectangle((float(one.start), top), float(one.end - one.start), box.count, **look))
        length = float(box.end - box.start)
        width = (1.3 if marked else 0.5) * edge_share(ax, length, box.count * points)
        outline: dict[str, Any] = {"facecolor": "none", "edgecolor": edge, "linewidth": width, "zorder": 2.4}
        ax.add_patch(Rectangle((float(box.start), top), length, box.count, **outline))

    def legend(self, schedules: Iterable[Schedule]) -> list[Artist]:
        """Return entries for the shades, if there are any, and the hatching."""
        drawn = list(schedules)
        phases = [one for schedule in drawn for run in slowed_phases(self.instance, schedule).values() for one in run]
        found = sorted({one.slowdown for one in phases if one.slowdown > 1})
        entries: list[Artist] = []
        if found:
            kept = found if len(found) <= MOST_SHADES else [found[0], found[len(found) // 2], found[-1]]
            entries = [
                Patch(facecolor=slowed_shade(_GREY, one), edgecolor="#666666", linewidth=0.5, label=words)
                for one, words in [(Fraction(1), "no slowdown"), *((one, f"SC = {float(one):.3g}") for one in kept)]
            ]
        return [*entries, *super().legend(drawn)]
