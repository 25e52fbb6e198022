"""Progress of a solve: a live line on a terminal, occasional lines in a file or pipe, a chart in a notebook."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from oas.core.formats import show_percent, show_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from oas.solving.progress import SolveProgress

FIRST = 0.25  # seconds until the first line if stderr is not a terminal
TICK = 1.0  # seconds between updates of the clock
CLEAR = "\r\x1b[K"  # clears a line of a terminal
LINE_SECONDS = 5.0  # between lines of a stage if stderr is not a terminal; doubled after each line without change
HINT_SECONDS = 60.0  # without change until the user is told how to stop

UNLIMITED = "no time limit: runs until the optimum is proven; Ctrl-C stops it and keeps the best schedule"
HINT = "no change for a minute; Ctrl-C stops and keeps the best schedule; --time-limit and --gap stop earlier"


class ProgressLine:
    """Shows progress reports on stderr at regular intervals; clears its line on a terminal at the end.

    If stderr is not a terminal, the first line comes after a quarter of a second, and the last line shows the final
    state. `describe` formats a report, which has a stage and seconds; the default is for reports of a solve. If
    `unlimited` is set, the user is told that there is no time limit, and after a minute without change how to stop.
    """

    def __init__(
        self, quiet: bool, describe: Callable[[Any, float], str] | None = None, *, unlimited: bool = False
    ) -> None:
        self._describe = describe or describe_solve
        self._notes = [UNLIMITED, HINT] if unlimited else []
        self._live = sys.stderr.isatty()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._report: Any = None
        self._report_at = 0.0
        self._clock = 0.0  # seconds in the last line on a terminal
        self._state: Any = None  # the report without its seconds
        self._state_at = 0.0
        self._line: Any = None  # the state in the last line
        self._line_at, self._pause = 0.0, LINE_SECONDS
        self._ticker = None if quiet else threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Self:
        if self._ticker:
            if self._live:
                _write(f"{CLEAR}{0:7.1f} s")
            self._ticker.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._ticker:
            self._ticker.join()
            if self._live:
                _write(CLEAR)
        if self._line is not None and self._line != self._state:
            _write(f"{self._describe(self._report, self._report.seconds)}\n")

    def __call__(self, report: Any) -> None:
        with self._lock:
            self._report, self._report_at = report, time.monotonic()
            if _state(report) != self._state:
                self._state, self._state_at = _state(report), time.monotonic()
            if self._ticker and self._live:
                self._show(report, report.seconds)

    def compiling(self, seconds: float) -> None:
        """Show that kernels are being compiled."""
        from oas.solving.progress import COMPILE, SolveProgress

        self(SolveProgress(COMPILE, seconds, None, None))

    def _tick(self) -> None:
        while not self._ended.wait(FIRST if self._line is None else TICK):
            with self._lock:  # until the line is written
                if self._report is not None:
                    unchanged = time.monotonic() - self._state_at
                    due = self._notes and (self._notes[0] is UNLIMITED or unchanged >= HINT_SECONDS)
                    if due and self._report.stage != "compile":
                        _write(f"{CLEAR if self._live else ''}{self._notes.pop(0)}\n")
                    self._show(self._report, self._report.seconds + time.monotonic() - self._report_at)

    def _show(self, report: Any, seconds: float) -> None:
        if self._live:
            if 0 < self._clock - seconds < 1:  # the report is older than the last line; the clock never steps back
                seconds = self._clock
            self._clock = seconds
            _write(f"{CLEAR}{self._describe(report, seconds)[: _width() - 1]}")
            return
        state = _state(report)
        changed = state != self._line
        new_stage = self._line is None or state[0] != self._line[0]
        if new_stage or seconds >= self._line_at + (LINE_SECONDS if changed else self._pause):
            self._pause = LINE_SECONDS if changed else 2 * self._pause
            self._line, self._line_at = state, seconds
            _write(f"{self._describe(report, seconds)}\n")


def _state(report: Any) -> tuple[object, ...]:
    """Return the stage and the other fields of a report, without the seconds."""
    return (report.stage, *(value for name, value in vars(report).items() if name not in ("stage", "seconds")))


def describe_solve(report: SolveProgress, seconds: float) -> str:
    """Return a report as one line."""
    if report.stage == "compile":
        return f"{seconds:7.1f} s  compiling the search, once per installation"
    parts = [f"{seconds:7.1f} s  {report.stage:<12}"]
    if report.lower_bound is not None:
        parts.append(f"bound {show_time(report.lower_bound)}")
    if report.objective is not None:
        parts.append(f"makespan {show_time(report.objective)}")
        if report.lower_bound:
            parts.append(f"gap {show_percent(report.objective / report.lower_bound - 1)}")
    return "  ".join(parts).rstrip()


def _write(text: str) -> None:
    """Write to stderr; ignore errors, because a solve must continue if stderr is closed."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()


def _width() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


@contextmanager
def following(on_progress: Callable[[SolveProgress], None] | None) -> Iterator[Callable[[SolveProgress], None]]:
    """Yield a progress callback that shows reports and passes them to `on_progress`.

    A notebook shows a chart of bound and makespan over time; otherwise, a line on stderr.
    """
    view: Any = ProgressLine(quiet=False)
    if in_notebook():
        from oas.show.pictures import LiveChart  # loads matplotlib before the clock of a solve starts

        view = LiveChart()

    def show(report: SolveProgress) -> None:
        view(report)
        if on_progress is not None:
            on_progress(report)

    with view:
        yield show


def in_notebook() -> bool:
    """Return whether a Jupyter kernel runs this process."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None
