"""Ways to break a rule that every problem has, by changing one placement of a feasible schedule.

Each problem lists these with its own as ``(rule, mutation, alone)``: the rule that is broken, and whether no other is.
A mutation takes a `Random`, the instance and the schedule, and returns both changed; None where it cannot be applied.
"""

from dataclasses import replace
from fractions import Fraction as F
from functools import wraps

from oas.core.schedule import Schedule

HAIR = F(1, 10**12)


def add_unknown_job(rng, instance, schedule):
    model = rng.choice(schedule.placements)
    return instance, Schedule([*schedule.placements, replace(model, job=f"ghost of {model.job}")])


def drop_job(rng, instance, schedule):
    lost = rng.choice(schedule.placements)
    return instance, Schedule(one for one in schedule.placements if one is not lost)


# Changes of one placement; `sizes` are the nodes of each cluster.


def use_unknown_cluster(_rng, one, _sizes):
    return {"nodes": {"nowhere": range(one.tasks)}}


def add_unknown_cluster(rng, one, _sizes):
    return {"nodes": {**one.nodes, "nowhere": [rng.randint(0, 3)]}}


def use_unknown_node(_rng, one, sizes):
    """Use the node after the last instead of one that there is."""
    name = next(iter(one.nodes))
    return {"nodes": {**one.nodes, name: [*one.nodes[name][1:], sizes[name]]}}


def name_node_twice(rng, one, _sizes):
    name = rng.choice(sorted(one.nodes))
    return {"nodes": {**one.nodes, name: [*one.nodes[name], rng.choice(one.nodes[name])]}}


def name_node_twice_for_another(_rng, one, _sizes):
    """Name as many nodes as the job needs, but one of them twice."""
    name = next(iter(one.nodes))
    own = one.nodes[name]
    return {"nodes": {**one.nodes, name: [own[0], *own[:-1]]}} if len(own) > 1 else None


def drop_node(rng, one, _sizes):
    name = rng.choice(sorted(one.nodes))
    return {"nodes": {**one.nodes, name: one.nodes[name][1:]}}


def add_node(rng, one, sizes):
    """Hold a node more than needed that the cluster has; somebody else may be there."""
    spare = [(name, k) for name in one.nodes for k in range(sizes[name]) if k not in one.nodes[name]]
    if not spare:
        return None
    name, number = rng.choice(spare)
    return {"nodes": {**one.nodes, name: [*one.nodes[name], number]}}


def shorten(rng, one, _sizes):
    return {"end": one.end - one.duration * F(rng.randint(1, 99), 100)}


def run_backwards(_rng, one, _sizes):
    return {"end": one.start - one.duration}


def anywhere(change):
    """Return the mutation that applies the change to any placement."""

    @wraps(change)
    def mutate(rng, instance, schedule):
        one = rng.choice(schedule.placements)
        changes = change(rng, one, dict(instance.cluster_sizes))
        return None if changes is None else (instance, swap(schedule, one, **changes))

    return mutate


def swap(schedule, old, **changes):
    """Return the schedule with one placement changed."""
    new = replace(old, **changes)
    return Schedule(new if one is old else one for one in schedule.placements)


def nodes_of(placement):
    """Return every node that a placement holds, as cluster and number."""
    return {(name, number) for name, numbers in placement.nodes.items() for number in numbers}


def by_cluster(nodes):
    """Return numbers of nodes by cluster, as a placement takes them."""
    found = {}
    for name, number in nodes:
        found.setdefault(name, []).append(number)
    return found
