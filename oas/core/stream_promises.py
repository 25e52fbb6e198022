"""The verifier of what queueing policies promise, for streams of a million jobs.

Every policy decides at a job's submission knowing how long it will run, and starts it only where it fits for its whole
run beside the reservations and what has a start already. Beyond that each promises:

- ``conservative``: no job is delayed by one submitted later. Each starts as early as it can beside the reservations and
  the jobs before it;
- ``FCFS-strict``: starts never decrease along the queue, and each job starts as early as that allows;
- list scheduling, by the name of its order (``FCFS``, ``SJF``, …): nothing is idle that fits its whole window. At no
  moment does a job wait that would fit beside what runs and what starts then and comes before it in the order;
- ``EASY``: the first job of the queue that cannot start has its earliest start at that moment kept free, so that none
  behind it delays it; of the others nothing is idle that fits its whole window beside that.

Each promise leaves one schedule, so what keeps it is what the policy makes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core import promise_kernels
from oas.core.compiling import chosen
from oas.core.names import unknown_name
from oas.core.promise_kernels import COUNT, JOB, MOMENT, NEVER, WIDTHS, Free, Jobs, Waiting
from oas.core.stream import held_over_time
from oas.core.violation import Violation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oas.core.stream import JobStream

ROWS = 2048  # of running times, in the table by which hopeless searches are cut short
_ORDERS = {
    "FCFS": lambda jobs: np.zeros(len(jobs), dtype=np.int64),
    "SJF": lambda jobs: jobs.processors,
    "BJF": lambda jobs: -jobs.processors,
    "SPT": lambda jobs: jobs.time,
    "LPT": lambda jobs: -jobs.time,
}
IN_TURN = ("conservative", "FCFS-strict")
PROMISES = (*_ORDERS, "EASY", *IN_TURN)
"""The policies whose promises are known."""


def broken_promises(
    policy: str,
    stream: JobStream,
    processors: int,
    reservations: NDArray[np.int64],
    compiled: bool | None = None,
) -> list[Violation]:
    """Return what a schedule breaks of a policy's promise; an empty list means that the policy made it.

    Parameters
    ----------
    policy
        One of `PROMISES`.
    stream
        With starts, that break no rule of `oas.core.stream_rules`.
    processors
        Of the machine.
    reservations
        Start, end and processors of each, in ticks: an array of three columns.
    compiled
        See `oas.core.compiling.chosen`.

    Raises
    ------
    InputError
        If there is no such policy.
    """
    if policy not in PROMISES:
        raise unknown_name(policy, PROMISES, "policy")
    loops = chosen(compiled, promise_kernels)
    moments, free = _without_jobs(stream, processors, reservations)
    tree = _tree(moments, free, loops)
    jobs = _jobs(stream, moments)
    if policy in IN_TURN:
        return _in_turn(policy, stream, tree, jobs, loops)
    return _sweep(policy, stream, tree, jobs, loops)


def _in_turn(policy: str, stream: JobStream, tree: Free, jobs: Jobs, loops: Any) -> list[Violation]:
    times = np.unique(stream.time)
    count = min(len(times), ROWS)
    bounds = times[np.arange(count) * len(times) // count]
    row_of = np.searchsorted(bounds, stream.time, side="right") - 1
    found = np.zeros(3, dtype=np.int64)
    latest = np.zeros(count * WIDTHS * 2, dtype=np.int64)
    loops.in_turn(tree, jobs, policy == "FCFS-strict", bounds, row_of, latest, found)
    return _violations(stream, found, "promise", "do not start as early as the jobs before them allow")


def _sweep(policy: str, stream: JobStream, tree: Free, jobs: Jobs, loops: Any) -> list[Violation]:
    count = len(stream)
    key = _ORDERS["FCFS" if policy == "EASY" else policy](stream)
    order = np.argsort(key, kind="stable")
    rank = np.empty(count, dtype=np.int64)
    rank[order] = np.arange(count)
    widths, group = np.unique(stream.processors, return_inverse=True)
    by_group = np.lexsort((rank, group))
    place = np.empty(count, dtype=np.int64)
    place[by_group] = np.arange(count)
    size = 1 << (count - 1).bit_length()
    waiting = Waiting(
        rank,
        np.lexsort((rank, stream.begun)),
        group,
        place,
        np.searchsorted(group[by_group], np.arange(len(widths) + 1)),
        by_group,
        np.full(2 * size, NEVER, dtype=np.int64),
        np.zeros(count, dtype=np.bool_),
        np.full(len(tree.moments) + 1, -1, dtype=np.int64),
        *(np.full(len(widths), -1, dtype=np.int64) for _ in range(3)),
    )
    idle, delayed = np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64)
    loops.sweep(tree, jobs, waiting, policy == "EASY", idle, delayed)
    return [
        *_violations(stream, delayed, "promise", "come first in the queue and do not start when they could have"),
        *_violations(stream, idle, "idle", "wait while they would fit for their whole run"),
    ]


def _violations(stream: JobStream, found: NDArray[np.int64], rule: str, what: str) -> list[Violation]:
    if not found[COUNT]:
        return []
    job = int(found[JOB])
    message = (
        f"jobs that {what}: {int(found[COUNT]):,}, the first {stream.ids[job]}, which starts at"
        f" {int(stream.begun[job])} and could at {int(found[MOMENT])}"
    )
    return [Violation(rule, (str(stream.ids[job]),), message)]


def _without_jobs(
    stream: JobStream, processors: int, reservations: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All moments at which something begins or ends, and what the reservations leave from each on."""
    begins, ends, widths = reservations.T
    moments = np.unique(np.concatenate([stream.submit[:1], stream.begun, stream.ends, begins, ends]))
    known, held = held_over_time(begins, ends, widths)
    before = np.searchsorted(known, moments, side="right")
    return moments, processors - np.concatenate([[0], held])[before]


def _tree(moments: NDArray[np.int64], free: NDArray[np.int64], loops: Any) -> Free:
    size = 1 << (len(moments) - 1).bit_length()
    low, high = np.empty(2 * size, dtype=np.int64), np.empty(2 * size, dtype=np.int64)
    tree = Free(moments, low, high, np.zeros(size, dtype=np.int64))
    loops.build(tree, free)
    return tree


def _jobs(stream: JobStream, moments: NDArray[np.int64]) -> Jobs:
    return Jobs(
        stream.submit,
        stream.time,
        stream.processors,
        stream.begun,
        np.searchsorted(moments, stream.submit, side="right") - 1,
        np.searchsorted(moments, stream.begun),
        np.searchsorted(moments, stream.ends),
    )
