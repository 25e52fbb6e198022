"""Ruin and recreate at a target makespan, for schedules of MOSP that the papers' heuristics miss."""

from __future__ import annotations

import sys
from operator import add
from random import Random
from typing import TYPE_CHECKING, Any

import numpy

from heuristics.coallocation.search.annealing import LOGS
from heuristics.mosp.search import ruin_recreate_kernels
from heuristics.mosp.search.filling import EventBeam
from heuristics.mosp.search.ruin_recreate_arrays import MANY_JOBS, fills_alone, make_memory, make_problem
from heuristics.mosp.search.ruin_recreate_kernels import Memory, Problem
from oas.problems.mosp.runs import ClusterRun, first_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.mosp.ticks import ScaledMosp

# Temperature of a round's first step, by the kind of round, and of its last.
HOT, COLD = (0.1, 0.1, 1.0, 1.0, 0.2), 0.02
EIGHTH, TICK, EMPTY, HOT_TICK, FILLED = range(5)  # the kinds
# Their order: as a rule, with many jobs, and where `fills_alone`.
RULE, MANY, ALONE = (EIGHTH, TICK, EMPTY, HOT_TICK), (EIGHTH, TICK), (EIGHTH, FILLED)
ROUND, ROUND_PER_JOB = 50_000, 1_000  # steps of a round of the first cycle at least; twice as many in each later one
DOUBLINGS = 7
PLAIN_STEPS = 2_000  # before compiling: some tenths of a second
PACE = 20_000  # a tenth of a second of compiled search


