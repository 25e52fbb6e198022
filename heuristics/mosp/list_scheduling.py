"""FCFS, SJF, BJF, SPT, LPT, HF and RND: list scheduling of all organizations' jobs in one queue over all clusters.

They look at the global makespan alone: an organization may end later than in its local schedule. The orders are those
of `GLOBAL_ORDERS`; for rigid jobs BJF and HF are the same. On one cluster this is the LSRC of the reservations paper,
list scheduling with resource constraints (section 2.2): LSRC(order) is another name of the method of that order.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from heuristics.bracket_names import name_and_text
from heuristics.method import Method, MethodFamily
from heuristics.mosp.guarantees import one_cluster_list
from heuristics.mosp.orders import GLOBAL_ORDERS
from heuristics.mosp.queueing import empty_profiles, list_runs
from heuristics.mosp.ticks import TickSchedule
from oas.core.names import unknown_name
from oas.problems.mosp.problem import MOSP

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.mosp.instance import MospInstance


def schedule(order: str, instance: MospInstance, *, seed: int = 0, name: str = "") -> Schedule:
    """List-schedule all jobs in one of `GLOBAL_ORDERS`, overtaking, each on the first cluster with room.

    Only RND uses `seed`. The schedule bears `name`, or that of the order.
    """
    scaled = instance.scaled()
    queue = GLOBAL_ORDERS[order](scaled, seed)
    runs = list_runs(empty_profiles(scaled), scaled, range(scaled.cluster_count), queue)
    return TickSchedule.of(scaled, runs).to_schedule(instance, name or order)


METHODS = tuple(
    Method(
        order,
        partial(schedule, order),
        f"list scheduling over all clusters, {summary}",
        rank=rank,
        problem=MOSP,
        respects_locality=False,
        guarantee=one_cluster_list,
    )
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


def method_of_order(name: str) -> Method | None:
    """Return the method that `name` gives with its order, such as ``LSRC(LPT)``; None if it is no such name.

    Raises
    ------
    InputError
        If there is no such order.
    """
    found = name_and_text(name, ("LSRC",))
    if found is None:
        return None
    for method in METHODS:
        if method.name == found[1].upper():
            shown = f"LSRC({method.name})"
            return replace(method, name=shown, run=partial(schedule, method.name, name=shown))
    raise unknown_name(name, (f"LSRC({order})" for order in GLOBAL_ORDERS), "heuristic")


FAMILY = MethodFamily(method_of_order, "LSRC(order)")
