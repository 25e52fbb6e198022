"""Makers of tiny random instances and schedules, shared by all tests: seeded, or drawn and shrunk by Hypothesis.

Each maker takes a `random.Random`; Hypothesis hands in one whose draws it can shrink.
"""

from fractions import Fraction as F
from functools import partial
from itertools import combinations
from random import Random

from hypothesis import strategies as st

from oas.coallocation.allocations import runs_from_schedule
from oas.coallocation.generate.tiny import draw_tiny
from oas.core.schedule import Placement, Schedule
from tests.coallocation.naive import naive_accepts, naive_load, naive_time
from tests.core.mutations import by_cluster

make_instance = draw_tiny


def make_feasible_schedule(rng, instance):
    """Place the jobs in random order on random nodes, each at a random or the first moment at which it fits."""
    placements = []
    tick = instance.scaled().tick
    for job in rng.sample(instance.jobs, len(instance.jobs)):
        nodes = _random_nodes(rng, instance, job)
        powers = {cluster.id: cluster.node_powers for cluster in instance.clusters}
        time = naive_time(instance, job, (powers[name][number] for name, own in nodes.items() for number in own))
        moments = sorted({F(0), *(one.end for one in placements)})
        if rng.randint(0, 2) == 0:
            moments = [moment + rng.randint(0, 3) * tick for moment in moments]
        for moment in moments:  # the last is after all others, and the job fits alone
            placement = Placement(job.id, moment, moment + time, nodes)
            if naive_accepts(instance, Schedule([*placements, placement]), partial=True):
                placements.append(placement)
                break
    return Schedule(placements, "random greedy")


def make_any_schedule(rng, instance):
    """Place every job on random nodes at a random start, blind to the others: feasible or not, mostly nearly so."""
    powers = {cluster.id: cluster.node_powers for cluster in instance.clusters}
    every = [(name, number) for name, own in powers.items() for number in range(len(own))]
    tick = instance.slot or F(1, 2)
    placements = []
    for job in instance.jobs:
        tasks = max(1, job.tasks + rng.choice((0,) * 30 + (-1, 1)))
        held = rng.sample(every, min(tasks, len(every)))
        time = naive_time(instance, job, (powers[name][number] for name, number in held))
        start = rng.randint(0, 6 * len(instance.jobs)) * tick + rng.choice((F(0),) * 30 + (tick / 3, -6 * tick))
        end = start + time + rng.choice((F(0),) * 30 + (tick, -tick / 2))
        placements.append(Placement(job.id, start, end, by_cluster(held)))
    return Schedule(placements, "random")


def random_instance(seed, **limits):
    """Return the instance that `make_instance` makes from this seed."""
    return make_instance(Random(seed), **limits)


def random_feasible_schedule(instance, seed):
    """Return a random feasible schedule with concrete nodes."""
    return make_feasible_schedule(Random(seed), instance)


def random_feasible_runs(instance, seed):
    """Return a random feasible schedule as runs; their starts are multiples of the scaled instance's tick."""
    return runs_from_schedule(instance, instance.scaled(), random_feasible_schedule(instance, seed))


def instances(**limits):
    """Return a strategy of instances as `make_instance` makes them."""
    return st.builds(partial(make_instance, **limits), st.randoms(use_true_random=False))


@st.composite
def instances_with_schedule(draw, **limits):
    """Draw an instance and a feasible schedule of it."""
    rng = draw(st.randoms(use_true_random=False))
    instance = make_instance(rng, **limits)
    return instance, make_feasible_schedule(rng, instance)


def _random_nodes(rng, instance, job):
    """Random nodes that no link forbids on an empty grid."""
    every = [(cluster.id, number) for cluster in instance.clusters for number in range(cluster.size)]
    rng.shuffle(every)
    for held in combinations(every, job.tasks):
        nodes = by_cluster(held)
        if all(naive_load(job, len(nodes.get(one.id, ()))) <= one.bandwidth for one in instance.clusters):
            return nodes
    raise AssertionError(f"job {job.id} has no allocation")
