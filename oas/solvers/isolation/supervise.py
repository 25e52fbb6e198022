"""Supervision of a worker: send a request, watch the clock, the memory and Ctrl-C, and keep the best answer."""

from __future__ import annotations

import contextlib
import pickle
import shutil
import signal
import tempfile
import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.result import Termination
from oas.solvers.discovery import executable_for
from oas.solvers.isolation.process import ChildProcess, WorkerGoneError
from oas.solvers.isolation.protocol import Built, Incumbent, Partial, Preload, Raised, Request, Taken, import_path
from oas.solvers.task import CallOutcome, Outcome, Progress, check_place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from oas.solvers.task import Limits, Settings, Task

_POLL = 0.1
_MEMORY_POLL = 0.25
_INTERRUPT_GRACE = 0.3  # seconds from Ctrl-C to the kill of a called function, whose intermediate values are kept
# Signals that others send to end a process; the remaining ones mean a crash.
KILLS = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT}


class WorkerProcess(ChildProcess):
    """A solver worker. Calls from several threads take turns."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        super().__init__("oas.solvers.isolation.worker", environment)
        self._lock = threading.Lock()

    def prepare(self, modules: tuple[str, ...]) -> None:
        """Start the process unless it runs, and let it import modules in the background."""
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
            fields = {
                "start": None if task.start is None else dict(task.start),
                "settings": replace(settings, options=dict(settings.options)),
                "executable": executable_for(settings.solver),
            }
            with _request(task.builder, task.payload, limits, **fields) as request, _interrupts() as interrupts:
                outcome = _Watch(self, request, limits, on_progress, interrupts).outcome()
        return replace(outcome, termination=Termination.INTERRUPTED) if interrupts else outcome

    def call(
        self, function: str, payload: object, limits: Limits, on_progress: Callable[[Progress], None] | None = None
    ) -> CallOutcome:
        """Call `function` here; see `oas.solvers.isolation.client.call`."""
        with self._lock:
            check_place(function, "function")
            with _request(function, payload, limits, plain=True) as request, _interrupts() as interrupts:
                outcome = _Watch(self, request, limits, on_progress, interrupts).call_outcome()
        return replace(outcome, termination=Termination.INTERRUPTED) if interrupts else outcome

    def abandon(self) -> None:
        """Release a worker that belongs to the process from which this one was forked."""
        super().abandon()
        self._lock = threading.Lock()


@contextlib.contextmanager
def _request(builder: str, payload: object, limits: Limits, **fields: Any) -> Iterator[Request]:
    """Yield a request with a temporary folder, which is removed afterwards."""
    began = time.monotonic()
    try:
        pickled = pickle.dumps(payload)
    except Exception as error:
        raise InputError(f"cannot be sent to the worker: {error}", field="payload") from None
    deadline = None if limits.time is None else began + limits.time
    folder = tempfile.mkdtemp(prefix="oas-")
    try:
        yield Request(builder, pickled, began, deadline, folder, import_path(), **fields)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Record each Ctrl-C instead of raising, if this is the main thread and no other handler is installed."""
    interrupts: list[int] = []
    handles_sigint = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if handles_sigint:
        signal.signal(signal.SIGINT, lambda number, _frame: interrupts.append(number))
    try:
        yield interrupts
    finally:
        if handles_sigint:
            signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass
