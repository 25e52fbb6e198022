"""The verifier of streams: an independent check of starts against the jobs, the machine and its reservations.

It works on whole arrays, in exact integers, and shares no code with what makes starts (`heuristics.stream`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.stream import held_over_time
from oas.core.violation import Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from oas.core.stream import JobStream

SHOWN = 10  # jobs that a violation names


def stream_violations(
    log: JobStream, done: JobStream, processors: int, reservations: NDArray[np.int64]
) -> list[Violation]:
    """Return every rule that a schedule breaks, each once, with how often and the first jobs.

    The rules: each job runs exactly once (``missing_job``, ``unknown_job``, ``duplicate_job``), for its running time
    (``duration``), on its processors (``tasks``), not before its submission (``start``); and at no moment are more
    processors held than there are (``capacity``), those of reservations among them.

    Parameters
    ----------
    log
        The jobs as they are to be run; starts, if it has any, do not count.
    done
        The jobs as they were run, in any order that `JobStream` takes: with starts. What it says of submissions does
        not count.
    processors
        Of the machine.
    reservations
        Start, end and processors of each, in ticks: an array of three columns.
    """
    where, found = _matched(log, done)
    known = where >= 0
    log_of = where[known]
    longer = done.time[known] != log.time[log_of]
    found += _violation("duration", done.ids[known][longer], "run for another time than the log says")
    wider = done.processors[known] != log.processors[log_of]
    found += _violation("tasks", done.ids[known][wider], "hold another number of processors than the log says")
    early = done.begun[known] < log.submit[log_of]
    found += _violation("start", done.ids[known][early], "start before they were submitted")
    return [*found, *_capacity(done, processors, reservations)]


def in_log_order(log: JobStream, done: JobStream) -> NDArray[np.int64]:
    """Return the starts by the log's jobs; each job has to run exactly once."""
    starts = np.empty(len(log), dtype=np.int64)
    starts[_matched(log, done)[0]] = done.begun
    return starts


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
        *_violation("unknown_job", done.ids[where < 0], "are not in the log"),
        *_violation("missing_job", log.ids[runs == 0], "do not run"),
        *_violation("duplicate_job", log.ids[runs > 1], "run more than once"),
    ]


def _violation(rule: str, ids: NDArray[Any], what: str) -> list[Violation]:
    if not ids.size:
        return []
    named = tuple(str(one) for one in ids[:SHOWN])
    more = ", …" if ids.size > len(named) else ""
    return [Violation(rule, named, f"jobs that {what}: {ids.size:,} ({', '.join(named)}{more})")]


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
