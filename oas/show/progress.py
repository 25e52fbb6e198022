"""Progress of a solve: one live line on a terminal, a line now and then on another stderr, a chart in a notebook."""

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

    from oas.exact.progress import SolveProgress

FIRST = 0.25  # seconds until the first line where stderr is not a terminal; on one it comes at once
TICK = 1.0  # a second without news still moves the clock
CLEAR = "\r\x1b[K"  # the line on a terminal
LINE_SECONDS = 5.0  # between lines of one stage where stderr is not a terminal; twice as long after each without news
HINT_SECONDS = 60.0  # without news, until a way out is named

UNLIMITED = "no time limit: runs until the optimum is proven; Ctrl-C ends it and keeps the best schedule"
WAYS_OUT = "nothing new for a minute; Ctrl-C ends it and keeps the best schedule, --time-limit and --gap end it earlier"


class ProgressLine:
    """Shows the progress of a solve at regular intervals; on a terminal it clears its line at the end.

    Where stderr is not a terminal, what ends within a quarter of a second says nothing, and the last line of anything
    longer is its final state. `describe` makes a line of anything that has a stage and seconds; by default it is that
    of a solve. If `unlimited`, the user is told that nothing ends the work, first after a while and again without news.
    """

    def __init__(
        self, quiet: bool, describe: Callable[[Any, float], str] | None = None, *, unlimited: bool = False
    ) -> None:
        self._describe = describe or describe_solve
        self._notes = [UNLIMITED, WAYS_OUT] if unlimited else []
        self._live = sys.stderr.isatty()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._seen: Any = None
        self._seen_at = 0.0
        self._clock = 0.0  # that the line has shown
        self._news: Any = None  # what was seen, but for the seconds
        self._news_at = 0.0
        self._line: Any = None  # what the last line told
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
        if self._line is not None and self._line != self._news:
            _write(f"{self._describe(self._seen, self._seen.seconds)}\n")

    def __call__(self, seen: Any) -> None:
        """Take note of where it stands."""
        with self._lock:
            self._seen, self._seen_at = seen, time.monotonic()
            if _news(seen) != self._news:
                self._news, self._news_at = _news(seen), time.monotonic()
            if self._ticker and self._live:
                self._show(seen, seen.seconds)

    def _tick(self) -> None:
        while not self._ended.wait(FIRST if self._line is None else TICK):
            with self._lock:  # until the line is written
                if self._seen is not None:
                    if self._seen.stage != "compile":
                        self._remind(time.monotonic() - self._news_at)
                    self._show(self._seen, self._seen.seconds + time.monotonic() - self._seen_at)

    def _remind(self, quiet: float) -> None:
        """Say once that there is no limit, and once how to end it after so many seconds without news."""
        if self._notes and (self._notes[0] is UNLIMITED or quiet >= HINT_SECONDS):
            _write(f"{CLEAR if self._live else ''}{self._notes.pop(0)}\n")

    def _show(self, seen: Any, seconds: float) -> None:
        if self._live:
            if 0 < self._clock - seconds < 1:  # it was read before the ticker wrote; the clock never steps back
                seconds = self._clock
            self._clock = seconds
            _write(f"{CLEAR}{self._describe(seen, seconds)[: _width() - 1]}")
            return
        news = _news(seen)
        changed = news != self._line
        new_stage = self._line is None or news[0] != self._line[0]
        if new_stage or seconds >= self._line_at + (LINE_SECONDS if changed else self._pause):
            self._pause = LINE_SECONDS if changed else 2 * self._pause
            self._line, self._line_at = news, seconds
            _write(f"{self._describe(seen, seconds)}\n")


def _news(seen: Any) -> tuple[object, ...]:
    """Return all that a line tells but the time."""
    return (seen.stage, *(value for name, value in vars(seen).items() if name not in ("stage", "seconds")))


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


@contextmanager
def following(on_progress: Callable[[SolveProgress], None] | None) -> Iterator[Callable[[SolveProgress], None]]:
    """Show the progress reports that are made inside, and hand them on to `on_progress`.

    In a notebook that is a chart of bound and makespan over time, elsewhere a line on stderr.
    """
    view: Any = ProgressLine(quiet=False)
    if in_notebook():
        from oas.show.pictures import LiveChart  # loads matplotlib before the clock of a solve starts

        view = LiveChart()

    def report(seen: SolveProgress) -> None:
        view(seen)
        if on_progress is not None:
            on_progress(seen)

    with view:
        yield report


def in_notebook() -> bool:
    """Tell whether what is displayed is seen on a page: whether a Jupyter kernel runs this."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None
