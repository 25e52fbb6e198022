"""Protocol between parent and child: pickled messages, each preceded by its length, over private pipes."""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from oas.solvers.task import Key, Settings

_LENGTH = struct.Struct(">Q")


@dataclass(frozen=True)
class Preload:
    """Parent to worker: import these modules, for requests that are expected; there is no answer."""

    modules: tuple[str, ...]


@dataclass(frozen=True)
class Request:
    """Parent to worker: solve this, or call this.

    With `plain`, `builder` is a function of payload and session whose value is the answer; no model, no solver.

    `payload` is pickled by itself so that a class the worker cannot import spoils one answer, not the stream.
    `deadline` is a reading of the system-wide monotonic clock.
    """

    builder: str
    payload: bytes
    start: Mapping[Key, float] | None
    settings: Settings
    executable: str | None
    began: float
    deadline: float | None
    folder: str
    path: tuple[str, ...]
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
    """Hand over messages as they come; when the parent is gone, do `on_end` and end the whole group.

    For a thread of its own: nothing that the process does can then keep it alive.
    """
    buffer = FrameBuffer()
    while data := os.read(source, 1 << 16):
        for message in buffer.feed(data):
            on_message(message)
    on_end()
    os.killpg(0, signal.SIGKILL)
