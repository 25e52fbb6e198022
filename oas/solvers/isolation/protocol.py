"""Protocol between parent and worker: pickled messages over private pipes, and the worker's side of one solve."""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from oas.solvers.task import Outcome, Progress, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from oas.core.result import Termination
    from oas.solvers.task import Key

_LENGTH = struct.Struct(">Q")


@dataclass(frozen=True)
class Preload:
    """Parent to worker: import these modules, for requests that are expected; there is no answer."""

    modules: tuple[str, ...]


@dataclass(frozen=True)
class Request:
    """Parent to worker: solve this, or call this.

    With `plain`, `builder` is a function of payload and session whose value is the answer; no model, no solver.

    `payload` is pickled separately, so that a class that the worker cannot import affects one answer, not the stream.
    `deadline` is a reading of the system-wide monotonic clock.
    """

    builder: str
    payload: bytes
    began: float
    deadline: float | None
    folder: str
    path: tuple[str, ...]
    start: Mapping[Key, float] | None = None
    settings: Settings = field(default_factory=Settings)
    executable: str | None = None
    plain: bool = False


@dataclass(frozen=True)
class Taken:
    """Worker to parent: the request has arrived."""


@dataclass(frozen=True)
class Built:
    """Worker to parent: the model stands, and this solver takes it."""

    seconds: float
    solver: str
    version: str


@dataclass(frozen=True)
class Incumbent:
    """Worker to parent: the solver has found this."""

    values: Mapping[Key, float]
    objective: float | None


@dataclass(frozen=True)
class Partial:
    """Worker to parent: what the called function has so far."""

    value: object


@dataclass(frozen=True)
class Raised:
    """Worker to parent: raise this in the caller."""

    error: Exception


def frame(message: object) -> bytes:
    """Return the bytes of one message."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


class FrameBuffer:
    """Bytes in as they arrive, messages out as they become whole."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> Iterator[object]:
        """Take `data` in and yield every message that is now whole."""
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
    """The worker's side: messages out, from any thread."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def send(self, message: object) -> None:
        """Write one whole message."""
        data = memoryview(frame(message))
        with self._lock:
            while data:
                data = data[os.write(self._descriptor, data) :]


def import_path() -> tuple[str, ...]:
    """Return this process's import path, absolute, so that a child process finds the same modules."""
    return tuple(dict.fromkeys(os.path.abspath(entry) for entry in sys.path))


def take_pipes() -> tuple[int, Channel]:
    """Move the pipes away from descriptors 0 and 1, so that output of libraries goes to stderr."""
    source, sink = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return source, Channel(sink)


def listen(source: int, on_message: Callable[[object], None], on_end: Callable[[], None]) -> None:
    """Pass on messages as they arrive; when the parent is gone, call `on_end` and end the whole group.

    It runs in a separate thread, so that the process cannot block it.
    """
    buffer = FrameBuffer()
    while data := os.read(source, 1 << 16):
        for message in buffer.feed(data):
            on_message(message)
    on_end()
    os.killpg(0, signal.SIGKILL)


# Minimum of `time_left`, because a solver interprets 0 as no limit.
_LEAST = 0.01


class Stop:
    """Whether the parent has asked to stop (by SIGINT).

    While Python code runs (building, writing files), the request is raised as KeyboardInterrupt; while a solver runs,
    it is only recorded, and the solver ends regularly.
    """

    def __init__(self) -> None:
        self.requested = False  # whether the request has come
        self.raising = False
        # Whether it was ever raised. Python may then have been in the midst of an import, which leaves half a module
        # behind: the process is not to be used again.
        self.raised = False

    def handle(self, _number: int, _frame: object) -> None:
        """Handle SIGINT."""
        self.requested = True
        if self.raising:
            self.raising = False
            self.raised = True
            raise KeyboardInterrupt

    def arm(self) -> None:
        """Begin a request: forget the past, and raise from now on."""
        self.requested = False
        self.raising = True

    def disarm(self) -> None:
        """From now on only record the request to stop."""
        self.raising = False


class Session:
    """One request: the channel to the parent, the clock, and the request to stop."""

    def __init__(self, request: Request, channel: Channel, stop: Stop) -> None:
        self.request = request
        self.settings = request.settings
        self.stop = stop
        self.build_seconds = 0.0
        self.solver, self.version = self.settings.solver, ""
        self._channel = channel
        self._told: tuple[float | None, float | None] = (None, None)

    @property
    def seconds(self) -> float:
        """Wall time since the call began."""
        return time.monotonic() - self.request.began

    def time_left(self) -> float | None:
        """Seconds until the limit, never quite 0; None without one."""
        if self.request.deadline is None:
            return None
        return max(_LEAST, self.request.deadline - time.monotonic())

    @property
    def time_is_up(self) -> bool:
        """Whether the limit is reached, as far as `time_left` tells."""
        left = self.time_left()
        return left is not None and left <= _LEAST

    def begin(self, version: str = "") -> float | None:
        """Tell the parent that the solver is about to start, and return `time_left`.

        From now on a request to stop is only noted.

        Raises `KeyboardInterrupt` if it has come before.
        """
        self.version = version
        self._channel.send(Built(self.build_seconds, self.solver, version))
        self.stop.disarm()
        if self.stop.requested:
            raise KeyboardInterrupt
        return self.time_left()

    def outcome(self, termination: Termination, **fields: Any) -> Outcome:
        """Return the outcome of this solve; the fields are those of `Outcome`."""
        return Outcome(
            termination, solver=self.solver, version=self.version, build_seconds=self.build_seconds, **fields
        )

    def progress(self, bound: float | None, objective: float | None) -> None:
        """Tell the parent how far the solver is, if that is news."""
        if (bound, objective) != self._told:
            self._told = (bound, objective)
            self._channel.send(Progress(self.seconds, bound, objective))

    def incumbent(self, values: Mapping[Key, float], objective: float | None) -> None:
        """Hand the parent a solution to keep, whatever happens to this process."""
        self._channel.send(Incumbent(values, objective))

    def partial(self, value: object) -> None:
        """Hand the parent what a called function has so far, to keep whatever happens to this process."""
        self._channel.send(Partial(value))
