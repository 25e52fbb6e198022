"""A log of a solve, as solvers print it: time, stage, bound, makespan and gap, a line when one of them changes.

It goes to the logger ``oas.solve`` at level INFO::

    logging.basicConfig(format="%(message)s")
    logging.getLogger("oas.solve").setLevel(logging.INFO)
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from oas.core.formats import show_percent, show_time

if TYPE_CHECKING:
    from oas.exact.progress import SolveProgress

LOGGER = logging.getLogger("oas.solve")
PAUSE = 0.5
_HEADING = f"{'time':>8}  {'stage':<16}{'bound':>20}{'makespan':>20}{'gap':>12}"


class SolveLog:
    """The log of one solve."""

    def __init__(self) -> None:
        self.enabled = LOGGER.isEnabledFor(logging.INFO)
        self._last: SolveProgress | None = None

    def add(self, seen: SolveProgress) -> None:
        """Write a line if stage or makespan is new; a new bound alone waits `PAUSE` seconds for the next."""
        last = self._last
        if last is None:
            LOGGER.info(_HEADING)
        elif (seen.stage, seen.objective) == (last.stage, last.objective) and (
            seen.lower_bound == last.lower_bound or seen.seconds < last.seconds + PAUSE
        ):
            return
        self._last = seen
        bound, makespan = seen.lower_bound, seen.objective
        texts = ["" if value is None else show_time(value) for value in (bound, makespan)]
        gap = show_percent(makespan / bound - 1) if bound and makespan is not None else ""
        LOGGER.info(f"{seen.seconds:6.2f} s  {seen.stage:<16}{texts[0]:>20}{texts[1]:>20}{gap:>12}".rstrip())
