"""Deferred handling of the signals that ask a process to end."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

#: Ctrl-C, and the signals of job systems, closed terminals and shutdowns.
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
_UNCHANGED = (signal.SIG_IGN, None)  # None: a handler that Python did not install and could not restore


@contextmanager
def recorded_signals() -> Iterator[list[int]]:
    """Record Ctrl-C and requests to end in a list instead of handling them inside the block.

    The caller handles the recorded signals afterwards. Only the main thread handles signals, so the block has no effect
    in other threads.
    """
    noted: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        noted.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield noted
        return
    handlers = {number: signal.signal(number, note) for number in ENDING if signal.getsignal(number) not in _UNCHANGED}
    try:
        yield noted
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextmanager
def signals_afterwards() -> Iterator[None]:
    """Handle Ctrl-C and requests to end only after the block.

    Some C libraries lose an exception that a signal handler raises while they call Python.
    """
    try:
        with recorded_signals() as noted:
            yield
    finally:
        for number in noted:
            signal.raise_signal(number)
