"""List scheduling on one cluster: the local schedules of organizations without cooperation.

This implementation is deliberately simple and exact; tests compare the fast engines with it.
"""

from __future__ import annotations

from fractions import Fraction
from heapq import heapify, heappop, heappush
from random import Random
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError, unknown_name
from oas.core.numbers import MAX_DIGITS, common_denominator
from oas.core.rigid import FreeOverTime, usage_over_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oas.core.rigid import Organization

MAX_UNIT = 10 ** (2 * MAX_DIGITS)  # limit of the common denominator of all times


def _by(key: Callable[[Any], Any]) -> Callable[[Sequence[Any], int], list[int]]:
    return lambda jobs, seed: sorted(range(len(jobs)), key=lambda index: key(jobs[index]))


def _shuffled(jobs: Sequence[Any], seed: int) -> list[int]:
    order = list(range(len(jobs)))
    Random(seed).shuffle(order)
    return order


# Orders of jobs by their time, processors or release; ties by index.
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
    """Return the default policy of the local schedules.

    It is None, for no local schedules, if there is only one organization and no locality: then nothing depends on them.
    """
    return None if organizations == 1 and locality is None else "HF"


def list_starts(organization: Organization, order: Sequence[int]) -> list[Fraction]:
    """Return the starts of an organization's jobs in list scheduling on its cluster in the order given.

    Whenever processors become free or a job is released, each job of the list starts if it is released and enough
    processors are free for its whole run (Graham; the MOCCA paper's section 3.1, and LSRC of the reservations paper).

    Raises `InputError` if the common denominator of the times is too long.
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
        remaining = []
        free = idle.at(now)
        for index in waiting:
            width, end = jobs[index].processors, now + times[index]
            if width <= free and releases[index] <= now and idle.fits(now, end, width):
                idle.take(now, end, width)
                free -= width
                starts[index] = now
                heappush(moments, end)
            else:
                remaining.append(index)
        waiting = remaining
    return [Fraction(start, unit) for start in starts]


def local_starts(organization: Organization, policy: str, seed: int = 0) -> list[Fraction]:
    """Return the starts of the jobs in the local schedule of a policy; an unknown one raises `InputError`."""
    if policy not in LOCAL_ORDERS:
        raise unknown_name(policy, LOCAL_ORDERS, "local", reason="unknown policy")
    return list_starts(organization, LOCAL_ORDERS[policy](organization.jobs, seed))


def check_local(organization: Organization, starts: Mapping[str, Fraction]) -> None:
    """Raise `InputError` if a local schedule is not feasible on the organization's cluster."""
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
