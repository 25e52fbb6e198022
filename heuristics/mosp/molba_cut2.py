"""MOLBA with its cut at 2LB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.method import Method
from heuristics.mosp.conditions import require_highest_first, require_identical, require_static
from heuristics.mosp.guarantees import molba_two
from heuristics.mosp.migration import migrated
from oas.problems.mosp.instance import MospInstance

if TYPE_CHECKING:
    from oas.core.schedule import Schedule


def schedule(instance: MospInstance, *, seed: int = 0) -> Schedule:
    """Schedule by MOLBA (paper, section 4); deterministic, `seed` is not used.

    Raises
    ------
    NotApplicableError
        If there are releases or reservations, unequal clusters, or local schedules other than HF.
    """
    scaled = instance.scaled()
    require_static(scaled, "MOLBA(2)")
    require_identical(scaled, "MOLBA(2)")
    require_highest_first(scaled, "MOLBA(2)")
    return migrated(scaled, 2).to_schedule(instance, "MOLBA(2)")


METHOD = Method(
    "MOLBA(2)",
    schedule,
    "MOLBA, jobs that start after 2LB migrate",
    rank=130,
    problem=MospInstance,
    guarantee=molba_two,
)
