"""Verifier of job streams: rules for jobs, machine and reservations, and the promises of queueing policies.

It works on whole arrays in exact integers and shares only `held_over_time` with the policies.

Every policy knows a job's running time when the job is submitted, and starts it only if it fits for its whole run
alongside the reservations and the jobs that already have a start. In addition each promises:

- ``conservative``: no job is delayed by one submitted later. Each has the earliest start that the reservations and the
  jobs before it leave;
- ``FCFS-strict``: starts never decrease along the queue, and each is the earliest possible under that condition;
- list scheduling, by the name of its order (``FCFS``, ``SJF``, …): at no moment would a waiting job fit for its whole
  run alongside the running jobs and the jobs that start at that moment and precede it in the order;
- ``EASY``: when the first job of the queue cannot start, its earliest start at that moment is kept, so that no job
  behind it delays it; no other waiting job would fit for its whole run alongside that.

Exactly one schedule keeps each promise, so a schedule that keeps it is the policy's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.compiling import select_kernels
from oas.core.errors import unknown_name
from oas.core.verifier import SHOWN, Violation, named_violation
from oas.queueing import promise_kernels
from oas.queueing.promise_kernels import COUNT, JOB, MOMENT, NEVER, WIDTHS, Jobs, Tree, Waiting
from oas.queueing.stream import held_over_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oas.queueing.stream import JobStream


def stream_violations(
    log: JobStream, done: JobStream, processors: int, reservations: NDArray[np.int64]
) -> list[Violation]:
    """Return a violation for each broken rule, with the number of jobs and the first ones.

    The rules: each job runs exactly once (``missing_job``, ``unknown_job``, ``duplicate_job``), for its running time
    (``duration``), on its processors (``tasks``), not before its submission (``start``); and jobs and reservations
    never hold more processors than there are (``capacity``).

    `log` has the jobs; its starts are ignored. `done` has the runs, in any order that `JobStream` accepts; its
    submissions are ignored. The reservations are an array of three columns: start, end and processors, in ticks.
    """
    ids, ran = log.ids, done.ids
    if ids.dtype.kind != ran.dtype.kind:
        ids, ran = ids.astype(str), ran.astype(str)
    order = np.argsort(ids, kind="stable")
    place = np.minimum(np.searchsorted(ids, ran, sorter=order), len(log) - 1)
    in_log = ids[order[place]] == ran
    job = order[place][in_log]  # index in the log of each run of a known job
    runs = np.bincount(job, minlength=len(log))
    known = done.ids[in_log]
    longer = done.time[in_log] != log.time[job]
    wider = done.processors[in_log] != log.processors[job]
    early = done.known_starts[in_log] < log.submit[job]
    violations = [
        *named_violation("unknown_job", done.ids[~in_log], "are not in the log"),
        *named_violation("missing_job", log.ids[runs == 0], "do not run"),
        *named_violation("duplicate_job", log.ids[runs > 1], "run more than once"),
        *named_violation("duration", known[longer], "run for another time than the log says"),
        *named_violation("tasks", known[wider], "hold another number of processors than the log says"),
        *named_violation("start", known[early], "start before they were submitted"),
    ]
    begins = np.concatenate([done.known_starts, reservations[:, 0]])
    ends = np.concatenate([done.ends, reservations[:, 1]])
    widths = np.concatenate([done.processors, reservations[:, 2]])
    moments, held = held_over_time(begins, ends, widths)
    over = np.flatnonzero(held > processors)
    if over.size:
        first = int(moments[over[0]])
        running = (done.known_starts <= first) & (first < done.ends)
        message = (
            f"{held[over[0]]} of {processors} processors are held at {first}; more than there are at {over.size:,}"
            f" moments, at most {held.max()}"
        )
        violations.append(Violation("capacity", tuple(map(str, done.ids[running][:SHOWN])), message))
    return violations


ROWS = 2048  # rows for running times in the table by which `check_in_order` skips moments
_QUEUE_KEYS = {
    "FCFS": lambda jobs: np.zeros(len(jobs), dtype=np.int64),
    "SJF": lambda jobs: jobs.processors,
    "BJF": lambda jobs: -jobs.processors,
    "SPT": lambda jobs: jobs.time,
    "LPT": lambda jobs: -jobs.time,
}
IN_ORDER = ("conservative", "FCFS-strict")
PROMISES = (*_QUEUE_KEYS, "EASY", *IN_ORDER)
"""The policies whose promises can be checked."""


def broken_promises(
    policy: str, stream: JobStream, processors: int, reservations: NDArray[np.int64], compiled: bool | None = None
) -> list[Violation]:
    """Return the violations of a policy's promise; an empty list means that the policy makes this schedule.

    The stream has starts that break no rule of `stream_violations`; `compiled` as in
    `oas.core.compiling.select_kernels`.

    Raises `InputError` if there is no such policy.
    """
    if policy not in PROMISES:
        raise unknown_name(policy, PROMISES, "policy")
    kernels = select_kernels(compiled, promise_kernels)
    begins, ends, widths = reservations.T
    moments = np.unique(np.concatenate([stream.submit[:1], stream.known_starts, stream.ends, begins, ends]))
    changes, held = held_over_time(begins, ends, widths)
    held_at = np.concatenate([[0], held])[np.searchsorted(changes, moments, side="right")]
    free = _tree(processors - held_at, kernels)
    jobs = Jobs(
        moments,
        stream.submit,
        stream.time,
        stream.processors,
        stream.known_starts,
        np.searchsorted(moments, stream.submit, side="right") - 1,
        np.searchsorted(moments, stream.known_starts),
        np.searchsorted(moments, stream.ends),
    )
    broken, delayed = np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64)
    if policy in IN_ORDER:
        times = np.unique(stream.time)
        count = min(len(times), ROWS)
        bounds = times[np.arange(count) * len(times) // count]
        row_of = np.searchsorted(bounds, stream.time, side="right") - 1
        latest = np.zeros(count * WIDTHS * 2, dtype=np.int64)
        kernels.check_in_order(free, jobs, policy == "FCFS-strict", bounds, row_of, latest, broken)
        return _violations(stream, broken, "promise", "do not start as early as the jobs before them allow")
    kernels.check_no_idling(free, jobs, _waiting(policy, stream, kernels), policy == "EASY", broken, delayed)
    return [
        *_violations(stream, delayed, "promise", "come first in the queue and do not start when they could have"),
        *_violations(stream, broken, "idle", "wait while they would fit for their whole run"),
    ]


def _waiting(policy: str, stream: JobStream, kernels: Any) -> Waiting:
    """Return the empty queue of a policy, with its order and classes."""
    count = len(stream)
    order = np.argsort(_QUEUE_KEYS["FCFS" if policy == "EASY" else policy](stream), kind="stable")
    rank = np.empty(count, dtype=np.int64)
    rank[order] = np.arange(count)
    widths, group = np.unique(stream.processors, return_inverse=True)
    by_group = np.lexsort((rank, group))
    place = np.empty(count, dtype=np.int64)
    place[by_group] = np.arange(count)
    return Waiting(
        rank=rank,
        by_start=np.lexsort((rank, stream.known_starts)),
        group=group,
        place=place,
        first=np.searchsorted(group[by_group], np.arange(len(widths) + 1)),
        job=by_group,
        times=_tree(np.full(count, NEVER), kernels),
        inserted=np.zeros(count, dtype=np.bool_),
        next_check=np.full(len(widths), -1),
        due=np.empty(len(widths), dtype=np.int64),
        queue=np.array([0, -1]),
    )


def _tree(values: NDArray[np.int64], kernels: Any) -> Tree:
    size = 1 << (len(values) - 1).bit_length()
    low, high = np.empty(2 * size, dtype=np.int64), np.empty(2 * size, dtype=np.int64)
    tree = Tree(low, high, np.zeros(size, dtype=np.int64))
    kernels.build(tree, values)
    return tree


def _violations(stream: JobStream, broken: NDArray[np.int64], rule: str, fault: str) -> list[Violation]:
    if not broken[COUNT]:
        return []
    job = int(broken[JOB])
    message = (
        f"jobs that {fault}: {int(broken[COUNT]):,}, the first {stream.ids[job]}, which starts at"
        f" {int(stream.known_starts[job])} and could at {int(broken[MOMENT])}"
    )
    return [Violation(rule, (str(stream.ids[job]),), message)]
