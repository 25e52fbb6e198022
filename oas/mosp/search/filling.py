"""The base class of event beams, and beams on one cluster: partial schedules that waste little time before a goal.

`ExactFill` is for instances with almost no free area before the goal.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.compiling import array, arrays, select_kernels
from oas.core.shared_kernels import allocate, draw_state
from oas.mosp.runs import ClusterRun
from oas.mosp.search import exact_fill_kernels, filling_kernels
from oas.mosp.search.exact_fill_kernels import CANDIDATES, ExactMemory
from oas.mosp.search.filling_kernels import FillMemory, FillProblem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.mosp.ticks import ScaledMosp

WIDTH, KIDS = 300, 30  # maximum number of schedules in the beam, and extensions of each
# Drawn for each schedule; none of these values was best on most instances.
GREEDS = (0.1, 0.2, 0.3)  # waste that the hardness of a placed job compensates, as a fraction of the hardness
NOISES = (0.0, 0.2, 1.0)  # random part of the value, in processors of the cluster × one tick
SLOTS = (0.5, 1.0)  # time between marks, in mean processing times
KIDS_A_STEP = 4  # schedules that take about as long as one step of ruin and recreate

# For beams that fill exactly
MAX_JOBS, MAX_PROCESSORS = 500, 4096  # limits of the cost of tables and rows
MAX_FREE = 0.01  # fraction of the area before the goal; with more free area, exact filling is not decisive
# Drawn for each beam; none of these values was best on most perfect packings of Hopper, Turton and Burke.
EXACT_WIDTHS, EXACT_KIDS = (100, 300, 1000), (5, 10, 20)
EXACT_SLOTS = (0.25, 0.5, 1.0)  # time between marks, in mean processing times
EXACT_BIASES, EXACT_NOISES = (0.3, 0.6, 1.0), (0.0, 0.1, 0.3)
EXACT_GREEDS, EXACT_ROUGHNESSES = (0.0, 0.1, 0.3, 1.0), (0.0, 0.005, 0.02)
EXACT_WORK = 200_000_000  # approximate table cells filled between marks: some tenths of a second
LEAST_WIDTH = 10


class Beam:
    """A resumable beam search, for one schedule after another.

    Time advances from one *mark* to the next. Each sweep moves the beam from one half of the rows, its *bank*, to the
    other half.

    `kernels` is the module with `begin` and `sweep`, which work on `problem` and `memory`. The beam contains at most
    `width` schedules; `state` is the random state as returned by `draw_state`.
    """

    def __init__(
        self, kernels: Any, problem: Any, memory: Any, width: int, state: Sequence[int], compiled: bool | None
    ) -> None:
        self._kernels: Any = select_kernels(compiled, kernels)
        self._problem: Any = arrays(problem)
        self._memory: Any = memory
        self._state: Any = array(list(state))
        self._width = width
        self._bank = self._kept = self._mark = self._goal = 0

    def begin(self, goal: int) -> None:
        """Begin a schedule for this goal."""
        self._goal = goal
        self._mark, self._bank, self._kept = 0, 0, 1
        self._kernels.begin(self._problem, self._memory)

    def _sweep_to(self, mark: int, *manner: Any) -> int:
        """Advance to a mark; return the second result of the kernel."""
        self._mark = mark
        kept, count = self._kernels.sweep(
            self._problem, self._memory, self._state, self._bank, self._kept, self._mark, *manner
        )
        self._bank, self._kept = 1 - self._bank, int(kept)
        return int(count)

    @property
    def finished(self) -> bool:
        """Whether all jobs of all schedules are placed, or the goal is reached."""
        return self._mark >= self._goal or not self._rows(self._memory.left).any()

    def _rows(self, columns: Any) -> Any:
        """Return the rows of the beam in one or several columns of the memory."""
        first = self._bank * self._width
        return columns.reshape(2 * self._width + 1, -1)[first : first + self._kept]

    def _least_undone(self, undone: Any) -> int:
        """Return the index in the beam of the first schedule with the least area of undone jobs."""
        return int((undone @ (self._problem.times.astype(float) * self._problem.widths)).argmin())


class EventBeam(Beam):
    """An event beam on one cluster.

    The result depends only on the seed and the goals. Releases and reservations are respected, deadlines are not.
    """

    def __init__(self, scaled: ScaledMosp, seed: int = 0, *, compiled: bool | None = None) -> None:
        self._random = Random(seed)
        state = draw_state(self._random)
        super().__init__(filling_kernels, *fill_arrays(scaled, self._random, WIDTH, KIDS), WIDTH, state, compiled)
        self._size = scaled.processors[0]
        self._mean = sum(scaled.times) // scaled.job_count + 1
        self._slot = 0
        self._greed = self._noise = 0.0

    def begin(self, goal: int) -> None:
        """Begin a schedule for this goal, with random parameters."""
        self._greed = self._random.choice(GREEDS)
        self._noise = self._random.choice(NOISES) * self._size
        self._slot = max(1, int(self._random.choice(SLOTS) * self._mean))
        super().begin(goal)

    def sweep(self) -> int:
        """Advance to the next mark; return the number of ruin-and-recreate steps that take as long."""
        schedules = self._sweep_to(self._mark + self._slot, self._greed, self._noise)
        return -(-schedules // KIDS_A_STEP)

    @property
    def placed(self) -> list[tuple[int, int]]:
        """(cluster, start) of each job in the schedule with the least area undone at the goal; (1, −1) if unplaced."""
        starts = self._rows(self._memory.start)
        best = starts[self._least_undone((starts < 0) | (starts + self._problem.times > self._goal))]
        return [(int(start < 0), int(start)) for start in best]


def fill_arrays(scaled: ScaledMosp, random: Random, width: int, kids: int) -> tuple[FillProblem, FillMemory]:
    """Return the instance and working memory for a beam of `width` schedules with `kids` extensions each."""
    jobs = range(scaled.job_count)
    longest, widest = max(scaled.times), max(scaled.widths)
    moments = sorted({0, *(moment for _, start, end, _ in scaled.reservations for moment in (start, end))})
    rows, steps = 2 * width + 1, 2 * (scaled.job_count + len(scaled.reservations)) + 4
    problem = FillProblem(
        sizes=[scaled.job_count, steps, width, kids],
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
    shapes = {
        "moments free": rows * steps,
        "start": rows * len(jobs),
        "count left name waste hard value": rows,
        "fitting": len(jobs),
    }
    return problem, allocate(FillMemory, shapes, floats="waste hard value")


class ExactFill(Beam):
    """Beams with random parameters, one after the other, until one places all jobs by the goal.

    The result depends only on the seed and the number of sweeps. `fills_exactly` says which instances are supported;
    the goal is the desired makespan in ticks.

    Attributes
    ----------
    runs
        A schedule that ends by the goal, by job index; None until one is found.
    """

    def __init__(self, scaled: ScaledMosp, goal: int, seed: int = 0, *, compiled: bool | None = None) -> None:
        self.runs: list[ClusterRun] | None = None
        self._scaled = scaled
        self._random = Random(seed)
        state = draw_state(self._random)
        problem, memory = fill_arrays(scaled, self._random, max(EXACT_WIDTHS), max(EXACT_KIDS))
        super().__init__(exact_fill_kernels, problem, memory, max(EXACT_WIDTHS), state, compiled)
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
        """Advance the beam to its next mark, or begin a new beam if no schedule is left."""
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
    """Return the area before the goal that jobs leave free, in processors × ticks; negative if they do not fit."""
    taken = sum(time * width for time, width in zip(scaled.times, scaled.widths, strict=True))
    return goal * sum(scaled.processors) - taken


def fills_exactly(scaled: ScaledMosp, goal: int) -> bool:
    """Return whether there is one cluster without reservations, small enough, with almost no free area."""
    if scaled.cluster_count > 1 or scaled.reservations:
        return False
    if scaled.job_count > MAX_JOBS or scaled.processors[0] > MAX_PROCESSORS:
        return False
    if any(deadline is not None and deadline < goal for deadline in scaled.deadlines):
        return False
    return 0 <= area_free(scaled, goal) <= MAX_FREE * goal * scaled.processors[0]
