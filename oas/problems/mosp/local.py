"""List scheduling on one cluster: how an organization schedules its own jobs without cooperation.

Exact and simple on purpose, in integers of the times' common unit; fast engines are tested equal to it.
"""

from __future__ import annotations

from fractions import Fraction
from heapq import heapify, heappop, heappush
from random import Random
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError, unknown_name
from oas.core.numbers import common_denominator
from oas.problems.rigid import MAX_UNIT, FreeOverTime, usage_over_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oas.problems.rigid import Organization

DEFAULT_POLICY = "HF"


def _by(key: Callable[[Any], Any]) -> Callable[[Sequence[Any], int], list[int]]:
    return lambda jobs, seed: sorted(range(len(jobs)), key=lambda index: key(jobs[index]))


def _shuffled(jobs: Sequence[Any], seed: int) -> list[int]:
    order = list(range(len(jobs)))
    Random(seed).shuffle(order)
    return order


# Of jobs with a time, processors and a release; ties by index everywhere.
LOCAL_ORDERS: dict[str, Callable[[Sequence[Any], int], list[int]]] = {
    "HF": _by(lambda job: -job.processors),  # highest first
    "LPT": _by(lambda job: -job.time),
    "SPT": _by(lambda job: job.time),
    "FCFS": _by(lambda job: job.release),
    "SJF": _by(lambda job: job.processors),
    "BJF": _by(lambda job: -job.processors),  # big jobs first: on one cluster the same as HF
    "RND": _shuffled,
}


def default_policy(organizations: int, locality: Fraction | None) -> str | None:
    """Return the policy of the local schedules where none is given, or None for no local schedules.

    One of so many organizations may only lose by cooperation if there are others, or a locality to keep: an
    organization alone without locality has no use for a local schedule.
    """
    return None if organizations == 1 and locality is None else DEFAULT_POLICY


def list_starts(organization: Organization, order: Sequence[int]) -> list[Fraction]:
    """Return the starts of an organization's jobs, list-scheduled on its own cluster in the order given.

    Whenever processors come free or a job is released, the list is gone through and every job starts that is released
    and finds its processors free, of other jobs and of reservations, for its whole run (Graham; the MOCCA paper's
    section 3.1, and LSRC of the reservations paper where there are reservations).

    Raises `InputError` if the times have no common unit within the digits that numbers may have.
    """
    jobs, blocks = organization.jobs, organization.reservations
    values = [moment for job in jobs for moment in (job.time, job.release)]
    values += [moment for one in blocks for moment in (one.start, one.end)]
    unit = common_denominator(values, MAX_UNIT)
    if unit > MAX_UNIT:
        raise InputError("the times have too long a common denominator for a policy; give the starts", field="local")
    times = [int(job.time * unit) for job in jobs]
    releases = [int(job.release * unit) for job in jobs]
    held = usage_over_time((one.start, one.end, one.processors) for one in blocks)
    idle = FreeOverTime(organization.processors, [(int(moment * unit), processors) for moment, processors in held])
    starts = [0] * len(jobs)
    waiting = list(order)
    moments = [0, *releases, *(int(one.end * unit) for one in blocks)]
    heapify(moments)
    while waiting:
        now = heappop(moments)
        left = []
        room = idle.at(now)
        for index in waiting:
            width, end = jobs[index].processors, now + times[index]
            if width <= room and releases[index] <= now and idle.fits(now, end, width):
                idle.take(now, end, width)
                room -= width
                starts[index] = now
                heappush(moments, end)
            else:
                left.append(index)
        waiting = left
    return [Fraction(start, unit) for start in starts]


def local_starts(organization: Organization, policy: str, seed: int = 0) -> list[Fraction]:
    """Return the local schedule that `policy` makes.

    Raises `InputError` if there is no such policy.
    """
    if policy not in LOCAL_ORDERS:
        raise unknown_name(policy, LOCAL_ORDERS, "local", reason="unknown policy")
    return list_starts(organization, LOCAL_ORDERS[policy](organization.jobs, seed))


def check_local(organization: Organization, starts: Mapping[str, Fraction]) -> None:
    """Refuse a local schedule that its own cluster cannot run."""
    blocks = [(one.start, one.end, one.processors) for one in organization.reservations]
    for job in organization.jobs:
        if job.id not in starts:
            raise InputError("the job has no local start", field=job.id)
        if starts[job.id] < job.release:
            raise InputError(f"starts before its release at {job.release}", field=job.id, value=str(starts[job.id]))
        blocks.append((starts[job.id], starts[job.id] + job.time, job.processors))
    for moment, usage in usage_over_time(blocks):
        if usage > organization.processors:
            reason = f"{usage} of {organization.processors} processors of {organization.id} are needed at {moment}"
            raise InputError(reason)
