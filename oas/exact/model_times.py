"""Times of an instance as a formulation takes them, and what a solver states of its objective as times."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.solvers.outcome import continuous_bound, integer_bound

if TYPE_CHECKING:
    from oas.core.instances import Instance
    from oas.models.formulation import Formulation

_DIGITS = 12  # of a time that comes from a float


class ModelTimes:
    """Conversions for one formulation of one instance.

    Where the formulation is continuous there may be no ticks: times stay Fractions, and a bound is rounded down after
    its margin is taken off.
    """

    def __init__(self, formulation: Formulation, instance: Instance) -> None:
        self.formulation = formulation
        self.scaled = instance.scaled()

    def given(self, time: Fraction) -> int | Fraction:
        """Return a horizon or a bound as the formulation's `prepare` takes it."""
        return time if self.formulation.continuous else int(time / self.scaled.tick)

    def proven(self, spec: object, bound: float) -> Fraction:
        """Return what a stated bound on the objective proves of the makespan."""
        if self.formulation.continuous:
            return rounded_down(self.formulation.ticks_of(spec, continuous_bound(bound)))
        return self.scaled.to_time(self.formulation.ticks_of(spec, integer_bound(bound)))

    def stated(self, spec: object, objective: float) -> Fraction:
        """Return the makespan that a stated objective stands for, untested."""
        if self.formulation.continuous:
            return rounded_down(self.formulation.ticks_of(spec, Fraction(objective)))
        return self.scaled.to_time(self.formulation.ticks_of(spec, math.ceil(objective - 0.5)))


def rounded_down(value: Fraction) -> Fraction:
    """Round a time down to about twelve significant digits; 0 below 0."""
    if value <= 0:
        return Fraction(0)
    places = _DIGITS - len(str(value.numerator)) + len(str(value.denominator))
    unit = Fraction(10) ** -places
    return value // unit * unit
