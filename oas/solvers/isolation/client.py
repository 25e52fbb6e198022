"""Entry point to the solvers: `run` a model or `call` a function, in a worker that this process keeps.

Calls of one family of solvers share a worker and take turns. A thread whose calls are to run in parallel
enters a `Lane`, which has its own workers.
"""

from __future__ import annotations

import contextlib
import threading
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from oas.solvers.isolation.process import ChildProcess, WorkerGoneError
from oas.solvers.isolation.protocol import Preload
from oas.solvers.isolation.supervise import supervise, supervise_call
from oas.solvers.task import CPSAT, MIP

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Token

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


class Lane:
    """Workers for the calls of one thread, which is inside ``with lane``.

    Parameters
    ----------
    place
        A number from 1 on; no two lanes of the same place are in use at the same time.

    Attributes
    ----------
    stop
        Set it from another thread to have the call killed that is under way.
    bound
        The last bound that a worker of the lane has reported; None before.
    """

    def __init__(self, place: int) -> None:
        self.place = place
        self.stop = threading.Event()
        self.bound: float | None = None
        self._token: Token[Lane | None] | None = None

    def __enter__(self) -> Self:
        self._token = _lane.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._token is not None
        _lane.reset(self._token)

    def limits(self, limits: Limits) -> Limits:
        """Return the limits of a call, which ends when `stop` is set."""
        return replace(limits, stop=self.stop)

    def watch(self, on_progress: Callable[[Progress], None] | None) -> Callable[[Progress], None]:
        """Return a function that notes the bound and then calls `on_progress`."""

        def note(progress: Progress) -> None:
            if progress.bound is not None:
                self.bound = progress.bound
            if on_progress is not None:
                on_progress(progress)

        return note


__all__ = ["Lane", "WorkerProcess", "call", "prepare", "run"]

# The lane of this thread; None outside of lanes.
_lane: ContextVar[Lane | None] = ContextVar("lane", default=None)
# By family and place of the lane, 0 outside of lanes. highspy and ortools cannot share a process.
_workers = {(MIP, 0): WorkerProcess(), (CPSAT, 0): WorkerProcess()}


def prepare(*modules: str) -> None:
    """Start the worker that calls functions and runs MIP solvers, if there is none yet, and have it import modules.

    This takes some milliseconds; the process starts meanwhile.
    """
    _workers[MIP, 0].prepare(modules)


def _worker(family: str, place: int) -> WorkerProcess:
    if (family, place) not in _workers:
        _workers[family, place] = WorkerProcess()
    return _workers[family, place]


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
    lane = _lane.get()
    if lane is None:
        return _worker(settings.family, 0).run(task, settings, limits, on_progress)
    worker = _worker(settings.family, lane.place)
    return worker.run(task, settings, lane.limits(limits), lane.watch(on_progress))


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
    lane = _lane.get()
    if lane is None:
        return _worker(family, 0).call(function, payload, limits, on_progress)
    return _worker(family, lane.place).call(function, payload, lane.limits(limits), lane.watch(on_progress))
