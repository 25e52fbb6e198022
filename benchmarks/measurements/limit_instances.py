"""Instances for the measurement of time limits: large and unusual ones, and random ones of all sizes."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import TYPE_CHECKING

from oas import generate
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.saturation import Saturation
from oas.core.errors import InputError
from oas.core.rigid import Organization, RigidJob
from oas.mosp.instance import MospInstance

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.coallocation.generate.section4 import Bandwidth
    from oas.core.instances import Instance

JOBS, NODES = 2_000, 5_000  # maximum of random instances
FEW = "8 jobs"  # in the names of instances that must end with the same status, compiled or not


def thousand_task_counts() -> Instance:
    """Return an instance with a job for each number of tasks from 1 to 1,000."""
    draw = Random(1)
    clusters = [Cluster(f"C{k}", [NodeGroup(1200, 1)], 50_000) for k in range(3)]
    return CoallocationInstance(clusters, [Job(f"J{k}", k, 100 + draw.randint(1, 900), 1) for k in range(1, 1001)], 0)


def many_processors() -> Instance:
    """Return an instance with 300 jobs on three clusters of 100,000 processors."""
    draw = Random(1)
    organizations = []
    for k in range(3):
        jobs = [RigidJob(f"J{k}.{n}", draw.randint(1, 1000), draw.randint(1, 60_000)) for n in range(100)]
        organizations.append(Organization(f"O{k}", 100_000, jobs))
    return MospInstance(organizations, None)


def _grid(jobs: int, nodes: int = 80, bandwidth: Bandwidth = "std", percent: str = "10", seed: int = 1) -> Instance:
    return generate.section4(seed=seed, jobs=jobs, nodes=nodes, bandwidth=bandwidth, slot_percent=percent)


def _organizations(jobs: int, organizations: int, processors: int = 512, seed: int = 1) -> Instance:
    return generate.uni(seed=seed, jobs=jobs, organizations=organizations, processors=processors)


INSTANCES: dict[str, Callable[[], Instance]] = {
    "co-allocation, 2,000 jobs": partial(_grid, 2000),
    "co-allocation, 5,000 jobs": partial(_grid, 5000),
    "co-allocation, 1,000 task counts": thousand_task_counts,
    "MOSP, 500 jobs on 20 × 512": partial(_organizations, 500, 20),
    "MOSP, 2,000 jobs on 10 × 512": partial(_organizations, 2000, 10),
    "MOSP, 5,000 jobs on 10 × 512": partial(_organizations, 5000, 10),
    "MOSP, clusters of 100,000": many_processors,
    f"co-allocation, {FEW}, tight": partial(_grid, 8, 4, "tight", "25", 143),
    f"co-allocation, {FEW}, std": partial(_grid, 8, 4, "std", "5", 6),
    f"MOSP, {FEW}, seed 3": partial(_organizations, 8, 2, 32, 3),
    f"MOSP, {FEW}, seed 5": partial(_organizations, 8, 2, 32, 5),
}


def draw(seed: int) -> Instance:
    """Draw an instance: co-allocation, with slowdown, organizations, and one cluster with reservations, in turn."""
    random = Random(f"limits {seed}")
    while True:
        try:
            instance = DRAWN[seed % len(DRAWN)](random, random.randrange(10**9))
            instance.scaled()
            return instance
        except InputError:  # too many ticks
            continue


def _size(random: Random, most: int) -> int:
    """Draw a size up to `most`, log-uniformly, so that small sizes are as frequent as large ones."""
    return max(1, int(most ** random.uniform(0.3, 1)))


def _coallocation(random: Random, seed: int) -> CoallocationInstance:
    clusters = random.randint(1, 5)
    return generate.section4(
        seed=seed,
        jobs=_size(random, JOBS),
        clusters=clusters,
        nodes=_size(random, NODES // clusters),
        bandwidth=random.choice(("std", "tight")),
        slot_percent=random.choice((0, 0, 1, 10, 50, 200)),
    )


def _slowed(random: Random, seed: int) -> CoallocationInstance:
    policy = Saturation("slowdown", random.choice((None, "1/4", "1/2")), random.choice(("paper", "max-min")))
    return _coallocation(random, seed).with_saturation(policy)


def _several(random: Random, seed: int) -> MospInstance:
    count = random.randint(1, 6)
    make = random.choice((generate.uni, generate.swf))
    size = _size(random, NODES // count)
    instance = make(seed=seed, jobs=count + _size(random, JOBS), organizations=count, processors=size)
    return instance.with_locality(random.choice((None, 1, 1, "3/2")))


def _alone(random: Random, seed: int) -> MospInstance:
    return generate.reservations(
        seed=seed,
        jobs=_size(random, JOBS),
        processors=1 + _size(random, NODES),
        availability=random.choice(("alpha", "non-increasing", "general")),
        releases=random.random() < 0.5,
    )


DRAWN: tuple[Callable[[Random, int], Instance], ...] = (_coallocation, _slowed, _several, _alone)
