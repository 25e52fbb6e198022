"""Interface of a supervised child process."""

from __future__ import annotations

from typing import Protocol


class WorkerGoneError(Exception):
    """The worker has closed its pipes or died."""


class Handle(Protocol):
    """The interface of a worker to its supervisor; `oas.solvers.isolation.process.ChildProcess` implements it."""

    def start(self) -> None:
        """Make sure that a worker is there and its log empty."""

    def send(self, message: object) -> None:
        """Write one message.

        Raises
        ------
        WorkerGoneError
            If the worker reads no more.
        """

    def receive(self, seconds: float) -> list[object]:
        """Return the messages that come within `seconds`: as soon as there is one, or none.

        Raises
        ------
        WorkerGoneError
            If there will be no more.
        """

    def interrupt(self) -> None:
        """Ask the worker and everything it started to stop."""

    def kill(self, dying: bool = False) -> int:
        """End the worker and everything it started; return its exit code: minus the signal's number, if by one.

        `dying`: it seems to be ending by itself, and is given a moment to have its own cause of death.
        """

    def memory(self) -> int:
        """Return the resident bytes of the worker and everything it started."""

    def log_tail(self) -> str:
        """Return the end of what the worker and its solvers wrote to stdout and stderr."""
