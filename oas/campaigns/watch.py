"""Runs made in a child process and watched from outside: time, memory, and death.

A `Watcher` is all that an engine uses, in whatever process and thread it likes.
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
"""A run whose process dies is made again: so often in all."""
GRACE = 20.0
"""Seconds beyond its limit that an exact run has to end by itself, with the best it has."""
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

        Raises `StoppedError` if the campaign was stopped meanwhile; `OtherSourceError` if the source here is not the
        one that the batch was planned with; `NoChildError` if the process for runs dies before it begins one, again and
        again.
        """
        done: list[Record] = []
        deaths, stillborn = 0, 0
        while len(done) < len(batch.orders):
            waiting = replace(batch, orders=batch.orders[len(done) :])
            found, last, begun = self._attempt(waiting)
            done += found
            deaths = 0 if found else deaths
            stillborn = 0 if found or begun else stillborn + 1
            if last is None:
                continue
            if not begun:
                if stillborn >= ATTEMPTS:
                    raise NoChildError(last.message)
                continue
            deaths += 1
            if last.termination not in _DEATHS or deaths >= ATTEMPTS:
                done.append(last)
                deaths = 0
        return done

    def _attempt(self, batch: Batch) -> tuple[list[Record], Record | None, bool]:
        """Return the records that came, that of the run that ended the child or died in it, and if that had begun."""
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
        # It removes its own files, even if this process is killed meanwhile; what it cannot is removed here.
        code = self._child.end()
        sweep()
        return code


@dataclass
class _Watched:
    """The state of one attempt at a batch."""

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
        """The run that is being made, or comes next."""
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
        """Return which limit the run has passed, if any."""
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
        """Return the record of the run that did not get to its end."""
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
