"""Entry point to the solvers: `run` a model or `call` a function, in a worker that this process keeps.

Calls of one family of solvers share a worker and take turns. A thread whose calls are to run in parallel
enters a `Lane`, which has its own workers.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from oas.solvers.isolation.supervise import WorkerProcess
from oas.solvers.task import CPSAT, MIP

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Token

    from oas.solvers.task import CallOutcome, Limits, Outcome, Progress, Settings, Task


class Lane:
    """Workers for the calls of one thread, which is inside ``with lane``."""

    def __init__(self, place: int) -> None:
        self.place = place  # from 1 on; no two lanes of the same place are in use at the same time
        self.stop = threading.Event()  # set it from another thread to have the call killed that is under way
        self.bound: float | None = None  # the last that a worker of the lane has reported; None before
        self._token: Token[Lane | None] | None = None

    def __enter__(self) -> Self:
        self._token = _lane.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._token is not None
        _lane.reset(self._token)

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
# By family and place of the lane, 0 outside of lanes: those are there from the start, for several threads may ask
# for one. highspy and ortools cannot share a process.
_workers = defaultdict(WorkerProcess, {(MIP, 0): WorkerProcess(), (CPSAT, 0): WorkerProcess()})


def prepare(*modules: str) -> None:
    """Start the worker that calls functions and runs MIP solvers, if there is none yet, and have it import modules.

    This takes some milliseconds; the process starts meanwhile.
    """
    _workers[MIP, 0].prepare(modules)


def _at_work(
    family: str, limits: Limits, on_progress: Callable[[Progress], None] | None
) -> tuple[WorkerProcess, Limits, Callable[[Progress], None] | None]:
    """Return the worker for a call from this thread, with limits and progress as its lane has them."""
    lane = _lane.get()
    if lane is None:
        return _workers[family, 0], limits, on_progress
    return _workers[family, lane.place], replace(limits, stop=lane.stop), lane.watch(on_progress)


def run(
    task: Task, settings: Settings, limits: Limits, on_progress: Callable[[Progress], None] | None = None
) -> Outcome:
    """Solve `task` and return the outcome, including incumbent and bound streamed before a kill.

    Works from a plain script without a main guard, from threads (calls take turns), and in processes that
    multiprocessing spawned or forked (each has a separate worker). Ctrl-C during the call does not raise: the solver is
    asked to stop and the outcome's termination is ``interrupted``; a second Ctrl-C kills it immediately.

    A solver that crashes, hangs, exhausts the memory or sends invalid data, and a builder that raises, are outcomes,
    never exceptions; a builder's TooLargeError is the termination ``too_large``.

    Raises `InputError` for mistakes of the caller: an unknown solver or option, a builder that cannot be imported or
    does not return a minimisation model, a payload that cannot be pickled, an InputError of the builder itself;
    `SolverMissingError` if the solver is known but not installed, with instructions.
    """
    worker, limits, on_progress = _at_work(settings.family, limits, on_progress)
    return worker.run(task, settings, limits, on_progress)


def call(
    function: str,
    payload: object,
    limits: Limits,
    on_progress: Callable[[Progress], None] | None = None,
    *,
    family: str = MIP,
) -> CallOutcome:
    """Call a function in the process of the solvers, monitored like a solver.

    The function is given as ``package.module:function``, imported in the worker and called with `payload`, which must
    be picklable, and the `oas.solvers.isolation.protocol.Session`. It should end when ``session.time_left()`` is used
    up or ``session.stop.requested``; otherwise it is killed after the grace period, immediately with a grace of 0.
    ``session.partial(value)`` passes on a value that survives a kill, and ``session.progress(bound, objective)``
    reports progress. It runs in the process of its `family`: a function that uses HiGHS needs `oas.solvers.task.MIP`.

    Everything else is as in `run`: crashes, kills and exceptions are outcomes, Ctrl-C does not raise. Raises
    `InputError` if the function cannot be imported, the payload not be pickled, or the function raises one.
    """
    worker, limits, on_progress = _at_work(family, limits, on_progress)
    return worker.call(function, payload, limits, on_progress)
