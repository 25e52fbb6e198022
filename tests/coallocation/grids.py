"""Co-allocation instances that tests of several rooms share: by hand, and drawn larger than `tests.strategies` does."""

import random
from fractions import Fraction as F
from functools import cache

from oas.coallocation.allocations import allocations
from oas.coallocation.generate.tiny import tiny
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.running import StartedRun
from oas.core.schedule import Placement, Schedule
from oas.solving.brute_force import brute_force
from tests.strategies import random_instance

INSTANCES = [tiny(seed=seed) for seed in range(40)] + [random_instance(seed) for seed in range(40)]


def mixed():
    """Two clusters, two Γ in one of them, a link that binds, a serial job; η divides no duration."""
    clusters = [Cluster("A", [NodeGroup(1, 1), NodeGroup(1, F(1, 2))], 2), Cluster("B", [NodeGroup(1, F(3, 4))], 2)]
    jobs = [Job("wide", 2, 3, 2, F(7, 10)), Job("alone", 1, 5, 1, F(1, 2))]
    return CoallocationInstance(clusters, jobs, slot=2)


def continuous():
    """η = 0: the tick plays the slot's part. The link of A carries one of the two wide jobs, not both."""
    clusters = [Cluster("A", [NodeGroup(2, 1)], F(3, 2)), Cluster("B", [NodeGroup(2, 1)], 5)]
    jobs = [Job("u", 2, 1, F(3, 2)), Job("v", 3, 2, F(1, 2))]
    return CoallocationInstance(clusters, jobs)


def uniform(slot):
    """One cluster of nodes of Γ = 1/2, durations 6 and 8: the processing slowdown is 2 wherever a job runs."""
    jobs = [Job("a", 2, 3), Job("b", 1, 4)]
    return CoallocationInstance([Cluster("A", [NodeGroup(2, F(1, 2))], 0)], jobs, slot=slot)


def slowed(slot=0):
    """Two jobs alike and one serial, of which any two may run together: wide ones slow each other down."""
    clusters = [Cluster("A", [NodeGroup(2, 1)], 1), Cluster("B", [NodeGroup(2, F(1, 2))], 2)]
    jobs = [Job("u", 2, 2, 1, F(1, 2)), Job("v", 2, 2, 1, F(1, 2)), Job("w", 1, 3)]
    return CoallocationInstance(clusters, jobs, slot, "slowdown")


def four_jobs(saturation="forbid", bandwidth=(9, 1, 1, 9), slot=0):
    """Four jobs of which the fourth should start where nothing ends: one task on each of two clusters, `PLACES`."""
    sizes = (1, 2, 2, 2)
    clusters = [
        Cluster(name, [NodeGroup(size, 1)], own) for name, size, own in zip("PQRS", sizes, bandwidth, strict=True)
    ]
    jobs = [Job(name, 2, time, 1, F(1, 2)) for name, time in zip("ABCD", (10, 10, 12, 12), strict=True)]
    return CoallocationInstance(clusters, jobs, slot, saturation)


PLACES = ("PQ", "PR", "QS", "RS")  # the clusters of each of the four jobs
NODES = {"A": {"P": [0], "Q": [0]}, "B": {"P": [0], "R": [0]}, "C": {"Q": [1], "S": [0]}, "D": {"R": [1], "S": [1]}}


def started(instance, starts):
    """The four jobs on their clusters, from these starts on."""
    scaled = instance.scaled()
    found = []
    for job, start in enumerate(starts):
        counts = tuple(int(name in PLACES[job]) for name in "PQRS")
        found.append(StartedRun(job, F(start), next(one for one in allocations(scaled, job) if one.counts == counts)))
    return found


def plan(starts):
    """The four jobs on their nodes, from these starts on; ends are of no account."""
    placements = [Placement(job, start, F(start) + 1, NODES[job]) for job, start in zip("ABCD", starts, strict=True)]
    return Schedule(placements, "by hand")


def alike():
    """Two clusters alike, three jobs alike, each link for one split job at a time."""
    clusters = [Cluster(name, [NodeGroup(2, 1)], 1) for name in "AB"]
    jobs = [Job("wide", 3, 2, 1), *(Job(f"twin{index}", 2, 2, 1) for index in range(3))]
    return CoallocationInstance(clusters, jobs, slot=1)


def one_cluster(nodes, *jobs):
    """Jobs of (tasks, time) on equal nodes without communication."""
    made = [Job(f"J{index}", tasks, time) for index, (tasks, time) in enumerate(jobs)]
    return CoallocationInstance([Cluster("A", [NodeGroup(nodes, 1)], 0)], made, 1)


# Three jobs of 2 nodes, 5 ticks each, on 5 nodes: at most two at a time, so 7.5, in ticks 8. The area says 6.
THREE = one_cluster(5, (2, 5), (2, 5), (2, 5))

# One fast node, one slow: two jobs of 1 task, 2 ticks fast, 4 slow. Half of each on either: 3 · 4/3. Whole levels: 4.
TWO_SPEEDS = CoallocationInstance(
    [Cluster("A", [NodeGroup(1, 1), NodeGroup(1, F(1, 2))], 0)], [Job("a", 1, 2), Job("b", 1, 2), Job("c", 1, 2)], 1
)


def grid(jobs, sizes, *, slot=0, seed=0, bandwidth=1000, names="J{}", clusters="Cluster {}"):
    """A grid in the manner of the paper's section 4, with random jobs."""
    rng = random.Random(seed)
    powers = ["1", "0.75", "0.5", "0.9", "0.6", "0.8"]
    made = [
        Cluster(clusters.format(index + 1), [NodeGroup(size, powers[index % 6])], bandwidth)
        for index, size in enumerate(sizes)
    ]
    jobs_made = []
    for index in range(jobs):
        tasks, time = rng.randint(1, sum(sizes)), rng.randint(100, 1200) * 1000
        # A multiple of τ − 1 keeps equation (4) in integers, so that many jobs can be scaled together.
        need = rng.randint(0, 3 * bandwidth // tasks**2) * (tasks - 1)
        jobs_made.append(Job(names.format(index + 1), tasks, time, need, "0.7"))
    return CoallocationInstance(made, jobs_made, slot)


@cache
def small(count, most_ticks):
    """The first tiny instances with two jobs or more whose optimum is at most so many ticks, and the optimum."""
    found = []
    seed = 0
    while len(found) < count:
        instance = tiny(seed=seed)
        optimum = int(brute_force(instance)[0] / instance.scaled().tick)
        if len(instance.jobs) > 1 and optimum <= most_ticks:
            found.append((instance, optimum))
        seed += 1
    return tuple(found)
