"""ROUNDROBIN: the organizations in turns (section 6.1 of the fair scheduling paper)."""

from __future__ import annotations

from bisect import bisect
from typing import TYPE_CHECKING

from heuristics.fair.policy import Watcher
from heuristics.fair.policy_method import method_of

if TYPE_CHECKING:
    from collections.abc import Sequence


class InTurns(Watcher):
    """Goes around the list of organizations; one whose first job does not fit, or that has none, loses its turn.

    The paper says no more than that it "cycles through the list of organizations to determine the job to be started".
    It begins with the first, and goes on after the organization that it picked last, also at a later moment.
    """

    def __init__(self, seed: int = 0) -> None:
        self._last = -1

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        """Return the next organization after the one picked last, around the list."""
        following = bisect(waiting, self._last)
        self._last = waiting[following % len(waiting)]
        return self._last


METHOD = method_of(InTurns, "ROUNDROBIN", "one job of each organization in turn (section 6.1)", rank=30)
