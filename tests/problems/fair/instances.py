"""Random instances and schedules of fair sharing, and the paper's examples."""

from random import Random

import numpy as np

from oas.generate.fair import random_instance
from oas.problems.fair.instance import FairInstance
from oas.problems.fair.ticks import NOT_STARTED
from oas.problems.rigid import Organization, RigidJob
from tests.problems.fair.naive import by_lot, placed, stepped

__all__ = ["array_of", "case", "fair", "feasible", "random_instance", "random_starts"]


def case(seed):
    """4 to 8 jobs of two or three organizations; odd seeds have wide jobs, every fifth identical organizations."""
    rng = Random(seed)
    wide, twins = seed % 2 == 1, seed % 5 == 0
    count = rng.choice((2, 2, 3))
    sizes = [rng.randint(1, 2 + wide) if wide or count == 2 else 1 for _ in range(count)]
    total = rng.randint(4, 7)
    shares = [total // count + (k < total % count) for k in range(count)]
    gaps = rng.choice(((0,), (0, 0, 1), (0, 1, 2)))
    queues = []
    for size, share in zip(sizes, shares, strict=True):
        release, queue = rng.choice(gaps), []
        for _ in range(share):
            queue.append((rng.randint(1, 5), rng.randint(1, size) if wide else 1, release))
            release += rng.choice(gaps)
        queues.append(queue)
    if twins:
        sizes[1], queues[1] = sizes[0], queues[0]
    organizations = [
        Organization(f"O{k}", size, [RigidJob(f"J{k}.{place}", *job) for place, job in enumerate(queue)])
        for k, (size, queue) in enumerate(zip(sizes, queues, strict=True))
    ]
    earliest = min(queue[0][2] for queue in queues)
    return FairInstance(organizations, max(earliest + 1, rng.randint(6, 12)), f"tiny fair sharing, seed {seed}")


def fair(*organizations, horizon):
    """Organizations A, B, … of so many processors, with jobs (time, release, processors), called a1, a2, …, b1, …"""
    return FairInstance(
        [
            Organization(
                chr(65 + k),
                size,
                [
                    RigidJob(f"{chr(97 + k)}{i}", time, *(more[1:] or (1,)), *(more[:1] or (0,)))
                    for i, (time, *more) in enumerate(jobs, start=1)
                ],
            )
            for k, (size, jobs) in enumerate(organizations)
        ],
        horizon,
    )


def random_starts(instance, seed):
    """Starts of a greedy schedule that picks organizations by lot."""
    return stepped(instance, by_lot(seed))


def feasible(seed):
    """Return a random instance, and a schedule of it that keeps every rule."""
    instance = random_instance(seed)
    return instance, placed(instance, random_starts(instance, seed), seed)


def array_of(instance, starts):
    """Starts by job as an array in the order of presentation: by release, organization, and place in it."""
    rows = [
        (int(job.release), k, place, starts.get(job.id, NOT_STARTED))
        for k, own in enumerate(instance.organizations)
        for place, job in enumerate(own.jobs)
    ]
    return np.array([row[3] for row in sorted(rows)], dtype=np.int64)
