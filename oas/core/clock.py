"""The clock of a solve: long loops call `check_clock`, which ends them when their time is up.

A solve sets a function that looks at the time limit and raises if it is over. Loops need not know whose time it is;
outside of a solve `check_clock` does nothing.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

INTERVAL = 0.05  # seconds between two looks at the clock
_LOOK: ContextVar[Callable[[], None] | None] = ContextVar("look", default=None)


@contextmanager
def clock(look: Callable[[], None]) -> Iterator[None]:
    """Call `look` at most every `INTERVAL` seconds while loops inside check the clock.

    An exception that it raises ends these loops, and leaves the objects that they work on half done.
    """
    looked = time.monotonic()

    def rarely() -> None:
        nonlocal looked
        now = time.monotonic()
        if now >= looked + INTERVAL:
            looked = now
            look()

    token = _LOOK.set(rarely)
    try:
        yield
    finally:
        _LOOK.reset(token)


def check_clock() -> None:
    """End the loop that calls this, by an exception, if its time is up."""
    look = _LOOK.get()
    if look is not None:
        look()
