"""Global list scheduling: all organizations' jobs in one queue over all clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.mosp.orders import GLOBAL_ORDERS
from heuristics.mosp.queueing import empty_profiles, list_runs
from heuristics.mosp.ticks import TickSchedule

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.mosp.instance import MospInstance


def global_list(instance: MospInstance, order: str, seed: int = 0) -> Schedule:
    """List-schedule all jobs over all clusters in one of `GLOBAL_ORDERS`, overtaking, on the first cluster with room.

    It looks at the global makespan alone: an organization may end later than at home.
    """
    scaled = instance.scaled()
    queue = GLOBAL_ORDERS[order](scaled, seed)
    runs = list_runs(empty_profiles(scaled), scaled, range(scaled.cluster_count), queue)
    return TickSchedule.of(scaled, runs).to_schedule(instance, order)
