"""A search over job orders, for MOSP instances with many jobs, most of them narrow."""

from __future__ import annotations

from bisect import bisect_right
from math import inf
from typing import TYPE_CHECKING, Any

from oas.core.compiling import array, arrays
from oas.core.shared_kernels import NEVER, allocate
from oas.mosp.runs import ClusterRun
from oas.mosp.search import orders_kernels
from oas.mosp.search.orders_kernels import BEST, OrderMemory, OrderProblem
from oas.solving.local_search import ResumableSearch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.mosp.ticks import ScaledMosp

HOT, COLD = 0.005, 0.001  # first and last temperature of a round, relative to the mean area of a job
ROWS, COLUMNS = 8, 8  # maximum number of time classes and width classes; see the kernels
ROUND = 2_000  # orders tried in a round; doubled each time all goals have been missed
DOUBLINGS = 8
HALF = 0.5  # of the way from the highest missed goal to the best schedule
NEAR = 1_000  # minimum distance of two goals: target / NEAR
FURTHER = 32  # while there is no schedule, the goal rises by target / FURTHER
WORK = 250_000_000  # jobs² processed in about a tenth of a second
RESERVED = 10  # a reservation costs as much as this many jobs
PARTS = (1, 2, 4, 7, 10, 15, 20, 30, 50)  # divisions of the time to the goal in which latest starts count as equal
FEW_PARTS = (1, 10)  # used if an order takes longer than a tenth of a second


