"""Ends what runs too long, a user's policy that hangs above all."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator

_AGAIN = 1.0  # seconds from one alarm to the next: the first may come where the exception is swallowed


class TimeUp(BaseException):
    """No more time; unlike an Exception no policy takes it for its own."""


@contextmanager
def ended_after(seconds: float | None) -> Iterator[None]:
    """Raise `TimeUp` in what runs inside, once so many seconds have passed; None for never.

    A signal interrupts Python code, waiting and sleeping alike; compiled code goes on to its end. Where there is no
    such signal, in another thread than the main one or on Windows, nothing is interrupted.
    """
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if seconds is None or not usable:
        yield
        return

    def ring(_signal: int, _frame: object) -> NoReturn:
        raise TimeUp

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3), _AGAIN)
        yield
    finally:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
        finally:  # should it ring as the timer is stopped
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
