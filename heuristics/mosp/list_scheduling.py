"""Local scheduling, and list scheduling and back-filling of all organizations' jobs in one queue over all clusters.

FCFS, SJF, BJF, SPT, LPT, HF and RND are list scheduling in the orders of `LOCAL_ORDERS`; for rigid jobs BJF and HF are
identical. On one cluster they are the LSRC of the reservations paper, list scheduling with resource constraints
(section 2.2): LSRC(order) is an alias of the method of that order. FCFS-strict, conservative and EASY serve the jobs by
release, ties by index.

All methods but `local` consider only the global makespan: an organization may end later than in its local schedule.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from heuristics.mosp.guarantees import local_given, one_cluster_list, one_cluster_local
from oas.core.errors import unknown_name
from oas.core.registry import MOSP
from oas.mosp.runs import local_schedule
from oas.mosp.search.queueing import TickSchedule, empty_profiles, queue_of, queue_runs
from oas.solving.method import Method, MethodFamily

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.mosp.instance import MospInstance


def schedule(order: str, instance: MospInstance, *, seed: int = 0, name: str, engine: str) -> Schedule:
    """Schedule all jobs in one of `LOCAL_ORDERS` by an engine of `oas.queueing.policies`.

    Only RND uses `seed`. The schedule is named `name`.
    """
    scaled = instance.scaled()
    clusters, queue = range(scaled.cluster_count), queue_of(order, scaled, seed)
    runs = queue_runs(engine, empty_profiles(scaled), scaled, clusters, queue)
    return TickSchedule.of(scaled, runs).to_schedule(instance, name)


def _local(instance: MospInstance, *, seed: int = 0) -> Schedule:
    """Return the stored local schedules side by side."""
    return local_schedule(instance)


LOCAL = Method(
    "local",
    _local,
    "the local schedules, nobody cooperates",
    rank=5,
    problem=MOSP,
    guarantee=one_cluster_local,
    requires=(local_given,),
)


def _method(name: str, order: str, engine: str, summary: str, rank: int) -> Method:
    run = partial(schedule, order, name=name, engine=engine)
    guarantee = one_cluster_list if engine == "LIST" else None
    return Method(name, run, summary, rank, MOSP, respects_locality=False, guarantee=guarantee)


LIST_METHODS = tuple(
    _method(order, order, "LIST", f"list scheduling over all clusters, {summary}", rank)
    for order, rank, summary in (
        ("FCFS", 10, "first come, first served"),
        ("SJF", 20, "small jobs first"),
        ("BJF", 30, "big jobs first"),
        ("SPT", 50, "shortest processing time first"),
        ("LPT", 60, "longest processing time first"),
        ("HF", 70, "highest first"),
        ("RND", 80, "random order"),
    )
)
BACKFILLING = tuple(
    _method(name, "FCFS", engine, f"{summary} over all clusters, first come, first served", rank)
    for name, rank, engine, summary in (
        ("FCFS-strict", 85, "STRICT", "no back-filling"),
        ("conservative", 90, "CONSERVATIVE", "conservative back-filling"),
        ("EASY", 91, "EASY", "EASY back-filling"),
    )
)
METHODS = (LOCAL, *LIST_METHODS, *BACKFILLING)


def method_of_order(head: str, text: str) -> Method:
    """Return list scheduling in an order, such as ``LSRC(LPT)``; `InputError` for an unknown order."""
    for method in LIST_METHODS:
        if method.name == text.upper():
            return _method(f"{head}({method.name})", method.name, "LIST", method.summary, method.rank)
    raise unknown_name(f"{head}({text})", (f"{head}({method.name})" for method in LIST_METHODS), "heuristic")


FAMILY = MethodFamily(("LSRC",), method_of_order, "LSRC(order)")
