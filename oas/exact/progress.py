"""Progress of a solve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

COMPILE = "compile"
"""The stage of `oas warm-up`."""


@dataclass(frozen=True)
class SolveProgress:
    """Progress of a solve.

    Attributes
    ----------
    stage
        ``start``, ``bounds``, ``search``, a solver's name, or ``check`` and one.
    seconds
        Wall time since the solve began.
    lower_bound, objective
        The best bound and makespan so far; while a solver runs also what it states, untested.
    part
        Of `oas.compare`, which of its further solves this is: ``η = 0`` or ``without locality``; empty for the instance
        as it is.
    """

    stage: str
    seconds: float
    lower_bound: Fraction | None
    objective: Fraction | None
    part: str = ""
