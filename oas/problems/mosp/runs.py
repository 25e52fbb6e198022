"""MOSP schedules in ticks and counts, and back."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import accumulate
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.node_ranges import NodeRanges
from oas.core.schedule import Placement, Schedule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.problems.mosp.instance import MospInstance
    from oas.problems.mosp.ticks import ScaledMosp


class FreeProcessors:
    """Idle processors of one cluster, of which the lowest numbers are taken first.

    Time and memory depend on how many ranges of consecutive numbers are idle, not on how many processors.

    Parameters
    ----------
    processors
        How many there are: 0 to this number less 1, all idle.
    """

    def __init__(self, processors: int) -> None:
        self.count = processors  # how many are idle
        self._idle = [(0, processors)] if processors else []  # (first, end), ascending; some may meet
        self._sorted = True

    def give_back(self, ranges: Iterable[range]) -> None:
        """Make processors idle that were taken."""
        for one in ranges:
            self.count += len(one)
            self._idle.append((one.start, one.stop))
        self._sorted = False

    def take(self, count: int) -> tuple[range, ...] | None:
        """Take the `count` ≥ 1 lowest numbers; return them as ranges that ascend and do not meet, None if too few."""
        if count > self.count:
            return None
        if not self._sorted:
            self._order()
        self.count -= count
        idle, taken, whole = self._idle, [], 0
        for first, end in idle:
            count -= end - first
            if count < 0:
                idle[whole] = (end + count, end)
                taken.append(range(first, end + count))
                break
            taken.append(range(first, end))
            whole += 1
            if not count:
                break
        del idle[:whole]
        return tuple(taken)

    def _order(self) -> None:
        """Sort what is idle, and join ranges that meet."""
        self._idle.sort()
        joined: list[tuple[int, int]] = []
        first = end = 0
        for begin, until in self._idle:
            if begin == end:
                end = until
            else:
                if end > first:
                    joined.append((first, end))
                first, end = begin, until
        joined.append((first, end))
        self._idle, self._sorted = joined, True


@dataclass(frozen=True)
class ClusterRun:
    """A job's run in ticks: what a search or a model decides."""

    job: int  # index of the job in `MospInstance.jobs`
    cluster: int  # index of the cluster, which is that of its organization
    start: int  # tick of its start; the run takes the job's time


def schedule_from_cluster_runs(
    instance: MospInstance, scaled: ScaledMosp, runs: Iterable[ClusterRun], method: str = ""
) -> Schedule:
    """Give runs concrete processors: first fit in time, lowest number first.

    Reservations are of no certain processors, so they leave none out; that jobs and reservations together fit is the
    verifier's matter.

    Raises `InputError` if at some moment the runs on a cluster ask for more processors than it has.
    """
    free = [FreeProcessors(processors) for processors in scaled.processors]
    names = [organization.id for organization in instance.organizations]
    busy: list[list[tuple[int, int, tuple[range, ...]]]] = [[] for _ in names]  # heaps by end
    jobs, times, widths, moments = instance.jobs, scaled.times, scaled.widths, _Moments(scaled)
    placements = []
    for run in sorted(runs, key=lambda one: (one.start, one.job)):
        idle, ends = free[run.cluster], busy[run.cluster]
        while ends and ends[0][0] <= run.start:
            idle.give_back(heappop(ends)[2])
        job = jobs[run.job].id
        taken = idle.take(widths[run.job])
        if taken is None:
            width = widths[run.job]
            raise InputError(f"job {job} finds {idle.count} of {width} processors free at tick {run.start}")
        end = run.start + times[run.job]
        heappush(ends, (end, run.job, taken))
        nodes = NodeRanges.of_ranges(names[run.cluster], taken)
        placements.append(Placement.of_parts(job, moments[run.start], moments[end], nodes))
    return Schedule(placements, method)


class _Moments(dict[int, Fraction]):
    """Times by tick, each made once: at most moments one run ends and others start."""

    def __init__(self, scaled: ScaledMosp) -> None:
        self._scaled = scaled

    def __missing__(self, tick: int) -> Fraction:
        found = self[tick] = self._scaled.to_time(tick)
        return found


def cluster_runs_from_schedule(instance: MospInstance, scaled: ScaledMosp, schedule: Schedule) -> list[ClusterRun]:
    """Return a verified schedule in ticks, in the order of job indices."""
    clusters = {organization.id: k for k, organization in enumerate(instance.organizations)}
    by_job = {placement.job: placement for placement in schedule.placements}
    runs = []
    for index, job in enumerate(instance.jobs):
        placement = by_job[job.id]
        (name,) = placement.nodes
        runs.append(ClusterRun(index, clusters[name], int(placement.start / scaled.tick)))
    return runs


def local_schedule(instance: MospInstance) -> Schedule:
    """Return what every organization alone would run: the local schedules, side by side.

    Raises `InputError` if the instance carries none.
    """
    if instance.local is None:
        raise InputError("the instance carries no local schedules", field="local")
    scaled = instance.scaled()
    runs = [ClusterRun(job, scaled.owners[job], start) for job, start in enumerate(scaled.local_starts)]
    return schedule_from_cluster_runs(instance, scaled, runs, "local")


def first_runs(scaled: ScaledMosp) -> list[ClusterRun]:
    """Return runs that keep every rule, for a search to begin with: the local ones, or else the jobs one by one.

    One by one they run on the clusters of their owners, when all are released and no reservation is left.
    """
    starts = scaled.local_starts
    if not starts:
        ends = [end for _, _, end, _ in scaled.reservations]
        begin = max((*scaled.releases, *ends))
        starts = tuple(accumulate(scaled.times[:-1], initial=begin))
    return [ClusterRun(job, scaled.owners[job], start) for job, start in enumerate(starts)]
