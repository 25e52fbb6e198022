"""Supervision of runs in a child process: time, memory, and crashes.

An engine uses only a `Watcher`, in any process and thread.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from oas.campaigns.child import blank, sweep
from oas.campaigns.record import Record
from oas.core.errors import OasError
from oas.core.result import Termination
from oas.solvers.isolation.process import ChildProcess, WorkerGoneError, cause_of_death
from oas.solvers.isolation.protocol import Raised, Update

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.campaigns.plan import Batch, Order

ATTEMPTS = 3
"""Maximum number of attempts at a run whose process dies."""
GRACE = 20
"""Seconds after its time limit in which an exact run must return its incumbent."""
_POLL, _MEMORY_POLL = 0.05, 0.1
_DEATHS = {Termination.KILLED.value, Termination.CRASHED.value}


class StoppedError(Exception):
    """The campaign was stopped; the batch is dropped."""


class NoChildError(OasError):
    """The child process dies before it begins a run."""


class Watcher:
    """One child process and its current run; if `stopped`, which is called often, returns True, the child is ended."""

    def __init__(self, stopped: Callable[[], bool] = lambda: False) -> None:
        self._child = ChildProcess("oas.campaigns.child")
        self._stopped = stopped

    def close(self) -> None:
        """End the child."""
        self._end_child()
        self._child.close()

    def run(self, batch: Batch) -> list[Record]:
        """Make every run of `batch` and return their records, in order.

        Raises `StoppedError` if the campaign was stopped; `OtherSourceError` if the batch was planned with other source
        code; `NoChildError` if the child repeatedly dies before it begins a run.
        """
        return [self._record(replace(batch, orders=(order,))) for order in batch.orders]

    def _record(self, batch: Batch) -> Record:
        """Make a single run; it is repeated if its process or its solver dies."""
        deaths, failed_starts = 0, 0
        while True:
            record, begun = self._attempt(batch)
            if begun:
                deaths, failed_starts = deaths + 1, 0
                if record.termination not in _DEATHS or deaths >= ATTEMPTS:
                    return record
            else:
                failed_starts += 1
                if failed_starts >= ATTEMPTS:
                    raise NoChildError(record.message)

    def _attempt(self, batch: Batch) -> tuple[Record, bool]:
        """Return the record of a run, and whether the run had begun if the child ended."""
        watched = _Watched(self._child, batch.orders[0])
        try:
            self._child.start()
            self._child.send(batch)
            while True:
                if self._stopped():
                    raise StoppedError
                for message in self._child.receive(_POLL):
                    if isinstance(message, Raised):
                        raise message.error
                    if isinstance(message, Update):
                        watched.began = time.monotonic()
                    watched.look()
                    if isinstance(message, Record):
                        return replace(message, peak_memory=watched.peak), True
                reason = watched.limit_passed()
                if reason is not None:
                    self._end_child()
                    return watched.ended(reason, "ended from outside"), True
        except WorkerGoneError:
            tail = self._child.log_tail()
            reason, cause = cause_of_death(self._end_child())
            return watched.ended(reason, f"the process {cause}\n{tail}".strip()), watched.began is not None
        except BaseException:
            self._end_child()
            raise

    def _end_child(self) -> int:
        # The child removes its files even if this process is killed; the files of killed children are removed here.
        code = self._child.end()
        sweep()
        return code


@dataclass
class _Watched:
    """State of one attempt at a run."""

    child: ChildProcess
    order: Order
    began: float | None = None
    peak: int = 0
    looked: float = 0.0

    def limit_passed(self) -> Termination | None:
        """Return the limit that the run has exceeded, if any."""
        if self.began is None:
            return None
        now, method, seconds = time.monotonic(), self.order.method, self.order.time_limit
        if now > self.looked + _MEMORY_POLL:
            self.look()
        if method.limits.memory is not None and self.peak > method.limits.memory:
            return Termination.MEMORY_LIMIT
        if seconds is None:
            return None
        if method.kind == "exact":  # it observes its limit itself, and so does each check
            seconds = seconds * (1 + len(method.parameters["check"])) + GRACE
        return Termination.TIME_LIMIT if now > self.began + seconds else None

    def ended(self, reason: Termination, message: str) -> Record:
        """Return the record of a run that was ended or died."""
        seconds = 0.0 if self.began is None else time.monotonic() - self.began
        return replace(blank(self.order, reason, message), seconds=seconds, peak_memory=self.peak or None)

    def look(self) -> None:
        """Update the largest memory seen."""
        self.looked = time.monotonic()
        self.peak = max(self.peak, self.child.memory())
