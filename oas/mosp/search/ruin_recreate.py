"""Ruin and recreate at a target makespan, to improve on the papers' heuristics for MOSP."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import add
from typing import TYPE_CHECKING, Any

from oas.core.compiling import SLOWER, array, arrays
from oas.core.shared_kernels import NEVER, allocate
from oas.mosp.runs import ClusterRun, first_runs
from oas.mosp.search import ruin_recreate_kernels
from oas.mosp.search.filling import EventBeam
from oas.mosp.search.pool_beam import PoolBeam, takes
from oas.mosp.search.ruin_recreate_kernels import LEFT, TAKEN, TRIED, WINDOWS, WORK, Memory, Problem
from oas.solving.local_search import ResumableSearch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.mosp.ticks import ScaledMosp

# First temperature of a round, from the best schedule and from a beam's (one cluster, several); last temperature
HOT, FILLED_HOT, COLD = 0.2, (0.2, 0.1), 0.02
SQUEEZE, FILLED = range(2)  # kinds of rounds: starting from the best schedule, or from a beam's
# Sequence of rounds: by default; if `fills_alone`; with many jobs and a beam for several clusters
RULE, ALONE, MANY = (SQUEEZE,), (SQUEEZE, FILLED), (FILLED,)
SHARE = 1 / 3  # of the way to the target, for the first goal
SMALLER, LONGER = 1.5, 1.5  # factors by which the share shrinks and rounds grow after failed rounds
FIRST, HALF = 0.75, 0.5  # of the way to the highest missed goal, if all rounds start from a beam's schedule
ROUND, ROUND_PER_JOB, MANY_PER_JOB = 5_000, 250, 1_000  # steps of the first round: minimum; per job; per job if many
EVEN = 4  # maximum ratio of longest to mean time for which the beam on several clusters helps
LONGEST = 500  # maximum length of a round, relative to the first
LOOK = 20  # steps per call before the pace is known
PACE, PACE_WORK = 20_000, 2_500_000  # maximum steps, and compiled work, in a tenth of a second
MANY_JOBS = 200  # from this number of jobs on, the beam on one cluster is not worthwhile
KEY = 10**6  # maximum sort key
NARROWER, WIDER = 40, 20  # jobs of similar width differ by at most 1/NARROWER or 1/WIDER of the largest cluster
WEIGHT = 7.65  # weight of a job of mean time on a whole cluster, at which a temperature of 1 is suitable
PLAIN, HIGH = 0.3, 0.5  # weight of a job per time, and additional weight of a high job; the width is added to them


class RuinSearch(ResumableSearch[ClusterRun]):
    """A resumable search, which begins with `first_runs`.

    A round tries to place all jobs within a *goal*, a makespan that is a share of the way from the best schedule to the
    target. It begins with the best schedule, without the jobs that end too late, and cools down once. After a success
    the share is kept. After a failure the share is smaller, down to a decrease of one tick, and the round longer.

    With many jobs of similar lengths on several clusters of equal size, each round starts from the schedule of a beam.
    Its goal is halfway to the highest missed goal. When all goals have been missed, they start again near the target,
    and rounds are twice as long.

    With few narrow jobs on one cluster, every second round starts from the schedule of an event beam for the goal,
    which wastes little time early and leaves a smaller problem at the end. With jobs wider than half of the cluster
    the beam did not help in experiments with reservations.
    """

    loop = ruin_recreate_kernels.anneal

    def __init__(self, scaled: ScaledMosp, seed: int = 0, *, compiled: bool | None = None) -> None:
        super().__init__(ruin_recreate_kernels, seed, compiled)
        self._scaled = scaled
        self.best = first_runs(scaled)
        self._compiled = compiled
        self._problem: Any = arrays(make_problem(scaled))
        self._memory: Any = make_memory(scaled)
        self._heat: Any = array([0.0])
        self._round = self._left = 0
        self._least = max(map(add, scaled.releases, scaled.times))  # lower bound on any makespan
        self._kinds = ALONE if fills_alone(scaled) else RULE
        per_job = ROUND_PER_JOB if scaled.job_count < MANY_JOBS else MANY_PER_JOB
        similar = max(scaled.times) * scaled.job_count <= EVEN * sum(scaled.times)
        if scaled.job_count >= MANY_JOBS and takes(scaled) and similar:
            self._kinds, per_job = MANY, ROUND_PER_JOB
        self._share = SHARE
        self._length = self._shortest = max(ROUND, per_job * scaled.job_count)
        self._seed = seed
        self._missed = 0  # the highest missed goal
        self._annealed = 0  # annealing steps, without those charged for the beam
        self._beam: EventBeam | PoolBeam | None = None
        self._filling = False  # whether the beam is still constructing the round's initial schedule
        self._goal: int | None = None

    @property
    def pace(self) -> int:
        """Number of steps that take about a tenth of a second, the maximum for one call; at first a low estimate."""
        if self._annealed == 0:
            return LOOK
        work = PACE_WORK // (SLOWER if self.is_slow else 1)
        return max(1, min(PACE, work * self._annealed // max(1, int(self._memory.counters[WORK]))))

    def improve(self, target: int, steps: int, start: Sequence[ClusterRun] | None = None) -> list[ClusterRun]:
        """Search as in `ResumableSearch`; `start` must meet the organizations' deadlines."""
        return super().improve(max(target, self._least), steps, start)

    def _advance(self, target: int, steps: int) -> int:
        if self._goal is None or not target <= self._goal < self.makespan:
            self._start_round(target)
        if self._filling:
            done = charged = self._fill()
        else:
            cooling = (COLD / self._hot) ** (1 / self._length)
            limits = min(steps, self._left), self._heat, cooling
            done = int(self._kernels.anneal(self._problem, self._memory, self._state, self._logs, *limits))
            self._left -= done
            self._annealed += done
            charged = max(done, 1)
        self.tried += done
        if not self._filling and int(self._memory.counters[LEFT]) == 0:
            places = zip(self._memory.cluster.tolist(), self._memory.start.tolist(), strict=True)
            self.best = [ClusterRun(job, *place) for job, place in enumerate(places)]
            self._goal = None  # the next round has the same kind of goal
        elif self._left == 0:
            self._give_up()
        return charged

    def _end(self, run: ClusterRun) -> int:
        return run.start + self._scaled.times[run.job]

    def _fill(self) -> int:
        """Advance the beam by a sweep, and use its schedule when it is finished; return the equivalent steps."""
        assert self._beam is not None
        assert self._goal is not None
        done = self._beam.sweep()
        if self._beam.finished:
            self._filling = False
            for job, (cluster, start) in enumerate(self._beam.placed):
                self._memory.cluster[job], self._memory.start[job] = cluster, start
            self._kernels.rebuild(self._problem, self._memory, self._goal)
        return done

    @property
    def _hot(self) -> float:
        """First temperature of the round."""
        return FILLED_HOT[self._kinds is MANY] if self._kind == FILLED else HOT

    @property
    def _kind(self) -> int:
        """Kind of the current round."""
        return self._kinds[self._round % len(self._kinds)]

    def _start_round(self, target: int) -> None:
        """Set goal and temperature; start from the best schedule, or begin a beam."""
        self._goal = self._next_goal(target)
        self._left = self._length
        self._heat[0] = self._hot
        self._filling = self._kind == FILLED
        if self._filling:
            make = PoolBeam if self._kinds is MANY else EventBeam
            self._beam = self._beam or make(self._scaled, self._seed, compiled=self._compiled)
            self._beam.begin(self._goal)
            return
        for run in self.best:
            self._memory.cluster[run.job], self._memory.start[run.job] = run.cluster, run.start
        self._kernels.rebuild(self._problem, self._memory, self._goal)

    def _next_goal(self, target: int) -> int:
        if self._kinds is not MANY:
            return self.makespan - max(1, int((self.makespan - target) * self._share))
        if self.makespan - self._missed <= 1:
            self._missed = 0
            self._length = min(2 * self._length, self._shortest * LONGEST)
        part = HALF if self.tried else FIRST
        return self.makespan - max(1, int((self.makespan - max(self._missed, target - 1)) * part))

    def _give_up(self) -> None:
        """End a failed round; after each kind of round has failed, reduce the share and lengthen the rounds."""
        assert self._goal is not None
        self._missed = max(self._missed, self._goal)
        self._goal = None
        self._round += 1
        if self._kinds is not MANY and self._round % len(self._kinds) == 0:
            self._share /= SMALLER
            self._length = min(int(self._length * LONGER), self._shortest * LONGEST)


