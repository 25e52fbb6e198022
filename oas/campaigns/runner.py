"""Supervision of runs in a worker process: time, memory, and crashes.

An engine uses only a `Runner`, in any process and thread.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from oas.campaigns import runs
from oas.campaigns.plan import OtherSourceError
from oas.campaigns.record import Record
from oas.core.errors import OasError
from oas.core.result import Termination
from oas.solvers.isolation.supervise import WorkerProcess
from oas.solvers.task import Limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.campaigns.plan import Batch, Order
    from oas.solvers.task import CallOutcome

ATTEMPTS = 3
"""Maximum number of attempts at a run whose process dies."""
GRACE = 20
"""Seconds after its time limit in which an exact run must return its incumbent."""
_DEATHS = {Termination.KILLED, Termination.CRASHED}
_LIMITS = {Termination.TIME_LIMIT, Termination.MEMORY_LIMIT}


class StoppedError(Exception):
    """The campaign was stopped; the batch is dropped."""


class NoWorkerError(OasError):
    """The worker process dies before it begins a run."""


class Runner:
    """A worker process that makes runs; it is killed as soon as `stopped`, which is called often, returns True."""

    def __init__(self, stopped: Callable[[], bool] = lambda: False) -> None:
        self._worker = WorkerProcess()
        self._stopped = stopped

    def close(self) -> None:
        """End the worker."""
        self._worker.close()

    def run(self, batch: Batch) -> list[Record]:
        """Make every run of `batch` and return their records, in order.

        Raises `StoppedError` if the campaign was stopped; `OtherSourceError` if the batch was planned with other source
        code; `NoWorkerError` if the worker repeatedly dies before it begins a run.
        """
        return [self._record(replace(batch, orders=(order,))) for order in batch.orders]

    def _record(self, batch: Batch) -> Record:
        """Make a single run; it is repeated if its process or its solver dies."""
        for _ in range(ATTEMPTS):
            self._prepare(batch)
            record = self._attempt(batch)
            if Termination(record.termination) not in _DEATHS:
                break
        return record

    def _prepare(self, batch: Batch) -> None:
        """Start the worker unless it runs, and let it load the code of the run."""
        (order,) = batch.orders
        for _ in range(ATTEMPTS):
            outcome = self._call(runs.prepare, batch, Limits(stop=self._stopped))
            if outcome.termination is Termination.FINISHED:
                break
        else:
            raise NoWorkerError(outcome.message)
        if outcome.value != order.source:  # the key was computed with other source code
            reason = "its source has changed since the campaign began, or a worker has another; start again"
            raise OtherSourceError(f"{order.method.label}: {reason}")

    def _attempt(self, batch: Batch) -> Record:
        (order,) = batch.orders
        memory = order.method.limits.memory or sys.maxsize  # without a limit it would not be measured
        outcome = self._call(runs.make, batch, Limits(_seconds(order), memory, grace=0, stop=self._stopped))
        if outcome.termination is Termination.FINISHED:
            assert isinstance(outcome.value, Record)
            record = outcome.value
        else:
            self._worker.kill()  # the state of an interrupted process is undefined
            message = "ended from outside" if outcome.termination in _LIMITS else outcome.message
            record = replace(runs.blank(order, outcome.termination, message), seconds=outcome.seconds)
        return replace(record, peak_memory=outcome.peak_memory)

    def _call(self, function: Callable[..., object], batch: Batch, limits: Limits) -> CallOutcome:
        outcome = self._worker.call(f"{runs.__name__}:{function.__name__}", batch, limits)
        if outcome.termination is Termination.INTERRUPTED:
            if self._stopped():
                raise StoppedError
            outcome = replace(outcome, termination=Termination.KILLED, message="the run interrupted itself")
        return outcome


def _seconds(order: Order) -> float | None:
    """Return the time after which a run is killed; None for no limit."""
    if order.time_limit is None:
        return None
    if order.method.kind == "exact":  # it observes its limit itself, and so does each check
        return float(order.time_limit * (1 + len(order.method.parameters["check"])) + GRACE)
    return float(order.time_limit)
