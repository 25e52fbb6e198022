"""Schedules of many jobs at once: widest first, each job at the level at which it begins first."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from heuristics.coallocation.search import annealing_kernels
from heuristics.coallocation.search.annealing import make_memory, make_problem
from oas.core.compiling import arrays, chosen
from oas.problems.coallocation.allocations import Run, make_allocation

if TYPE_CHECKING:
    from oas.problems.coallocation.ticks import ScaledCoallocation

BLURS = (0.1, 0.2, 0.3)  # in turn: by what share a job's tasks may be less in the order than they are


class WidestFirst:
    """Places jobs one after the other, in orders by their tasks that are blurred after the first one.

    Each job goes to the earliest moment at which some level has an allocation, and there takes the level at which it
    ends first. Annealing holds the levels of jobs fixed while it moves others, and needs many orders to get as far.

    Measured with 256 jobs on 6 clusters of 80 nodes: the first order takes .015 s and gives 2,114 slots where
    annealing has 2,130 after 24 s (bound 2,059).
    """

    def __init__(self, scaled: ScaledCoallocation, seed: int = 0, *, compiled: bool | None = None) -> None:
        self._scaled = scaled
        self._random = Random(seed)
        self._built = 0
        self._problem: Any = make_problem(scaled)
        self._kernels: Any = chosen(compiled, annealing_kernels)
        if self._problem is None:
            return
        self._memory: Any = arrays(make_memory(self._problem))
        self._problem = arrays(self._problem)

    def build(self) -> list[Run] | None:
        """Return the next schedule, in the order of job indices; None if some job has no allocation."""
        if self._problem is None:
            return None
        blur = BLURS[self._built % len(BLURS)] if self._built else 0.0
        self._built += 1
        tasks = self._scaled.tasks
        key = [-own * self._random.uniform(1 - blur, 1) for own in tasks]
        width = len(self._problem.empty)
        self._memory.profile[:width] = self._problem.empty
        self._memory.rows[0] = 1
        runs = [self._place(job) for job in sorted(range(len(tasks)), key=lambda job: key[job])]
        return sorted(runs, key=lambda run: run.job)

    def _place(self, job: int) -> Run:
        """Place a job at the best of its levels."""
        memory, levels = self._memory, len(self._scaled.powers)
        rows = int(memory.rows[0])
        size = rows * len(self._problem.empty)
        saved = memory.profile[:size].copy()
        options = dict.fromkeys(int(level) for level in self._problem.canonical[job * levels : (job + 1) * levels])
        found = []
        for level in options:
            found.append((self._run(job, level), level))
            memory.profile[:size] = saved
            memory.rows[0] = rows
        _, level = min(found, key=lambda one: (one[0].start, one[0].end))
        return self._run(job, level)

    def _run(self, job: int, level: int) -> Run:
        end = int(self._kernels.place_job(self._problem, self._memory, job, level, 0))
        allocation = make_allocation(self._scaled, job, [int(count) for count in self._memory.counts])
        return Run(job, end - allocation.duration, allocation)
