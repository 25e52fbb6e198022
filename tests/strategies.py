"""Makers of tiny random instances and schedules, shared by all tests: seeded, or drawn and shrunk by Hypothesis.

Each maker takes a `random.Random`; Hypothesis hands in one whose draws it can shrink.
"""

from __future__ import annotations

from fractions import Fraction as F
from functools import partial
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from oas.core.allocations import Allocation
from oas.core.coallocation import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core.schedule import Placement, Run, Schedule
from tests.core.naive import naive_accepts, naive_fits, naive_load, naive_time

if TYPE_CHECKING:
    from collections.abc import Sequence

# The same examples in every run, on machines however slow.
settings.register_profile(
    "oas", derandomize=True, deadline=None, print_blob=False, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("oas")

POWERS = (F(1), F(3, 4), F(2, 3), F(1, 2), F(2, 5))
SLOTS = (F(0), F(1, 2), F(1), F(7, 4), F(3))
SIGMAS = (F(0), F(1, 2), F(7, 10), F(1))
TASK_BANDWIDTHS = (F(0), F(1), F(3, 2), F(2))


def make_instance(
    rng: Random,
    max_jobs: int = 4,
    max_nodes: int = 6,
    max_clusters: int = 3,
    slots: Sequence[F] = SLOTS,
    feasible: bool = True,
) -> CoallocationInstance:
    """Make a tiny instance: several Γ, also inside one cluster and not in order; links none, binding or wide.

    Half of the instances are *tight*: middling jobs that must often be split, over links wide enough for one or none.
    With `feasible`, a job that has no allocation is cut down to the size of the largest cluster.
    """
    tight = rng.choice((False, True))
    nodes = max_nodes if tight else rng.randint(1, max_nodes)
    sizes = _split(rng, nodes, max_clusters, (2, 3) if tight else (1, 2, 3))
    job_count = max(rng.randint(1, max_jobs), rng.randint(1, max_jobs))
    jobs = [_job(rng, index, nodes, tight) for index in range(job_count)]
    links = [F(rng.choice((0, 1, 1))) if tight else _any_link(rng, jobs) for _ in sizes]
    clusters = [
        Cluster(f"C{index}", _groups(rng, size), link)
        for index, (size, link) in enumerate(zip(sizes, links, strict=True))
    ]
    if feasible:
        jobs = [job if naive_fits(clusters, job) else _cut(job, min(job.tasks, max(sizes))) for job in jobs]
    return CoallocationInstance(clusters, jobs, slot=rng.choice(slots))


def make_feasible_schedule(rng: Random, instance: CoallocationInstance) -> Schedule:
    """Place the jobs in random order on random nodes, each at a random or the first moment at which it fits."""
    placements: list[Placement] = []
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


def make_any_schedule(rng: Random, instance: CoallocationInstance) -> Schedule:
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
        placements.append(Placement(job.id, start, end, _by_cluster(held)))
    return Schedule(placements, "random")


def runs_of(instance: CoallocationInstance, schedule: Schedule) -> list[Run]:
    """Return a schedule as runs in ticks with counts for each node class of ``instance.scaled()``."""
    scaled = instance.scaled()
    index = {job.id: number for number, job in enumerate(instance.jobs)}
    runs = []
    for placement in schedule.placements:
        job = index[placement.job]
        nodes = [set(placement.nodes.get(cluster.id, ())) for cluster in instance.clusters]
        counts = tuple(len(nodes[one.cluster].intersection(one.nodes)) for one in scaled.classes)
        loads = tuple(scaled.link_loads[job][len(own)] for own in nodes)
        start, time = placement.start / scaled.tick, placement.duration / scaled.tick
        assert start.denominator == time.denominator == 1
        runs.append(Run(job, int(start), Allocation(counts, int(time), loads)))
    return runs


def random_instance(seed: int, **limits: Any) -> CoallocationInstance:
    """Return the instance that `make_instance` makes from this seed."""
    return make_instance(Random(seed), **limits)


def random_feasible_schedule(instance: CoallocationInstance, seed: int) -> Schedule:
    """Return a random feasible schedule with concrete nodes."""
    return make_feasible_schedule(Random(seed), instance)


def random_feasible_runs(instance: CoallocationInstance, seed: int) -> list[Run]:
    """Return a random feasible schedule as runs; their starts are multiples of the scaled instance's tick."""
    return runs_of(instance, random_feasible_schedule(instance, seed))


def instances(**limits: Any) -> st.SearchStrategy[CoallocationInstance]:
    """Return a strategy of instances as `make_instance` makes them."""
    return st.builds(partial(make_instance, **limits), st.randoms(use_true_random=False))


@st.composite
def instances_with_schedule(draw: st.DrawFn, **limits: Any) -> tuple[CoallocationInstance, Schedule]:
    """Draw an instance and a feasible schedule of it."""
    rng = draw(st.randoms(use_true_random=False))
    instance = make_instance(rng, **limits)
    return instance, make_feasible_schedule(rng, instance)


def _split(rng: Random, nodes: int, most: int, parts: Sequence[int] = (1, 2, 3)) -> list[int]:
    """Cut so many nodes into at most `most` parts, none empty."""
    cuts = sorted(rng.sample(range(1, nodes), min(rng.choice(parts), most, nodes) - 1))
    return [end - start for start, end in zip([0, *cuts], [*cuts, nodes], strict=True)]


def _groups(rng: Random, size: int) -> list[NodeGroup]:
    return [NodeGroup(count, rng.choice(POWERS)) for count in _split(rng, size, 3)]


def _job(rng: Random, index: int, nodes: int, tight: bool) -> Job:
    base_time = F(rng.randint(1, 9), rng.choice((1, 1, 2, 3)))
    tasks = rng.randint(2, max(2, nodes // 2)) if tight and nodes > 1 else rng.randint(1, nodes)
    bandwidth = F(1) if tight else rng.choice(TASK_BANDWIDTHS)
    return Job(f"J{index}", tasks, base_time, bandwidth, rng.choice(SIGMAS))


def _cut(job: Job, tasks: int) -> Job:
    return Job(job.id, tasks, job.base_time, job.bandwidth, job.sigma)


def _any_link(rng: Random, jobs: Sequence[Job]) -> F:
    """Return 0, a wide link, exactly what a split job or two need, or a hair below that."""
    kind = rng.randint(0, 7)
    if kind == 0:
        return F(0)
    if kind == 1:
        return F(100)
    chosen = rng.sample(jobs, min(len(jobs), rng.choice((1, 1, 1, 2))))
    load = sum((naive_load(job, rng.randint(1, max(1, job.tasks - 1))) for job in chosen), F(0))
    return max(F(0), load - F(1, 7)) if kind == 2 else load


def _random_nodes(rng: Random, instance: CoallocationInstance, job: Job) -> dict[str, list[int]]:
    """Random nodes that no link forbids on an empty grid."""
    every = [(cluster.id, number) for cluster in instance.clusters for number in range(cluster.size)]
    rng.shuffle(every)
    for held in combinations(every, job.tasks):
        nodes = _by_cluster(held)
        if all(naive_load(job, len(nodes.get(one.id, ()))) <= one.bandwidth for one in instance.clusters):
            return nodes
    raise AssertionError(f"job {job.id} has no allocation")


def _by_cluster(held: Sequence[tuple[str, int]]) -> dict[str, list[int]]:
    nodes: dict[str, list[int]] = {}
    for name, number in held:
        nodes.setdefault(name, []).append(number)
    return nodes
