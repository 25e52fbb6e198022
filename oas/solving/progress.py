"""Progress of a solve: the events, the log, and Ctrl-C.

The log has a line with time, stage, bound, makespan and gap for each change of stage, bound or makespan. It goes to the
logger ``oas.solve`` at level INFO::

    logging.basicConfig(format="%(message)s")
    logging.getLogger("oas.solve").setLevel(logging.INFO)
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from oas.core.formats import show_percent, show_time

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.core.result import Result

COMPILE = "compile"  # the stage of `oas warm-up`


@dataclass(frozen=True)
class SolveProgress:
    """Progress of a solve.

    Attributes
    ----------
    stage
        ``start``, ``bounds``, ``search``, ``re-check``, ``brute-force``, a solver's name, or ``check`` and such a name.
    seconds
        Wall time since the solve began.
    lower_bound, objective
        The best bound and makespan so far, including unverified values of a running solver.
    part
        Empty for the solve of the instance as given. Otherwise an additional solve: ``check`` and the name of the
        solver that gives a second opinion, or ``η = 0`` or ``without locality`` of `oas.compare`.
    """

    stage: str
    seconds: float
    lower_bound: Fraction | None
    objective: Fraction | None
    part: str = ""


LOGGER = logging.getLogger("oas.solve")
PAUSE = 0.5
_HEADING = f"{'time':>8}  {'stage':<16}{'bound':>20}{'makespan':>20}{'gap':>12}"


class SolveLog:
    """The log of one solve."""

    def __init__(self) -> None:
        self.enabled = LOGGER.isEnabledFor(logging.INFO)
        self._last: SolveProgress | None = None

    def add(self, event: SolveProgress) -> None:
        """Write a line if stage or makespan is new, or the bound and the last line is at least `PAUSE` seconds old."""
        last = self._last
        if last is None:
            LOGGER.info(_HEADING)
        elif (event.stage, event.objective) == (last.stage, last.objective) and (
            event.lower_bound == last.lower_bound or event.seconds < last.seconds + PAUSE
        ):
            return
        self._last = event
        bound, makespan = event.lower_bound, event.objective
        texts = ["" if value is None else show_time(value) for value in (bound, makespan)]
        gap = show_percent(makespan / bound - 1) if bound and makespan is not None else ""
        LOGGER.info(f"{event.seconds:6.2f} s  {event.stage:<16}{texts[0]:>20}{texts[1]:>20}{gap:>12}".rstrip())


OnInterrupt = Literal["auto", "raise", "return"]


class SolveInterrupted(KeyboardInterrupt):
    """Ctrl-C during a solve.

    Attributes
    ----------
    result
        The result so far: the best verified schedule, the proven bound, and the termination ``interrupted``.
    """

    def __init__(self, result: Result) -> None:
        super().__init__("interrupted; the result so far is the attribute `result` of this exception")
        self.result = result
