"""Queues of jobs placed on clusters: strict order, list scheduling (Graham), conservative and EASY back-filling.

The engines are those of `oas.queueing`, which skip blocks of steps and park blocked jobs. They add their runs to
the given profiles. For `compiled`, see `oas.core.compiling.select_kernels`. All times are in ticks.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from oas.core.clock import check_clock
from oas.core.errors import TooLargeError
from oas.core.rigid import FreeOverTime
from oas.core.shared_kernels import NEVER
from oas.mosp.local import LOCAL_ORDERS
from oas.mosp.runs import ClusterRun, schedule_from_cluster_runs
from oas.solving.method import NotPlacedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oas.core.schedule import Schedule
    from oas.mosp.instance import MospInstance
    from oas.mosp.ticks import ScaledMosp


@dataclass(frozen=True)
class TickSchedule:
    """Runs of all jobs of an instance."""

    scaled: ScaledMosp  # the instance in the ticks of the runs
    runs: tuple[ClusterRun, ...]  # by job

    @classmethod
    def of(cls, scaled: ScaledMosp, runs: Iterable[ClusterRun]) -> TickSchedule:
        """Return the schedule of `runs`, given in any order."""
        return cls(scaled, tuple(sorted(runs, key=lambda run: run.job)))

    def to_schedule(self, instance: MospInstance, method: str) -> Schedule:
        """Return the schedule with processor numbers, in the instance's time unit."""
        return schedule_from_cluster_runs(instance, self.scaled, self.runs, method)


def local_runs(scaled: ScaledMosp) -> TickSchedule:
    """Return the local schedules of all organizations."""
    return TickSchedule(scaled, tuple(local_run(scaled, job) for job in range(scaled.job_count)))


def local_run(scaled: ScaledMosp, job: int) -> ClusterRun:
    """Return the run of `job` in its organization's local schedule."""
    return ClusterRun(job, scaled.owners[job], scaled.local_starts[job])


# Attributes of a job that queue orders use, in ticks, named as in `RigidJob`
_Shape = namedtuple("_Shape", "time processors release")


def queue_of(order: str, scaled: ScaledMosp, seed: int = 0) -> list[int]:
    """Return all jobs in one of `LOCAL_ORDERS`; only RND uses `seed`."""
    shapes = map(_Shape, scaled.times, scaled.widths, scaled.releases)
    return LOCAL_ORDERS[order](list(shapes), seed)


def highest_first(scaled: ScaledMosp, jobs: Iterable[int]) -> list[int]:
    """Return `jobs` by HF: most processors first."""
    return sorted(jobs, key=lambda job: (-scaled.widths[job], job))


class Profiles:
    """Free processors of every cluster over time, from moment 0 on, in integer ticks.

    Parameters
    ----------
    processors
        Number of processors by cluster.
    blocks
        (cluster, start, end, processors) that are occupied: reservations or fixed runs.

    Raises
    ------
    TooLargeError
        If a run ends at 2^62 ticks or later.
    """

    def __init__(self, processors: Sequence[int], blocks: Iterable[tuple[int, int, int, int]] = ()) -> None:
        self._free = [FreeOverTime(count) for count in processors]
        for cluster, start, end, width in blocks:
            self.occupy(cluster, start, end - start, width)

    def occupy(self, cluster: int, start: int, time: int, width: int) -> None:
        """Occupy `width` processors of `cluster` from `start` for `time`; the caller ensures that they are free."""
        if start + time >= NEVER:
            raise TooLargeError("times reach 2^62 ticks; coarser times are needed")
        self._free[cluster].take(start, start + time, width)

    def close(self, moment: int) -> None:
        """Close the clusters from `moment` on; no run may extend beyond it."""
        for free in self._free:
            free.take(moment, NEVER, free.at(moment))

    def earliest(self, clusters: Iterable[int], ready: int, time: int, width: int) -> tuple[int, int] | None:
        """Return (cluster, start) of the earliest start ≥ `ready`, ties to the first of `clusters`, or None."""
        check_clock()
        best, least = -1, NEVER
        for cluster in clusters:
            free = self._free[cluster]
            start = free.earliest(ready, time, width)
            if start < least and free.at(start) >= width:
                best, least = cluster, start
        return None if best < 0 else (best, least)

    def steps(self, cluster: int) -> Iterator[tuple[int, int]]:
        """Yield (moment, free processors from then on) in time order; consecutive numbers may be equal."""
        return self._free[cluster].steps()


def empty_profiles(scaled: ScaledMosp) -> Profiles:
    """Return the clusters with only their reservations."""
    return Profiles(scaled.processors, scaled.reservations)


def earliest_run(profiles: Profiles, scaled: ScaledMosp, job: int, clusters: Sequence[int]) -> ClusterRun:
    """Return the run of `job` at its earliest start, ties to the first of `clusters`, without placing it.

    Raises `NotPlacedError` if it never fits any of them.
    """
    place = profiles.earliest(clusters, scaled.releases[job], scaled.times[job], scaled.widths[job])
    if place is None:
        raise NotPlacedError(f"job {job} fits none of its clusters")
    return ClusterRun(job, *place)


def queue_runs(
    engine: str,
    profiles: Profiles,
    scaled: ScaledMosp,
    clusters: Sequence[int],
    queue: Sequence[int],
    compiled: bool | None = None,
) -> list[ClusterRun]:
    """Place the jobs of `queue` on `profiles` by an engine of `oas.queueing.policies`; return their runs.

    A job takes the cluster where it starts earliest, ties to the first of `clusters`. The engines:

    - LIST (Graham): at every start, end or release the queue is traversed and every job that fits starts.
    - EASY: LIST, but no job may delay the earliest start of the first job of the queue that cannot start.
    - CONSERVATIVE: each job in turn gets its earliest start that delays no job before it.
    - STRICT: each job starts as early as possible, but not before its predecessor.

    Raises `NotPlacedError` if some job never fits anywhere.
    """
    from oas.queueing import policies  # loads numpy, which the list of methods does not need

    if not queue:
        return []
    # Every start is a release, an end of a job or an end of a reservation, so none exceeds this sum.
    ends = [end for _, _, end, _ in scaled.reservations]
    if sum(scaled.times) + max((*scaled.releases, *ends), default=0) >= NEVER:
        raise TooLargeError("times reach 2^62 ticks; coarser times are needed")
    columns = ([values[job] for job in queue] for values in (scaled.releases, scaled.times, scaled.widths))
    jobs = policies.jobs_in_queue(*columns)
    steps = [tuple(zip(*profiles.steps(cluster), strict=True)) for cluster in clusters]
    lost = policies.serve(engine, jobs, steps, compiled)
    if lost:
        raise NotPlacedError(f"{lost} of {len(queue)} jobs found no place")
    places = zip(queue, jobs.cluster.tolist(), jobs.start.tolist(), strict=True)
    runs = [ClusterRun(job, clusters[place], start) for job, place, start in places]
    for run in sorted(runs, key=lambda run: run.start):
        profiles.occupy(run.cluster, run.start, scaled.times[run.job], scaled.widths[run.job])
    return runs


list_runs = partial(queue_runs, "LIST")
conservative_runs = partial(queue_runs, "CONSERVATIVE")
