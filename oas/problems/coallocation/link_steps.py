"""What a schedule asks of each link over time: steps between the moments at which that changes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.problems.coallocation.ticks import link_load

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance


@dataclass(frozen=True)
class LinkStep:
    """A time in which the load of a link does not change.

    Attributes
    ----------
    start, end
        In the instance's time unit.
    load
        What jobs ask of the link, at nominal demand (equation 4), in the instance's unit of bandwidth.
    degree
        SC of the link, load / MBW and at least 1 (equations 5 and 6): above 1 the link is saturated.
    """

    start: Fraction
    end: Fraction
    load: Fraction
    degree: Fraction


def link_steps(instance: CoallocationInstance, schedule: Schedule) -> dict[str, tuple[LinkStep, ...]]:
    """Return the steps of each cluster's link from 0 to the makespan, by the cluster's id; loads of neighbours differ.

    Jobs load their links up to their ends in the schedule, as they hold their nodes.
    """
    jobs = {job.id: job for job in instance.jobs}
    changes: dict[str, dict[Fraction, Fraction]] = {cluster.id: {} for cluster in instance.clusters}
    for placement in schedule.placements:
        for name, numbers in placement.nodes.items():
            load = link_load(jobs[placement.job], len(numbers))
            if load:
                for moment, change in ((placement.start, load), (placement.end, -load)):
                    changes[name][moment] = changes[name].get(moment, Fraction(0)) + change
    return {
        cluster.id: tuple(_steps(changes[cluster.id], cluster.bandwidth, schedule.makespan))
        for cluster in instance.clusters
    }


def _steps(changes: dict[Fraction, Fraction], bandwidth: Fraction, makespan: Fraction) -> list[LinkStep]:
    steps: list[LinkStep] = []
    start, load = Fraction(0), Fraction(0)
    for moment in sorted({*(moment for moment, change in changes.items() if change), makespan}):
        if moment > start:
            degree = load / bandwidth if load > bandwidth > 0 else Fraction(1)
            steps.append(LinkStep(start, moment, load, degree))
        start, load = moment, load + changes.get(moment, Fraction(0))
    return steps
