"""A solve with a time limit whose loops are not compiled yet: child processes compile them while its time runs."""

from __future__ import annotations

import time
from contextlib import contextmanager
from math import inf
from typing import TYPE_CHECKING

from oas.core.uncompiled import uncompiled
from oas.exact.warm_up import WAIT, compile_meanwhile, is_compiling, missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from oas.exact.warm_up import Loops

# Of the time limit, and seconds at least, for a first search whose loops run uncompiled. After it the solve waits, and
# leaves the processors to what compiles.
FIRST_SHARE, FIRST_SECONDS = 0.25, 10.0
LOOPS_SECONDS = 0.5  # between two looks at what is compiled


class ColdStart:
    """The loops of a solve that are not compiled when its time begins.

    Until they are, they run as they stand, some hundred times slower: that is enough for few jobs, and for the bounds
    of more. Once they are, the search begins anew with what it has found.

    Parameters
    ----------
    loops
        What the solve may need.
    limit
        Its time limit; None: everything is compiled before its time begins, and nothing here does anything.
    left
        The seconds until that.
    """

    def __init__(self, loops: Iterable[Loops], limit: float | None, left: Callable[[], float | None]) -> None:
        self._loops = [] if limit is None else missing(loops)
        self._left = left
        first = max(FIRST_SECONDS, FIRST_SHARE * (limit or 0.0))
        self._first_end = time.monotonic() + first if self._loops else None
        self._looked = 0.0

    @property
    def running(self) -> bool:
        """Whether the first search, with loops uncompiled, is not over."""
        return self._first_end is not None

    @property
    def is_late(self) -> bool:
        """Whether the first search is to be over, be it compiled or not."""
        return self._first_end is not None and time.monotonic() >= self._first_end

    @contextmanager
    def meanwhile(self) -> Iterator[None]:
        """Compile in the background, and run uncompiled what is not compiled yet."""
        compile_meanwhile(self._loops)
        with uncompiled(bool(self._loops)):
            yield

    def search_left(self) -> float | None:
        """Return the seconds left for the current search: none if it runs uncompiled and all is compiled now."""
        left = self._left()
        if self._first_end is None or left is None:
            return left
        now = time.monotonic()
        if now >= self._looked + LOOPS_SECONDS:
            self._looked = now
            if not missing(self._loops):
                return -inf
        return min(left, self._first_end - now)

    def wait(self, report: Callable[[], None]) -> None:
        """End the first search: wait until all is compiled, or the time is up."""
        self._first_end = None
        while missing(self._loops) and is_compiling():
            left = self._left()
            if left is None or left <= 0:
                return
            time.sleep(min(WAIT, left))
            report()

    @contextmanager
    def again(self) -> Iterator[None]:
        """For the second search: everything is compiled now, or the first one's way is gone on."""
        if missing(self._loops):
            yield
        else:
            with uncompiled(False):
                yield

    def message(self) -> str:
        """Say what is not compiled yet; empty if that is nothing."""
        left = missing(self._loops)
        if not left:
            return ""
        names = ", ".join(one.function.rpartition(":")[2].replace("_", " ") for one in left)
        return (
            f"{len(left)} of {len(self._loops)} parts of the search were not compiled yet and ran slowly ({names}); "
            "`oas warm-up` compiles them, once per installation"
        )
