"""Instances for the measurement of time limits: large and odd ones, and random ones of all sizes."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from oas import generate
from oas.core.errors import InputError
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.saturation import Saturation
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, Reservation, RigidJob

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.instances import Instance

JOBS, NODES = 2_000, 5_000  # at most, of random instances
FEW = "8 jobs"  # in the names of instances that are to end with the same status, compiled or not


def thousand_task_counts() -> Instance:
    """A job for each number of tasks from 1 to 1,000."""
    draw = Random(1)
    clusters = [Cluster(f"C{k}", [NodeGroup(1200, 1)], 50_000) for k in range(3)]
    return CoallocationInstance(clusters, [Job(f"J{k}", k, 100 + draw.randint(1, 900), 1) for k in range(1, 1001)], 0)


def many_processors() -> Instance:
    """300 jobs on three clusters of 100,000 processors."""
    draw = Random(1)
    return MospInstance(
        [
            Organization(
                f"O{k}",
                100_000,
                [RigidJob(f"J{k}.{n}", draw.randint(1, 1000), draw.randint(1, 60_000)) for n in range(100)],
            )
            for k in range(3)
        ],
        None,
    )


def _grid(jobs: int) -> Callable[[], Instance]:
    return lambda: generate.section4(seed=1, jobs=jobs, clusters=3, nodes=80, bandwidth="std", slot_percent="10")


def _organizations(jobs: int, organizations: int) -> Callable[[], Instance]:
    return lambda: generate.uni(seed=1, jobs=jobs, organizations=organizations, processors=512)


INSTANCES: dict[str, Callable[[], Instance]] = {
    "co-allocation, 2,000 jobs": _grid(2000),
    "co-allocation, 5,000 jobs": _grid(5000),
    "co-allocation, 1,000 task counts": thousand_task_counts,
    "MOSP, 500 jobs on 20 × 512": _organizations(500, 20),
    "MOSP, 2,000 jobs on 10 × 512": _organizations(2000, 10),
    "MOSP, 5,000 jobs on 10 × 512": _organizations(5000, 10),
    "MOSP, clusters of 100,000": many_processors,
    f"co-allocation, {FEW}, tight": lambda: generate.section4(
        seed=143, jobs=8, clusters=3, nodes=4, bandwidth="tight", slot_percent="25"
    ),
    f"co-allocation, {FEW}, std": lambda: generate.section4(
        seed=6, jobs=8, clusters=3, nodes=4, bandwidth="std", slot_percent="5"
    ),
    f"MOSP, {FEW}, seed 3": lambda: generate.uni(seed=3, jobs=8, organizations=2, processors=32),
    f"MOSP, {FEW}, seed 5": lambda: generate.uni(seed=5, jobs=8, organizations=2, processors=32),
}


def draw(seed: int) -> Instance:
    """Draw an instance: co-allocation, the same with slowdown, and MOSP twice, in turn."""
    random = Random(f"limits {seed}")
    while True:
        try:
            instance = mosp(random) if seed % 4 > 1 else coallocation(random, slows=seed % 4 == 1)
            instance.scaled()
            return instance
        except InputError:  # too many ticks
            continue


def size(random: Random, most: int) -> int:
    """Draw a size up to `most`, small ones as often as large ones."""
    return max(1, int(most ** random.uniform(0.3, 1)))


def coallocation(random: Random, *, slows: bool) -> CoallocationInstance:
    """Draw clusters of one or two kinds of nodes, links from narrow to wide, and jobs of all widths."""
    count = random.randint(1, 5)
    clusters = []
    for index in range(count):
        nodes = size(random, NODES // count)
        cut = random.randint(0, nodes) if random.random() < 0.4 else nodes
        powers = random.choice(("1", "3/4", "2")), random.choice(("1/2", "7/5"))
        groups = [NodeGroup(part, power) for part, power in zip((cut, nodes - cut), powers, strict=True) if part]
        clusters.append(Cluster(f"C{index}", groups, int(10 ** random.uniform(1, 5))))
    widest = max(1, int(sum(one.size for one in clusters) * random.choice((0.02, 0.2, 0.5, 1))))
    jobs = [
        Job(
            f"J{index}",
            random.randint(1, widest),
            random.randint(1, 500),
            random.choice((0, 0, 1, 5, 20)),
            random.choice(("0", "1/2", "7/10", "1")),
        )
        for index in range(size(random, JOBS))
    ]
    policy = ("slowdown", random.choice((None, "1/4", "1/2")), random.choice(("paper", "max-min")))
    saturation = Saturation(*policy) if slows else Saturation("forbid")
    return CoallocationInstance(clusters, jobs, random.choice((0, 0, 1, 10, 100, 500)), saturation)


def mosp(random: Random) -> MospInstance:
    """Draw organizations of different sizes, and releases, locality and reservations each or not."""
    count = random.randint(1, 6)
    sizes = [size(random, NODES // count) for _ in range(count)]
    released, reserved = random.random() < 0.3, random.random() < 0.4
    jobs: list[list[RigidJob]] = [[] for _ in range(count)]
    for index in range(size(random, JOBS)):
        owner = random.randrange(count)
        width = random.randint(1, max(1, int(sizes[owner] * random.choice((0.1, 0.5, 1)))))
        release = random.randint(0, 1000) if released else 0
        jobs[owner].append(RigidJob(f"J{index}", random.randint(1, 500), width, release))
    reservations: list[list[Reservation]] = [[] for _ in range(count)]
    for rows, most in zip(reservations, sizes, strict=True):
        now = 0
        for _ in range(random.randint(0, 4) if reserved else 0):
            start, length = now + random.randint(0, 300), random.randint(1, 300)
            rows.append(Reservation(start, start + length, random.randint(1, most)))
            now = start + length
    organizations = [
        Organization(f"O{index}", *parts) for index, parts in enumerate(zip(sizes, jobs, reservations, strict=True))
    ]
    return MospInstance(organizations, random.choice((None, 1, 1, "3/2")))
