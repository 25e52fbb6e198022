"""FCFS: the jobs of all organizations in the order of their presentation."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from heuristics.fair.policy import Watcher
from heuristics.fair.policy_method import method_of

if TYPE_CHECKING:
    from collections.abc import Sequence


class FirstPresented(Watcher):
    """Starts the job that was presented first of those that fit: one that does not fit lets others pass.

    At equal releases that is the job of the first organization. The paper's conclusions name FCFS as future work; its
    RAND needs a rule for sub-coalitions, for which this one serves.
    """

    def __init__(self, seed: int = 0) -> None:
        self._queues: list[deque[int]] = []

    def begin(self, machines: Sequence[int]) -> None:
        """Begin with empty queues."""
        self._queues = [deque() for _ in machines]

    def released(self, now: int, organization: int, job: int, width: int) -> None:
        """Put the job at the end of its organization's queue."""
        self._queues[organization].append(job)

    def started(self, now: int, organization: int, job: int, width: int) -> None:
        """Take the job from its queue."""
        self._queues[organization].popleft()

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        """Return the organization with the least number of a first job."""
        return min(waiting, key=lambda one: self._queues[one][0])


METHOD = method_of(FirstPresented, "FCFS", "by the order of presentation; what does not fit lets others pass", rank=20)
