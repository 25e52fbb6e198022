"""The longest-job bound: no schedule ends before a job that has all clusters to itself."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from oas.bounds.lower_bound import LowerBound
from oas.problems.mosp.usage import usage_over_time

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance, Organization, RigidJob


def longest_job(instance: MospInstance) -> Fraction:
    """Return the latest of the jobs' earliest ends, each alone beside the reservations, not before its release."""
    profiles = [
        (one, list(usage_over_time((block.start, block.end, block.processors) for block in one.reservations)))
        for one in instance.organizations
    ]
    return max(
        min(_earliest_end(one, usage, job) for one, usage in profiles if one.processors >= job.processors)
        for job in instance.jobs
    )


def _earliest_end(organization: Organization, usage: list[tuple[Fraction, int]], job: RigidJob) -> Fraction:
    """Return the earliest end of `job` on this cluster: it starts at its release or where a reservation ends.

    `usage` is how many processors are reserved from each moment on, up to the next; none from the last.
    """
    room = organization.processors - job.processors
    start = job.release
    for (moment, reserved), (until, _) in pairwise(usage):
        if moment >= start + job.time:
            break
        if reserved > room:
            start = max(start, until)
    return start + job.time


BOUND = LowerBound("longest job", longest_job)
