"""The verifier of streams: starts against jobs, machine and reservations, and what queueing policies promise.

It works on whole arrays, in exact integers, and shares no code with what makes starts (`heuristics.stream`).

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
from oas.core.errors import unknown_name
from oas.core.promise_kernels import COUNT, JOB, MOMENT, NEVER, WIDTHS, Free, Jobs, Waiting
from oas.core.stream import held_over_time
from oas.core.verifier import SHOWN, Violation, named_violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from oas.core.stream import JobStream


def stream_violations(
    log: JobStream, done: JobStream, processors: int, reservations: NDArray[np.int64]
) -> list[Violation]:
    """Return every rule that a schedule breaks, each once, with how often and the first jobs.

    The rules: each job runs exactly once (``missing_job``, ``unknown_job``, ``duplicate_job``), for its running time
    (``duration``), on its processors (``tasks``), not before its submission (``start``); and at no moment are more
    processors held than there are (``capacity``), those of reservations among them.

    The jobs are to be run as in `log`, whose starts do not count, and were run as in `done`, in any order that
    `JobStream` takes, whose submissions do not count. The reservations are an array of three columns: start, end and
    processors, in ticks.
    """
    where, found = _matched(log, done)
    known = where >= 0
    log_of = where[known]
    longer = done.time[known] != log.time[log_of]
    found += named_violation("duration", done.ids[known][longer], "run for another time than the log says")
    wider = done.processors[known] != log.processors[log_of]
    found += named_violation("tasks", done.ids[known][wider], "hold another number of processors than the log says")
    early = done.begun[known] < log.submit[log_of]
    found += named_violation("start", done.ids[known][early], "start before they were submitted")
    return [*found, *_capacity(done, processors, reservations)]


def _matched(log: JobStream, done: JobStream) -> tuple[NDArray[np.int64], list[Violation]]:
    """Which job of the log each job that ran is, -1 for none; and what is wrong with that."""
    ids, ran = log.ids, done.ids
    if ids.dtype.kind != ran.dtype.kind:
        ids, ran = ids.astype(str), ran.astype(str)
    order = np.argsort(ids, kind="stable")
    place = np.minimum(np.searchsorted(ids, ran, sorter=order), len(log) - 1)
    where = np.where(ids[order[place]] == ran, order[place], -1)
    runs = np.bincount(where[where >= 0], minlength=len(log))
    return where, [
        *named_violation("unknown_job", done.ids[where < 0], "are not in the log"),
        *named_violation("missing_job", log.ids[runs == 0], "do not run"),
        *named_violation("duplicate_job", log.ids[runs > 1], "run more than once"),
    ]


def _capacity(done: JobStream, processors: int, reservations: NDArray[np.int64]) -> Iterator[Violation]:
    """No more processors are held than there are, whoever holds them."""
    begins = np.concatenate([done.begun, reservations[:, 0]])
    ends = np.concatenate([done.ends, reservations[:, 1]])
    widths = np.concatenate([done.processors, reservations[:, 2]])
    moments, held = held_over_time(begins, ends, widths)
    over = np.flatnonzero(held > processors)
    if not over.size:
        return
    first = int(moments[over[0]])
    there = np.flatnonzero((done.begun <= first) & (first < done.ends))
    named = tuple(str(one) for one in done.ids[there][:SHOWN])
    yield Violation(
        "capacity",
        named,
        f"{held[over[0]]} of {processors} processors are held at {first}; more than there are at {over.size:,} moments,"
        f" at most {held.max()}",
    )


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
    policy: str, stream: JobStream, processors: int, reservations: NDArray[np.int64], compiled: bool | None = None
) -> list[Violation]:
    """Return what a schedule breaks of a policy's promise; an empty list means that the policy made it.

    The stream has starts, which break no rule of `stream_violations`; for `compiled` see
    `oas.core.compiling.chosen`.

    Raises `InputError` if there is no such policy.
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
        np.full(len(widths), -1, dtype=np.int64),
        np.full(len(widths), -1, dtype=np.int64),
        np.full(len(widths), -1, dtype=np.int64),
        np.array([0, -1], dtype=np.int64),
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
