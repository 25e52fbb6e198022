"""The session of one solve: how an adapter reports to the parent while it solves a model (worker side)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from oas.solvers.isolation.protocol import Built, Incumbent, Partial
from oas.solvers.outcome import Progress

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.solvers.isolation.protocol import Channel, Request
    from oas.solvers.task import Key

# What `time_left` ends at: a solver would take 0 for no limit at all.
_LEAST = 0.01


class Stop:
    """Whether the parent has asked to stop (by SIGINT).

    While Python code works (building, writing files), the request is raised as KeyboardInterrupt; while a solver
    works, it is only noted and the solver is left to end by itself.

    Attributes
    ----------
    requested
        Whether the request has come.
    raised
        Whether it was ever raised. Python may then have been in the midst of an import, which leaves half a module
        behind: the process is not to be used again.
    """

    def __init__(self) -> None:
        self.requested = False
        self.raising = False
        self.raised = False

    def handle(self, _number: int, _frame: object) -> None:
        """Handle SIGINT."""
        self.requested = True
        if self.raising:
            self.raising = False
            self.raised = True
            raise KeyboardInterrupt

    def arm(self) -> None:
        """Begin a request: forget the past, and raise from now on."""
        self.requested = False
        self.raising = True

    def disarm(self) -> None:
        """From now on only record the request to stop."""
        self.raising = False


class Session:
    """One request: the channel to the parent, the clock, and the request to stop."""

    def __init__(self, request: Request, channel: Channel, stop: Stop) -> None:
        self.request = request
        self.settings = request.settings
        self.stop = stop
        self.build_seconds = 0.0
        self._channel = channel
        self._told: tuple[float | None, float | None] = (None, None)

    @property
    def seconds(self) -> float:
        """Wall time since the call began."""
        return time.monotonic() - self.request.began

    def time_left(self) -> float | None:
        """Seconds until the limit, never quite 0; None without one."""
        if self.request.deadline is None:
            return None
        return max(_LEAST, self.request.deadline - time.monotonic())

    @property
    def time_is_up(self) -> bool:
        """Whether the limit is reached, as far as `time_left` tells."""
        left = self.time_left()
        return left is not None and left <= _LEAST

    def built(self, solver: str, version: str) -> None:
        """Tell the parent that the solver is about to start."""
        self._channel.send(Built(self.build_seconds, solver, version))

    def progress(self, bound: float | None, objective: float | None) -> None:
        """Tell the parent how far the solver is, if that is news."""
        if (bound, objective) != self._told:
            self._told = (bound, objective)
            self._channel.send(Progress(self.seconds, bound, objective))

    def incumbent(self, values: Mapping[Key, float], objective: float | None) -> None:
        """Hand the parent a solution to keep, whatever happens to this process."""
        self._channel.send(Incumbent(values, objective))

    def partial(self, value: object) -> None:
        """Hand the parent what a called function has so far, to keep whatever happens to this process."""
        self._channel.send(Partial(value))