def make_problem(scaled: ScaledMosp) -> Problem:
    """Return the instance as lists of integers.

    Times and processors are below 2^53 (`scale_mosp`), sums with `NEVER` below 2^63; sort keys are at most 2·KEY,
    randomized 2·KEY·1410. Areas are floats.
    """
    mean = sum(scaled.times) // scaled.job_count + 1
    deadlines = [scaled.deadlines[owner] for owner in scaled.owners]
    largest = max(scaled.processors)
    by_width = sorted(range(scaled.job_count), key=lambda job: (scaled.widths[job], job))
    widths = [scaled.widths[job] for job in by_width]
    return Problem(
        sizes=[
            scaled.job_count,
            scaled.cluster_count,
            2 * (scaled.job_count + len(scaled.reservations)) + 4,
            min(max(scaled.times), mean),
            mean,
            *_buckets(scaled),
            max(scaled.times),
        ],
        times=list(scaled.times),
        widths=list(scaled.widths),
        releases=list(scaled.releases),
        deadlines=[NEVER if moment is None else moment for moment in deadlines],
        processors=list(scaled.processors),
        blocked=[number for reservation in scaled.reservations for number in reservation],
        keys=_keys(scaled),
        weights=weights(scaled),
        by_width=by_width,
        alike_first=[bisect_left(widths, width - largest // NARROWER) for width in scaled.widths],
        alike_last=[bisect_right(widths, width + largest // WIDER) for width in scaled.widths],
    )


def make_memory(scaled: ScaledMosp) -> Memory:
    """Return the working memory of the loops."""
    jobs, profiles = scaled.job_count, scaled.cluster_count + WINDOWS
    shapes = {
        "cluster start unplaced position after before weight key": jobs,
        "counters": 3,
        "head": scaled.cluster_count * _buckets(scaled)[1],
        "moments free": profiles * (2 * (jobs + len(scaled.reservations)) + 4),
        "count": profiles,
        "window_cluster window_first window_last": WINDOWS,
        "chosen chosen_window chosen_start": WINDOWS * TAKEN + TRIED,
    }
    return allocate(Memory, shapes, floats="weight")


def fills_alone(scaled: ScaledMosp) -> bool:
    """Return whether an event beam helps: one cluster, few jobs, none wider than half of the cluster."""
    if scaled.cluster_count > 1 or scaled.job_count >= MANY_JOBS:
        return False
    return 2 * max(scaled.widths) <= scaled.processors[0]


def weights(scaled: ScaledMosp) -> list[float]:
    """Return the cost of leaving each job unplaced: by time and area, more for jobs wider than half a cluster.

    If high jobs bound the makespan, they run one after another, and an unplaced one needs the place of two others. With
    few narrow jobs on one cluster the area alone performed better in experiments.
    """
    if fills_alone(scaled):
        areas = [float(time) * float(width) for time, width in zip(scaled.times, scaled.widths, strict=True)]
        return [WEIGHT * scaled.job_count * area / sum(areas) for area in areas]
    unit = WEIGHT * scaled.job_count / sum(scaled.times) / scaled.cluster_count
    costs = []
    for time, width in zip(scaled.times, scaled.widths, strict=True):
        shares = sum(PLAIN + min(1.0, width / size) + HIGH * (2 * width > size) for size in scaled.processors)
        costs.append(unit * time * shares)
    return costs


def _keys(scaled: ScaledMosp) -> list[int]:
    """Return the sort keys of the orders: widest, longest, greatest area, high before low, earliest deadline."""
    largest = max(scaled.processors)
    longest = max(scaled.times)
    jobs = range(scaled.job_count)
    times = [KEY * (longest - time) // longest for time in scaled.times]
    widths = [KEY * (largest - width) // largest for width in scaled.widths]
    areas = [
        KEY * (largest * longest - time * width) // (largest * longest)
        for time, width in zip(scaled.times, scaled.widths, strict=True)
    ]
    high = [times[job] + (0 if 2 * scaled.widths[job] > largest else KEY) for job in jobs]
    latest = max((moment for moment in scaled.deadlines if moment is not None), default=0) or 1
    deadlines = [scaled.deadlines[owner] for owner in scaled.owners]
    due = [KEY if moment is None else KEY * moment // latest for moment in deadlines]
    return [*widths, *times, *areas, *high, *due]


def _buckets(scaled: ScaledMosp) -> tuple[int, int]:
    """Return ticks per bucket, at least two thirds of the mean time, and buckets per cluster, at most 4 per job."""
    horizon = max(run.start + scaled.times[run.job] for run in first_runs(scaled))
    mean = sum(scaled.times) // scaled.job_count + 1
    ticks = max(1, 2 * mean // 3, horizon // (4 * scaled.job_count))
    return ticks, horizon // ticks + 1
