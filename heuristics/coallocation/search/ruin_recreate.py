"""Ruin and recreate of co-allocated jobs at a target makespan, for the last slots between schedule and bound."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from heuristics.coallocation.search import ruin_recreate_kernels
from heuristics.coallocation.search.annealing import LOGS
from heuristics.coallocation.search.annealing_arrays import make_problem
from heuristics.coallocation.search.annealing_kernels import CLASSES, CLUSTERS, JOBS, Problem
from heuristics.coallocation.search.ruin_recreate_kernels import COUNTS, LEVEL, ORDERS, START, TIME, Memory
from oas.core.compiling import SLOWER, array, arrays, chosen
from oas.problems.coallocation.allocations import fastest_level, make_allocation, tasks_by_cluster
from oas.problems.coallocation.runs import Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.coallocation.ticks import ScaledCoallocation

# Temperature of a round's first step, after an even and an odd number of failures, and of its last step, in mean
# weights of a job: cold rounds come close at once, hot ones get away from where those stick.
HOT, COLD = (0.15, 0.5), 0.015
ROUND = 100_000  # steps of the first round; half as many more after each that failed
DOUBLINGS = 7
NEAREST = 3  # the first goal is 2^-3 of the way from the best schedule to the target; halved after each failure
LEAST_WEIGHT = 0.05  # of a job beside its share of the bound, so that none is free
KEY = 10**6  # greatest key by which jobs are sorted
PACE = 8_000  # a tenth of a second of compiled search with 64 jobs


class RuinSearch:
    """A resumable search.

    A round tries to place all jobs within a *goal*, a makespan below that of the best schedule, and starts from that
    schedule without the jobs that end later. After a success the next goal is as ambitious; after a failure it is
    less so, and the round longer.

    What is found depends on the start, the weights, the seed, the targets and the number of steps, not on how the
    steps are spread over calls.

    Parameters
    ----------
    scaled
        The instance.
    start
        A feasible schedule.
    weights
        weights[j][l]: of job j for each tick that it runs at level l, at least 0, as the configuration bound has them.
        Leaving a job unplaced costs what it needs at its cheapest level: where the bound is nearly tight, what is left
        over must fit into what the others waste.
    seed
        Of the random numbers.
    compiled
        See `oas.core.compiling.chosen`.

    Attributes
    ----------
    best
        The best schedule so far, in the order of job indices.
    tried
        How many steps were done so far.
    """

    def __init__(
        self,
        scaled: ScaledCoallocation,
        start: Sequence[Run],
        weights: Sequence[Sequence[int]],
        seed: int = 0,
        *,
        compiled: bool | None = None,
    ) -> None:
        self._scaled = scaled
        self.best = sorted(start, key=lambda run: run.job)
        self.tried = 0
        random = Random(seed)
        self._state: Any = array([random.randrange(1, 2**31 - 250) for _ in range(2)])
        problem = make_problem(scaled)
        assert problem is not None, "a schedule gives every job an allocation"
        self._problem: Any = arrays(problem)
        self._memory: Any = arrays(make_memory(scaled, problem, job_weights(scaled, weights)))
        self._kernels: Any = chosen(compiled, ruin_recreate_kernels)
        self._logs: Any = array(LOGS)
        self._heat: Any = array([0.0])
        self._goal: int | None = None
        self._left = self._failures = self._in_a_row = 0

    @property
    def pace(self) -> int:
        """Steps that take about a tenth of a second: at most for one call."""
        # With four times as many jobs a step was measured to take some thirty times as long.
        jobs = max(64, self._scaled.job_count)
        return max(1, PACE * 64**3 // jobs**3 // (SLOWER if self.is_slow else 1))

    @property
    def is_slow(self) -> bool:
        """Whether steps take long because compiled code is not there yet."""
        return ruin_recreate_kernels.anneal.is_slow

    @property
    def makespan(self) -> int:
        """Of the best schedule, in ticks."""
        return max(run.end for run in self.best)

    def improve(self, target: int, steps: int, start: Sequence[Run] | None = None) -> list[Run]:
        """Search for so many steps, or until a schedule of at most `target` ticks is found; return the best one.

        Parameters
        ----------
        target
            A makespan that is good enough: a lower bound, or what is asked for.
        steps
            How often to ruin and recreate at most.
        start
            A feasible schedule. If it is better than the best one, rounds to come start from it.
        """
        if start is not None and max(run.end for run in start) < self.makespan:
            self.best = sorted(start, key=lambda run: run.job)
        while steps > 0 and self.makespan > target:
            if self._goal is None or not target <= self._goal < self.makespan:
                self._start_round(target)
            done = self._anneal(min(steps, self._left))
            steps -= max(done, 1)
            self._left -= done
            if self._all_placed():
                self.best = self._decode()
                self._goal = None
                self._in_a_row = 0
            elif self._left == 0:
                self._goal = None
                self._failures += 1
                self._in_a_row += 1
        return self.best

    def _anneal(self, steps: int) -> int:
        """Do so many steps at most; return how many were done."""
        cooling = (COLD / HOT[self._failures % len(HOT)]) ** (1 / self._length)
        done = self._kernels.anneal(self._problem, self._memory, self._state, self._logs, steps, self._heat, cooling)
        self.tried += int(done)
        return int(done)

    def _start_round(self, target: int) -> None:
        """Set goal and temperature; start from the best schedule."""
        self._goal = self.makespan - max(1, (self.makespan - target) >> (NEAREST + self._in_a_row))
        jobs = self._memory.jobs
        own = ruin_recreate_kernels.job_width(self._problem)
        levels = len(self._scaled.powers)
        for run in self.best:
            counts = run.allocation.counts
            slowest = max(one.level for one, count in zip(self._scaled.classes, counts, strict=True) if count)
            place = run.job * own
            jobs[place + START], jobs[place + TIME] = run.start, run.allocation.duration
            jobs[place + LEVEL] = self._problem.canonical[run.job * levels + slowest]
            for column, number in enumerate([*counts, *tasks_by_cluster(self._scaled, counts)]):
                jobs[place + COUNTS + column] = number
        self._kernels.rebuild(self._problem, self._memory, self._goal)
        self._length = ROUND * min(2**DOUBLINGS, 2 + self._failures) // 2
        self._left = self._length
        self._heat[0] = HOT[self._failures % len(HOT)]

    def _starts(self) -> Any:
        return self._memory.jobs[START :: ruin_recreate_kernels.job_width(self._problem)]

    def _all_placed(self) -> bool:
        return all(start >= 0 for start in self._starts())

    def _decode(self) -> list[Run]:
        """Return the schedule at hand, in the order of job indices."""
        own, classes = ruin_recreate_kernels.job_width(self._problem), len(self._scaled.classes)
        runs = []
        for job, start in enumerate(self._starts()):
            place = job * own + COUNTS
            counts = [int(count) for count in self._memory.jobs[place : place + classes]]
            runs.append(Run(job, int(start), make_allocation(self._scaled, job, counts)))
        return runs


def job_weights(scaled: ScaledCoallocation, weights: Sequence[Sequence[int]]) -> list[float]:
    """Return the cost of leaving each job unplaced: its need at its cheapest level plus a constant; mean near 1."""
    needs = []
    for job, times in enumerate(scaled.durations):
        fastest = fastest_level(scaled, job) or 0
        needs.append(min(time * weight for time, weight in zip(times[fastest:], weights[job][fastest:], strict=True)))
    total = sum(needs) or 1
    return [scaled.job_count * need / total + LEAST_WEIGHT for need in needs]


def make_memory(scaled: ScaledCoallocation, problem: Problem, weights: list[float]) -> Memory:
    """Return room for the loops' work."""
    count, clusters, classes = (int(problem.sizes[index]) for index in (JOBS, CLUSTERS, CLASSES))
    width = len(problem.empty)
    rows = 2 * count + 2
    own = COUNTS + classes + clusters

    def zeros(count: int) -> list[int]:
        return [0] * count

    return Memory(
        profile=zeros(rows * width),
        uses=zeros(rows),
        rows=[0],
        jobs=zeros(count * own),
        saved_profile=zeros(rows * width),
        saved_uses=zeros(rows),
        saved_jobs=zeros(count * own),
        chosen=zeros(count),
        key=zeros(count),
        marked=zeros(count),
        keys=_keys(scaled),
        weights=weights,
        length=[sum(times[0] for times in scaled.durations) // count or 1],
        room=zeros(clusters),
        quiet=zeros(clusters),
        counts=zeros(classes),
        split=zeros(clusters),
        order=zeros(clusters),
    )


def _keys(scaled: ScaledCoallocation) -> list[int]:
    """Most tasks, longest, most work: the orders in which jobs are placed beside the random one."""
    times = [row[0] for row in scaled.durations]
    work = [time * tasks for time, tasks in zip(times, scaled.tasks, strict=True)]
    keys = [KEY * value // max(values) for values in (scaled.tasks, times, work) for value in values]
    assert len(keys) == (ORDERS - 1) * scaled.job_count
    return keys
