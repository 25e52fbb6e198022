"""Progress of a solve on stderr: one live line on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Self

from oas.core.formats import show_percent, show_time

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from oas.exact.pipeline import SolveProgress

TICK = 1.0  # a second without news still moves the clock
LINE_SECONDS = 5.0  # between lines of one stage where stderr is not a terminal


class ProgressLine:
    """Shows the progress of a solve at regular intervals, and clears its line at the end.

    What ends within the first second says nothing where stderr is not a terminal.

    Parameters
    ----------
    quiet
        Say nothing at all.
    describe
        What is shown of anything that has a stage and seconds; of a solve time, stage, bound, makespan and gap.
    """

    def __init__(self, quiet: bool, describe: Callable[[Any, float], str] | None = None) -> None:
        self._describe = describe or describe_solve
        self._live = sys.stderr.isatty()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._seen: Any = None
        self._seen_at = 0.0
        self._line_stage = ""
        self._line_at = 0.0
        self._ticker = None if quiet else threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Self:
        if self._ticker:
            self._ticker.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._ticker:
            self._ticker.join()
            if self._live:
                _write("\r\x1b[K")

    def __call__(self, seen: Any) -> None:
        """Take note of where it stands."""
        with self._lock:
            self._seen, self._seen_at = seen, time.monotonic()
        if self._ticker and self._live:
            self._show(seen, seen.seconds)

    def _tick(self) -> None:
        while not self._ended.wait(TICK):
            with self._lock:
                seen, since = self._seen, time.monotonic() - self._seen_at
            if seen is not None:
                self._show(seen, seen.seconds + since)

    def _show(self, seen: Any, seconds: float) -> None:
        if self._live:
            _write(f"\r\x1b[K{self._describe(seen, seconds)[: _width() - 1]}")
        elif seen.stage != self._line_stage or seconds >= self._line_at + LINE_SECONDS:
            self._line_stage, self._line_at = seen.stage, seconds
            _write(f"{self._describe(seen, seconds)}\n")


def describe_solve(seen: SolveProgress, seconds: float) -> str:
    """Return one line: what is not known yet is left out."""
    if seen.stage == "compile":
        return f"{seconds:7.1f} s  compiling the search, once per installation"
    parts = [f"{seconds:7.1f} s  {seen.stage:<12}"]
    if seen.lower_bound is not None:
        parts.append(f"bound {show_time(seen.lower_bound)}")
    if seen.objective is not None:
        parts.append(f"makespan {show_time(seen.objective)}")
        if seen.lower_bound:
            parts.append(f"gap {show_percent(seen.objective / seen.lower_bound - 1)}")
    return "  ".join(parts).rstrip()


def _write(text: str) -> None:
    """Write to stderr; a solve goes on if stderr is closed."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()


def _width() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80
