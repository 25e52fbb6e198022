"""Ways to break a rule that every problem has, by changing one placement of a feasible schedule.

Each problem lists these with its own as ``(rule, mutation, alone)``: the rule that is broken, and whether no other is.
A mutation takes a `Random`, the instance and the schedule, and returns both changed; None where it cannot be applied.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from functools import wraps
from typing import TYPE_CHECKING, Any

from oas.core.schedule import Placement, Schedule

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    Broken = tuple[Any, Schedule] | None
    Mutation = Callable[[Random, Any, Schedule], Broken]
    Changes = dict[str, object] | None
    Change = Callable[[Random, Placement, dict[str, int]], Changes]

HAIR = F(1, 10**12)


def add_unknown_job(rng: Random, instance: Any, schedule: Schedule) -> Broken:
    model = rng.choice(schedule.placements)
    return instance, Schedule([*schedule.placements, replace(model, job=f"ghost of {model.job}")])


def drop_job(rng: Random, instance: Any, schedule: Schedule) -> Broken:
    lost = rng.choice(schedule.placements)
    return instance, Schedule(one for one in schedule.placements if one is not lost)


# Changes of one placement; `sizes` are the nodes of each cluster.


def use_unknown_cluster(_rng: Random, one: Placement, _sizes: dict[str, int]) -> Changes:
    return {"nodes": {"nowhere": range(one.tasks)}}


def add_unknown_cluster(rng: Random, one: Placement, _sizes: dict[str, int]) -> Changes:
    return {"nodes": {**one.nodes, "nowhere": [rng.randint(0, 3)]}}


def use_unknown_node(_rng: Random, one: Placement, sizes: dict[str, int]) -> Changes:
    """Use the node after the last instead of one that there is."""
    name = next(iter(one.nodes))
    return {"nodes": {**one.nodes, name: [*one.nodes[name][1:], sizes[name]]}}


def name_node_twice(rng: Random, one: Placement, _sizes: dict[str, int]) -> Changes:
    name = rng.choice(sorted(one.nodes))
    return {"nodes": {**one.nodes, name: [*one.nodes[name], rng.choice(one.nodes[name])]}}


def name_node_twice_for_another(_rng: Random, one: Placement, _sizes: dict[str, int]) -> Changes:
    """Name as many nodes as the job needs, but one of them twice."""
    name = next(iter(one.nodes))
    own = one.nodes[name]
    return {"nodes": {**one.nodes, name: [own[0], *own[:-1]]}} if len(own) > 1 else None


def drop_node(rng: Random, one: Placement, _sizes: dict[str, int]) -> Changes:
    name = rng.choice(sorted(one.nodes))
    return {"nodes": {**one.nodes, name: one.nodes[name][1:]}}


def add_node(rng: Random, one: Placement, sizes: dict[str, int]) -> Changes:
    """Hold a node more than needed that the cluster has; somebody else may be there."""
    spare = [(name, k) for name in one.nodes for k in range(sizes[name]) if k not in one.nodes[name]]
    if not spare:
        return None
    name, number = rng.choice(spare)
    return {"nodes": {**one.nodes, name: [*one.nodes[name], number]}}


def shorten(rng: Random, one: Placement, _sizes: dict[str, int]) -> Changes:
    return {"end": one.end - one.duration * F(rng.randint(1, 99), 100)}


def run_backwards(_rng: Random, one: Placement, _sizes: dict[str, int]) -> Changes:
    return {"end": one.start - one.duration}


def anywhere(change: Change) -> Mutation:
    """Return the mutation that applies the change to any placement."""

    @wraps(change)
    def mutate(rng: Random, instance: Any, schedule: Schedule) -> Broken:
        one = rng.choice(schedule.placements)
        changes = change(rng, one, dict(instance.cluster_sizes))
        return None if changes is None else (instance, swap(schedule, one, **changes))

    return mutate


def swap(schedule: Schedule, old: Placement, **changes: object) -> Schedule:
    """Return the schedule with one placement changed."""
    new = replace(old, **changes)  # type: ignore[arg-type]
    return Schedule(new if one is old else one for one in schedule.placements)


def nodes_of(placement: Placement) -> set[tuple[str, int]]:
    """Return every node that a placement holds, as cluster and number."""
    return {(name, number) for name, numbers in placement.nodes.items() for number in numbers}


def by_cluster(nodes: list[tuple[str, int]]) -> dict[str, list[int]]:
    """Return numbers of nodes by cluster, as a placement takes them."""
    found: dict[str, list[int]] = {}
    for name, number in nodes:
        found.setdefault(name, []).append(number)
    return found
