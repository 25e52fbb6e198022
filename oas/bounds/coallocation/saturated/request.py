"""The request for the bound by shared links; the worker that answers it loads a solver, this module does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.bounds.coallocation.saturated.options import Allowed
    from oas.problems.coallocation.instance import CoallocationInstance


@dataclass(frozen=True)
class Request:
    """What to bound.

    Attributes
    ----------
    instance
        Of co-allocation.
    upper
        A makespan that is attained, in slots or units of time: the search stops once the bound reaches it.
    plans
        Whether schedules are to be looked for too; without slots alone.
    allowed
        Options that the jobs may use, and what is proven then holds for these alone; None for all.
    """

    instance: CoallocationInstance
    upper: Fraction
    plans: bool = True
    allowed: Allowed | None = None