class _Watch:
    """State of one request, from sending it to an answer or the end of the worker."""

    worker: ChildProcess
    request: Request
    limits: Limits
    on_progress: Callable[[Progress], None] | None
    interrupts: list[int]
    taken: bool = False
    reason: Termination | None = None  # of the request to stop, or of the kill
    asked: float = 0.0  # time of the request to stop
    memory_checked: float = 0.0
    # Values that the worker streamed
    built: Built | None = None
    best: Incumbent | None = None
    value: object = None
    bound: float | None = None

    def outcome(self) -> Outcome:
        """Supervise a solver; streamed values complete the outcome."""
        outcome = self.answer()
        assert isinstance(outcome, Outcome)
        values, objective, bound = outcome.values, outcome.objective, outcome.bound
        built = self.built or Built(0.0, self.request.settings.solver, "")
        if not outcome.infeasible:
            if values is None and self.best is not None:
                values, objective = self.best.values, self.best.objective
            if bound is None:
                bound = self.bound
        return replace(
            outcome,
            values=values,
            objective=objective,
            bound=bound,
            solver=outcome.solver or built.solver,
            version=outcome.version or built.version,
            seconds=time.monotonic() - self.request.began,
            build_seconds=outcome.build_seconds or built.seconds,
        )

    def call_outcome(self) -> CallOutcome:
        """Supervise a function; streamed values complete the outcome."""
        outcome = self.answer()
        value = outcome.value if isinstance(outcome, CallOutcome) else self.value
        seconds = time.monotonic() - self.request.began
        return CallOutcome(outcome.termination, value, seconds, outcome.message, self.bound)

    def answer(self) -> Outcome | CallOutcome:
        """Send the request and wait for an answer or the end of the worker; correct the termination."""
        answer, code = self._attempt()
        if answer is None and not self.taken and self.reason is None:
            # The worker had ended before this call without being noticed.
            answer, code = self._attempt()
        if isinstance(answer, Raised):
            raise answer.error
        if answer is None:
            return self._dead(code)
        if self.reason is not None and answer.termination is not Termination.FINISHED:
            return replace(answer, termination=self.reason)
        return answer

    def _attempt(self) -> tuple[Outcome | CallOutcome | Raised | None, int]:
        """Return the worker's answer, or None and its exit code."""
        answer = None
        code = 0
        dying = False
        try:
            self.worker.start()
            self.worker.send(self.request)
            while answer is None and not self._must_die():
                answer = self._step()
        except WorkerGoneError:
            dying = True
        finally:
            if answer is None:
                code = self.worker.kill(dying)
        return answer, code

    def _step(self) -> Outcome | CallOutcome | Raised | None:
        try:
            messages = self.worker.receive(_POLL)
        except KeyboardInterrupt:  # raised by the caller's signal handler
            self.interrupts.append(signal.SIGINT)
            return None
        for message in messages:
            match message:
                case Outcome() | CallOutcome() | Raised():
                    return message
                case Taken():
                    self.taken = True
                case _:
                    self._keep(message)
                    if self.on_progress is not None and isinstance(message, Progress):
                        self.on_progress(message)
        return None

    def _keep(self, message: object) -> None:
        match message:
            case Built():
                self.built = message
            case Incumbent():
                self.best = message
            case Partial():
                self.value = message.value
            case Progress(bound=float() | int() as bound):
                # All bounds of a solver are proven; the last bound of a function counts.
                self.bound = bound if self.bound is None or self.request.plain else max(self.bound, bound)

    def _must_die(self) -> bool:
        """Check clock, memory and Ctrl-C; ask the worker to stop, or return True if it must be killed."""
        now = time.monotonic()
        deadline, grace = self.request.deadline, self.limits.grace
        if self.interrupts:
            self._ask(Termination.INTERRUPTED, now)
        elif deadline is not None and now > deadline + grace / 4:
            self._ask(Termination.TIME_LIMIT, now)
        if self.limits.memory is not None and now > self.memory_checked + _MEMORY_POLL:
            self.memory_checked = now
            if self.worker.memory() > self.limits.memory:
                self.reason = Termination.MEMORY_LIMIT
                return True
        if self.limits.stop is not None and self.limits.stop.is_set():
            self.reason = Termination.INTERRUPTED
            return True
        if len(self.interrupts) > 1 or (deadline is not None and now > deadline + grace):
            return True
        if self.request.plain and self.reason is Termination.INTERRUPTED:
            grace = min(grace, _INTERRUPT_GRACE)
        return self.reason is not None and now > self.asked + grace

    def _ask(self, reason: Termination, now: float) -> None:
        if self.reason is None:
            self.reason = reason
            self.asked = now
            self.worker.interrupt()

    def _dead(self, code: int) -> Outcome:
        """Return the outcome of a worker that ended without an answer."""
        tail = self.worker.log_tail()
        if self.reason is not None:
            message = f"the worker was killed: {self.reason.value.replace('_', ' ')}"
            return Outcome(self.reason, message=message)
        if code < 0:
            number = signal.Signals(-code)
            termination = Termination.KILLED if number in KILLS else Termination.CRASHED
            message = f"the worker died of {number.name}"
        else:
            termination, message = Termination.CRASHED, f"the worker ended with exit code {code}"
        return Outcome(termination, message=f"{message}\n{tail}" if tail else message)
