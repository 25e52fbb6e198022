"""MOCCA(4): for any local policy."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from heuristics.method import Method
from heuristics.mosp.conditions import require_fitting, require_static
from heuristics.mosp.guarantees import mocca_four
from heuristics.mosp.mocca_cuts import algorithm4
from oas.problems.mosp.instance import MospInstance

if TYPE_CHECKING:
    from oas.core.schedule import Schedule


def schedule(instance: MospInstance, *, seed: int = 0) -> Schedule:
    """Schedule by MOCCA(4) (paper, Algorithm 4); deterministic, `seed` is not used.

    Raises
    ------
    NotApplicableError
        If there are releases or reservations, or jobs too wide for some of more than two clusters.
    NotPlacedError
        If not all jobs find a place.
    """
    scaled = instance.scaled()
    require_static(scaled, "MOCCA(4)")
    require_fitting(scaled, "MOCCA(4)")
    return algorithm4(scaled, Fraction(4)).to_schedule(instance, "MOCCA(4)")


METHOD = Method(
    "MOCCA(4)",
    schedule,
    "MOCCA(4), Algorithm 4 as printed: cut at 4LB, HF where it is no worse",
    rank=120,
    problem=MospInstance,
    guarantee=mocca_four,
)
