"""The verifier's rules for fair sharing on arrays, for streams of 10⁵ jobs and more.

Like `oas.fair.rules` it is exact and shares no code with the policies. It ignores individual processors: an assignment
exists if the total width of the running jobs never exceeds the number of processors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oas.core.verifier import named_violation
from oas.fair.ticks import NOT_STARTED, row_of_starts
from oas.queueing.stream import NEVER, held_over_time

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from oas.core.verifier import Violation
    from oas.fair.ticks import FairTicks

    Numbers = NDArray[np.int64]


def ticks_violations(ticks: FairTicks, starts: ArrayLike) -> list[Violation]:
    """Return a violation for each broken rule, with the number of jobs and the first ones.

    The rules: no job starts before its release (``start``), at the horizon or later (``horizon``), or before one that
    its organization presents before it (``fifo``); jobs never hold more processors than there are (``capacity``); and
    at no moment before the horizon are as many idle as the first waiting job of some organization needs (``greedy``).

    `starts`: as in `row_of_starts`, with the same errors.
    """
    begins = row_of_starts(ticks, starts)
    ran = begins != NOT_STARTED
    violations = [
        *_violation("start", ran & (begins < ticks.release), "start before their release"),
        *_violation("horizon", ran & (begins >= ticks.horizon), "start at the horizon or later"),
        *_violation("fifo", _overtaking(ticks, begins), "start before one that is presented before them"),
    ]
    moments, held = held_over_time(begins[ran], (begins + ticks.time)[ran], ticks.width[ran])
    over = np.flatnonzero(held > ticks.total)
    if over.size:
        first = int(moments[over[0]])
        running = ran & (begins <= first) & (first < begins + ticks.time)
        fault = f"hold {held[over[0]]} of {ticks.total} processors at {first}, at one of {over.size:,} such moments"
        violations += _violation("capacity", running, fault)
    waiting = _waiting(ticks, begins, moments, ticks.total - held)
    return [*violations, *_violation("greedy", waiting, "wait while as many processors as they need are idle")]


def _violation(rule: str, wrong: NDArray[np.bool_], fault: str) -> list[Violation]:
    return named_violation(rule, np.flatnonzero(wrong), fault)


def _overtaking(ticks: FairTicks, begins: Numbers) -> NDArray[np.bool_]:
    """Return for each job whether it starts before one that its organization presents before it."""
    wrong = np.zeros(len(begins), dtype=bool)
    for k in range(ticks.organization_count):
        jobs = np.flatnonzero(ticks.owner == k)
        start = np.where(begins[jobs] == NOT_STARTED, NEVER, begins[jobs])
        wrong[jobs] = (start < np.maximum.accumulate(start)) & (start != NEVER)
    return wrong


def _waiting(ticks: FairTicks, begins: Numbers, moments: Numbers, idle: Numbers) -> NDArray[np.bool_]:
    """Return for each job whether enough processors are idle while it is the first waiting job of its organization.

    This is the time from its release and the starts of the jobs before it until its own start. The number of idle
    processors changes only at `moments`; the times of the jobs of an organization do not overlap.
    """
    moments = np.concatenate([[-1], moments])  # before the first moment all processors are idle
    idle = np.concatenate([[ticks.total], idle, [0]])
    wrong = np.zeros(len(begins), dtype=bool)
    until = np.where(begins == NOT_STARTED, ticks.horizon, np.minimum(begins, ticks.horizon))
    for k in range(ticks.organization_count):
        jobs = np.flatnonzero(ticks.owner == k)
        previous = np.maximum.accumulate(np.concatenate([[0], until[jobs]]))[:-1]
        since = np.maximum(ticks.release[jobs], previous)
        jobs, since = jobs[since < until[jobs]], since[since < until[jobs]]
        first = np.searchsorted(moments, since, side="right") - 1
        end = np.searchsorted(moments, until[jobs], side="left")
        most_idle = np.maximum.reduceat(idle, np.stack([first, end], axis=1).ravel())[::2]
        wrong[jobs] = most_idle >= ticks.width[jobs]
    return wrong
