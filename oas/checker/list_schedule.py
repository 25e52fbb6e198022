"""The local schedule that a file names by a policy: list scheduling of an organization's jobs on its own cluster.

Whenever processors come free or a job is released, the list is gone through in the policy's order, and every job starts
that is released and finds its processors free, of other jobs and of reservations, for its whole run. Ties of the order
are broken by the place in the file.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import lcm
from random import Random

from oas.checker.reading import refused

LOCAL_POLICIES = ("HF", "LPT", "SPT", "FCFS", "SJF", "BJF", "RND")
LONGEST_UNIT = 10**80

# (time, processors, release) of a job, and (start, end, processors) of a reservation.
ListedJob = tuple[Fraction, int, Fraction]
HeldBlock = tuple[Fraction, Fraction, int]


def list_order(jobs: list[ListedJob], policy: str, seed: int) -> list[int]:
    """Return the indices of the jobs in the order of a policy of `LOCAL_POLICIES`; the seed is for RND."""
    order = list(range(len(jobs)))
    if policy == "RND":
        Random(seed).shuffle(order)
        return order
    place, sign = {"HF": (1, -1), "BJF": (1, -1), "SJF": (1, 1), "LPT": (0, -1), "SPT": (0, 1), "FCFS": (2, 1)}[policy]
    return sorted(order, key=lambda index: sign * jobs[index][place])


def list_schedule(
    processors: int, jobs: list[ListedJob], held: list[HeldBlock], policy: str, seed: int
) -> list[Fraction]:
    """Return the start of each job."""
    unit = 1
    for moment in [m for job in jobs for m in (job[0], job[2])] + [m for one in held for m in one[:2]]:
        unit = lcm(unit, moment.denominator)
        if unit > LONGEST_UNIT:
            raise refused("local", "the times have too long a common denominator for a policy; give the starts")
    whole = [(int(time * unit), width, int(release * unit)) for time, width, release in jobs]
    # Whatever is known to hold processors at some moment from now on: (start, end, processors).
    blocks = [(int(start * unit), int(end * unit), width) for start, end, width in held]
    begins = sorted({start for start, _, _ in blocks})  # jobs that run only end, so what is idle falls only here
    moments = [0, *(release for _, _, release in whole), *(end for _, end, _ in blocks)]
    heapify(moments)

    def idle(moment: int) -> int:
        return processors - sum(width for start, end, width in blocks if start <= moment < end)

    def drops(after: int, before: int) -> list[int]:
        return begins[bisect_right(begins, after) : bisect_left(begins, before)]

    starts = [0] * len(jobs)
    waiting = list_order(jobs, policy, seed)
    while waiting:
        now = heappop(moments)
        blocks = [one for one in blocks if one[1] > now]
        free, left = idle(now), []
        for index in waiting:
            time, width, release = whole[index]
            if release <= now and width <= free and all(width <= idle(moment) for moment in drops(now, now + time)):
                blocks.append((now, now + time, width))
                free -= width
                starts[index] = now
                heappush(moments, now + time)
            else:
                left.append(index)
        waiting = left
    return [Fraction(start, unit) for start in starts]
