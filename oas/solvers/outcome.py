"""The outcome of a solver's run: solution, bound and claims as stated by the solver, none of them verified."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.core.result import Termination
    from oas.solvers.task import Key

# A value this close to an integer is that integer; anything else is no incumbent.
INTEGRALITY = 1e-5
NOT_INTEGRAL = "claims an optimum without an integral solution"
"""What is said of a solver that does: nothing of its answer is used."""
# Solvers work to about 1e-6, absolutely near 0 and relatively elsewhere.
RELATIVE_MARGIN = 1e-6


@dataclass(frozen=True)
class Progress:
    """A solver's state while it runs."""

    seconds: float  # wall time since the call began
    # bound, objective: dual bound and best objective so far, as the solver states them; None if there is none
    bound: float | None
    objective: float | None


@dataclass(frozen=True)
class Outcome:
    """The outcome of a solve."""

    # Why it ended. ``finished`` says that the search ended by itself, not that anything is proven.
    termination: Termination
    infeasible: bool = False  # the solver claims that there is no solution
    # The incumbent: each nonzero discrete variable's value, rounded to its integer, and only if all of them are within
    # 1e-5 of an integer; None if there is no such incumbent. To be verified by the caller.
    values: Mapping[Key, float] | None = field(default=None, hash=False)
    # objective, bound: as the solver states them; None if absent or not finite. The bound is a dual bound of the
    # minimisation. An ``int`` is exact; a ``float`` is right up to the solver's tolerance only.
    objective: float | None = None
    bound: float | None = None
    # solver, version: what ran.
    solver: str = ""
    version: str = ""
    # seconds, build_seconds: wall time of the whole call, and of building the model.
    seconds: float = 0.0
    build_seconds: float = 0.0
    message: str = ""  # for people: the signal, the exception, the end of a log


@dataclass(frozen=True)
class CallOutcome:
    """The outcome of a function called in the worker."""

    termination: Termination  # ``finished``: it returned before its limit and without a request to stop
    # What it returned; if it did not get that far, what it last handed over by `Session.partial`, else None.
    value: object = field(default=None, hash=False)
    seconds: float = 0.0  # wall time of the whole call
    message: str = ""  # for people: the signal, the exception
    bound: float | None = None  # the last bound that it reported by `Session.progress`; None for none


def bound_margin(magnitude: float) -> float:
    """Return the tolerance of a stated bound of this magnitude: 1e-6 · max(1, abs(magnitude))."""
    return RELATIVE_MARGIN * max(1.0, abs(magnitude))


def integer_bound(bound: float) -> int:
    """Round a stated lower bound up to the next integer, after taking `bound_margin` off; an ``int`` is taken as it is.

    Safe at every magnitude: from 5e5 on the margin is half a unit or more, and the result falls below the bound.

    Raises `ValueError` if `bound` is not finite.
    """
    if isinstance(bound, int):
        return bound
    if not math.isfinite(bound):
        raise ValueError(f"{bound} is no bound")
    return math.ceil(Fraction(bound) - Fraction(bound_margin(bound)))


def continuous_bound(bound: float) -> Fraction:
    """Take `bound_margin` off a stated lower bound on an objective that takes any value.

    The margin holds for objectives of a thousand or more: what solvers add to it in absolute terms (up to 1e-5, by
    which CBC wants a solution to be better than the last) is then small beside it.

    Raises `ValueError` if `bound` is not finite.
    """
    if not math.isfinite(bound):
        raise ValueError(f"{bound} is no bound")
    return Fraction(bound) - Fraction(bound_margin(bound))


def integer_gap(magnitude: float) -> float:
    """Absolute gap within which a search for an integer objective may stop and still be proven by `integer_bound`.

    It is 0.999 less the margin at `magnitude`, the largest absolute value the objective can take, so that
    ``integer_bound(objective - gap) == objective``. Above 1e5 the tolerances eat too much of the unit: 0.
    """
    margin = bound_margin(magnitude)
    return 0.999 - margin if margin <= 0.1 else 0.0


def finite(value: float | None, limit: float = 1e29) -> float | None:
    """Return `value`, or None if it is absent, not a number, or what a solver writes for infinity."""
    return None if value is None or not abs(value) < limit else float(value)
