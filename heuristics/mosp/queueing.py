"""Jobs from a queue onto clusters: strictly in turn, list scheduling (Graham), conservative and EASY back-filling.

Long queues on one cluster are served by the loops for streams of jobs on one machine. `heuristics.stream` looks at
blocks of steps at once and puts jobs aside until what keeps them from starting is over, so queues of a hundred thousand
jobs that are all released at one moment take a fraction of the time. The schedules are the same: what is served, and
when, follows from the rules of list scheduling and of back-filling alone.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

from heuristics.method import NotPlacedError
from heuristics.mosp.profile_kernels import NEVER, Planned, Waiting
from heuristics.mosp.profiles import Profiles
from oas.core.errors import TooLargeError
from oas.problems.mosp.runs import ClusterRun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.mosp.ticks import ScaledMosp

LONG = 10_000  # jobs in a queue, from which on the loops of `heuristics.stream` are worth their compilation
LIST, EASY, CONSERVATIVE = "FCFS", "EASY", "conservative"  # as `heuristics.stream.policies` names them
BUCKETS = 64  # of times and of widths, in the table by which conservative back-filling skips hopeless starts
COLUMNS = 12  # of widths, in the tree by which the queue is searched for jobs that may fit


def empty_profiles(scaled: ScaledMosp, compiled: bool | None = None) -> Profiles:
    """Return the clusters with nothing on them but their reservations, with room for every job."""
    room = scaled.job_count + len(scaled.reservations)
    return Profiles(scaled.processors, room, scaled.reservations, compiled)


def list_runs(
    profiles: Profiles, scaled: ScaledMosp, clusters: Sequence[int], queue: Sequence[int]
) -> list[ClusterRun]:
    """List-schedule the jobs of `queue` beside what `profiles` hold already, overtaking (Graham).

    At every moment at which something begins or ends or a job is released, the queue is gone through and every job
    starts that fits for its whole run on some cluster, on the first such of `clusters`.

    Raises
    ------
    NotPlacedError
        If some job fits nowhere, ever.
    """
    if serves(LIST, profiles, scaled, clusters, queue):
        return _on_one(LIST, profiles, scaled, clusters[0], queue)
    return _from_queue(profiles, scaled, clusters, queue, promises=False)


def easy_runs(
    profiles: Profiles, scaled: ScaledMosp, clusters: Sequence[int], queue: Sequence[int]
) -> list[ClusterRun]:
    """Like `list_runs`, but nothing may delay the first job of the queue that cannot start (EASY back-filling).

    Where the queue is blocked, its first job is promised the earliest start there is; every other job may start that
    fits beside it.
    """
    if serves(EASY, profiles, scaled, clusters, queue):
        return _on_one(EASY, profiles, scaled, clusters[0], queue)
    return _from_queue(profiles, scaled, clusters, queue, promises=True)


def conservative_runs(
    profiles: Profiles, scaled: ScaledMosp, clusters: Sequence[int], queue: Sequence[int]
) -> list[ClusterRun]:
    """Give each job of `queue` in turn its earliest start, delaying none before it; ties to the first of `clusters`.

    Raises
    ------
    NotPlacedError
        If some job fits nowhere, ever.
    """
    if serves(CONSERVATIVE, profiles, scaled, clusters, queue):
        return _on_one(CONSERVATIVE, profiles, scaled, clusters[0], queue)
    numbers = profiles.numbers
    floors = list(accumulate((scaled.releases[job] for job in reversed(queue)), min))[::-1]
    time_bounds = buckets([scaled.times[job] for job in queue], BUCKETS)
    width_bounds = buckets([scaled.widths[job] for job in queue], BUCKETS)
    cells = len(time_bounds) * len(width_bounds)
    starts, places = numbers([0] * scaled.job_count), numbers([0] * scaled.job_count)
    times, widths, releases = _jobs(profiles, scaled)
    planned = Planned(
        queue=numbers(queue),
        floors=numbers(floors),
        times=times,
        widths=widths,
        releases=releases,
        time_bounds=numbers(time_bounds),
        width_bounds=numbers(width_bounds),
        hints=numbers([k for k in range(profiles.cluster_count) for _ in range(cells)]),
        starts=starts,
        places=places,
    )
    steps = numbers(range(profiles.cluster_count))
    lost = profiles.loops.conservative(*profiles.state, steps, numbers(clusters), planned)
    return _runs(queue, starts, places, lost)


def strict_runs(
    profiles: Profiles, scaled: ScaledMosp, clusters: Sequence[int], queue: Sequence[int]
) -> list[ClusterRun]:
    """Start the jobs of `queue` in turn, each as soon as it fits for its whole run: none before one that precedes it.

    Ties go to the first of `clusters`.

    Raises
    ------
    NotPlacedError
        If some job fits nowhere, ever: those behind it wait for ever too.
    """
    times, widths, releases = _jobs(profiles, scaled)
    steps, allowed = profiles.numbers(range(profiles.cluster_count)), profiles.numbers(clusters)
    runs: list[ClusterRun] = []
    now = 0
    for job in queue:
        ready = max(now, releases[job])
        found = profiles.loops.earliest_of(*profiles.state[:3], steps, allowed, ready, times[job], widths[job])
        cluster, now = (int(value) for value in found)
        if cluster < 0:
            raise NotPlacedError(f"{len(queue) - len(runs)} of {len(queue)} jobs found no place")
        # Nothing starts before this moment any more, so that later searches begin at its step.
        steps[cluster] = profiles.loops.occupy(*profiles.state, steps[cluster], now, now + times[job], widths[job])
        runs.append(ClusterRun(job, cluster, now))
    return runs


def earliest_run(profiles: Profiles, scaled: ScaledMosp, job: int, clusters: Sequence[int]) -> ClusterRun:
    """Return the run of `job` at its earliest start, ties to the first of `clusters`; it is not placed yet.

    Raises
    ------
    NotPlacedError
        If it fits none of them, ever.
    """
    found = profiles.earliest(clusters, scaled.releases[job], scaled.times[job], scaled.widths[job])
    if found is None:
        raise NotPlacedError(f"job {job} fits none of its clusters")
    return ClusterRun(job, *found)


def serves(policy: str, profiles: Profiles, scaled: ScaledMosp, clusters: Sequence[int], queue: Sequence[int]) -> bool:
    """Whether `starts_on` can serve this queue: it is long, for one cluster alone, and its jobs fit there in the end.

    Back-filling is for queues by release only.
    """
    if len(clusters) != 1 or len(queue) < LONG:
        return False
    *_, (last, free) = profiles.steps(clusters[0])
    if last >= NEVER or max(scaled.widths[job] for job in queue) > free:
        return False
    releases = [scaled.releases[job] for job in queue]
    return policy == LIST or releases == sorted(releases)


def starts_on(
    profiles: Profiles,
    scaled: ScaledMosp,
    cluster: int,
    queue: Sequence[int],
    policy: str,
    *,
    compiled: bool | None = None,
) -> list[int]:
    """Return the start of each job of `queue`, in its order, and place the jobs on the cluster.

    Parameters
    ----------
    profiles
        With what the cluster holds already.
    scaled
        The jobs in ticks, which add up to less than 2^62.
    cluster, queue
        As `serves` takes them.
    policy
        `LIST`, `EASY` or `CONSERVATIVE`.
    compiled
        See `oas.core.compiling.chosen`.
    """
    import numpy as np  # for long queues alone

    from heuristics.stream.policies import served
    from oas.core.stream import UNKNOWN, JobStream

    jobs = np.array(queue, dtype=np.int64)
    releases, times, widths = (
        np.array(values, dtype=np.int64)[jobs] for values in (scaled.releases, scaled.times, scaled.widths)
    )
    arrivals = np.argsort(releases, kind="stable")
    moments, free = np.array(list(profiles.steps(cluster)), dtype=np.int64).T
    found = np.empty(len(jobs), dtype=np.int64)
    stream = JobStream(
        np.arange(len(jobs)), releases[arrivals], times[arrivals], widths[arrivals], np.full(len(jobs), UNKNOWN)
    )
    steps = np.ascontiguousarray(moments), np.ascontiguousarray(free)
    found[arrivals] = served(policy, steps, stream, arrivals, compiled)
    assert found.min() >= 0
    order = np.argsort(found, kind="stable")
    begun = found[order]
    blocks = (np.full(len(jobs), cluster), begun, begun + times[order], widths[order])
    profiles.occupy_ordered(*(profiles.numbers(column.tolist()) for column in blocks))
    return list(found.tolist())


def _on_one(
    policy: str, profiles: Profiles, scaled: ScaledMosp, cluster: int, queue: Sequence[int]
) -> list[ClusterRun]:
    _check_times(scaled)
    begun = starts_on(profiles, scaled, cluster, queue, policy)
    return [ClusterRun(job, cluster, start) for job, start in zip(queue, begun, strict=True)]


def _from_queue(
    profiles: Profiles, scaled: ScaledMosp, clusters: Sequence[int], queue: Sequence[int], *, promises: bool
) -> list[ClusterRun]:
    numbers = profiles.numbers
    arrivals = sorted(range(len(queue)), key=lambda position: scaled.releases[queue[position]])
    size = 1 << max(len(queue) - 1, 0).bit_length()
    columns = buckets([scaled.widths[job] for job in queue], COLUMNS)[1:]
    starts, places = numbers([0] * scaled.job_count), numbers([0] * scaled.job_count)
    times, widths, releases = _jobs(profiles, scaled)
    waiting = Waiting(
        queue=numbers(queue),
        arrivals=numbers(arrivals),
        times=times,
        widths=widths,
        releases=releases,
        sizes=numbers([max(scaled.times), size]),
        columns=numbers(columns),
        tree=numbers([NEVER] * (2 * size * len(columns))),
        windows=numbers([0] * (profiles.cluster_count * len(columns))),
        bounds=numbers([0] * len(columns)),
        starts=starts,
        places=places,
    )
    steps = numbers(range(profiles.cluster_count))
    lost = profiles.loops.list_schedule(*profiles.state, steps, numbers(clusters), waiting, promises)
    return _runs(queue, starts, places, lost)


def _jobs(profiles: Profiles, scaled: ScaledMosp) -> tuple[Any, Any, Any]:
    _check_times(scaled)
    return profiles.numbers(scaled.times), profiles.numbers(scaled.widths), profiles.numbers(scaled.releases)


def _check_times(scaled: ScaledMosp) -> None:
    # A start is a release, an end, or an end of a reservation: none lies beyond this sum.
    ends = [end for _, _, end, _ in scaled.reservations]
    if sum(scaled.times) + max((*scaled.releases, *ends), default=0) >= NEVER:
        raise TooLargeError("times reach 2^62 ticks; coarser times are needed")


def _runs(queue: Sequence[int], starts: Any, places: Any, lost: int) -> list[ClusterRun]:
    if lost:
        raise NotPlacedError(f"{lost} of {len(queue)} jobs found no place")
    begun, clusters = [int(start) for start in starts], [int(place) for place in places]
    return [ClusterRun(job, clusters[job], begun[job]) for job in queue]


def buckets(values: Sequence[int], most: int) -> list[int]:
    """Return 0 and at most `most` lower bounds of buckets, evenly over the distinct values, the least among them."""
    distinct = sorted(set(values))
    count = min(most, len(distinct))
    return [0, *(distinct[index * len(distinct) // count] for index in range(count))]
