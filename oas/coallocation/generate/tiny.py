"""Tiny random instances, small enough for brute force.

*tiny* uses all features of the problem, for comparisons of methods: by default at most 4 jobs and 6 nodes. The
instances have one to three clusters, several Γ also within a cluster and in any order, rational times, bandwidths and
slots (η = 0 among them), jobs of one task, σ of 0 and 1, links that are absent, tight, just too narrow or wide, and
sometimes identical jobs or clusters.

*saturated* has links that are often saturated, for the policies of saturation. Clusters are so small that many jobs
must be split, and the bandwidth of a link is the demand of one split job or half of it: two jobs at the same time, or a
single one, saturate them. Under ``forbid`` one job waits, under ``slowdown`` both may run. Every job has an allocation
under every policy.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Literal

from oas.coallocation.allocations import jobs_without_allocation
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.saturation import Saturation
from oas.coallocation.ticks import link_load
from oas.core.errors import InputError
from oas.core.instances import Generator, provenance
from oas.core.numbers import Exact, exact, integer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


POWERS = (Fraction(1), Fraction(3, 4), Fraction(2, 3), Fraction(1, 2), Fraction(2, 5))
SLOTS = (Fraction(0), Fraction(1, 2), Fraction(1), Fraction(7, 4), Fraction(3))
SIGMAS = (Fraction(0), Fraction(1, 2), Fraction(7, 10), Fraction(1))
# Without slots each distinct denominator multiplies the ticks; with these a duration is a multiple of the base time.
EVEN_POWERS, EVEN_SIGMAS = (Fraction(1), Fraction(1, 2)), (Fraction(0), Fraction(1))
SELDOM = (False, False, False, True)


def tiny(
    *, seed: int = 0, jobs: int = 4, nodes: int = 6, clusters: int = 3, feasible: bool = True
) -> CoallocationInstance:
    """Draw a tiny instance.

    Parameters
    ----------
    seed
        At least 0.
    jobs
        Maximum number of jobs.
    nodes
        Maximum number of nodes of all clusters together.
    clusters
        Maximum number of clusters.
    feasible
        Whether every job must have an allocation. Otherwise about one in six of the instances have a job without one.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    seed = integer(seed, "seed", least=0)
    sizes = {"jobs": jobs, "nodes": nodes, "clusters": clusters}
    limits = {name: integer(limit, name, least=1) for name, limit in sizes.items()}
    rng = Random(seed)
    slot = rng.choice(SLOTS)
    # A few ticks for each job, so that models over every tick stay small.
    return draw_tiny(
        rng,
        max_jobs=limits["jobs"],
        max_nodes=limits["nodes"],
        max_clusters=limits["clusters"],
        slots=(slot,),
        powers=POWERS if slot else EVEN_POWERS,
        sigmas=SIGMAS if slot else EVEN_SIGMAS,
        unit=slot / 2 if slot else Fraction(1, rng.randint(1, 3)),
        feasible=feasible,
        name=f"tiny, seed {seed}",
        origin=provenance("tiny", seed=seed, **limits, feasible=feasible),
    )


