"""MOLBA's rule for jobs that are all high."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.method import Method, NotApplicableError
from heuristics.mosp.conditions import all_high, require_identical, require_static
from heuristics.mosp.guarantees import molba_all_high
from heuristics.mosp.migration import shared_high_jobs
from oas.problems.mosp.instance import MospInstance

if TYPE_CHECKING:
    from oas.core.schedule import Schedule


def schedule(instance: MospInstance, *, seed: int = 0) -> Schedule:
    """Schedule by MOLBA's rule for high jobs (paper, section 4.2); deterministic, `seed` is not used.

    Raises
    ------
    NotApplicableError
        If there are releases or reservations, unequal clusters, or a job that is not high.
    """
    scaled = instance.scaled()
    require_static(scaled, "MOLBA-high")
    require_identical(scaled, "MOLBA-high")
    if not all_high(scaled):
        raise NotApplicableError("MOLBA-high wants every job to need more than half of a cluster")
    return shared_high_jobs(scaled).to_schedule(instance, "MOLBA-high")


METHOD = Method(
    "MOLBA-high",
    schedule,
    "MOLBA where all jobs are high: idle clusters take others' jobs",
    rank=132,
    problem=MospInstance,
    guarantee=molba_all_high,
)
