"""The child's side of the pipes: `oas.solvers.isolation.process.ChildProcess` is the parent's."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from oas.solvers.isolation.protocol import Channel, FrameBuffer

if TYPE_CHECKING:
    from collections.abc import Callable


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
