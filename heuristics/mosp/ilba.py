"""ILBA on the schedule of MOCCA as in section 7."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.method import Method
from heuristics.mosp.balancing import balanced
from heuristics.mosp.conditions import require_fitting, require_static
from heuristics.mosp.guarantees import balanced_sequential
from heuristics.mosp.mocca_cuts import section7
from oas.problems.mosp.instance import MospInstance

if TYPE_CHECKING:
    from oas.core.schedule import Schedule


def schedule(instance: MospInstance, *, seed: int = 0) -> Schedule:
    """Schedule by MOCCA-7, then balance (paper, section 6); deterministic, `seed` is not used.

    Raises
    ------
    NotApplicableError
        If there are releases or reservations, or jobs too wide for some of more than two clusters.
    NotPlacedError
        If not all jobs find a place.
    """
    scaled = instance.scaled()
    require_static(scaled, "ILBA")
    require_fitting(scaled, "ILBA")
    return balanced(section7(scaled)).to_schedule(instance, "ILBA")


METHOD = Method(
    "ILBA",
    schedule,
    "iterative load balancing of MOCCA-7's schedule",
    rank=140,
    problem=MospInstance,
    guarantee=balanced_sequential,
)
