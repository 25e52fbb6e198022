"""On-line policies for fair sharing: their interface, and the error for faulty ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence


class Policy(Protocol):
    """A scheduler that is informed of events when they happen, and decides which organization's job starts next.

    It does not know running times, so it cannot look ahead: the time of a job is known when the job has ended.
    Organizations are numbered from 0 in the order of the instance, jobs from 0 in the order of submission: by release,
    then organization, then position in the organization. Time is in ticks.

    The events of one moment have this order: the jobs that end, by number; the jobs that are released, by number; then
    one `pick` and one `started` after another until no waiting job fits. There are no events from the horizon on.
    `oas.fair.search.engine.run_policy` runs a policy.
    """

    def begin(self, machines: Sequence[int]) -> None:
        """Receive the number of processors of each organization, before all other events."""

    def released(self, now: int, organization: int, job: int, width: int) -> None:
        """Receive the event that `job` is released and waits; it needs `width` processors."""

    def started(self, now: int, organization: int, job: int, width: int) -> None:
        """Receive the event that `job` starts."""

    def ended(self, now: int, organization: int, job: int, width: int) -> None:
        """Receive the event that `job` ends."""

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        """Return the organization whose first waiting job starts now.

        Parameters
        ----------
        now
            The moment.
        waiting
            The organizations, ascending, whose first waiting job fits the idle processors; at least one.
        """


class Watcher:
    """A policy that ignores all events: a base for policies that need only some of them. `pick` is not defined."""

    def begin(self, machines: Sequence[int]) -> None:
        """Do nothing."""

    def released(self, now: int, organization: int, job: int, width: int) -> None:
        """Do nothing."""

    def started(self, now: int, organization: int, job: int, width: int) -> None:
        """Do nothing."""

    def ended(self, now: int, organization: int, job: int, width: int) -> None:
        """Do nothing."""


class FirstPresented(Watcher):
    """Starts the earliest submitted job that fits; a job that does not fit may be overtaken.

    For equal releases it is the job of the first organization. The conclusions of the paper mention FCFS as future
    work; this policy also schedules the sub-coalitions of RAND, for which the paper defines no rule.
    """

    def __init__(self, seed: int = 0) -> None:
        self._queues: list[deque[int]] = []

    def begin(self, machines: Sequence[int]) -> None:
        """Begin with empty queues."""
        self._queues = [deque() for _ in machines]

    def released(self, now: int, organization: int, job: int, width: int) -> None:
        """Append the job to its organization's queue."""
        self._queues[organization].append(job)

    def started(self, now: int, organization: int, job: int, width: int) -> None:
        """Remove the job from its queue."""
        self._queues[organization].popleft()

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        """Return the organization whose first job was submitted earliest."""
        return min(waiting, key=lambda one: self._queues[one][0])


CALLS = ("begin", "released", "started", "ended", "pick")
"""Methods of every policy."""

PolicyFactory = Callable[[int], Policy]
"""``policy(seed) -> Policy``: returns a new policy at each call, so that runs are independent.

The parameter must be named ``seed``, which distinguishes a factory from a heuristic.
"""


class PolicyError(InputError):
    """A policy raised an exception, selected an organization that cannot start, or was not newly created."""
