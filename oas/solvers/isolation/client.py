"""Entry point to the solvers: `run` a model or `call` a function, in the worker that this process keeps."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from oas.solvers.isolation.process import ChildProcess, WorkerGoneError
from oas.solvers.isolation.protocol import Preload
from oas.solvers.isolation.supervise import supervise, supervise_call
from oas.solvers.task import CPSAT, MIP

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


__all__ = ["WorkerProcess", "call", "prepare", "run"]

# highspy and ortools cannot share a process: a worker for each family of solvers.
_workers = {MIP: WorkerProcess(), CPSAT: WorkerProcess()}


def prepare(*modules: str) -> None:
    """Start the worker that calls functions and runs MIP solvers, if there is none yet, and have it import modules.

    This takes some milliseconds; the process starts meanwhile.
    """
    _workers[MIP].prepare(modules)


def run(
    task: Task, settings: Settings, limits: Limits, on_progress: Callable[[Progress], None] | None = None
) -> Outcome:
    """Solve `task` and return whatever came of it, incumbent and bound streamed before a kill included.

    Works from a plain script without a main guard, from threads (calls take turns), and in processes that
    multiprocessing spawned or forked (each gets a worker of its own). Ctrl-C during the call does not raise: the
    solver is asked to stop and the outcome's termination is ``interrupted``; a second Ctrl-C kills it at once.

    A solver that crashes, hangs, runs out of memory or talks rubbish, and a builder that raises, are outcomes, never
    exceptions; a builder's TooLargeError is the termination ``too_large``.

    Raises
    ------
    InputError
        For what the caller got wrong: an unknown solver or option, a builder that cannot be imported or does not
        return a model to minimise, a payload that cannot be pickled, an InputError of the builder itself.
    SolverMissingError
        If the solver is known but not installed, with what to do about it.
    """
    return _workers[settings.family].run(task, settings, limits, on_progress)


def call(
    function: str,
    payload: object,
    limits: Limits,
    on_progress: Callable[[Progress], None] | None = None,
    *,
    family: str = MIP,
) -> CallOutcome:
    """Call a function where solvers run, watched like one of them.

    Parameters
    ----------
    function
        ``package.module:function``, imported in the worker and called with `payload` and the
        `oas.solvers.isolation.protocol.Session`. It ends by itself when ``session.time_left()`` runs out or
        ``session.stop.requested``; otherwise it is killed after the grace. ``session.partial(value)`` hands over
        what survives its death, ``session.progress(bound, objective)`` shows how far it is.
    payload
        Its picklable argument.
    limits
        When to stop; see `Limits`. With a grace of 0 it is killed at once, for what has nothing to hand over.
    family
        Whose process it runs in: one that is to drive HiGHS needs `oas.solvers.task.MIP`.

    Everything else is as in `run`: crashes, kills and exceptions are outcomes, Ctrl-C does not raise.

    Raises
    ------
    InputError
        If the function cannot be imported, the payload not be pickled, or the function raises one.
    """
    return _workers[family].call(function, payload, limits, on_progress)
