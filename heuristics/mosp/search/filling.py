"""An event beam on one cluster: partial schedules that waste little of the time before a goal."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import numpy

from heuristics.mosp.search import filling_kernels
from heuristics.mosp.search.filling_kernels import FillMemory, FillProblem
from oas.core.compiling import array, arrays, chosen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.mosp.ticks import ScaledMosp

WIDTH, KIDS = 300, 30  # schedules in the beam, and ways in which each goes on
# Drawn by lot for each schedule; no value of these was best on most instances.
GREEDS = (0.1, 0.2, 0.3)  # waste that the hardness of a job makes up for, as a part of it
NOISES = (0.0, 0.2, 1.0)  # by lot, as a part of the cluster for one tick
SLOTS = (0.5, 1.0)  # from mark to mark, in mean times
KIDS_A_STEP = 4  # schedules made in the time of a step of ruin and recreate, about


class EventBeam:
    """A beam search that goes on where it stopped, for one schedule after another.

    What is found depends on the seed and the goals alone.

    Parameters
    ----------
    scaled
        The instance, of one cluster; releases and reservations are kept, deadlines are not looked at.
    seed
        Of the random numbers.
    compiled
        See `oas.core.compiling.chosen`.
    """

    def __init__(self, scaled: ScaledMosp, seed: int = 0, *, compiled: bool | None = None) -> None:
        random = Random(seed)
        self._jobs = scaled.job_count
        self._random = random
        self._state: Any = array([random.randrange(1, 2**31 - 250) for _ in range(2)])
        self._mean = sum(scaled.times) // scaled.job_count + 1
        self._size = scaled.processors[0]
        self._problem: Any = arrays(fill_problem(scaled, random, WIDTH, KIDS))
        self._memory: Any = arrays(fill_memory(self._problem))
        self._kernels: Any = chosen(compiled, filling_kernels)
        self._bank = self._kept = self._mark = self._slot = self._goal = 0
        self._greed = self._noise = 0.0

    def begin(self, goal: int) -> None:
        """Begin a schedule for this goal, in a manner drawn by lot."""
        self._goal = goal
        self._greed = self._random.choice(GREEDS)
        self._noise = self._random.choice(NOISES) * self._size
        self._slot = max(1, int(self._random.choice(SLOTS) * self._mean))
        self._mark, self._bank, self._kept = 0, 0, 1
        self._kernels.begin(self._problem, self._memory)

    def sweep(self) -> int:
        """Go on to the next mark; return how many steps of ruin and recreate that took the time of."""
        self._mark += self._slot
        self._kept, made = map(
            int,
            self._kernels.sweep(
                self._problem, self._memory, self._state, self._bank, self._kept, self._mark, self._greed, self._noise
            ),
        )
        self._bank = 1 - self._bank
        return -(-made // KIDS_A_STEP)

    @property
    def finished(self) -> bool:
        """Whether all jobs of all schedules are placed, or the goal is reached."""
        return self._mark >= self._goal or not self._kernels.unfinished(self._memory, self._first, self._kept)

    @property
    def starts(self) -> list[int]:
        """Starts of the schedule that leaves least undone at the goal, by job: −1 for jobs that it has not placed."""
        row = int(self._kernels.best_row(self._problem, self._memory, self._first, self._kept, self._goal))
        return [int(start) for start in self._memory.start[row * self._jobs : (row + 1) * self._jobs]]

    @property
    def _first(self) -> int:
        return self._bank * int(self._problem.sizes[filling_kernels.WIDTH])


def fill_problem(scaled: ScaledMosp, random: Random, width: int, kids: int) -> FillProblem:
    """Return the instance as lists of integers, for a beam of so many schedules that each go on in so many ways."""
    jobs = range(scaled.job_count)
    longest, widest = max(scaled.times), max(scaled.widths)
    moments = sorted({0, *(moment for _, start, end, _ in scaled.reservations for moment in (start, end))})
    return FillProblem(
        sizes=[scaled.job_count, 2 * (scaled.job_count + len(scaled.reservations)) + 4, width, kids],
        times=list(scaled.times),
        widths=list(scaled.widths),
        releases=list(scaled.releases),
        names=[random.randrange(2**40) for _ in jobs],
        hardness=[
            float(time) * float(width) * (width / widest + time / longest) / 2
            for time, width in zip(scaled.times, scaled.widths, strict=True)
        ],
        queue=sorted(jobs, key=lambda job: (-scaled.widths[job], -scaled.times[job], job)),
        moments=moments,
        free=[
            scaled.processors[0] - sum(width for _, start, end, width in scaled.reservations if start <= moment < end)
            for moment in moments
        ],
    )


def fill_memory(problem: FillProblem) -> FillMemory:
    """Return room for the loops' work."""
    jobs, steps, width = problem.sizes[:3]
    rows = 2 * width + 1
    return FillMemory(
        moments=[0] * (rows * steps),
        free=[0] * (rows * steps),
        count=[0] * rows,
        start=[0] * (rows * jobs),
        left=[0] * rows,
        name=[0] * rows,
        waste=[0.0] * rows,
        hard=[0.0] * rows,
        value=[0.0] * rows,
        fitting=[0] * jobs,
    )


def _array(numbers: Sequence[float]) -> Any:
    return numpy.array(numbers)
