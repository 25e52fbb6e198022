"""Tiny random problems of jobs, modes, weightings, pairs apart and conflicts, and all of their schedules."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from random import Random

import numpy as np

from oas.bounds.windows.tree import WindowsTree

EMPTY = (0, -1)


@dataclass
class Problem:
    """A problem, with the arguments of `WindowsTree`; conflicts are (slowest mode by job, pairs)."""

    times: list[list[int]]
    windows: list[list[tuple[int, int]]]
    apart: np.ndarray
    weightings: list[tuple[list[list[int]], int]]
    conflicts: list[tuple[dict[int, int], list[tuple[int, int]]]]
    horizon: int

    def tree(self, compiled=False):
        """The search for its schedules."""
        tree = WindowsTree(self.times, self.windows, self.apart, self.weightings, self.horizon, compiled=compiled)
        for slowest, pairs in self.conflicts:
            tree.add_conflict(list(slowest.items()), pairs)
        return tree

    @cached_property
    def schedules(self):
        """All schedules: of each job its mode and start."""
        runs = [
            [(mode, start) for mode, (first, last) in enumerate(row) for start in range(first, last + 1)]
            for row in self.windows
        ]
        return [one for one in product(*runs) if self._holds(one)]

    def end(self, schedule, job):
        """The end of a job."""
        return schedule[job][1] + self.times[job][schedule[job][0]]

    def overlap(self, schedule, job, other):
        """Whether two jobs run at the same moment."""
        return schedule[job][1] < self.end(schedule, other) and schedule[other][1] < self.end(schedule, job)

    def _holds(self, schedule):
        jobs = range(len(self.times))
        for job, other in combinations(jobs, 2):
            if self.apart[job, schedule[job][0], other, schedule[other][0]] and self.overlap(schedule, job, other):
                return False
        for moment in {start for _, start in schedule}:
            running = [job for job in jobs if schedule[job][1] <= moment < self.end(schedule, job)]
            for weights, capacity in self.weightings:
                if sum(weights[job][schedule[job][0]] for job in running) > capacity:
                    return False
        return not any(
            all(schedule[job][0] <= mode for job, mode in slowest.items())
            and all(self.overlap(schedule, *pair) for pair in pairs)
            for slowest, pairs in self.conflicts
        )


def random_problem(seed, jobs=3):
    """Draw a problem of so many jobs; about half of them have a schedule."""
    random = Random(seed)
    modes, horizon = random.choice((1, 2, 2)), random.randint(3, 6)
    times = [sorted(random.randint(1, 3) for _ in range(modes)) for _ in range(jobs)]
    windows = [
        [EMPTY if mode and random.random() < 0.2 else (0, horizon - time) for mode, time in enumerate(row)]
        for row in times
    ]
    weightings = []
    for _ in range(random.randint(1, 2)):
        weights = [sorted((random.randint(0, 4) for _ in range(modes)), reverse=True) for _ in range(jobs)]
        weightings.append((weights, max(random.randint(3, 6), *(max(row) for row in weights))))
    apart = np.zeros((jobs, modes, jobs, modes), dtype=np.bool_)
    for job, other in combinations(range(jobs), 2):
        for mode, beside in product(range(modes), repeat=2):
            if random.random() < 0.4:
                apart[job, mode, other, beside] = apart[other, beside, job, mode] = True
    conflicts = []
    for _ in range(random.randint(0, 2)):
        members = random.sample(range(jobs), random.randint(2, jobs))
        every = [tuple(sorted(pair)) for pair in combinations(members, 2)]
        pairs = sorted(random.sample(every, random.randint(1, len(every))))
        conflicts.append(({job: random.randrange(modes) for job in members}, pairs))
    return Problem(times, windows, apart, weightings, conflicts, horizon)
