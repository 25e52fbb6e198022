"""Entry point to the solvers: `run` a model or `call` a function in a worker process of this process.

Calls to one family of solvers share a worker and take turns. A thread enters a `Lane`, which has separate workers, to
run its calls in parallel with those of other threads.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from oas.solvers.isolation.supervise import WorkerProcess
from oas.solvers.task import CPSAT, MIP, PROVING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextvars import Token

    from oas.solvers.task import CallOutcome, Limits, Outcome, Progress, Settings, Task


class Lane:
    """Workers for the calls that a thread makes inside ``with lane``."""

    def __init__(self, place: int) -> None:
        self.place = place  # at least 1; lanes that are in use at the same time have different numbers
        self.stop = threading.Event()  # another thread sets it to kill the running call
        self.bound: float | None = None  # the last one reported by a worker of the lane
        self.log = _log.get()
        self._token: Token[Lane | None] | None = None

    def __enter__(self) -> Self:
        self._token = _lane.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._token is not None
        _lane.reset(self._token)


__all__ = ["Lane", "WorkerProcess", "call", "logged", "prepare", "run"]

_lane: ContextVar[Lane | None] = ContextVar("lane", default=None)  # of this thread
_log: ContextVar[Callable[[str], None] | None] = ContextVar("log", default=None)
# By family and place of the lane. Place 0 is outside of lanes; its workers exist from the start, because several
# threads may use them. highspy and ortools cannot share a process.
_workers = defaultdict(WorkerProcess, {(family, 0): WorkerProcess() for family in (MIP, CPSAT, *PROVING)})


def prepare(*modules: str) -> None:
    """Start the worker for functions and MIP solvers in the background, unless it runs, and let it import modules."""
    lane = _lane.get()
    _workers[MIP, 0 if lane is None else lane.place].prepare(modules)


@contextmanager
def logged(write: Callable[[str], None]) -> Iterator[None]:
    """Pass the logs of all solvers that run inside, also in lanes created inside, to `write`, each under a heading."""
    token = _log.set(write)
    try:
        yield
    finally:
        _log.reset(token)


def _in_lane(
    family: str, limits: Limits, on_progress: Callable[[Progress], None] | None
) -> tuple[WorkerProcess, Limits, Callable[[Progress], None] | None]:
    """Return the worker for a call from this thread, with the limits and the progress function of its lane."""
    lane = _lane.get()
    if lane is None:
        return _workers[family, 0], limits, on_progress

    def note(progress: Progress) -> None:
        if progress.bound is not None:
            lane.bound = progress.bound
        if on_progress is not None:
            on_progress(progress)

    return _workers[family, lane.place], replace(limits, stop=lane.stop.is_set), note


def run(
    task: Task, settings: Settings, limits: Limits, on_progress: Callable[[Progress], None] | None = None
) -> Outcome:
    """Solve `task` and return the outcome, which includes incumbent and bound streamed before a kill.

    Works in scripts without a main guard, in threads (calls take turns), and in processes that multiprocessing spawned
    or forked (each has its own worker). Ctrl-C during the call does not raise: the solver is asked to stop, and the
    outcome's termination is ``interrupted``; a second Ctrl-C kills the solver immediately.

    Crashes, timeouts, lack of memory, malformed output and exceptions of the builder are outcomes, never exceptions; a
    builder's `TooLargeError` becomes the termination ``too_large``.

    Raises `InputError` for an unknown solver or option, a builder that cannot be imported, raises `InputError` or does
    not return a model to minimise, or a payload that cannot be pickled; `SolverMissingError`, with advice, if the
    solver is not installed.
    """
    worker, limits, on_progress = _in_lane(settings.family, limits, on_progress)
    lane = _lane.get()
    log = _log.get() if lane is None else lane.log
    if log is not None:
        log(f"--- {settings.solver}{f' ({settings.run})' if settings.run else ''}, {task.label}\n")
    return worker.run(task, settings, limits, on_progress, log)


def call(
    function: str,
    payload: object,
    limits: Limits,
    on_progress: Callable[[Progress], None] | None = None,
    *,
    family: str = MIP,
) -> CallOutcome:
    """Call a function in a worker process, supervised like a solver.

    The worker imports ``package.module:function`` and calls it with `payload` (picklable) and the
    `oas.solvers.isolation.protocol.Session`. The function should return when ``session.time_left()`` runs out or
    ``session.stop.requested`` is true; otherwise it is killed after the grace period. ``session.partial(value)`` sends
    a value that survives a kill, ``session.progress(bound, objective)`` reports progress. `family` selects the worker:
    a function that uses HiGHS needs `oas.solvers.task.MIP`.

    As in `run`, crashes, kills and exceptions are outcomes, and Ctrl-C does not raise. Raises `InputError` if the
    function cannot be imported or raises `InputError`, or if the payload cannot be pickled.
    """
    worker, limits, on_progress = _in_lane(family, limits, on_progress)
    return worker.call(function, payload, limits, on_progress)
