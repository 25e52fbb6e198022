"""Conversion of MOSP schedules from and to runs in ticks, and initial schedules."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from heapq import heappop, heappush
from itertools import accumulate
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.node_ranges import NodeRanges
from oas.core.schedule import Placement, Schedule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.mosp.instance import MospInstance
    from oas.mosp.ticks import ScaledMosp


class FreeProcessors:
    """Idle processors of one cluster, at first all of them; the lowest numbers are taken first.

    Time and memory depend on the number of ranges of consecutive idle processors.
    """

    def __init__(self, processors: int) -> None:
        self.count = processors  # number of idle processors
        self._idle = [(0, processors)] if processors else []  # ranges (first, end), possibly adjacent
        self._sorted = True

    def give_back(self, ranges: Iterable[range]) -> None:
        """Return taken processors."""
        for numbers in ranges:
            self.count += len(numbers)
            self._idle.append((numbers.start, numbers.stop))
        self._sorted = False

    def take(self, count: int) -> tuple[range, ...] | None:
        """Take the `count` ≥ 1 lowest numbers as ascending ranges with gaps; None if there are too few."""
        if count > self.count:
            return None
        if not self._sorted:  # sort the idle ranges, and join adjacent ones
            joined: list[tuple[int, int]] = []
            for first, end in sorted(self._idle):
                if joined and joined[-1][1] == first:
                    joined[-1] = (joined[-1][0], end)
                else:
                    joined.append((first, end))
            self._idle, self._sorted = joined, True
        self.count -= count
        idle, taken, used_up = self._idle, [], 0
        for first, end in idle:
            count -= end - first
            if count < 0:
                idle[used_up] = (end + count, end)
                taken.append(range(first, end + count))
                break
            taken.append(range(first, end))
            used_up += 1
            if not count:
                break
        del idle[:used_up]
        return tuple(taken)


@dataclass(frozen=True)
class ClusterRun:
    """A job's run in ticks, as models and searches determine it."""

    job: int  # index of the job in `MospInstance.jobs`
    cluster: int  # index of the cluster and its organization
    start: int  # tick of the start; the running time is the job's


def schedule_from_cluster_runs(
    instance: MospInstance, scaled: ScaledMosp, runs: Iterable[ClusterRun], method: str = ""
) -> Schedule:
    """Assign processors to runs: first fit in time, lowest number first.

    Reservations do not block specific processors; the verifier checks that jobs and reservations fit together.

    Raises `InputError` if the runs on a cluster need more processors than it has.
    """
    free = [FreeProcessors(processors) for processors in scaled.processors]
    names = [organization.id for organization in instance.organizations]
    busy: list[list[tuple[int, int, tuple[range, ...]]]] = [[] for _ in names]  # heaps by end
    jobs, times, widths = instance.jobs, scaled.times, scaled.widths
    to_time = cache(scaled.to_time)  # many jobs start or end at the same tick
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
        placements.append(Placement.of_parts(job, to_time(run.start), to_time(end), nodes))
    return Schedule(placements, method)


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
    """Return the local schedules of all organizations as one schedule; raises `InputError` if there are none."""
    if instance.local is None:
        raise InputError("the instance has no local schedules", field="local")
    scaled = instance.scaled()
    runs = [ClusterRun(job, scaled.owners[job], start) for job, start in enumerate(scaled.local_starts)]
    return schedule_from_cluster_runs(instance, scaled, runs, "local")


def hasty_schedule(instance: MospInstance) -> Schedule:
    """Return a feasible schedule in the least time: the local schedules, or else shelves of jobs.

    The jobs of a shelf start together when the longest of the previous shelf has ended. Jobs run on the clusters of
    their owners, after all releases and reservations.
    """
    if instance.local is not None:
        return local_schedule(instance)
    scaled = instance.scaled()
    begin = max((*scaled.releases, *(end for _, _, end, _ in scaled.reservations)))
    start, end = [begin] * scaled.cluster_count, [begin] * scaled.cluster_count
    used = [0] * scaled.cluster_count  # processors of the shelf
    names = [organization.id for organization in instance.organizations]
    to_time = cache(scaled.to_time)
    placements = []
    for job in sorted(range(scaled.job_count), key=scaled.times.__getitem__, reverse=True):
        cluster, width, time = scaled.owners[job], scaled.widths[job], scaled.times[job]
        if used[cluster] + width > scaled.processors[cluster]:
            start[cluster], used[cluster] = end[cluster], 0
        ends = start[cluster] + time
        end[cluster] = max(end[cluster], ends)
        nodes = NodeRanges.of_ranges(names[cluster], (range(used[cluster], used[cluster] + width),))
        used[cluster] += width
        placements.append(Placement.of_parts(instance.jobs[job].id, to_time(start[cluster]), to_time(ends), nodes))
    return Schedule(placements, "shelves")


def first_runs(scaled: ScaledMosp) -> list[ClusterRun]:
    """Return feasible runs as an initial solution: the local schedules, or else the jobs one by one.

    The latter run on the clusters of their owners, after all releases and reservations.
    """
    starts = scaled.local_starts
    if not starts:
        ends = [end for _, _, end, _ in scaled.reservations]
        begin = max((*scaled.releases, *ends))
        starts = tuple(accumulate(scaled.times[:-1], initial=begin))
    return [ClusterRun(job, scaled.owners[job], start) for job, start in enumerate(starts)]
