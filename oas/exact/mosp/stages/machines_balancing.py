"""Identical machines: two at a time share their jobs anew, as evenly as sums of times allow.

A neighbourhood of exponential size, in place of the multi-exchanges of Frangioni, Necciari and Scutellà, *A
multi-exchange neighborhood for minimum makespan parallel machine scheduling problems*, 2004.
"""

from __future__ import annotations

from heapq import heapify, heapreplace
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

FREE = 40  # jobs of two machines that are shared anew at most; the others stay
MOST_UNITS = 2**23  # that the times of these jobs are counted in: a megabyte for the sums of each
LEAST_LOADED = 0.5  # how often the other machine is the one with the least work


class Balancing:
    """A resumable search, deterministic by its seed.

    Parameters
    ----------
    times
        Of each job.
    machines
        How many.
    seed
        Of the random numbers.

    Attributes
    ----------
    jobs
        Of each machine; by longest processing time first to begin with.
    loads
        Of each machine, the sum of its jobs' times.
    """

    def __init__(self, times: Sequence[int], machines: int, seed: int = 0) -> None:
        self.times = times
        self.random = Random(seed)
        self.jobs: list[list[int]] = [[] for _ in range(machines)]
        heap = [(0, machine) for machine in range(machines)]
        heapify(heap)
        for job in sorted(range(len(times)), key=lambda job: -times[job]):
            load, machine = heap[0]
            self.jobs[machine].append(job)
            heapreplace(heap, (load + times[job], machine))
        self.loads = [sum(times[job] for job in own) for own in self.jobs]

    @property
    def makespan(self) -> int:
        """The greatest load."""
        return max(self.loads)

    def improve(self, target: int, steps: int) -> bool:
        """Share jobs so many times, or until no load is above `target`; return whether that is so.

        No step makes the greater load of its two machines greater.
        """
        machines = range(len(self.loads))
        for _ in range(steps):
            over = [machine for machine in machines if self.loads[machine] > target]
            if not over:
                return True
            if len(machines) == 1:
                return False
            one = self.random.choice(over)
            other = min(machines, key=lambda machine: (self.loads[machine], machine))
            if other == one or self.random.random() >= LEAST_LOADED:
                other = self.random.choice([machine for machine in machines if machine != one])
            self._share(one, other)
        return self.makespan <= target

    def _share(self, one: int, other: int) -> None:
        """Share the jobs of two machines as evenly as their times allow, or some of the jobs if they are many."""
        free = self.jobs[one] + self.jobs[other]
        self.random.shuffle(free)
        free = free[:FREE]
        chosen = set(free)
        kept = [[job for job in self.jobs[machine] if job not in chosen] for machine in (one, other)]
        unit = max(1, -(-sum(self.times[job] for job in free) // MOST_UNITS))
        base, beside = (sum(self.times[job] for job in own) // unit for own in kept)
        times = [self.times[job] // unit for job in free]
        reach = [1]  # bit s: whether some of the jobs so far add up to s units
        for time in times:
            reach.append(reach[-1] | reach[-1] << time)
        amount = sum(times)
        half = max(0, min(amount, (amount + beside - base + 1) // 2))  # even, if base + half is what there is
        upper = reach[-1] >> half
        sums = [half + (upper & -upper).bit_length() - 1] if upper else []
        lower = reach[-1] & ((1 << half) - 1)
        sums += [lower.bit_length() - 1] if lower else []
        left = min(sums, key=lambda one: max(base + one, beside + amount - one))
        for before, job, time in zip(reversed(reach[:-1]), reversed(free), reversed(times), strict=True):
            if before >> left & 1:
                kept[1].append(job)
            else:
                kept[0].append(job)
                left -= time
        loads = [sum(self.times[job] for job in own) for own in kept]
        if max(loads) <= max(self.loads[one], self.loads[other]):  # in coarse units it may be more
            self.loads[one], self.loads[other] = loads
            self.jobs[one], self.jobs[other] = kept
