"""Queueing policies for a stream of jobs on one machine with reservations, and the engines that serve any queue.

A policy learns of a job and its running time at submission. A job starts only where it fits for its whole run, next to
the reservations and the runs already fixed. Further promises of a policy are stated, and checked independently, in
`oas.queueing.promises`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.compiling import select_kernels
from oas.core.errors import unknown_name
from oas.core.shared_kernels import NEVER, allocate
from oas.queueing import policy_kernels, profile_kernels
from oas.queueing.policy_kernels import Hints, Jobs, Queue
from oas.queueing.profile_kernels import BLOCK, FRESH, Profile
from oas.queueing.stream import held_over_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from oas.queueing.stream import JobStream

    Numbers = NDArray[np.int64]

TIMES = 64  # buckets of running times, and of widths, in the hints of conservative back-filling
TIMES_BEHIND = 2048  # buckets of running times if jobs arrive faster than they can run, so the plan becomes long
WIDTHS = 64
SAMPLE = 50_000  # maximum number of jobs from which buckets are computed


@dataclass(frozen=True)
class StreamPolicy:
    """A queueing policy."""

    name: str
    summary: str
    engine: str  # as in `serve`
    # Sort key of the queue, ties by submission; None for the order of submission
    key: Callable[[JobStream], Numbers] | None = None

    def starts(
        self, stream: JobStream, processors: int, reservations: Numbers, compiled: bool | None = None
    ) -> Numbers:
        """Return the start of each job on a machine of `processors` processors; no job may be wider.

        Starts in the stream are ignored. Reservations are rows of start, end and processors, never more processors
        than the machine has. The sum of all times, the last submission and the last reservation end must be below 2^62
        ticks. For `compiled`, see `oas.core.compiling.select_kernels`.
        """
        begins, ends, widths = reservations.T
        moments, held = held_over_time(begins, ends, widths)
        if not len(moments) or moments[0] > 0:
            moments, held = np.concatenate([[0], moments]), np.concatenate([[0], held])
        order = np.arange(len(stream)) if self.key is None else np.argsort(self.key(stream), kind="stable")
        jobs = jobs_in_queue(stream.submit[order], stream.time[order], stream.processors[order])
        serve(self.engine, jobs, [(moments, processors - held)], compiled)
        starts = np.empty_like(jobs.start)
        starts[order] = jobs.start
        return starts


def jobs_in_queue(submit: Sequence[int] | Numbers, times: Any, widths: Any) -> Jobs:
    """Return jobs in queue order, without starts."""
    given = (np.array(column, dtype=np.int64) for column in (submit, times, widths))
    return Jobs(*given, *(np.full(len(submit), -1, dtype=np.int64) for _ in range(2)))


def serve(engine: str, jobs: Jobs, clusters: Sequence[tuple[Any, ...]], compiled: bool | None) -> int:
    """Set the start and cluster of each job (at least one job); return the number of jobs without a place.

    The engine is ``LIST``, ``EASY``, ``CONSERVATIVE`` or ``STRICT``, as in `oas.mosp.search.queueing.queue_runs`. A
    cluster is given by ascending moments, the first 0, and the number of free processors from each moment on.
    """
    loops = select_kernels(compiled, policy_kernels, profile_kernels)
    # A job adds at most two steps; a block that is not the last of its cluster has at least BLOCK // 2 - 1 steps.
    steps = 2 * len(jobs.submit) + sum(len(moments) for moments, _ in clusters)
    blocks = steps // (BLOCK // 2 - 1) + 2 * len(clusters)
    sizes = {"moment free": blocks * BLOCK, "count after cluster low high lent": blocks, "first": len(clusters)}
    profile = allocate(Profile, {**sizes, "places": 2})
    profile.places[:] = -1, 0
    for k, rows in enumerate(clusters):
        loops.fill(profile, k, *(np.array(row, dtype=np.int64) for row in rows))
    if engine == "STRICT":
        return int(loops.strict(profile, jobs))
    if engine == "CONSERVATIVE":
        floors = np.ascontiguousarray(np.minimum.accumulate(jobs.submit[::-1])[::-1])
        return int(loops.conservative(profile, _hints(jobs, profile), jobs, floors))
    count = len(jobs.submit)
    parked, parked_job = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    bar, parked_count = np.array([NEVER, 0, 0], dtype=np.int64), np.zeros(1, dtype=np.int64)
    tree = np.full(4 << max(count - 1, 1).bit_length(), NEVER, dtype=np.int64)
    queue = Queue(tree, parked, parked_job, bar, parked_count)
    return int(loops.overtaking(profile, queue, jobs, np.argsort(jobs.submit, kind="stable"), engine == "EASY"))


def _hints(jobs: Jobs, profile: Profile) -> Hints:
    """Return empty hints for conservative back-filling."""
    most = float(profile.high[: profile.places[FRESH]].max()) * len(profile.first)
    work = float((jobs.times.astype(float) * jobs.widths).sum())
    overloaded = work > most * float(jobs.submit.max() - jobs.submit.min())
    times = buckets(jobs.times, TIMES_BEHIND if overloaded else TIMES)
    widths = buckets(jobs.widths, WIDTHS)
    cells = len(profile.first) * len(times) * len(widths)
    return Hints(times, widths, *(np.zeros(cells, dtype=np.int64) for _ in range(2)))


def buckets(values: Numbers, most: int) -> Numbers:
    """Return 0 and at most `most` lower bounds of buckets, spread evenly over the distinct values of a sample."""
    distinct = np.unique(values[:: 1 + len(values) // SAMPLE])
    count = min(most, len(distinct))
    return np.concatenate([[0], distinct[np.arange(count) * len(distinct) // count]]).astype(np.int64)


POLICIES = (
    StreamPolicy("FCFS", "list scheduling (LSRC), first come, first served: whatever fits starts", "LIST"),
    StreamPolicy("SJF", "list scheduling, small jobs first", "LIST", lambda jobs: jobs.processors),
    StreamPolicy("BJF", "list scheduling, big jobs first", "LIST", lambda jobs: -jobs.processors),
    StreamPolicy("SPT", "list scheduling, shortest processing time first", "LIST", lambda jobs: jobs.time),
    StreamPolicy("LPT", "list scheduling, longest processing time first", "LIST", lambda jobs: -jobs.time),
    StreamPolicy("FCFS-strict", "first come, first served, nobody overtakes: starts never decrease", "STRICT"),
    StreamPolicy("conservative", "back-filling that delays no job submitted before", "CONSERVATIVE"),
    StreamPolicy("EASY", "back-filling that does not delay the first of the queue", "EASY"),
)


def find_policy(name: str) -> StreamPolicy:
    """Return the policy called `name`, ignoring case; `InputError` if there is none."""
    for policy in POLICIES:
        if policy.name.lower() == str(name).lower():
            return policy
    raise unknown_name(name, [policy.name for policy in POLICIES], "policy")
