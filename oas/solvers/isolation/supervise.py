"""Supervision of a worker: send a request, watch the clock, the memory and Ctrl-C, and keep the best answer."""

from __future__ import annotations

import contextlib
import pickle
import signal
import tempfile
import threading
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.result import Termination
from oas.core.user_code import import_path
from oas.solvers.discovery import executable_for
from oas.solvers.isolation.process import ChildProcess, WorkerGoneError, cause_of_death
from oas.solvers.isolation.protocol import LogText, Preload, Raised, Request, Update, remove_folder
from oas.solvers.task import CallOutcome, Outcome, Progress, check_place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from oas.solvers.task import Limits, Settings, Task

_POLL = 0.1
_MEMORY_POLL = 0.25
_INTERRUPT_GRACE = 0.3  # seconds from Ctrl-C to the kill of a called function, whose intermediate values are kept


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
                with contextlib.suppress(WorkerGoneError):  # the next request reports the reason
                    self.send(Preload(modules))

    def run(
        self,
        task: Task,
        settings: Settings,
        limits: Limits,
        on_progress: Callable[[Progress], None] | None = None,
        log: Callable[[str], None] | None = None,
    ) -> Outcome:
        """Solve `task` here; see `oas.solvers.isolation.client.run`."""
        with self._lock:
            fields = {
                "start": None if task.start is None else dict(task.start),
                "settings": replace(settings, options=dict(settings.options)),
                "executable": executable_for(settings.solver),
            }
            outcome = self._supervise(task.builder, task.payload, limits, on_progress, log, **fields)
        assert isinstance(outcome, Outcome)
        return outcome

    def call(
        self, function: str, payload: object, limits: Limits, on_progress: Callable[[Progress], None] | None = None
    ) -> CallOutcome:
        """Call `function` here; see `oas.solvers.isolation.client.call`."""
        with self._lock:
            check_place(function, "function")
            outcome = self._supervise(function, payload, limits, on_progress, plain=True)
        assert isinstance(outcome, CallOutcome)
        return outcome

    def _supervise(
        self,
        builder: str,
        payload: object,
        limits: Limits,
        on_progress: Callable[[Progress], None] | None,
        log: Callable[[str], None] | None = None,
        **fields: Any,
    ) -> Outcome | CallOutcome:
        """Send a request and supervise it; its temporary folder is removed afterwards."""
        began = time.monotonic()
        try:
            pickled = pickle.dumps(payload)
        except Exception as error:
            raise InputError(f"cannot be sent to the worker: {error}", field="payload") from None
        deadline = None if limits.time is None else began + limits.time
        folder = tempfile.mkdtemp(prefix="oas-")
        try:
            request = Request(builder, pickled, began, deadline, folder, import_path(), log=log is not None, **fields)
            with _interrupts() as interrupts:
                outcome = _Watch(self, request, limits, on_progress, log, interrupts).outcome()
        finally:
            remove_folder(folder)
        return replace(outcome, termination=Termination.INTERRUPTED) if interrupts else outcome

    def abandon(self) -> None:
        """Release a worker that belongs to the process from which this one was forked."""
        super().abandon()
        self._lock = threading.Lock()


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
    log: Callable[[str], None] | None
    interrupts: list[int]
    taken: bool = False
    reason: Termination | None = None  # of the request to stop, or of the kill
    stop_time: float = 0.0  # of the request to stop
    memory_checked: float = field(default_factory=time.monotonic)
    peak_memory: int | None = None
    streamed: dict[str, Any] = field(default_factory=dict)  # fields of the outcome

    def outcome(self) -> Outcome | CallOutcome:
        """Send the request, wait for an answer or the end of the worker, and add streamed values to the outcome.

        The bound is that of the answer, which may drop the streamed bounds.
        """
        answer, code = self._attempt()
        if answer is None and not self.taken and self.reason is None:
            # The worker had ended before this call without being noticed.
            answer, code = self._attempt()
        if isinstance(answer, Raised):
            raise answer.error
        if answer is None:
            termination, message = self._death(code)
            answer = Outcome(termination, solver=self.request.settings.solver, message=message)
            known = ("version", "build_seconds", "report", "bound")
            answer = replace(answer, **{name: self.streamed[name] for name in known if name in self.streamed})
        elif self.reason is not None and answer.termination is not Termination.FINISHED:
            answer = replace(answer, termination=self.reason)
        answer = replace(answer, seconds=time.monotonic() - self.request.began)
        if self.request.plain:
            value = answer.value if isinstance(answer, CallOutcome) else self.streamed.get("value")
            bound = self.streamed.get("bound")
            return CallOutcome(answer.termination, value, answer.seconds, answer.message, bound, self.peak_memory)
        assert isinstance(answer, Outcome)
        if answer.infeasible:
            return answer
        if answer.values is None and "values" in self.streamed:
            answer = replace(answer, values=self.streamed["values"], objective=self.streamed["objective"])
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
            if answer is None:  # by itself, the worker cleans up even if this process is killed now
                code = self.worker.kill(dying=True) if dying else self.worker.end()
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
                    self._exceeds_memory()  # a short call would not be measured otherwise
                    return message
                case Update():
                    self.taken = True
                    self.streamed |= message.fields
                case LogText(text=text) if self.log is not None:
                    self.log(text)
                case Progress(bound=bound):
                    if bound is not None:
                        # All bounds of a solver are proven; the last bound of a function counts.
                        known = bound if self.request.plain else self.streamed.get("bound", bound)
                        self.streamed["bound"] = max(known, bound)
                    if self.on_progress is not None:
                        self.on_progress(message)
        return None

    def _must_die(self) -> bool:
        """Check clock, memory and Ctrl-C; ask the worker to stop, or return True if it must be killed."""
        now = time.monotonic()
        deadline, grace = self.request.deadline, self.limits.grace
        if self.interrupts:
            self._ask(Termination.INTERRUPTED, now)
        elif deadline is not None and now > deadline + grace / 4:
            self._ask(Termination.TIME_LIMIT, now)
        if now > self.memory_checked + _MEMORY_POLL and self._exceeds_memory():
            self.reason = Termination.MEMORY_LIMIT
            return True
        if self.limits.stop is not None and self.limits.stop():
            self.reason = Termination.INTERRUPTED
            return True
        if len(self.interrupts) > 1 or (deadline is not None and now > deadline + grace):
            return True
        if self.request.plain and self.reason is Termination.INTERRUPTED:
            grace = min(grace, _INTERRUPT_GRACE)
        return self.reason is not None and now > self.stop_time + grace

    def _exceeds_memory(self) -> bool:
        """Measure the memory, if it is limited, and return whether it is above the limit."""
        if self.limits.memory is None:
            return False
        self.memory_checked = time.monotonic()
        self.peak_memory = max(self.peak_memory or 0, self.worker.memory())
        return self.peak_memory > self.limits.memory

    def _ask(self, reason: Termination, now: float) -> None:
        if self.reason is None:
            self.reason = reason
            self.stop_time = now
            self.worker.interrupt()

    def _death(self, code: int) -> tuple[Termination, str]:
        """Return the termination and message for a worker that ended without an answer."""
        if self.reason is not None:
            return self.reason, f"the worker was killed: {self.reason.value.replace('_', ' ')}"
        termination, cause = cause_of_death(code)
        return termination, f"the worker {cause}\n{self.worker.log_tail()}".rstrip("\n")
