"""ILBA on the schedule of MOCCA cut at 4LB, as in section 7.3."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from heuristics.method import Method
from heuristics.mosp.balancing import balanced
from heuristics.mosp.conditions import require_fitting, require_static
from heuristics.mosp.mocca_cuts import section7
from oas.problems.mosp.instance import MospInstance

if TYPE_CHECKING:
    from oas.core.schedule import Schedule


def schedule(instance: MospInstance, *, seed: int = 0) -> Schedule:
    """Schedule by MOCCA-7(4), then balance (paper, section 7.3); deterministic, `seed` is not used.

    Raises
    ------
    NotApplicableError
        If there are releases or reservations, or jobs too wide for some of more than two clusters.
    NotPlacedError
        If not all jobs find a place.
    """
    scaled = instance.scaled()
    require_static(scaled, "ILBA(4)")
    require_fitting(scaled, "ILBA(4)")
    return balanced(section7(scaled, Fraction(4))).to_schedule(instance, "ILBA(4)")


METHOD = Method(
    "ILBA(4)",
    schedule,
    "iterative load balancing of MOCCA-7(4)'s schedule",
    rank=142,
    problem=MospInstance,
)
