"""Protocol of parent and worker: pickled messages over private pipes, and the worker's side of one request."""

from __future__ import annotations

import io
import os
import pickle
import shutil
import signal
import struct
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from oas.core.signals import ENDING
from oas.solvers.task import Outcome, Progress, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from oas.core.result import Termination
    from oas.solvers.task import Key

_LENGTH = struct.Struct(">Q")
_ENDING = 2.0  # seconds in which a solver whose parent has ended ends too


@dataclass(frozen=True)
class Preload:
    """Parent to worker: import these modules before requests come; there is no answer."""

    modules: tuple[str, ...]


@dataclass(frozen=True)
class Request:
    """Parent to worker: solve a model or call a function."""

    builder: str
    payload: bytes  # pickled separately, so that a class that the worker cannot import spoils only one answer
    # began, deadline: readings of the system-wide monotonic clock
    began: float
    deadline: float | None
    folder: str
    path: tuple[str, ...]
    start: Mapping[Key, float] | None = None
    settings: Settings = field(default_factory=Settings)
    executable: str | None = None
    log: bool = False  # whether the parent wants the solver's log
    plain: bool = False  # whether `builder` is a function of payload and session that returns the answer


@dataclass(frozen=True)
class Update:
    """Worker to parent: fields of the outcome, in case the worker is killed; empty to acknowledge the request."""

    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LogText:
    """Worker to parent: a part of the solver's log."""

    text: str


@dataclass(frozen=True)
class Raised:
    """Worker to parent: raise this in the caller."""

    error: Exception


def frame(message: object) -> bytes:
    """Return the bytes of one message."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


class FrameBuffer:
    """Buffer that assembles messages from bytes."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> Iterator[object]:
        """Append `data` and yield every complete message."""
        self._data += data
        while len(self._data) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._data)
            end = _LENGTH.size + length
            if len(self._data) < end:
                return
            message = bytes(self._data[_LENGTH.size : end])
            del self._data[:end]
            yield pickle.loads(message)


