"""Ways to break a feasible schedule of co-allocation, one rule at a time; see `tests.core.mutations`."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import permutations

from oas.core.schedule import Schedule
from tests.coallocation.naive import naive_accepts
from tests.core import mutations as common
from tests.core.mutations import anywhere, swap


def run_twice(rng, instance, schedule):
    again = rng.choice(schedule.placements)
    shifted = replace(again, start=schedule.makespan, end=schedule.makespan + again.duration)
    return instance, Schedule([*schedule.placements, shifted])


def use_unknown_node(rng, instance, schedule):
    """Rename a node to a number its cluster does not have; another as slow must stay, or it is the only one."""
    one = rng.choice(schedule.placements)
    powers = {cluster.id: cluster.node_powers for cluster in instance.clusters}
    held = [(name, number) for name, numbers in one.nodes.items() for number in numbers]
    name, number = rng.choice(held)
    kept = [powers[other][index] for other, index in held if (other, index) != (name, number)]
    if kept and min(kept) > powers[name][number]:
        return None
    renamed = [index for index in one.nodes[name] if index != number] + [len(powers[name]) + rng.randint(0, 2)]
    return instance, swap(schedule, one, nodes={**one.nodes, name: renamed})


def shift_before_zero(rng, instance, schedule):
    """Shift the whole schedule until its first job starts below 0, by whole slots if there are slots."""
    step = (instance.slot or F(1, 5)) * rng.randint(1, 3) + schedule.placements[0].start
    moved = [replace(one, start=one.start - step, end=one.end - step) for one in schedule.placements]
    return instance, Schedule(moved)


def leave_grid(rng, instance, schedule):
    """Let the job that starts last start between two slots: later, it meets only jobs it has met before."""
    if not instance.slot:
        return None
    last = schedule.placements[-1]
    late = instance.slot * F(rng.randint(1, 9), 10)
    return instance, swap(schedule, last, start=last.start + late, end=last.end + late)


def share_node(rng, instance, schedule):
    """Start a job together with another that has a node in common with it; links are made wide."""
    one, two = rng.choice(schedule.placements), rng.choice(schedule.placements)
    common = any(set(numbers) & set(two.nodes.get(name, ())) for name, numbers in one.nodes.items())
    if one is two or not common:
        return None
    return _widened(instance), swap(schedule, one, start=two.start, end=two.start + one.duration)


def crowd_link(rng, instance, schedule):
    """Move a job, nodes and all, to another's start where every node is free but a link is not."""
    wide = _widened(instance)
    for one, two in rng.sample(pairs := list(permutations(schedule.placements, 2)), len(pairs)):
        moved = swap(schedule, one, start=two.start, end=two.start + one.duration)
        if naive_accepts(wide, moved) and not naive_accepts(instance, moved):
            return instance, moved
    return None


def _widened(instance):
    return replace(instance, clusters=tuple(replace(cluster, bandwidth=F(10**6)) for cluster in instance.clusters))


MUTATIONS = (
    ("unknown_job", common.add_unknown_job, True),
    ("missing_job", common.drop_job, True),
    ("duplicate_job", run_twice, True),
    ("unknown_cluster", anywhere(common.use_unknown_cluster), True),
    ("unknown_node", use_unknown_node, True),
    ("tasks", anywhere(common.name_node_twice), True),
    ("tasks", anywhere(common.drop_node), False),
    ("tasks", anywhere(common.add_node), False),
    ("start", shift_before_zero, True),
    ("grid", leave_grid, True),
    ("duration", anywhere(common.shorten), True),
    ("capacity", share_node, True),
    ("link", crowd_link, True),
)
