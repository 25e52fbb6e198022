"""Progress of a solve on stderr: one live line on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from oas.cli.numbers import MISSING, show_percent, show_time

if TYPE_CHECKING:
    from types import TracebackType

    from oas.exact.pipeline import SolveProgress

QUIET_SECONDS = 5.0  # between lines where stderr is not a terminal


class ProgressLine:
    """Shows stage, bound, makespan and gap; a context manager that leaves a clean terminal."""

    def __init__(self, quiet: bool) -> None:
        self.live = sys.stderr.isatty()
        self.quiet = quiet
        self.last_stage = ""
        self.last_time = 0.0

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.live and not self.quiet:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def __call__(self, seen: SolveProgress) -> None:
        """Show where the solve stands."""
        if self.quiet:
            return
        now = time.monotonic()
        if not self.live and seen.stage == self.last_stage and now - self.last_time < QUIET_SECONDS:
            return
        self.last_stage, self.last_time = seen.stage, now
        gap = seen.objective / seen.lower_bound - 1 if seen.objective is not None and seen.lower_bound else None
        text = (
            f"{seen.seconds:7.1f} s  {seen.stage:<14} bound {show_time(seen.lower_bound)}"
            f"  makespan {show_time(seen.objective)}  gap {MISSING if gap is None else show_percent(gap)}"
        )
        sys.stderr.write(f"\r\x1b[K{text}" if self.live else f"{text}\n")
        sys.stderr.flush()
