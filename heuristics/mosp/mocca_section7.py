"""MOCCA as in its paper's experiments; where the local schedules are HF, the HF3 of section 7.3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.method import Method
from heuristics.mosp.conditions import require_fitting, require_static
from heuristics.mosp.mocca_cuts import section7
from oas.problems.mosp.instance import MospInstance

if TYPE_CHECKING:
    from oas.core.schedule import Schedule


def schedule(instance: MospInstance, *, seed: int = 0) -> Schedule:
    """Schedule by MOCCA's variant of section 7.1; deterministic, `seed` is not used.

    Raises
    ------
    NotApplicableError
        If there are releases or reservations, or jobs too wide for some of more than two clusters.
    NotPlacedError
        If not all jobs find a place.
    """
    scaled = instance.scaled()
    require_static(scaled, "MOCCA-7")
    require_fitting(scaled, "MOCCA-7")
    return section7(scaled).to_schedule(instance, "MOCCA-7")


METHOD = Method(
    "MOCCA-7",
    schedule,
    "MOCCA as in section 7: one backward phase from 3LB, then compaction",
    rank=110,
    problem=MospInstance,
)