def draw_tiny(
    rng: Random,
    *,
    max_jobs: int = 4,
    max_nodes: int = 6,
    max_clusters: int = 3,
    slots: Sequence[Fraction] = SLOTS,
    powers: Sequence[Fraction] = POWERS,
    sigmas: Sequence[Fraction] = SIGMAS,
    unit: Fraction | None = None,
    feasible: bool = True,
    name: str = "",
    origin: Mapping[str, str] | None = None,
) -> CoallocationInstance:
    """Draw a tiny instance with base times of 1 to 4 units; without `unit`, up to 9 (wholes, halves, thirds).

    Half of the instances are *tight*: jobs of medium size must often be split, over links wide enough for one or none.
    If the instance must be `feasible`, a job without an allocation is cut down to the size of the largest cluster.
    """
    tight = rng.choice((False, True))
    nodes = max_nodes if tight else rng.randint(1, max_nodes)
    sizes = _split(rng, nodes, max_clusters, (2, 3) if tight else (1, 2, 3))
    jobs = []
    for index in range(max(rng.randint(1, max_jobs), rng.randint(1, max_jobs))):
        base_time = rng.randint(1, 4) * unit if unit else Fraction(rng.randint(1, 9), rng.choice((1, 1, 2, 3)))
        tasks = rng.randint(2, max(2, nodes // 2)) if tight and nodes > 1 else rng.randint(1, nodes)
        bandwidth = Fraction(1) if tight else rng.choice((Fraction(0), Fraction(1), Fraction(3, 2), Fraction(2)))
        jobs.append(Job(f"J{index}", tasks, base_time, bandwidth, rng.choice(sigmas)))
    links = [Fraction(rng.choice((0, 1, 1))) if tight else _link(rng, jobs) for _ in sizes]
    clusters = []
    for index, (size, link) in enumerate(zip(sizes, links, strict=True)):
        groups = [NodeGroup(count, rng.choice(powers)) for count in _split(rng, size, 3)]
        clusters.append(Cluster(f"C{index}", groups, link))
    slot = rng.choice(slots)
    if feasible:
        for index in jobs_without_allocation(CoallocationInstance(clusters, jobs, slot).scaled()):
            jobs[index] = _like(jobs[index], jobs[index].id, tasks=max(sizes))
    if rng.choice(SELDOM):
        jobs[-1] = _like(jobs[0], jobs[-1].id)
    if rng.choice(SELDOM) and clusters[0].size == clusters[-1].size:
        # The wider link of the two: no job loses an allocation.
        link = max(clusters[0].bandwidth, clusters[-1].bandwidth)
        clusters[0] = Cluster(clusters[0].id, clusters[0].groups, link)
        clusters[-1] = Cluster(clusters[-1].id, clusters[0].groups, link)
    return CoallocationInstance(clusters, jobs, slot, name=name, provenance=origin)


def _split(rng: Random, nodes: int, most: int, parts: Sequence[int] = (1, 2, 3)) -> list[int]:
    """Split `nodes` nodes into at most `most` non-empty parts."""
    cuts = sorted(rng.sample(range(1, nodes), min(rng.choice(parts), most, nodes) - 1))
    return [end - start for start, end in zip([0, *cuts], [*cuts, nodes], strict=True)]


def _like(job: Job, name: str, tasks: int | None = None) -> Job:
    return Job(name, tasks or job.tasks, job.base_time, job.bandwidth, job.sigma)


def _link(rng: Random, jobs: Sequence[Job]) -> Fraction:
    """Draw a bandwidth: 0, wide, the exact demand of one or two split jobs, or slightly less than this demand."""
    kind = rng.randint(0, 7)
    if kind == 0:
        return Fraction(0)
    if kind == 1:
        return Fraction(100)
    chosen = rng.sample(jobs, min(len(jobs), rng.choice((1, 1, 1, 2))))
    load = sum((link_load(job, rng.randint(1, max(1, job.tasks - 1))) for job in chosen), Fraction(0))
    return max(Fraction(0), load - Fraction(1, 7)) if kind == 2 else load


Policy = Literal["forbid", "slowdown"]
Sharing = Literal["paper", "max-min"]

NARROW_POWERS = (Fraction(1),) * 3 + (Fraction(1, 2),)
NARROW_SIGMAS = (Fraction(0), Fraction(1, 2), Fraction(1, 2), Fraction(7, 10), Fraction(9, 10), Fraction(1))
NARROW_BANDWIDTHS = (Fraction(1), Fraction(1), Fraction(1), Fraction(3, 2))
# Bandwidths of links, as multiples of the demand of one split job with one task on the cluster: with half of it, the
# job alone saturates the link.
LINK_SHARES = (Fraction(0), *[Fraction(1, 2)] * 4, *[Fraction(1)] * 5)


def saturated(
    *,
    seed: int = 0,
    jobs: int = 4,
    clusters: int = 3,
    nodes: int = 3,
    slot: Exact = 0,
    policy: Policy = "slowdown",
    threshold: Exact | None = None,
    sharing: Sharing = "paper",
) -> CoallocationInstance:
    """Draw a tiny instance with narrow links.

    Parameters
    ----------
    seed
        At least 0. The same seed gives the same jobs and clusters under every policy, and for every slot size above 0
        up to the unit of time.
    jobs
        Number of jobs, of one to three tasks.
    clusters
        Number of clusters.
    nodes
        Maximum number of nodes of a cluster.
    slot
        η. Base times are multiples of half a slot, 1/2 to 3; without slots they are integers, 1 to 6.
    policy
        Saturation policy: ``forbid`` or ``slowdown``.
    threshold
        ``slowdown``: the demand on a link is at most MBW / threshold, above 0 and at most 1; without it, unlimited.
    sharing
        ``slowdown``: how saturated links are shared, ``paper`` or ``max-min``.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    seed = integer(seed, "seed", least=0)
    counts = {"jobs": jobs, "clusters": clusters, "nodes": nodes}
    counts = {name: integer(count, name, least=1) for name, count in counts.items()}
    eta = exact(slot, "slot")
    if eta < 0:
        raise InputError("must not be negative", field="slot", value=str(eta))
    saturation = Saturation(policy, threshold, sharing)
    rng = Random(seed)
    # Mostly one node or two per cluster, so that jobs of two or three tasks often have to be split.
    sizes = [min(counts["nodes"], rng.choice((1, 1, 2, 2, 2, 3))) for _ in range(counts["clusters"])]
    unit = eta / 2 or Fraction(1)
    drawn = []
    for index in range(counts["jobs"]):
        tasks = min(sum(sizes), rng.choice((1, 2, 2, 3, 3, 3)))
        base_time, bandwidth = rng.randint(1, 6) * unit, rng.choice(NARROW_BANDWIDTHS)
        drawn.append(Job(f"J{index + 1}", tasks, base_time, bandwidth, rng.choice(NARROW_SIGMAS)))
    splittable = [job for job in drawn if job.tasks > 1] or drawn
    links = [link_load(rng.choice(splittable), 1) * rng.choice(LINK_SHARES) for _ in sizes]
    grid = [
        Cluster(f"C{index + 1}", [NodeGroup(size, rng.choice(NARROW_POWERS))], link)
        for index, (size, link) in enumerate(zip(sizes, links, strict=True))
    ]
    for index in jobs_without_allocation(CoallocationInstance(grid, drawn).scaled()):
        drawn[index] = _like(drawn[index], drawn[index].id, tasks=max(sizes))
    return CoallocationInstance(
        grid,
        drawn,
        eta,
        saturation,
        name=f"saturated, seed {seed}",
        provenance=provenance(
            "saturated",
            seed=seed,
            **counts,
            slot=eta,
            policy=saturation.policy,
            threshold="" if saturation.threshold is None else saturation.threshold,
            sharing=saturation.sharing,
        ),
    )


GENERATORS = (
    Generator("tiny", tiny, "a tiny random instance with every feature, for comparisons of methods", rank=30),
    Generator("saturated", saturated, "a tiny random instance whose links are often saturated", rank=90),
)
