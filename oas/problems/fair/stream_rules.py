"""The verifier's rules for fair sharing on arrays, for streams of 10⁵ jobs and more.

Like `oas.problems.fair.rules` it works in exact integers and shares no code with what makes starts. It sees no
processors: where never more are held than there are, the jobs can be given some without moving any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oas.core.stream import NEVER, held_over_time
from oas.core.verifier import named_violation
from oas.problems.fair.ticks import NOT_STARTED, row_of_starts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from oas.core.verifier import Violation
    from oas.problems.fair.ticks import FairTicks

    Numbers = NDArray[np.int64]


def ticks_violations(ticks: FairTicks, starts: ArrayLike) -> list[Violation]:
    """Return every rule that starts break, each once, with how often and the first jobs.

    The rules: no job starts before its release (``start``), from the horizon on (``horizon``), or before one that its
    organization presents before it (``fifo``); never are more processors held than there are (``capacity``); and at no
    moment before the horizon are as many idle as the first waiting job of some organization needs (``greedy``).

    Parameters
    ----------
    ticks
        The jobs; their running times and processors are kept by construction.
    starts
        When each starts, -1 for not before the horizon.

    Raises
    ------
    InputError
        If `starts` is not a row of whole numbers from -1 on, one for each job.
    """
    begins = row_of_starts(ticks, starts)
    ran = begins != NOT_STARTED
    found = [
        *_violation("start", ran & (begins < ticks.release), "start before their release"),
        *_violation("horizon", ran & (begins >= ticks.horizon), "start at the horizon or later"),
        *_violation("fifo", _overtaking(ticks, begins), "start before one that is presented before them"),
    ]
    moments, held = held_over_time(begins[ran], (begins + ticks.time)[ran], ticks.width[ran])
    over = np.flatnonzero(held > ticks.total)
    if over.size:
        first = int(moments[over[0]])
        there = ran & (begins <= first) & (first < begins + ticks.time)
        what = f"hold {held[over[0]]} of {ticks.total} processors at {first}, at one of {over.size:,} such moments"
        found += _violation("capacity", there, what)
    return [*found, *_greedy(ticks, begins, moments, ticks.total - held)]


def _violation(rule: str, wrong: NDArray[np.bool_], what: str) -> list[Violation]:
    return named_violation(rule, np.flatnonzero(wrong), what)


def _overtaking(ticks: FairTicks, begins: Numbers) -> NDArray[np.bool_]:
    """Which jobs start although one before them, of the same organization, starts later or never."""
    wrong = np.zeros(len(begins), dtype=bool)
    for k in range(ticks.organization_count):
        own = np.flatnonzero(ticks.owner == k)
        when = np.where(begins[own] == NOT_STARTED, NEVER, begins[own])
        wrong[own] = (when < np.maximum.accumulate(when)) & (when != NEVER)
    return wrong


def _greedy(ticks: FairTicks, begins: Numbers, moments: Numbers, idle: Numbers) -> Iterator[Violation]:
    """Each job is looked at while it is its organization's first to wait: from a moment on until it starts.

    That is from its release on, and from the start of the last of those before it. Idle processors change at starts
    and ends alone, so their most over that time is looked for among those moments.
    """
    moments = np.concatenate([[-1], moments])  # before the first moment everything is idle
    idle = np.concatenate([[ticks.total], idle])
    table = _most_in_blocks(idle)
    waits = np.zeros(len(begins), dtype=bool)
    until = np.where(begins == NOT_STARTED, ticks.horizon, np.minimum(begins, ticks.horizon))
    for k in range(ticks.organization_count):
        own = np.flatnonzero(ticks.owner == k)
        before = np.maximum.accumulate(np.concatenate([[0], until[own]]))[:-1]
        since = np.maximum(ticks.release[own], before)
        waiting = since < until[own]
        own, since = own[waiting], since[waiting]
        first = np.searchsorted(moments, since, side="right") - 1
        last = np.searchsorted(moments, until[own], side="left") - 1
        waits[own] = _most(table, first, last) >= ticks.width[own]
    yield from _violation("greedy", waits, "wait while as many processors as they need are idle")


def _most_in_blocks(values: Numbers) -> list[Numbers]:
    """Return the greatest of each 1, 2, 4, … neighbours; those that would pass the end are left out."""
    table = [values]
    while 2 ** len(table) <= len(values):
        half = 2 ** (len(table) - 1)
        table.append(np.maximum(table[-1][:-half], table[-1][half:]))
    return table


def _most(table: list[Numbers], first: Numbers, last: Numbers) -> Numbers:
    """Return the greatest value from each place `first` to `last`, both included: two blocks cover them."""
    power = np.frexp(last - first + 1)[1] - 1
    found = np.empty(len(first), dtype=np.int64)
    for size in np.unique(power):
        here = power == size
        found[here] = np.maximum(table[size][first[here]], table[size][last[here] - 2 ** int(size) + 1])
    return found
