"""Stages for instances of special structure: bins, identical machines, clusters to be filled exactly, and few jobs."""

from __future__ import annotations

import time
from functools import partial
from heapq import heapify, heapreplace
from random import Random
from typing import TYPE_CHECKING

from oas.checker.brute_force import MOST_ENUMERATED_MOSP_JOBS
from oas.core.errors import SolverError, TooLargeError
from oas.mosp.bounds.pair_tree import pair_tree_bound
from oas.mosp.bounds.pair_tree.bins import OneProcessorEach, bins_of
from oas.mosp.search.filling import ExactFill, fills_exactly
from oas.solving.brute_force import brute_force

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.mosp.exact.search import MospExactSearch

# Shares refer to the remaining time.
MACHINES_SHARE = 0.1  # at most
MACHINE_STEPS, SLICE = 6_000, 50  # in total, and between two checks of the clock
FREE = 40  # maximum number of jobs of two machines that are redistributed; the others stay
MOST_UNITS = 2**23  # maximum sum of the times of these jobs in units: a megabyte for the sums of each
LEAST_LOADED = 0.5  # probability that the second machine is the least loaded one
BINS_SHARE = 0.8  # no other stage is competitive on these instances
FILL_SHARE, FEW_FILL_SHARE = 0.4, 0.05
FEW_JOBS = 25  # up to this number, trees and CP-SAT solve the instances that a short filling leaves open
UNLIMITED_SWEEPS = 2_000  # without a time limit
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
    structure = bins_of(search.scaled)
    if not isinstance(structure, OneProcessorEach) or not search.step():
        return
    seconds = search.share(MACHINES_SHARE)
    least = None if seconds is None else (search.time_left() or 0.0) - seconds
    balancing = Balancing(structure.sizes, sum(search.scaled.processors), search.seed)
    with search.timed("machines"):
        for _ in range(MACHINE_STEPS // SLICE):
            if balancing.improve(-(-search.lower // structure.unit), SLICE):
                break
            if least is not None and (search.time_left() or 0.0) < least:
                break
    if balancing.makespan * structure.unit < search.upper:
        packed = [(0, jobs) for jobs in balancing.jobs]
        search.accept(structure.runs(balancing.makespan, packed), "balanced machines")


def bins(search: MospExactSearch, memory: int | None) -> None:
    """Pack jobs of equal times, or of one processor each, by column generation and dives, or refute makespans.

    The special structure is reported in the notes.
    """
    structure = bins_of(search.scaled)
    if structure is None:
        return
    search.notes.append(structure.title)
    search.settle("bins", partial(pair_tree_bound, memory=memory), BINS_SHARE, source="columns")


def exact_fill(search: MospExactSearch, _memory: int | None) -> None:
    """Search for a schedule whose makespan equals the bound, if this makespan leaves almost no idle area."""
    if not fills_exactly(search.scaled, search.lower) or not search.step():
        return
    fill = ExactFill(search.scaled, search.lower, search.seed)
    seconds = search.share(FILL_SHARE if search.scaled.job_count > FEW_JOBS else FEW_FILL_SHARE)
    until = None if seconds is None else time.monotonic() + seconds
    for _ in range(UNLIMITED_SWEEPS if until is None else 2**62):
        with search.timed("exact fill"):
            fill.sweep()
        if fill.runs is not None:
            search.offer(fill.runs, "exact fill")
            return
        if not search.step() or (until is not None and time.monotonic() >= until):
            return


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
