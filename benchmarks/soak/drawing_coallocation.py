"""Tiny instances of co-allocation of unusual shapes, and times for instances of all problems."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from fractions import Fraction as F
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oas.checker.brute_force import MOST_ENUMERATED_NODES
from oas.coallocation.allocations import jobs_without_allocation
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.saturation import PLAIN, Saturation
from oas.coallocation.ticks import link_load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

HAIR = F(1, 10**9)
IMPOSSIBLE = 0.1  # share of instances in which a job may have no allocation
PRIMES = (97, 101, 997, 1009, 10007, 65537, 999983)
THRESHOLDS = (None, None, F(1, 2), F(3, 4), F(1), F(100, 101))
SLOWDOWN = tuple(Saturation("slowdown", one, sharing) for sharing in ("paper", "max-min") for one in THRESHOLDS)
TIMES: dict[str, Callable[[Random], F]] = {
    "small": lambda rng: F(rng.randint(1, 6)),
    "simple": lambda rng: F(rng.randint(1, 9), rng.choice((1, 1, 2, 3, 4))),
    "fine": lambda rng: _fine(rng, rng.choice(PRIMES)),
    "close": lambda rng: 3 + F(rng.randint(-2, 2), 997),
    "long": lambda rng: F(10 ** rng.choice((6, 9, 12)) + rng.randint(-3, 3)),
    "uneven": lambda rng: rng.choice((F(1), F(1, 7), F(2), F(5000), F(9999, 2))),
}
"""Times: whole, of small and of large denominators, close to one another, long, of several orders of magnitude."""
Shape = dict[str, Any]
SHAPES: dict[str, Shape] = tomllib.loads(Path(__file__).with_name("shapes.toml").read_text(encoding="utf-8"))


def _fine(rng: Random, denominator: int) -> F:
    return F(rng.randint(1, 4 * denominator), denominator)


def _exact_link(rng: Random, jobs: Sequence[Job]) -> F:
    """Return the load of one or two split jobs, exactly or with a tiny difference."""
    chosen = rng.sample(list(jobs), min(len(jobs), rng.choice((1, 1, 2))))
    load = sum((link_load(job, rng.randint(1, max(1, job.tasks - 1))) for job in chosen), F(0))
    return max(F(0), load + rng.choice((F(0), F(0), -HAIR, HAIR, F(-1, 7))))


def _any_link(rng: Random, jobs: Sequence[Job]) -> F:
    fixed = rng.choice((F(0), F(1000), None, None, None))
    return _exact_link(rng, jobs) if fixed is None else fixed


def _narrow_link(rng: Random, jobs: Sequence[Job]) -> F:
    return _exact_link(rng, jobs) * rng.choice((F(1), F(1, 2), F(1, 3), F(99, 100), F(2, 3)))


LINKS: dict[str, Callable[[Random, Sequence[Job]], F]] = {
    "none": lambda _rng, _jobs: F(0),
    "exact": _exact_link,
    "any": _any_link,
    "narrow": _narrow_link,
    "none or narrow": lambda rng, jobs: rng.choice((F(0), _narrow_link(rng, jobs))),
}


def draw_coallocation(rng: Random, shape: Shape) -> CoallocationInstance:
    """Return an instance of co-allocation."""
    sizes = [rng.choice(shape["nodes"]) for _ in range(rng.choice(shape["clusters"]))]
    while sum(sizes) > MOST_ENUMERATED_NODES:
        sizes.pop()
    total, times = sum(sizes), TIMES[rng.choice(shape["times"])]
    jobs = []
    for index in range(rng.choice(shape["jobs"])):
        tasks = max(1, total - rng.choice((0, 0, 1))) if shape["wide"] else rng.randint(1, total)
        time = times(rng)
        jobs.append(Job(f"J{index}", tasks, time, F(rng.choice(shape["bandwidths"])), F(rng.choice(shape["sigmas"]))))
    if shape["equal"]:
        jobs = [replace(jobs[0], id=f"J{index}") for index in range(len(jobs))]
    clusters = [
        Cluster(f"C{k}", _node_groups(rng, shape, size), LINKS[shape["links"]](rng, jobs))
        for k, size in enumerate(sizes)
    ]
    if rng.random() >= IMPOSSIBLE:
        jobs = _with_allocations(clusters, jobs)
    slot = F(rng.choice(shape["slots"]))
    return CoallocationInstance(clusters, jobs, slot, rng.choice(SLOWDOWN if shape["slowdown"] else (PLAIN,)))


def _with_allocations(clusters: Sequence[Cluster], jobs: Sequence[Job]) -> list[Job]:
    """Return the jobs; a job without allocation gets the number of nodes of the largest cluster as its tasks."""
    alike = [Job(one.id, one.tasks, 1, one.bandwidth) for one in jobs]  # their times do not matter here
    without = jobs_without_allocation(CoallocationInstance(clusters, alike).scaled())
    largest = max(one.size for one in clusters)
    return [replace(one, tasks=largest) if index in without else one for index, one in enumerate(jobs)]


def _node_groups(rng: Random, shape: Shape, size: int) -> list[NodeGroup]:
    count = min(size, rng.randint(1, shape["groups"]))
    cuts = [0, *sorted(rng.sample(range(1, size), count - 1)), size]
    return [NodeGroup(end - begin, F(rng.choice(shape["powers"]))) for begin, end in pairwise(cuts)]
