"""Signals that ask a process to end, put off while a piece of code runs."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM)
_KEPT = (signal.SIG_IGN, None)  # None: a handler that Python did not install, and could not restore


@contextmanager
def noted_signals() -> Iterator[list[int]]:
    """Put off Ctrl-C and requests to end while the code inside runs.

    The list holds the signals that have come. They are not handled afterwards: that is left to the caller. Only the
    main thread handles signals, so that nothing is put off in other threads.
    """
    noted: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        noted.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield noted
        return
    before = {number: signal.signal(number, note) for number in ENDING if signal.getsignal(number) not in _KEPT}
    try:
        yield noted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def signals_afterwards() -> Iterator[None]:
    """Handle Ctrl-C and requests to end only after the code inside.

    For libraries written in C that drop an exception which the handler of a signal raises while they call Python.
    """
    try:
        with noted_signals() as noted:
            yield
    finally:
        for number in noted:
            signal.raise_signal(number)
