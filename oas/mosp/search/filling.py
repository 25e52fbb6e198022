"""The base class of event beams, and beams on one cluster: partial schedules that waste little time before a goal."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from oas.core.compiling import array, arrays, select_kernels
from oas.core.shared_kernels import allocate, draw_state
from oas.mosp.search import filling_kernels
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
