"""A beam that fills one cluster exactly: for instances whose area leaves next to nothing free before the goal."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from heuristics.mosp.search import exact_fill_kernels
from heuristics.mosp.search.exact_fill_kernels import CANDIDATES, ExactMemory
from heuristics.mosp.search.filling import draw_state, fill_memory, fill_problem
from heuristics.mosp.search.filling_kernels import KIDS, WIDTH, begin
from oas.core.compiling import array, arrays, chosen
from oas.problems.mosp.runs import ClusterRun

if TYPE_CHECKING:
    from oas.problems.mosp.ticks import ScaledMosp

MAX_JOBS, MAX_PROCESSORS = 500, 4096  # beyond, tables and rows take too long
MAX_FREE = 0.01  # of the area before the goal; with more, what is left free is not what decides
# Drawn by lot for each beam; no value of these was best on most of Hopper's, Turton's and Burke's perfect packings.
WIDTHS, CHILDREN = (100, 300, 1000), (5, 10, 20)
SLOTS = (0.25, 0.5, 1.0)  # from mark to mark, in mean times
BIASES, NOISES, GREEDS, ROUGHNESSES = (0.3, 0.6, 1.0), (0.0, 0.1, 0.3), (0.0, 0.1, 0.3, 1.0), (0.0, 0.005, 0.02)
WORK = 200_000_000  # cells of tables filled from mark to mark, about: some tenths of a second
LEAST_WIDTH = 10


class ExactFill:
    """Beams one after the other, each drawn anew, until one places all jobs by the goal.

    What is found depends on the seed and the number of sweeps alone.

    Parameters
    ----------
    scaled
        The instance; `fills_exactly` tells whether it is one for this.
    goal
        The makespan that is asked for, in ticks.
    seed
        Of the random numbers.
    compiled
        See `oas.core.compiling.chosen`.

    Attributes
    ----------
    runs
        A schedule that ends by the goal, in the order of job indices; None before it is found.
    """

    def __init__(self, scaled: ScaledMosp, goal: int, seed: int = 0, *, compiled: bool | None = None) -> None:
        self.runs: list[ClusterRun] | None = None
        self._scaled = scaled
        self._random = Random(seed)
        self._state: Any = array(draw_state(self._random))
        self._problem: Any = arrays(fill_problem(scaled, self._random, max(WIDTHS), max(CHILDREN)))
        self._memory: Any = arrays(fill_memory(self._problem))
        jobs, size = scaled.job_count, scaled.processors[0]
        self._exact: Any = ExactMemory(
            array([0] * jobs), array([0.0] * jobs), np.zeros((CANDIDATES + 1) * (size + 1), dtype=np.int8)
        )
        self._limits: Any = array([goal, area_free(scaled, goal)])
        self._manner: Any = array([0.0] * 4)
        self._kernels: Any = chosen(compiled, exact_fill_kernels)
        self._bank = self._kept = self._mark = self._slot = 0

    def sweep(self) -> None:
        """Take the beam to its next mark, or begin one where none is left of the last."""
        if self._kept == 0 or self._mark >= int(self._limits[0]):
            self._begin()
        self._mark += self._slot
        kept, row = self._kernels.sweep_exactly(
            self._problem,
            self._memory,
            self._exact,
            self._state,
            self._bank,
            self._kept,
            self._mark,
            self._limits,
            self._manner,
        )
        self._bank, self._kept = 1 - self._bank, int(kept)
        if row >= 0:
            jobs = self._scaled.job_count
            starts = self._memory.start[int(row) * jobs : (int(row) + 1) * jobs]
            self.runs = [ClusterRun(job, 0, int(start)) for job, start in enumerate(starts)]

    def _begin(self) -> None:
        draw = self._random.choice
        jobs, size = self._scaled.job_count, self._scaled.processors[0]
        mean = sum(self._scaled.times) / jobs
        children, slot = draw(CHILDREN), draw(SLOTS)
        cells = children * min(jobs, CANDIDATES) * size
        self._problem.sizes[KIDS] = children
        self._problem.sizes[WIDTH] = max(LEAST_WIDTH, min(draw(WIDTHS), WORK // cells))
        self._slot = max(1, int(slot * mean))
        for place, values in enumerate((BIASES, NOISES, GREEDS, ROUGHNESSES)):
            self._manner[place] = draw(values)
        begin(self._problem, self._memory)
        self._bank, self._kept, self._mark = 0, 1, 0


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
