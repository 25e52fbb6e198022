"""MOCCA by its three printed phases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.method import Method
from heuristics.mosp.conditions import require_fitting, require_static
from heuristics.mosp.guarantees import mocca_three
from heuristics.mosp.mocca_phases import three_phases
from oas.problems.mosp.instance import MospInstance

if TYPE_CHECKING:
    from oas.core.schedule import Schedule


def schedule(instance: MospInstance, *, seed: int = 0) -> Schedule:
    """Schedule by MOCCA (paper, Algorithms 1 to 3); deterministic, `seed` is not used.

    Raises
    ------
    NotApplicableError
        If there are releases or reservations, or jobs too wide for some of more than two clusters.
    NotPlacedError
        If not all jobs find a place.
    """
    scaled = instance.scaled()
    require_static(scaled, "MOCCA")
    require_fitting(scaled, "MOCCA")
    return three_phases(scaled).to_schedule(instance, "MOCCA")


METHOD = Method(
    "MOCCA",
    schedule,
    "MOCCA, phases 1 to 3 as printed: what ends after 3LB is put in anew",
    rank=100,
    problem=MospInstance,
    guarantee=mocca_three,
)
