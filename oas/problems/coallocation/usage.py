"""What runs use over time: traffic and steps of the links, and powers of the nodes."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.problems.coallocation.ticks import link_load

if TYPE_CHECKING:
    from collections.abc import Mapping

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


class LinkTraffic:
    """The load of a link over time, in integers.

    Parameters
    ----------
    bandwidth
        The most it carries.
    """

    def __init__(self, bandwidth: int) -> None:
        self.bandwidth = bandwidth
        # From each moment until the next the load that stands at the same place; from the last on it is 0.
        self._moments, self._loads = [0], [0]

    def earliest(self, start: int, time: int, load: int) -> int:
        """Return the first moment from `start` on from which there is room for `load`, for so long.

        Where the link is too narrow for it alone, that is when all others have ended.
        """
        moments, room = self._moments, self.bandwidth - load
        at = bisect_right(moments, start) - 1
        while at < len(moments) - 1 and moments[at] < start + time:
            if self._loads[at] > room:
                start = moments[at + 1]
            at += 1
        return start

    def add(self, start: int, end: int, load: int) -> None:
        """Add a load from `start` until `end`."""
        for at in range(self._cut(start), self._cut(end)):
            self._loads[at] += load

    def _cut(self, moment: int) -> int:
        """Return the place of a moment, at which a piece begins from now on."""
        at = bisect_right(self._moments, moment) - 1
        if self._moments[at] == moment:
            return at
        self._moments.insert(at + 1, moment)
        self._loads.insert(at + 1, self._loads[at])
        return at + 1


class NodePowers:
    """The powers Γ of all nodes of an instance."""

    def __init__(self, instance: CoallocationInstance) -> None:
        self._powers = sorted({group.power for cluster in instance.clusters for group in cluster.groups})
        rank = {power: index for index, power in enumerate(self._powers)}
        self._ranks = {
            cluster.id: [index for group in cluster.groups for index in [rank[group.power]] * group.count]
            for cluster in instance.clusters
        }

    def slowest(self, nodes: Mapping[str, tuple[int, ...]]) -> Fraction:
        """Return the least power of some nodes, given as numbers by cluster."""
        return self._powers[min(min(map(self._ranks[name].__getitem__, own)) for name, own in nodes.items())]