class RuinSearch:
    """A resumable search.

    A round tries to place all jobs within a *goal*, a makespan below that of the best schedule; after a success the
    next one has a goal of the same kind. The kinds follow one another: an eighth of the way to the target, and one tick
    less, both from the best schedule, at low temperature; half of the way, without a job to begin with; and one tick
    less, from the best schedule, at high temperature. Measured at 500 jobs, cold rounds that squeeze the best schedule
    come far closer to the bound than hot ones, which are left out there. With few narrow jobs on one cluster the
    first kind takes turns with one that has the same goal, and starts from what an event beam places within it: that
    wastes little of the time early on, and leaves a smaller problem at the end. With jobs wider than half of the
    cluster the beam was of no use, measured around reservations.

    What is found depends on the seed, the starts, the targets and the number of steps, not on how the steps are spread
    over calls.

    Parameters
    ----------
    scaled
        The instance.
    seed
        Of the random numbers.
    compiled
        True: compiled from the first step on. False: never. None: when it pays, at once if the loops are loaded.

    Attributes
    ----------
    best
        The best schedule so far, in the order of job indices; `first_runs` to begin with.
    compiled
        Whether the loops run compiled now.
    tried
        How many steps were done so far.
    """

    def __init__(self, scaled: ScaledMosp, seed: int = 0, *, compiled: bool | None = None) -> None:
        self._scaled = scaled
        self.best = first_runs(scaled)
        self.compiled = False
        self.tried = 0
        self._wanted = compiled
        random = Random(seed)
        self._state: Any = [random.randrange(1, 2**31 - 250) for _ in range(2)]
        self._problem: Any = make_problem(scaled)
        self._memory: Any = make_memory(scaled)
        self._kernels: Any = ruin_recreate_kernels
        self._logs: Any = LOGS
        self._heat: Any = [0.0]
        self._round = self._left = 0
        self._least = max(map(add, scaled.releases, scaled.times))  # no schedule is shorter
        self._kinds = RULE if scaled.job_count < MANY_JOBS else MANY
        if fills_alone(scaled):
            self._kinds = ALONE
        self._seed = seed
        self._beam: EventBeam | None = None
        self._filling = False  # whether the beam is at work, so that there is nothing to ruin yet
        self._owed = 0  # steps that its last sweep took beyond those asked for
        self._goal: int | None = None
        if compiled or (compiled is None and "heuristics.mosp.search.ruin_recreate_compiled" in sys.modules):
            self._compile()

    @property
    def pace(self) -> int:
        """Steps that take about a tenth of a second: at most for one call."""
        return PACE if self.compiled else PLAIN_STEPS // 4

    @property
    def makespan(self) -> int:
        """Of the best schedule, in ticks."""
        return max(run.start + self._scaled.times[run.job] for run in self.best)

    def _compile(self) -> None:
        from heuristics.mosp.search import ruin_recreate_compiled

        self.compiled = True
        self._kernels = ruin_recreate_compiled
        self._logs, self._heat = numpy.array(LOGS), numpy.array(self._heat)
        weights = numpy.array(self._problem.weights)
        self._problem = Problem(*map(_array, self._problem))._replace(weights=weights)
        self._memory = Memory(*map(_array, self._memory))
        self._state = _array(self._state)

    def improve(self, target: int, steps: int, start: Sequence[ClusterRun] | None = None) -> list[ClusterRun]:
        """Search for so many steps, or until a schedule of at most `target` ticks is found; return the best one.

        Parameters
        ----------
        target
            A makespan that is good enough: a lower bound, or what is asked for.
        steps
            How often to ruin and recreate at most.
        start
            A feasible schedule, deadlines of the organizations included. If it is better than the best one, rounds to
            come start from it.
        """
        if start is not None:
            self._adopt(start)
        target = max(target, self._least)
        steps -= self._owed
        while steps > 0 and self.makespan > target:
            if self._goal is None or not target <= self._goal < self.makespan:
                self._start_round(target)
            if self._filling:
                steps -= self._fill()
            else:
                done = self._anneal(min(steps, self._left))
                steps -= max(done, 1)
                self._left -= done
            if not self._filling and int(self._memory.size[self._scaled.cluster_count]) == 0:
                self._keep()
            elif self._left == 0:
                self._goal = None
                self._round += 1
        self._owed = max(0, -steps)
        return self.best

    def _fill(self) -> int:
        """Take the beam a sweep further, and its schedule when it is finished; return the steps that this counts as."""
        assert self._beam is not None
        assert self._goal is not None
        done = self._beam.sweep()
        self.tried += done
        if self._beam.finished:
            self._filling = False
            for job, start in enumerate(self._beam.starts):
                self._memory.cluster[job], self._memory.start[job] = int(start < 0), start
            self._kernels.rebuild(self._problem, self._memory, self._goal)
        return done

    def _anneal(self, steps: int) -> int:
        """Do so many steps at most, compiling when it pays; return how many were done."""
        if not self.compiled and self._wanted is not False:
            if self.tried < PLAIN_STEPS:
                steps = min(steps, PLAIN_STEPS - self.tried)
            else:
                self._compile()
        cooling = (COLD / HOT[self._kind]) ** (1 / self._length)
        done = self._kernels.anneal(self._problem, self._memory, self._state, self._logs, steps, self._heat, cooling)
        self.tried += int(done)
        return int(done)

    @property
    def _kind(self) -> int:
        """Which kind of round it is."""
        return self._kinds[self._round % len(self._kinds)]

    @property
    def _length(self) -> int:
        """Steps of the round."""
        return max(ROUND, ROUND_PER_JOB * self._scaled.job_count) << min(self._round // len(self._kinds), DOUBLINGS)

    def _start_round(self, target: int) -> None:
        """Set goal and temperature; start without any job, from the best schedule, or let the beam begin one."""
        gap = self.makespan - target
        kind = self._kind
        self._goal = self.makespan - max(1, (gap // 8, 1, (gap + 1) // 2, 1, gap // 8)[kind])
        self._left = self._length
        self._heat[0] = HOT[kind]
        self._filling = kind == FILLED
        if self._filling:
            self._beam = self._beam or EventBeam(self._scaled, self._seed, compiled=self.compiled)
            self._beam.begin(self._goal)
            return
        for run in self.best:
            self._memory.cluster[run.job], self._memory.start[run.job] = run.cluster, run.start
        if kind == EMPTY:
            for job in range(self._scaled.job_count):
                self._memory.cluster[job] = self._scaled.cluster_count
        self._kernels.rebuild(self._problem, self._memory, self._goal)

    def _keep(self) -> None:
        """Make the schedule at hand the best; the next round has the same kind of goal."""
        cluster, start = self._memory.cluster, self._memory.start
        self.best = [ClusterRun(job, int(cluster[job]), int(start[job])) for job in range(self._scaled.job_count)]
        self._goal = None

    def _adopt(self, start: Sequence[ClusterRun]) -> None:
        """Make `start` the best schedule if it is better."""
        if max(run.start + self._scaled.times[run.job] for run in start) < self.makespan:
            self.best = sorted(start, key=lambda run: run.job)


def _array(numbers: Sequence[int]) -> Any:
    return numpy.array(numbers, dtype=numpy.int64)
