"""The chart of a solve that runs, in a notebook's cell."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from oas.core.trace import Trace
from oas.show.html import remark
from oas.show.pictures import trace_figure
from oas.show.progress import describe_solve
from oas.show.svg import inline_svg  # loads matplotlib before the clock of a solve starts

if TYPE_CHECKING:
    from oas.exact.progress import SolveProgress

LEAST_SECONDS = 0.5  # from one drawing to the next,
MOST_SHARE = 0.1  # of the time for drawing, if that takes longer


class LiveChart:
    """The trace of a solve in a notebook's cell, drawn anew at most twice a second and at the end."""

    def __init__(self) -> None:
        self.trace = Trace()
        self._own: SolveProgress | None = None  # the last report of the solve that is drawn
        self._next = 0.0
        self._handle: Any = None

    def __enter__(self) -> LiveChart:
        return self

    def __exit__(self, *_: object) -> None:
        if self._own is not None:
            self._draw(self._own)

    def __call__(self, seen: SolveProgress) -> None:
        """Take note of a progress report, and draw if it is time."""
        self.trace(seen)
        if not seen.part:
            self._own = seen
        began = time.monotonic()
        if began >= self._next:
            self._draw(seen)
            now = time.monotonic()
            self._next = max(began + LEAST_SECONDS, now + (now - began) * (1 / MOST_SHARE - 1))

    def _draw(self, seen: SolveProgress) -> None:
        from IPython.display import HTML, display

        page = HTML(self.html(seen))
        if self._handle is None:
            self._handle = display(page, display_id=True)
        else:
            self._handle.update(page)

    def html(self, seen: SolveProgress) -> str:
        """Return the line that a terminal would show, and the chart once there is a bound or a makespan."""
        chart = (
            inline_svg(lambda: trace_figure(self.trace), "bound and makespan over time") if self.trace.points else ""
        )
        line = describe_solve(seen, seen.seconds)
        return f"{remark(', '.join(part.strip() for part in line.split('  ') if part.strip()))}\n{chart}"
