"""First come, first served over all clusters: strictly, and with EASY or conservative back-filling.

Ties of releases go by index.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from heuristics.method import Method
from heuristics.mosp.orders import GLOBAL_ORDERS
from heuristics.mosp.queueing import conservative_runs, easy_runs, empty_profiles, strict_runs
from heuristics.mosp.ticks import TickSchedule, scheduler
from oas.problems.mosp.problem import MOSP

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heuristics.mosp.capacity.profile import Profiles
    from oas.problems.mosp.runs import ClusterRun
    from oas.problems.mosp.ticks import ScaledMosp

    Engine = Callable[[Profiles, ScaledMosp, Sequence[int], Sequence[int]], list[ClusterRun]]


def backfilled(engine: Engine, scaled: ScaledMosp) -> TickSchedule:
    """Place all jobs by `engine`, in the order of their releases."""
    queue = GLOBAL_ORDERS["FCFS"](scaled, 0)
    return TickSchedule.of(scaled, engine(empty_profiles(scaled), scaled, range(scaled.cluster_count), queue))


METHODS = tuple(
    Method(
        name,
        scheduler(name, partial(backfilled, engine)),
        f"{summary} over all clusters, first come, first served",
        rank=rank,
        problem=MOSP,
        respects_locality=False,
    )
    for name, rank, engine, summary in (
        ("FCFS-strict", 85, strict_runs, "no back-filling"),
        ("conservative", 90, conservative_runs, "conservative back-filling"),
        ("EASY", 91, easy_runs, "EASY back-filling"),
    )
)
