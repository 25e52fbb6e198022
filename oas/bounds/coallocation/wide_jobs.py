"""The wide-jobs bound: jobs of which no two fit together run one after another."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.bounds.coallocation.shortest_run import shortest_runs
from oas.bounds.lower_bound import LowerBound
from oas.problems.coallocation.problem import FORBID, MAX_MIN, SLOWDOWN

if TYPE_CHECKING:
    from oas.problems.coallocation.instance import CoallocationInstance


def wide_jobs(instance: CoallocationInstance) -> Fraction:
    """Return the sum of the shortest runs of the jobs with more tasks than half the nodes, at its best.

    One more job may join them: of those with at most half the nodes, each that still fits beside none of them.
    """
    runs = shortest_runs(instance)
    nodes = instance.node_count
    wide = [index for index, job in enumerate(instance.jobs) if 2 * job.tasks > nodes]
    if not wide:
        return Fraction(0)
    narrowest = min(instance.jobs[index].tasks for index in wide)
    beside = [
        runs[index]
        for index, job in enumerate(instance.jobs)
        if 2 * job.tasks <= nodes and job.tasks + narrowest > nodes
    ]
    return sum((runs[index] for index in wide), Fraction(0)) + max(beside, default=Fraction(0))


BOUND = LowerBound("wide jobs", wide_jobs, variants=(FORBID, SLOWDOWN, MAX_MIN))
