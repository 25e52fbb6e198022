"""Stages for instances of special structure: identical machines and few jobs."""

from __future__ import annotations

from heapq import heapify, heapreplace
from math import gcd, inf
from random import Random
from typing import TYPE_CHECKING

from oas.checker.brute_force import MOST_ENUMERATED_MOSP_JOBS
from oas.core.errors import SolverError, TooLargeError
from oas.mosp.runs import ClusterRun
from oas.solving.brute_force import brute_force

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.mosp.exact.search import MospExactSearch
    from oas.mosp.ticks import ScaledMosp

# Shares refer to the remaining time.
MACHINES_SHARE = 0.1  # at most
MACHINE_STEPS, SLICE = 6_000, 50  # in total, and between two checks of the clock
FREE = 40  # maximum number of jobs of two machines that are redistributed; the others stay
MOST_UNITS = 2**23  # maximum sum of the times of these jobs in units: a megabyte for the sums of each
LEAST_LOADED = 0.5  # probability that the second machine is the least loaded one
MOST_PLACEMENTS = 500_000  # a few seconds; 7 jobs on up to 20 clusters needed a third of them


class Balancing:
    """Local search for identical machines that redistributes the jobs of two machines as evenly as possible.

    The neighbourhood has exponential size and replaces the multi-exchanges of Frangioni, Necciari and Scutellà, *A
    multi-exchange neighborhood for minimum makespan parallel machine scheduling problems*, 2004. The search is
    resumable, and deterministic for a given seed.

    `times`: processing time of each job. `seed`: of the random numbers.

    Attributes: `jobs`: of each machine, initially by longest processing time first. `loads`: of each machine, the sum
    of the times of its jobs.
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
        self.loads = [sum(times[job] for job in jobs) for jobs in self.jobs]

    @property
    def makespan(self) -> int:
        """The greatest load."""
        return max(self.loads)

    def improve(self, target: int, steps: int) -> bool:
        """Perform up to `steps` steps, or until no load exceeds `target`; return whether this is the case.

        No step increases the greater load of its two machines.
        """
        machines = range(len(self.loads))
        for _ in range(steps):
            over = [machine for machine in machines if self.loads[machine] > target]
            if not over:
                return True
            if len(machines) == 1:
                return False
            first = self.random.choice(over)
            second = min(machines, key=lambda machine: (self.loads[machine], machine))
            if second == first or self.random.random() >= LEAST_LOADED:
                second = self.random.choice([machine for machine in machines if machine != first])
            self._share(first, second)
        return self.makespan <= target

    def _share(self, first: int, second: int) -> None:
        """Redistribute up to `FREE` jobs of two machines, chosen at random, as evenly as their times allow."""
        free = self.jobs[first] + self.jobs[second]
        self.random.shuffle(free)
        free = free[:FREE]
        chosen = set(free)
        jobs = [[job for job in self.jobs[machine] if job not in chosen] for machine in (first, second)]
        unit = max(1, -(-sum(self.times[job] for job in free) // MOST_UNITS))
        base, second_base = (sum(self.times[job] for job in fixed) // unit for fixed in jobs)
        times = [self.times[job] // unit for job in free]
        reach = [1]  # bit s: whether some of the jobs so far add up to s units
        for length in times:
            reach.append(reach[-1] | reach[-1] << length)
        amount = sum(times)
        half = max(0, min(amount, (amount + second_base - base + 1) // 2))  # base + half would be an even split
        upper = reach[-1] >> half
        sums = [half + (upper & -upper).bit_length() - 1] if upper else []
        lower = reach[-1] & ((1 << half) - 1)
        sums += [lower.bit_length() - 1] if lower else []
        left = min(sums, key=lambda total: max(base + total, second_base + amount - total))
        for before, job, length in zip(reversed(reach[:-1]), reversed(free), reversed(times), strict=True):
            if before >> left & 1:
                jobs[1].append(job)
            else:
                jobs[0].append(job)
                left -= length
        loads = [sum(self.times[job] for job in assigned) for assigned in jobs]
        if max(loads) <= max(self.loads[first], self.loads[second]):  # rounding to coarse units may increase it
            self.loads[first], self.loads[second] = loads
            self.jobs[first], self.jobs[second] = jobs


def machines(search: MospExactSearch, _memory: int | None) -> None:
    """Redistribute the jobs of two machines at a time; for one-processor jobs without releases and reservations.

    Only the verifier checks deadlines.
    """
    scaled = search.scaled
    if set(scaled.widths) != {1} or any(scaled.releases) or scaled.reservations or not search.step():
        return
    unit = gcd(*scaled.times)
    seconds = search.share(MACHINES_SHARE)
    least = None if seconds is None else (search.time_left() or 0.0) - seconds
    balancing = Balancing([time // unit for time in scaled.times], sum(scaled.processors), search.seed)
    with search.timed("machines"):
        for _ in range(MACHINE_STEPS // SLICE):
            if balancing.improve(-(-search.lower // unit), SLICE):
                break
            if least is not None and (search.time_left() or 0.0) < least:
                break
    if balancing.makespan * unit < search.upper:
        search.accept(_machine_runs(scaled, balancing.jobs), "balanced machines")


def _machine_runs(scaled: ScaledMosp, machines: Sequence[Sequence[int]]) -> list[ClusterRun]:
    """Return the schedule in which each processor runs these jobs, by deadline."""
    due = [inf if deadline is None else deadline for deadline in scaled.deadlines]
    clusters = [cluster for cluster, size in enumerate(scaled.processors) for _ in range(size)]
    runs = []
    for cluster, jobs in zip(clusters, machines, strict=True):
        start = 0
        for job in sorted(jobs, key=lambda job: due[scaled.owners[job]]):
            runs.append(ClusterRun(job, cluster, start))
            start += scaled.times[job]
    return sorted(runs, key=lambda run: run.job)


def enumeration(search: MospExactSearch, _memory: int | None) -> None:
    """Enumerate the schedules of a tiny instance; the proof is withheld, since certificates are preferred to it."""
    if search.scaled.job_count > MOST_ENUMERATED_MOSP_JOBS or not search.step():
        return
    try:
        with search.timed("brute force"):
            optimum, schedule = brute_force(search.instance, MOST_PLACEMENTS)
    except TooLargeError:
        return
    violation = search.evidence.offer(schedule, "brute force")
    if violation or optimum != search.evidence.makespan:
        reason = violation or f"it misses a schedule of makespan {search.evidence.makespan}"
        raise SolverError(f"brute force is wrong: {reason}")
    search.withhold_enumeration()
