"""Local scheduling: every organization runs its jobs on its own cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.method import Method
from heuristics.mosp.guarantees import one_cluster_local
from heuristics.mosp.requirements import local_given
from oas.problems.mosp.problem import MOSP
from oas.problems.mosp.runs import local_schedule

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.mosp.instance import MospInstance


def schedule(instance: MospInstance, *, seed: int = 0) -> Schedule:
    """Return the stored local schedules, side by side; deterministic, `seed` is not used."""
    return local_schedule(instance)


METHOD = Method(
    "local",
    schedule,
    "the local schedules, nobody cooperates",
    rank=5,
    problem=MOSP,
    guarantee=one_cluster_local,
    requires=(local_given,),
)
