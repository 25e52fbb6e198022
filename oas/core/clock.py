"""Time limits for long loops: they call `check_clock`, which raises when the time of the surrounding solve is over.

A solve uses `clock` to install a function that checks its limits; outside a solve `check_clock` returns immediately.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

INTERVAL = 0.05  # minimum time in seconds between two calls of the installed function
_CHECK: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


@contextmanager
def clock(check: Callable[[], None]) -> Iterator[None]:
    """Let `check_clock` call `check` inside the block, at most every `INTERVAL` seconds.

    An exception from `check` ends the running loop and leaves the objects that the loop modifies incomplete.
    """
    checked = time.monotonic()

    def check_if_due() -> None:
        nonlocal checked
        now = time.monotonic()
        if now >= checked + INTERVAL:
            checked = now
            check()

    token = _CHECK.set(check_if_due)
    try:
        yield
    finally:
        _CHECK.reset(token)


def check_clock() -> None:
    """Raise the exception of the installed check if the time of the solve is over."""
    check = _CHECK.get()
    if check is not None:
        check()
