"""The base of event beams, and those on one cluster: partial schedules that waste little time before a goal.

`ExactFill` is for instances whose area leaves next to nothing free before the goal.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from heuristics.mosp.search import exact_fill_kernels, filling_kernels
from heuristics.mosp.search.exact_fill_kernels import CANDIDATES, ExactMemory
from heuristics.mosp.search.filling_kernels import FillMemory, FillProblem
from heuristics.shared_kernels import draw_state
from oas.core.compiling import array, arrays, chosen
from oas.problems.mosp.runs import ClusterRun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.mosp.ticks import ScaledMosp

WIDTH, KIDS = 300, 30  # schedules in the beam, and continuations of each
# Drawn at random for each schedule; no value was best on most instances.
GREEDS = (0.1, 0.2, 0.3)  # share of the hardness of a job that compensates waste
NOISES = (0.0, 0.2, 1.0)  # by lot, as a part of the cluster for one tick
SLOTS = (0.5, 1.0)  # from mark to mark, in mean times
KIDS_A_STEP = 4  # schedules made in the time of a step of ruin and recreate, about

# Of beams that fill exactly
MAX_JOBS, MAX_PROCESSORS = 500, 4096  # beyond, tables and rows take too long
MAX_FREE = 0.01  # of the area before the goal; with more, what is left free is not what decides
# Drawn by lot for each beam; no value of these was best on most of Hopper's, Turton's and Burke's perfect packings.
EXACT_WIDTHS, EXACT_KIDS = (100, 300, 1000), (5, 10, 20)
EXACT_SLOTS = (0.25, 0.5, 1.0)  # from mark to mark, in mean times
EXACT_BIASES, EXACT_NOISES = (0.3, 0.6, 1.0), (0.0, 0.1, 0.3)
EXACT_GREEDS, EXACT_ROUGHNESSES = (0.0, 0.1, 0.3, 1.0), (0.0, 0.005, 0.02)
EXACT_WORK = 200_000_000  # cells of tables filled from mark to mark, about: some tenths of a second
LEAST_WIDTH = 10


class Beam:
    """A beam search that continues where it stopped, for one schedule after another.

    Time is taken to one *mark* after the other. The beam is in one half of the rows of the memory, its *bank*, and in
    the other one after each sweep.

    `kernels` is the module of its loops, `begin` and `sweep`, which work on `problem` and `memory`. It holds at most
    `width` schedules; `state` is that of the random numbers, as `draw_state` returns it.
    """

    def __init__(
        self, kernels: Any, problem: Any, memory: Any, width: int, state: Sequence[int], compiled: bool | None
    ) -> None:
        self._kernels: Any = chosen(compiled, kernels)
        self._problem: Any = arrays(problem)
        self._memory: Any = arrays(memory)
        self._state: Any = array(list(state))
        self._width = width
        self._bank = self._kept = self._mark = self._goal = 0

    def begin(self, goal: int) -> None:
        """Begin a schedule for this goal."""
        self._goal = goal
        self._mark, self._bank, self._kept = 0, 0, 1
        self._kernels.begin(self._problem, self._memory)

    def _sweep_to(self, mark: int, *manner: Any) -> int:
        """Continue to a mark; return the result of the kernel."""
        self._mark = mark
        kept, made = self._kernels.sweep(
            self._problem, self._memory, self._state, self._bank, self._kept, self._mark, *manner
        )
        self._bank, self._kept = 1 - self._bank, int(kept)
        return int(made)

    @property
    def finished(self) -> bool:
        """Whether all jobs of all schedules are placed, or the goal is reached."""
        return self._mark >= self._goal or not self._rows(self._memory.left).any()

    def _rows(self, columns: Any) -> Any:
        """Return the entries of one or several columns of the memory, a row for each schedule in the beam."""
        first = self._bank * self._width
        return columns.reshape(2 * self._width + 1, -1)[first : first + self._kept]

    def _least_undone(self, undone: Any) -> int:
        """Return the place in the beam of the first schedule whose jobs undone have the least processors × time."""
        return int((undone @ (self._problem.times.astype(float) * self._problem.widths)).argmin())


class EventBeam(Beam):
    """An event beam on one cluster.

    The results depend only on the seed and the goals. Releases and reservations are respected, deadlines are ignored.
    """

    def __init__(self, scaled: ScaledMosp, seed: int = 0, *, compiled: bool | None = None) -> None:
        self._random = Random(seed)
        state = draw_state(self._random)
        problem = fill_problem(scaled, self._random, WIDTH, KIDS)
        super().__init__(filling_kernels, problem, fill_memory(problem), WIDTH, state, compiled)
        self._size = scaled.processors[0]
        self._mean = sum(scaled.times) // scaled.job_count + 1
        self._slot = 0
        self._greed = self._noise = 0.0

    def begin(self, goal: int) -> None:
        """Begin a schedule for this goal, in a manner drawn by lot."""
        self._greed = self._random.choice(GREEDS)
        self._noise = self._random.choice(NOISES) * self._size
        self._slot = max(1, int(self._random.choice(SLOTS) * self._mean))
        super().begin(goal)

    def sweep(self) -> int:
        """Go on to the next mark; return how many steps of ruin and recreate that took the time of."""
        made = self._sweep_to(self._mark + self._slot, self._greed, self._noise)
        return -(-made // KIDS_A_STEP)

    @property
    def starts(self) -> list[int]:
        """Starts of the schedule that leaves least undone at the goal, by job: −1 for jobs that it has not placed."""
        starts = self._rows(self._memory.start)
        best = starts[self._least_undone((starts < 0) | (starts + self._problem.times > self._goal))]
        return [int(start) for start in best]

    @property
    def placed(self) -> list[tuple[int, int]]:
        """(cluster, start) of each job in that schedule."""
        return [(int(start < 0), start) for start in self.starts]


def fill_problem(scaled: ScaledMosp, random: Random, width: int, kids: int) -> FillProblem:
    """Return the instance as lists of integers, for a beam of `width` schedules with `kids` continuations each."""
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


class ExactFill(Beam):
    """A sequence of beam searches with different random numbers, until one places all jobs by the goal.

    The results depend only on the seed and the number of sweeps.

    `fills_exactly` tells whether it applies to an instance; the goal is the requested makespan in ticks.

    Attributes
    ----------
    runs
        A schedule that ends by the goal, in the order of job indices; None before it is found.
    """

    def __init__(self, scaled: ScaledMosp, goal: int, seed: int = 0, *, compiled: bool | None = None) -> None:
        self.runs: list[ClusterRun] | None = None
        self._scaled = scaled
        self._random = Random(seed)
        state = draw_state(self._random)
        problem = fill_problem(scaled, self._random, max(EXACT_WIDTHS), max(EXACT_KIDS))
        super().__init__(exact_fill_kernels, problem, fill_memory(problem), max(EXACT_WIDTHS), state, compiled)
        jobs, size = scaled.job_count, scaled.processors[0]
        self._exact: Any = ExactMemory(
            chosen=array([0] * jobs),
            key=array([0.0] * jobs),
            reached=np.zeros((CANDIDATES + 1) * (size + 1), dtype=np.int8),
            limits=array([goal, area_free(scaled, goal)]),
            manner=array([0.0] * 4),
        )
        self._goal, self._kept, self._slot = goal, 0, 0

    def sweep(self) -> None:
        """Continue the beam to its next mark, or begin a new one if it is empty or finished."""
        if self._kept == 0 or self._mark >= self._goal:
            self._draw_beam()
        row = self._sweep_to(self._mark + self._slot, self._exact)
        if row >= 0:
            jobs = self._scaled.job_count
            starts = self._memory.start[row * jobs : (row + 1) * jobs]
            self.runs = [ClusterRun(job, 0, int(start)) for job, start in enumerate(starts)]

    def _draw_beam(self) -> None:
        draw = self._random.choice
        jobs, size = self._scaled.job_count, self._scaled.processors[0]
        mean = sum(self._scaled.times) / jobs
        children, slot = draw(EXACT_KIDS), draw(EXACT_SLOTS)
        cells = children * min(jobs, CANDIDATES) * size
        self._problem.sizes[filling_kernels.KIDS] = children
        self._problem.sizes[filling_kernels.WIDTH] = max(LEAST_WIDTH, min(draw(EXACT_WIDTHS), EXACT_WORK // cells))
        self._slot = max(1, int(slot * mean))
        for place, values in enumerate((EXACT_BIASES, EXACT_NOISES, EXACT_GREEDS, EXACT_ROUGHNESSES)):
            self._exact.manner[place] = draw(values)
        self.begin(self._goal)


def area_free(scaled: ScaledMosp, goal: int) -> int:
    """Return processors × ticks that no job takes before the goal, negative if they cannot all end by it."""
    taken = sum(time * width for time, width in zip(scaled.times, scaled.widths, strict=True))
    return goal * sum(scaled.processors) - taken


def fills_exactly(scaled: ScaledMosp, goal: int) -> bool:
    """Tell whether there is one cluster without reservations, of a size the tables bear, and next to nothing free."""
    if scaled.cluster_count > 1 or scaled.reservations:
        return False
    if scaled.job_count > MAX_JOBS or scaled.processors[0] > MAX_PROCESSORS:
        return False
    if any(deadline is not None and deadline < goal for deadline in scaled.deadlines):
        return False
    return 0 <= area_free(scaled, goal) <= MAX_FREE * goal * scaled.processors[0]
