"""On-line policies for fair sharing: what they are told, what they answer, and the error for one that goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence


class Policy(Protocol):
    """A scheduler that learns what happens when it happens, and decides whose job starts next.

    Running times are not among what it is told, so it cannot look ahead: a job's time is known when the job has ended.
    Organizations are numbered from 0 in the instance's order, jobs from 0 in the order of their presentation: by
    release, then organization, then place in the organization. Time is in ticks.

    At one moment the events come in this order: the jobs that end, by number; the jobs that are released, by number;
    then one `pick` and one `started` after the other until no waiting job fits. At the horizon nothing happens any
    more. `heuristics.fair.engine.run_policy` runs one.
    """

    def begin(self, machines: Sequence[int]) -> None:
        """Take note of the processors of each organization, before anything else happens."""

    def released(self, now: int, organization: int, job: int, width: int) -> None:
        """Take note that `job` is released and waits; it needs `width` processors at once."""

    def started(self, now: int, organization: int, job: int, width: int) -> None:
        """Take note that `job` starts."""

    def ended(self, now: int, organization: int, job: int, width: int) -> None:
        """Take note that `job` ends."""

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
    """A policy that takes note of nothing: a base for those that need only some of the events. `pick` is left out."""

    def begin(self, machines: Sequence[int]) -> None:
        """Do nothing."""

    def released(self, now: int, organization: int, job: int, width: int) -> None:
        """Do nothing."""

    def started(self, now: int, organization: int, job: int, width: int) -> None:
        """Do nothing."""

    def ended(self, now: int, organization: int, job: int, width: int) -> None:
        """Do nothing."""


CALLS = ("begin", "released", "started", "ended", "pick")
"""What every policy has."""

PolicyFactory = Callable[[int], Policy]
"""``policy(seed) -> Policy``: a new one at each call, so that nothing is kept from run to run.

The parameter is called ``seed``: by that a factory is told from a heuristic.
"""


class PolicyError(InputError):
    """A policy that raises, picks what cannot start, or is not made anew; the message names it and the moment."""
