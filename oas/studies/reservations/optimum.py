"""The optimum of one instance of a study, as far as it is known."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.core.result import Status
from oas.studies.slot_sizes.points import Interval

if TYPE_CHECKING:
    from oas.core.result import Proof, Result


@dataclass(frozen=True)
class Optimum:
    """The optimum of an instance: proven where bound and makespan meet, otherwise between the two.

    Attributes
    ----------
    lower_bound
        Proven: no schedule ends earlier; in the instance's time unit.
    makespan
        Of a verified schedule; None before there is one.
    result
        Of its own solve; None where other solves settle it, or none was made.
    """

    lower_bound: Fraction
    makespan: Fraction | None
    result: Result | None = None

    @property
    def proven(self) -> bool:
        """Whether it is known exactly."""
        return self.makespan == self.lower_bound

    @property
    def status(self) -> Status:
        """``optimal``, ``feasible`` or ``no_solution``, of `lower_bound` and `makespan`."""
        if self.makespan is None:
            return Status.NO_SOLUTION
        return Status.OPTIMAL if self.proven else Status.FEASIBLE

    @property
    def proof(self) -> Proof | None:
        """The proof of its own solve where that reaches `lower_bound`; otherwise None."""
        own = self.result
        return own.proof if own is not None and own.lower_bound == self.lower_bound else None


def excess(more: Optimum, less: Optimum) -> Interval | None:
    """Return by how much the optimum of a restricted instance is above that of its relaxation.

    Where an optimum is open this is an interval: from the lower bound of the one less the makespan of the other to the
    makespan of the one less the lower bound of the other, and never below 0.

    Parameters
    ----------
    more
        Of the restricted instance, whose schedules are all feasible for the other.
    less
        Of its relaxation.

    Returns
    -------
    Interval
        In the instance's time unit; None where there is no schedule of either.
    """
    if more.makespan is None or less.makespan is None:
        return None
    return Interval(max(Fraction(0), more.lower_bound - less.makespan), more.makespan - less.lower_bound)
