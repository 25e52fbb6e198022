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

from oas.checker.errors import refused

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
    """Return the start of each job.

    Raises
    ------
    Refused
        If the times have no common denominator of at most 10^80.
    """
    unit = 1
    for moment in [m for job in jobs for m in (job[0], job[2])] + [m for one in held for m in one[:2]]:
        unit = lcm(unit, moment.denominator)
        if unit > LONGEST_UNIT:
            raise refused("local", "the times have too long a common denominator for a policy; give the starts")
    whole = [(int(time * unit), width, int(release * unit)) for time, width, release in jobs]
    idle = IdleProcessors(processors)
    for start, end, width in held:
        idle.take(int(start * unit), int(end * unit), width)
    moments = [0, *(release for _, _, release in whole), *(int(end * unit) for _, end, _ in held)]
    heapify(moments)
    starts = [0] * len(jobs)
    waiting = list_order(jobs, policy, seed)
    while waiting:
        now = heappop(moments)
        left = []
        for index in waiting:
            time, width, release = whole[index]
            if release <= now and idle.has(now, now + time, width):
                idle.take(now, now + time, width)
                starts[index] = now
                heappush(moments, now + time)
            else:
                left.append(index)
        waiting = left
    return [Fraction(start, unit) for start in starts]


class IdleProcessors:
    """Idle processors over time: ``counts[i]`` of them from ``moments[i]`` to ``moments[i + 1]``, the last for ever."""

    def __init__(self, processors: int) -> None:
        self.moments = [0]
        self.counts = [processors]

    def has(self, start: int, end: int, width: int) -> bool:
        """Tell whether that many are idle throughout [start, end)."""
        step = bisect_right(self.moments, start) - 1
        while step < len(self.moments) and self.moments[step] < end:
            if self.counts[step] < width:
                return False
            step += 1
        return True

    def take(self, start: int, end: int, width: int) -> None:
        """Take that many for [start, end)."""
        first = self._cut(start)
        for step in range(first, self._cut(end)):
            self.counts[step] -= width

    def _cut(self, moment: int) -> int:
        step = bisect_left(self.moments, moment)
        if step == len(self.moments) or self.moments[step] != moment:
            self.moments.insert(step, moment)
            self.counts.insert(step, self.counts[step - 1])
        return step