class OrderSearch(ResumableSearch[ClusterRun]):
    """Annealing over the order in which jobs are placed, each as early as possible.

    It starts from the order of least overhang among several, sorted by rounded latest start, then width or area. A
    round tries to place all jobs within a *goal*, halfway from the highest missed goal to the best schedule, and
    continues from the last order of the previous round. The part beyond the target soon consists of a few narrow jobs
    that end far later: they do not fit within the target but fit within the goal. When all goals have been missed, the
    goals start again near the target and rounds are twice as long.
    """

    loop = orders_kernels.anneal_orders

    def __init__(self, scaled: ScaledMosp, seed: int = 0, *, compiled: bool | None = None) -> None:
        super().__init__(orders_kernels, seed, compiled)
        self._scaled = scaled
        self._heat: Any = array([0.0, 0.0])
        self._problem, self._memory = _make(scaled)
        self._round = self._left = self._goal = self._missed = 0
        self._target: int | None = None
        self._mean = sum(map(int.__mul__, scaled.times, scaled.widths)) / scaled.job_count

    @property
    def pace(self) -> int:
        """Number of steps that take about a tenth of a second."""
        return self._paced(WORK // self._work)

    @property
    def _work(self) -> int:
        """Cost of trying an order."""
        jobs = self._scaled.job_count
        return jobs * (jobs + RESERVED * len(self._scaled.reservations))

    def _advance(self, target: int, steps: int) -> int:
        if self._target != target:
            self._take_aim(target)
            if self.makespan <= target:
                return 0
        if self._left == 0 or self.makespan <= self._goal:
            self._start_round()
        done = int(
            self._kernels.anneal_orders(
                self._problem,
                self._memory,
                self._state,
                self._logs,
                min(steps, self._left),
                self._heat,
                (COLD / HOT) ** (1 / self._length),
                self._goal,
            )
        )
        self._note_best()
        self.tried += done
        self._left -= done
        if self._left == 0 and self.makespan > self._goal:
            self._missed = self._goal
        return done

    def _note_best(self) -> None:
        """Copy the best schedule from the kernels, in which no job is late."""
        if self._memory.found[BEST] < self.makespan:
            places = zip(self._memory.best_cluster.tolist(), self._memory.best_start.tolist(), strict=True)
            self.best = [ClusterRun(job, *place) for job, place in enumerate(places)]

    def _adopt(self, start: list[ClusterRun]) -> None:
        self.best = start
        self._memory.found[BEST] = self.makespan

    def _end(self, run: ClusterRun) -> int:
        return run.start + self._scaled.times[run.job]

    @property
    def _length(self) -> int:
        return ROUND << min(self._round, DOUBLINGS)

    def _take_aim(self, target: int) -> None:
        """Set the target; the first time, select the initial order with the least overhang."""
        if self._target is None:
            least = inf
            for order in _orders(self._scaled, target, PARTS if self._work <= WORK else FEW_PARTS):
                self._memory.tried[:] = order
                value = self._overhang(self._memory.tried, target)
                if value < least:
                    least = value
                    self._memory.order[:] = self._memory.tried
        self._target, self._missed, self._left = target, target - 1, 0

    def _overhang(self, order: Any, goal: int) -> float:
        """Return the overhang of an order beyond the goal, and keep its schedule if it is the best."""
        value = float(self._kernels.overhang(self._problem, self._memory, order, goal, inf))
        self._kernels.keep(self._memory)
        self._note_best()
        return value

    def _start_round(self) -> None:
        """Set the next goal for the current order; when all goals have been missed, restart them near the target."""
        assert self._target is not None
        best = self.makespan
        if best == NEVER:
            self._goal = min(self._missed + max(1, self._target // FURTHER), 2 * self._target)
        else:
            if best - self._missed <= max(1, self._target // NEAR):
                self._missed = self._target - 1
                self._round += 1
            self._goal = min(best - 1, self._missed + max(1, int((best - self._missed) * HALF)))
        self._heat[1] = self._overhang(self._memory.order, self._goal)
        self._heat[0] = HOT * self._mean
        self._left = self._length


def _orders(scaled: ScaledMosp, target: int, divisions: Sequence[int]) -> list[list[int]]:
    """Return initial orders: by rounded latest start, then widest or largest first."""
    jobs = range(scaled.job_count)
    late = []
    for owner, time in zip(scaled.owners, scaled.times, strict=True):
        deadline = scaled.deadlines[owner]
        late.append((target if deadline is None else min(deadline, target)) - time)
    works = [time * width for time, width in zip(scaled.times, scaled.widths, strict=True)]
    return [
        sorted(jobs, key=lambda job: (late[job] * parts // max(target, 1), -sizes[job], -scaled.times[job], job))
        for sizes in (scaled.widths, works)
        for parts in divisions
    ]


def _make(scaled: ScaledMosp) -> tuple[Any, Any]:
    """Return the instance as used by the kernels, and their working memory."""
    jobs = scaled.job_count
    rows, columns = buckets(scaled.times, ROWS), buckets(scaled.widths, COLUMNS)
    due = [scaled.deadlines[owner] for owner in scaled.owners]
    shapes = {
        "order tried cluster start best_cluster best_start": jobs,
        "found": 3,
        "moments free after": scaled.cluster_count + 2 * (jobs + len(scaled.reservations)),
        "used": 1,
        "first": scaled.cluster_count * len(rows) * len(columns),
    }
    memory: Any = allocate(OrderMemory, shapes)
    memory.found[BEST] = NEVER
    memory.after[:] = -1
    memory.free[: scaled.cluster_count] = scaled.processors
    memory.used[0] = scaled.cluster_count
    for cluster, start, end, width in scaled.reservations:
        orders_kernels.occupy(memory, cluster, start, end, width)
    used = int(memory.used[0])
    problem = OrderProblem(
        sizes=[jobs, used],
        times=list(scaled.times),
        widths=list(scaled.widths),
        releases=list(scaled.releases),
        deadlines=[NEVER if moment is None else moment for moment in due],
        works=[float(time) * width for time, width in zip(scaled.times, scaled.widths, strict=True)],
        row=[bisect_right(rows, time) - 1 for time in scaled.times],
        rows=rows,
        column=[bisect_right(columns, width) - 1 for width in scaled.widths],
        columns=columns,
        processors=list(scaled.processors),
        moments=memory.moments[:used].tolist(),
        free=memory.free[:used].tolist(),
        after=memory.after[:used].tolist(),
    )
    return arrays(problem), memory


def buckets(values: Sequence[int], most: int) -> list[int]:
    """Return at most `most` lower bounds of buckets, spread evenly over the distinct values, including the least."""
    distinct = sorted(set(values))
    count = min(most, len(distinct))
    return [distinct[index * len(distinct) // count] for index in range(count)]
