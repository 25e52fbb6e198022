"""Conservative back-filling over all clusters, first come, first served."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.method import Method
from heuristics.mosp.orders import GLOBAL_ORDERS
from heuristics.mosp.queueing import conservative_runs, empty_profiles
from heuristics.mosp.ticks import TickSchedule
from oas.problems.mosp.instance import MospInstance

if TYPE_CHECKING:
    from oas.core.schedule import Schedule


def schedule(instance: MospInstance, *, seed: int = 0) -> Schedule:
    """Schedule by conservative back-filling; ties of releases go by index; deterministic, `seed` is not used."""
    scaled = instance.scaled()
    queue = GLOBAL_ORDERS["FCFS"](scaled, seed)
    runs = conservative_runs(empty_profiles(scaled), scaled, range(scaled.cluster_count), queue)
    return TickSchedule.of(scaled, runs).to_schedule(instance, "conservative")


METHOD = Method(
    "conservative",
    schedule,
    "conservative back-filling over all clusters, first come, first served",
    rank=90,
    problem=MospInstance,
    respects_locality=False,
)
