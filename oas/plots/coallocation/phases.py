"""What a schedule's jobs do to one another over saturated links: the phases of each run, and SC in each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import lcm
from typing import TYPE_CHECKING

from oas.problems.coallocation import ticks
from oas.problems.coallocation.rates import slowdowns

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.core.schedule import Placement, Schedule
    from oas.problems.coallocation.instance import CoallocationInstance, Job


@dataclass(frozen=True)
class Phase:
    """A part of a run in which its communication is slowed down alike.

    Attributes
    ----------
    start, end
        In the instance's time unit.
    slowdown
        SC, at least 1.
    """

    start: Fraction
    end: Fraction
    slowdown: Fraction


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
    """Return both in a common integer unit; what a job sends is at least 0, also where it has too many nodes."""
    unit = lcm(*(value.denominator for row in [bandwidths, *loads] for value in row))
    rows = [[max(0, int(value * unit)) for value in row] for row in loads]
    return [max(1, int(value * unit)) for value in bandwidths], rows


def _extend(phases: list[Phase], phase: Phase) -> None:
    if phases and phases[-1].end == phase.start and phases[-1].slowdown == phase.slowdown:
        phase = Phase(phases.pop().start, phase.end, phase.slowdown)
    phases.append(phase)
