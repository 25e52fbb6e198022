"""The optimum of a tiny MOSP instance by brute force: the reference for models, bounds and heuristics.

It shares no code with them: it reads the instance, not its scaled form.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import floor, lcm
from typing import TYPE_CHECKING

from oas.core.clock import check_clock
from oas.core.errors import TooLargeError
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.mosp.instance import MospInstance

MAX_JOBS = 7
MAX_PLACEMENTS = 5_000_000


@dataclass(frozen=True)
class _Placed:
    job: int
    cluster: int
    start: int
    end: int
    width: int


def brute_force(instance: MospInstance, limit: int = MAX_PLACEMENTS) -> tuple[Fraction, Schedule]:
    """Return the least makespan of `instance` and a verified schedule that has it.

    Depth first over the orders in which jobs can start and over the clusters; a job starts at the first moment, not
    before its release nor before the job started last, at which its processors are free of jobs and reservations for
    its whole run. Branches are cut if a job ends after its organization's deadline, if they cannot end sooner than the
    best so far, or if they reach the same state of jobs and clusters as another branch. The search ends when it has a
    schedule in which the last job ends no later than it must on empty clusters.

    The enumeration is complete. Call a feasible schedule active if no job can start earlier while the others stay in
    place. An earlier start violates neither locality nor the makespan, so an optimal schedule with the minimum sum of
    starts is active. Consider its jobs in order of their starts. Suppose a job fitted earlier next to the jobs before
    it, but not before the last of them. Until its own start only these jobs run, and afterwards it needs no more than
    in the schedule, including later jobs. So it could start there, and the schedule would not be active.

    At most 7 jobs are supported, and at most `limit` placements of a job are tried.

    Raises
    ------
    TooLargeError
        If the instance has more jobs, or the search passes `limit`.
    """
    if len(instance.jobs) > MAX_JOBS:
        raise TooLargeError(f"brute force takes at most {MAX_JOBS} jobs, not {len(instance.jobs):,}")
    search = _Search(instance, limit)
    search.extend([])
    schedule = check(instance, search.schedule(), "the brute-force schedule")
    return schedule.makespan, schedule


class _Search:
    """Depth-first search; `best` is the best complete list of placements so far, in the order of their starts."""

    def __init__(self, instance: MospInstance, limit: int) -> None:
        self.instance = instance
        self.limit = limit
        self.tried = 0
        self.best: list[_Placed] = []
        self.best_end: int | None = None
        self.least_end = 0  # no schedule ends sooner
        self.seen: set[tuple[object, ...]] = set()
        times = [moment for job in instance.jobs for moment in (job.time, job.release)]
        times += [moment for owner in instance.organizations for r in owner.reservations for moment in (r.start, r.end)]
        self.unit = lcm(*(time.denominator for time in times))
        self.times = [int(job.time * self.unit) for job in instance.jobs]
        longest_first = sorted(range(len(self.times)), key=lambda job: -self.times[job])
        self.rank = {job: rank for rank, job in enumerate(longest_first)}
        self.releases = [int(job.release * self.unit) for job in instance.jobs]
        self.widths = [job.processors for job in instance.jobs]
        self.sizes = [owner.processors for owner in instance.organizations]
        self.reserved = [
            tuple(sorted((int(r.start * self.unit), int(r.end * self.unit), r.processors) for r in owner.reservations))
            for owner in instance.organizations
        ]
        deadlines = instance.deadlines
        self.deadlines = [
            None if deadline is None else floor(deadline * self.unit)
            for deadline in (deadlines[instance.owner[job.id]] for job in instance.jobs)
        ]

    def schedule(self) -> Schedule:
        """Return the best schedule, with processors first fit in the order of starts."""
        free_at = [[0] * size for size in self.sizes]
        placements = []
        for run in self.best:
            free = free_at[run.cluster]
            idle = [number for number, moment in enumerate(free) if moment <= run.start][: run.width]
            for number in idle:
                free[number] = run.end
            nodes = {self.instance.organizations[run.cluster].id: idle}
            start, end = Fraction(run.start, self.unit), Fraction(run.end, self.unit)
            placements.append(Placement(self.instance.jobs[run.job].id, start, end, nodes))
        return Schedule(placements, "brute force")

    def extend(self, placed: list[_Placed]) -> None:
        """Try all continuations of `placed`."""
        check_clock()
        left = set(range(len(self.times))) - {run.job for run in placed}
        end = max((run.end for run in placed), default=0)
        if not left:
            self.best, self.best_end = list(placed), end
            return
        if placed and not self._is_new(placed):
            return
        nexts = [list(self._placements(job, placed)) for job in left]
        if [] in nexts:
            return  # a job misses its deadline on every cluster, now and later
        soonest = max(min(run.end for run in ways) for ways in nexts)
        if not placed:
            self.least_end = soonest
        for run in sorted(chain(*nexts), key=lambda run: (run.start, self.rank[run.job], run.end, run.cluster)):
            # Jobs with the same start are placed in one order only.
            if placed and (run.start, self.rank[run.job]) <= (placed[-1].start, self.rank[placed[-1].job]):
                continue
            least = max(end, run.end, soonest, self._least_end(left, run, placed), self.least_end)
            if self.best_end is None or least < self.best_end:
                placed.append(run)
                self.extend(placed)
                placed.pop()

    def _is_new(self, placed: list[_Placed]) -> bool:
        """Whether the state is new: the remaining jobs, the earliest further start, and the running jobs.

        The state contains the makespan so far, because the job that ends last is still running after the last start.
        """
        last = placed[-1]
        jobs = tuple(sorted(run.job for run in placed))
        clusters = tuple(sorted(self._state(cluster, placed) for cluster in range(len(self.sizes))))
        state = (jobs, last.start, last.job, clusters)
        if state in self.seen:
            return False
        self.seen.add(state)
        return True

    def _state(self, cluster: int, placed: list[_Placed]) -> tuple[object, ...]:
        """Return the relevant state of a cluster: its size, reservations and the runs that end after the last start."""
        since = placed[-1].start if placed else 0
        running = sorted((run.end, run.width) for run in placed if run.cluster == cluster and run.end > since)
        return (self.sizes[cluster], self.reserved[cluster], tuple(running))

    def _least_end(self, left: set[int], next_run: _Placed, placed: list[_Placed]) -> int:
        """Return a lower bound on schedules that continue with `next_run`, since later jobs start no earlier."""
        rest = [job for job in left if job != next_run.job]
        running = sum(run.width * max(0, run.end - next_run.start) for run in [*placed, next_run])
        work = sum(self.widths[job] * self.times[job] for job in rest)
        longest = max((max(next_run.start, self.releases[job]) + self.times[job] for job in rest), default=0)
        return max(longest, next_run.start - (-(running + work) // sum(self.sizes)))

    def _placements(self, job: int, placed: list[_Placed]) -> Iterator[_Placed]:
        """Yield the next run of `job` on each cluster where it ends in time; of clusters in equal states, the first."""
        last = placed[-1] if placed else None
        states: list[tuple[object, ...]] = []
        for cluster, size in enumerate(self.sizes):
            state = self._state(cluster, placed)
            if self.widths[job] > size or state in states:
                continue
            states.append(state)
            self.tried += 1
            if self.tried > self.limit:
                raise TooLargeError(
                    f"brute force has tried {self.limit:,} placements; the instance is too large for it"
                )
            start = self._start(job, cluster, max(self.releases[job], last.start if last else 0), placed)
            end, deadline = start + self.times[job], self.deadlines[job]
            if deadline is None or end <= deadline:
                yield _Placed(job, cluster, start, end, self.widths[job])

    def _start(self, job: int, cluster: int, earliest: int, placed: list[_Placed]) -> int:
        """Return the first start ≥ `earliest` at which the job fits: `earliest`, or the end of a job or reservation."""
        blocks = [(run.start, run.end, run.width) for run in placed if run.cluster == cluster]
        blocks += self.reserved[cluster]
        room = self.sizes[cluster] - self.widths[job]
        moments = sorted({earliest, *(end for _, end, _ in blocks if end > earliest)})
        return next(moment for moment in moments if _peak(blocks, moment, moment + self.times[job]) <= room)


def _peak(blocks: list[tuple[int, int, int]], start: int, end: int) -> int:
    """Return the maximum number of processors in use in [start, end)."""
    moments = [start, *(begin for begin, _, _ in blocks if start < begin < end)]
    return max(sum(width for begin, stop, width in blocks if begin <= moment < stop) for moment in moments)
