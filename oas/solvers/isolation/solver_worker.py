"""A solver worker: its process, and the supervision of each call."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from oas.solvers.isolation.handle import WorkerGoneError
from oas.solvers.isolation.process import ChildProcess
from oas.solvers.isolation.protocol import Preload
from oas.solvers.isolation.supervise import supervise, supervise_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.solvers.outcome import CallOutcome, Outcome, Progress
    from oas.solvers.task import Limits, Settings, Task


class WorkerProcess(ChildProcess):
    """One solver worker. Calls from several threads take turns."""

    def __init__(self) -> None:
        super().__init__("oas.solvers.isolation.worker")
        self._lock = threading.Lock()

    def prepare(self, modules: tuple[str, ...]) -> None:
        """Start the process if there is none, and have it import modules while this one does something else."""
        with self._lock:
            if self.pid is None:
                self.start()
                with contextlib.suppress(WorkerGoneError):  # the next request will say why
                    self.send(Preload(modules))

    def run(
        self, task: Task, settings: Settings, limits: Limits, on_progress: Callable[[Progress], None] | None = None
    ) -> Outcome:
        """Solve `task` here; see `oas.solvers.isolation.client.run`."""
        with self._lock:
            return supervise(self, task, settings, limits, on_progress)

    def call(
        self, function: str, payload: object, limits: Limits, on_progress: Callable[[Progress], None] | None = None
    ) -> CallOutcome:
        """Call `function` here; see `oas.solvers.isolation.client.call`."""
        with self._lock:
            return supervise_call(self, function, payload, limits, on_progress)

    def abandon(self) -> None:
        """Forget a worker that belongs to the process from which this one was forked."""
        super().abandon()
        self._lock = threading.Lock()
