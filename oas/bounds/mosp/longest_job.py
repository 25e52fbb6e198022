"""The longest-job bound: no schedule ends before a job that has all clusters to itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.lower_bound import LowerBound

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.core.mosp import MospInstance, Organization, RigidJob


def longest_job(instance: MospInstance) -> Fraction:
    """Return the latest of the jobs' earliest ends, each alone beside the reservations, not before its release."""
    return max(
        min(_earliest_end(one, job) for one in instance.organizations if one.processors >= job.processors)
        for job in instance.jobs
    )


def _earliest_end(organization: Organization, job: RigidJob) -> Fraction:
    """When `job` would end at the earliest on this cluster: it starts at its release or where a reservation ends."""
    blocks = organization.reservations
    room = organization.processors - job.processors
    for start in sorted({job.release, *(one.end for one in blocks if one.end > job.release)}):
        moments = [start, *(one.start for one in blocks if start < one.start < start + job.time)]
        held = max(sum(one.processors for one in blocks if one.start <= moment < one.end) for moment in moments)
        if held <= room:
            return start + job.time
    raise AssertionError("after the last reservation the cluster is free")


BOUND = LowerBound("longest job", longest_job)
