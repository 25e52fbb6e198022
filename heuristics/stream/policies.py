"""Queueing policies for a stream of jobs on one machine with reservations.

Each learns of a job, and of how long it will run, at its submission. It starts a job only where it fits for its whole
run, from start to end, beside the reservations and what has a start already. What each promises beyond that is stated,
and checked apart from this, in `oas.core.stream_promises`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heuristics.stream import policy_kernels, profile_kernels
from heuristics.stream.policy_kernels import Hints, Queue
from heuristics.stream.profile_kernels import BLOCK, FRESH, NEVER, Profile
from oas.core.compiling import chosen
from oas.core.errors import unknown_name
from oas.core.stream import held_over_time

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from oas.core.stream import JobStream

    Numbers = NDArray[np.int64]
    Engine = Callable[[JobStream, Profile, Any, Numbers], None]

TIMES = 64  # buckets of running times and of widths, in what conservative back-filling remembers
TIMES_BEHIND = 2048  # of running times where more is submitted than the machine can do, so that much is planned ahead
WIDTHS = 64
SAMPLE = 50_000  # jobs of which buckets are made


@dataclass(frozen=True)
class StreamPolicy:
    """A policy.

    Attributes
    ----------
    name, summary
        What it is called, and a line on what it does.
    engine
        Fills in starts, all -1 before: ``engine(stream, profile, loops, starts)``.
    """

    name: str
    summary: str
    engine: Engine

    def starts(
        self, stream: JobStream, processors: int, reservations: Numbers, compiled: bool | None = None
    ) -> Numbers:
        """Return when each job starts.

        Parameters
        ----------
        stream
            The jobs, none wider than the machine; starts, if it has any, do not count. All times together with the last
            submission and the last end of a reservation are below 2^62 ticks.
        processors
            Of the machine.
        reservations
            Start, end and processors of each, in ticks, never more than there are: an array of three columns.
        compiled
            See `oas.core.compiling.chosen`.
        """
        starts = np.full(len(stream), -1, dtype=np.int64)
        loops = chosen(compiled, policy_kernels, profile_kernels)
        self.engine(stream, _profile(len(stream), processors, reservations, loops), loops, starts)
        return starts


def _profile(jobs: int, processors: int, reservations: Numbers, loops: Any) -> Profile:
    """Return what the reservations leave, with room for so many jobs."""
    begins, ends, widths = reservations.T
    moments, held = held_over_time(begins, ends, widths)
    if not len(moments) or moments[0] > 0:
        moments, held = np.concatenate([[0], moments]), np.concatenate([[0], held])
    return _profile_of(jobs, moments, processors - held, loops)


def _profile_of(jobs: int, moments: Numbers, free: Numbers, loops: Any) -> Profile:
    """Return the profile of these steps, with room for so many jobs."""
    # Each job makes at most two steps; a block that is not the last one keeps at least BLOCK // 2 - 1 of them.
    blocks = (len(moments) + 2 * jobs) // (BLOCK // 2 - 1) + 2
    sizes = (blocks * BLOCK, blocks * BLOCK, blocks, blocks, blocks, blocks, blocks, 3)
    profile = Profile(*(np.empty(size, dtype=np.int64) for size in sizes))
    loops.fill(profile, moments, free)
    return profile


def _conservative(stream: JobStream, profile: Profile, loops: Any, starts: Numbers) -> None:
    times = buckets(stream.time, TIMES_BEHIND if _falls_behind(stream, profile) else TIMES)
    widths = buckets(stream.processors, WIDTHS)
    hints = Hints(times, widths, *(np.zeros(len(times) * len(widths), dtype=np.int64) for _ in range(2)))
    loops.conservative(profile, hints, stream.submit, stream.time, stream.processors, starts)


def _falls_behind(stream: JobStream, profile: Profile) -> bool:
    """Whether more is submitted than the machine could do meanwhile; only speed depends on it."""
    most = float(profile.high[: profile.places[FRESH]].max())
    work = float((stream.time.astype(float) * stream.processors).sum())
    return work > most * float(stream.submit[-1] - stream.submit[0])


def buckets(values: Numbers, most: int) -> Numbers:
    """Return 0 and at most `most` lower bounds of buckets, evenly over the distinct values of a sample."""
    distinct = np.unique(values[:: 1 + len(values) // SAMPLE])
    count = min(most, len(distinct))
    return np.concatenate([[0], distinct[np.arange(count) * len(distinct) // count]]).astype(np.int64)


def _strict(stream: JobStream, profile: Profile, loops: Any, starts: Numbers) -> None:
    loops.strict(profile, stream.submit, stream.time, stream.processors, starts)


def _overtaking(key: Callable[[JobStream], Numbers] | None, promises: bool = False) -> Engine:
    """Return the engine that goes through the queue by `key`, ties by submission; by submission without one."""

    def engine(stream: JobStream, profile: Profile, loops: Any, starts: Numbers) -> None:
        count = len(stream)
        order = np.arange(count) if key is None else np.argsort(key(stream), kind="stable")
        rank = np.empty(count, dtype=np.int64)
        rank[order] = np.arange(count)
        parked, parked_job = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
        bar, parked_count = np.array([NEVER, 0, 0], dtype=np.int64), np.zeros(1, dtype=np.int64)
        tree = np.full(4 << max(count - 1, 1).bit_length(), NEVER, dtype=np.int64)
        queue = Queue(tree, parked, parked_job, bar, parked_count)
        loops.overtaking(profile, queue, order, rank, stream.submit, stream.time, stream.processors, promises, starts)

    return engine


POLICIES = (
    StreamPolicy("FCFS", "list scheduling (LSRC), first come, first served: whatever fits starts", _overtaking(None)),
    StreamPolicy("SJF", "list scheduling, small jobs first", _overtaking(lambda jobs: jobs.processors)),
    StreamPolicy("BJF", "list scheduling, big jobs first", _overtaking(lambda jobs: -jobs.processors)),
    StreamPolicy("SPT", "list scheduling, shortest processing time first", _overtaking(lambda jobs: jobs.time)),
    StreamPolicy("LPT", "list scheduling, longest processing time first", _overtaking(lambda jobs: -jobs.time)),
    StreamPolicy("FCFS-strict", "first come, first served, nobody overtakes: starts never decrease", _strict),
    StreamPolicy("conservative", "back-filling that delays no job submitted before", _conservative),
    StreamPolicy("EASY", "back-filling that does not delay the first of the queue", _overtaking(None, promises=True)),
)


def served(
    policy: str,
    steps: tuple[Numbers, Numbers],
    stream: JobStream,
    rank: Numbers,
    compiled: bool | None,
) -> Numbers:
    """Return when each job starts on a machine of which something is taken already.

    Parameters
    ----------
    policy
        ``FCFS`` for list scheduling by `rank`; ``EASY`` or ``conservative`` in the order of submission.
    steps
        Moments from 0 on, ascending, and how many processors are free from each; enough for every job from the last.
    stream
        The jobs.
    rank
        Place of each job in the queue, from 0 on.
    compiled
        See `oas.core.compiling.chosen`.
    """
    engine = _overtaking(lambda _: rank) if policy == "FCFS" else find_policy(policy).engine
    loops = chosen(compiled, policy_kernels, profile_kernels)
    starts = np.full(len(stream), -1, dtype=np.int64)
    engine(stream, _profile_of(len(stream), *steps, loops), loops, starts)
    return starts


def find_policy(name: str) -> StreamPolicy:
    """Return the policy called `name`, in whatever case.

    Raises
    ------
    InputError
        If there is none.
    """
    for policy in POLICIES:
        if policy.name.lower() == str(name).lower():
            return policy
    raise unknown_name(name, [policy.name for policy in POLICIES], "policy")
