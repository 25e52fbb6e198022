"""Supervision of runs in a child process: time, memory, and crashes.

An engine uses only a `Watcher`, in any process and thread.
"""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from oas.campaigns.child import blank, sweep
from oas.campaigns.record import Record
from oas.core.errors import OasError
from oas.core.result import Termination
from oas.solvers.isolation.process import ChildProcess, WorkerGoneError
from oas.solvers.isolation.protocol import Raised, Taken
from oas.solvers.isolation.supervise import KILLS

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.campaigns.plan import Batch, Order

ATTEMPTS = 3
"""Maximum number of attempts at a run whose process dies."""
GRACE = 20.0
"""Seconds after its time limit in which an exact run must return its incumbent."""
_POLL, _MEMORY_POLL = 0.05, 0.1
_DEATHS = {Termination.KILLED.value, Termination.CRASHED.value}


class StoppedError(Exception):
    """The campaign was stopped; the batch is dropped."""


class NoChildError(OasError):
    """The process for runs dies before it begins one."""


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
        records: list[Record] = []
        deaths, failed_starts = 0, 0
        while len(records) < len(batch.orders):
            remaining = replace(batch, orders=batch.orders[len(records) :])
            completed, last, begun = self._attempt(remaining)
            records += completed
            deaths = 0 if completed else deaths
            failed_starts = 0 if completed or begun else failed_starts + 1
            if last is not None and begun:
                deaths += 1
                if last.termination not in _DEATHS or deaths >= ATTEMPTS:
                    records.append(last)
                    deaths = 0
            elif last is not None and failed_starts >= ATTEMPTS:
                raise NoChildError(last.message)
        return records

    def _attempt(self, batch: Batch) -> tuple[list[Record], Record | None, bool]:
        """Return the completed records, the record of the run that ended the child, and whether that run had begun."""
        watched = _Watched(self._child, batch.orders)
        try:
            self._child.start()
            self._child.send(batch)
            while not (watched.complete or watched.died):
                if self._stopped():
                    raise StoppedError
                for message in self._child.receive(_POLL):
                    watched.take(message)
                reason = watched.limit_passed()
                if reason is not None:
                    self._end_child()
                    return watched.done, watched.ended(reason, "ended from outside"), True
        except WorkerGoneError:
            tail = self._child.log_tail()
            code = self._end_child()
            if watched.complete:
                return watched.done, None, True
            reason = Termination.KILLED if -code in KILLS else Termination.CRASHED
            cause = f"died of {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
            last = watched.ended(reason, f"the process {cause}\n{tail}".strip())
            return watched.done, last, watched.began is not None
        except BaseException:
            self._end_child()
            raise
        if watched.died:
            self._end_child()  # it would continue with the rest, which is sent again
            return watched.done[:-1], watched.done[-1], True
        return watched.done, None, True

    def _end_child(self) -> int:
        # The child removes its files even if this process is killed; the files of killed children are removed here.
        code = self._child.end()
        sweep()
        return code


@dataclass
class _Watched:
    """State of one attempt at a batch."""

    child: ChildProcess
    orders: tuple[Order, ...]
    done: list[Record] = field(default_factory=list)
    began: float | None = None
    peak: int = 0
    looked: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether every run has its record."""
        return len(self.done) == len(self.orders)

    @property
    def died(self) -> bool:
        """Whether a solver died under the last run: the rest is made after another attempt at this one."""
        return bool(self.done) and self.done[-1].termination in _DEATHS

    @property
    def order(self) -> Order:
        """The current or next run."""
        return self.orders[len(self.done)]

    def take(self, message: object) -> None:
        if isinstance(message, Taken):
            self.began, self.peak = time.monotonic(), 0
            self._look()
        elif isinstance(message, Record):
            self._look()
            self.done.append(replace(message, peak_memory=self.peak))
            self.began = None
        elif isinstance(message, Raised):
            raise message.error

    def limit_passed(self) -> Termination | None:
        """Return the limit that the run has exceeded, if any."""
        if self.began is None:
            return None
        now, limits, seconds = time.monotonic(), self.order.method.limits, self.order.time_limit
        if now > self.looked + _MEMORY_POLL:
            self._look()
        if limits.memory is not None and self.peak > limits.memory:
            return Termination.MEMORY_LIMIT
        if seconds is not None and now > self.began + _allowance(self.order, float(seconds)):
            return Termination.TIME_LIMIT
        return None

    def ended(self, reason: Termination, message: str) -> Record:
        """Return the record of a run that was ended or died."""
        seconds = 0.0 if self.began is None else time.monotonic() - self.began
        return replace(blank(self.order, reason, message), seconds=seconds, peak_memory=self.peak or None)

    def _look(self) -> None:
        self.looked = time.monotonic()
        self.peak = max(self.peak, self.child.memory())


def _allowance(order: Order, seconds: float) -> float:
    """Wall time after which a run is ended from outside; an exact run minds its limit itself, each check as well."""
    if order.method.kind == "heuristic":
        return seconds
    return seconds * (1 + len(order.method.parameters["check"])) + GRACE