class Channel:
    """Output of the worker, for use from any thread."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def send(self, message: object) -> None:
        """Write one complete message."""
        data = memoryview(frame(message))
        with self._lock:
            while data:
                data = data[os.write(self._descriptor, data) :]


def use_path(path: tuple[str, ...]) -> None:
    """Append folders to the import path."""
    sys.path += [entry for entry in path if entry not in sys.path]


def take_pipes() -> tuple[int, Channel]:
    """Move the pipes away from descriptors 0 and 1, so that libraries write to stderr."""
    source, sink = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return source, Channel(sink)


def leave_signals_to_parent() -> None:
    """Ignore requests to end: job systems send them to all processes of a job, and the parent handles them.

    This process and its solvers end with the parent. SIGINT is the parent's own request to stop.
    """
    for number in ENDING:
        if number != signal.SIGINT:
            signal.signal(number, lambda _number, _frame: None)  # SIG_IGN would be inherited by solvers


def listen(source: int, on_message: Callable[[object], None], on_end: Callable[[], None]) -> None:
    """Pass messages to `on_message`; when the parent ends, call `on_end` and kill the whole group.

    It runs in a separate thread, so that the process ends whatever its main thread does.
    """
    buffer = FrameBuffer()
    while data := os.read(source, 1 << 16):
        for message in buffer.feed(data):
            on_message(message)
    on_end()
    os.killpg(0, signal.SIGKILL)


def remove_folder(folder: str) -> None:
    """Remove the temporary folder of a request; retry while a solver that is ending still writes to it."""
    end = time.monotonic() + _ENDING
    while os.path.exists(folder) and time.monotonic() < end:
        shutil.rmtree(folder, ignore_errors=True)


class LogStream(io.TextIOBase):
    """The log of a solver: its text goes to the parent if `wanted`, its complete lines to `on_line`."""

    def __init__(self, channel: Channel, wanted: bool) -> None:
        self.wanted = wanted
        self.on_line: Callable[[str], object] | None = None
        self._channel, self._rest = channel, ""

    def write(self, text: str) -> int:
        if self.wanted and text:
            self._channel.send(LogText(text))
        if self.on_line is not None:
            *lines, self._rest = (self._rest + text).split("\n")
            for line in lines:
                self.on_line(line)
        return len(text)


_LEAST = 0.01  # the smallest value of `time_left`: some solvers read 0 as no limit


class Stop:
    """The parent's request to stop, sent as SIGINT.

    While Python code runs (building, writing files), the request is raised as KeyboardInterrupt. While a solver runs,
    the request is only recorded, and the solver's adapter stops the solver.
    """

    def __init__(self) -> None:
        self.requested = False
        self.raising = False
        self.raised = False  # if true, a module may be half imported, and the process must not be used again

    def handle(self, _number: int, _frame: object) -> None:
        """Handle SIGINT."""
        self.requested = True
        if self.raising:
            self.raising = False
            self.raised = True
            raise KeyboardInterrupt

    def record(self) -> None:
        """Only record the request from now on; raise `KeyboardInterrupt` if it has already come."""
        self.raising = False
        if self.requested:
            raise KeyboardInterrupt


class Session:
    """The worker's side of a request: channel to the parent, clock, and request to stop."""

    def __init__(self, request: Request, channel: Channel, stop: Stop) -> None:
        self.request = request
        self.settings = request.settings
        self.stop = stop
        self.build_seconds = 0.0
        self.version = ""
        self.log = LogStream(channel, request.log)
        # Fields of `Outcome.report`; the best objective so far and when it came
        self.report: dict[str, Any] = {"options": {}}
        self._best: float | None = None
        self.bound: float | None = None  # the best bound that was passed on
        self._channel = channel
        self._reported: tuple[float | None, float | None] = (None, None)

    @property
    def seconds(self) -> float:
        """Wall time since the call began."""
        return time.monotonic() - self.request.began

    def time_left(self) -> float | None:
        """Return the seconds until the limit, at least 0.01; None without a limit."""
        if self.request.deadline is None:
            return None
        return max(_LEAST, self.request.deadline - time.monotonic())

    @property
    def time_is_up(self) -> bool:
        """Whether the limit is reached."""
        left = self.time_left()
        return left is not None and left <= _LEAST

    def must_stop(self) -> bool:
        """Return whether the limit is reached, or the parent has asked to stop."""
        return self.stop.requested or self.time_is_up

    def begin(self, version: str = "") -> float | None:
        """Tell the parent that the solver starts, and return `time_left`; from now on, a request to stop is recorded.

        Raises `KeyboardInterrupt` if such a request has already come.
        """
        self.version = version
        self._channel.send(Update({"build_seconds": self.build_seconds, "version": version, "report": self.report}))
        self.stop.record()
        return self.time_left()

    def outcome(self, termination: Termination, **fields: Any) -> Outcome:
        """Return an outcome with these further fields of `Outcome`.

        Without the field `bound`, it has the best bound that was passed on; None drops that.
        """
        return Outcome(
            termination,
            solver=self.settings.solver,
            version=self.version,
            build_seconds=self.build_seconds,
            report=dict(self.report),
            **{"bound": self.bound, **fields},
        )

    def progress(self, bound: float | None, objective: float | None) -> None:
        """Send bound and objective to the parent if they have changed."""
        self._time_incumbent(objective)
        if bound is not None:
            self.bound = bound if self.bound is None else max(self.bound, bound)
        if (bound, objective) != self._reported:
            self._reported = (bound, objective)
            self._channel.send(Progress(self.seconds, bound, objective))

    def incumbent(self, values: Mapping[Key, float], objective: float | None) -> None:
        """Send a solution to the parent, which keeps it if this process is killed."""
        self._time_incumbent(objective)
        self._channel.send(Update({"values": values, "objective": objective}))

    def _time_incumbent(self, objective: float | None) -> None:
        """Record the time of the first and of the best incumbent."""
        if objective is not None and (self._best is None or objective < self._best):
            self._best, seconds = objective, self.seconds
            self.report["best_seconds"] = seconds
            self.report.setdefault("first_seconds", seconds)
            self.send_report()

    def send_report(self) -> None:
        """Send the report to the parent, which keeps it if this process is killed."""
        self._channel.send(Update({"report": self.report}))

    def partial(self, value: object) -> None:
        """Send an intermediate value to the parent, which keeps it if this process is killed."""
        self._channel.send(Update({"value": value}))
