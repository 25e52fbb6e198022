"""Plain list scheduling on one cluster: how an organization schedules its own jobs when nobody cooperates.

Exact and simple on purpose; fast engines are tested equal to it.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.core.mosp import Organization, RigidJob


def _by(key: Callable[[RigidJob], Fraction | int]) -> Callable[[Sequence[RigidJob], int], list[int]]:
    return lambda jobs, seed: sorted(range(len(jobs)), key=lambda index: key(jobs[index]))


def _shuffled(jobs: Sequence[RigidJob], seed: int) -> list[int]:
    order = list(range(len(jobs)))
    Random(seed).shuffle(order)
    return order


# Ties by index everywhere.
LOCAL_ORDERS: dict[str, Callable[[Sequence[RigidJob], int], list[int]]] = {
    "HF": _by(lambda job: -job.processors),  # highest first
    "LPT": _by(lambda job: -job.time),
    "SPT": _by(lambda job: job.time),
    "FCFS": _by(lambda job: job.release),
    "SJF": _by(lambda job: job.processors),
    "BJF": _by(lambda job: -job.processors),  # big jobs first: on one cluster the same as HF
    "RND": _shuffled,
}


def list_starts(organization: Organization, order: Sequence[int]) -> list[Fraction]:
    """Return the starts of an organization's jobs, list-scheduled on its own cluster in the order given.

    Whenever processors come free or a job is released, the list is gone through and every job starts that is released
    and finds its processors free, of other jobs and of reservations, for its whole run (Graham; the MOCCA paper's
    section 3.1, and LSRC of the reservations paper where there are reservations).
    """
    jobs, free = organization.jobs, organization.processors
    starts: list[Fraction | None] = [None] * len(jobs)
    blocks = [(one.start, one.end, one.processors) for one in organization.reservations]
    waiting = list(order)
    moments = {Fraction(0), *(job.release for job in jobs), *(end for _, end, _ in blocks)}
    while waiting:
        now = min(moments)
        moments.discard(now)
        left = []
        for index in waiting:
            job = jobs[index]
            if job.release <= now and _peak(blocks, now, now + job.time) + job.processors <= free:
                starts[index] = now
                blocks.append((now, now + job.time, job.processors))
                moments.add(now + job.time)
            else:
                left.append(index)
        waiting = left
    return [start for start in starts if start is not None]


def local_starts(organization: Organization, policy: str, seed: int = 0) -> list[Fraction]:
    """Return the local schedule that `policy` makes.

    Raises
    ------
    InputError
        If there is no such policy.
    """
    if policy not in LOCAL_ORDERS:
        raise InputError(f"unknown policy; known: {', '.join(LOCAL_ORDERS)}", field="local", value=policy)
    return list_starts(organization, LOCAL_ORDERS[policy](organization.jobs, seed))


def _peak(blocks: list[tuple[Fraction, Fraction, int]], start: Fraction, end: Fraction) -> int:
    """Most processors held at once in [start, end)."""
    moments = {start, *(begin for begin, _, _ in blocks if start < begin < end)}
    return max(sum(held for begin, stop, held in blocks if begin <= moment < stop) for moment in moments)
