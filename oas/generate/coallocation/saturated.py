"""Tiny random instances whose links are often asked for more than they have: for the policies of saturation.

Clusters are so small that many jobs must be split, and links are as wide as what one split job asks for, or half of
that: two at once saturate them, or one alone. Under ``forbid`` one waits, under ``slowdown`` they may run together.
Every job has an allocation under every policy.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Literal

from oas.core.errors import InputError
from oas.core.numbers import Exact, exact, integer
from oas.generate import Generator, provenance
from oas.problems.coallocation.allocations import jobs_without_allocation
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.saturation import Saturation
from oas.problems.coallocation.ticks import link_load

if TYPE_CHECKING:
    from collections.abc import Sequence

Policy = Literal["forbid", "slowdown"]
Sharing = Literal["paper", "max-min"]

POWERS = (Fraction(1),) * 3 + (Fraction(1, 2),)
SIGMAS = (Fraction(0), Fraction(1, 2), Fraction(1, 2), Fraction(7, 10), Fraction(9, 10), Fraction(1))
TASK_BANDWIDTHS = (Fraction(1), Fraction(1), Fraction(1), Fraction(3, 2))
# In what one job asks for with one task on the cluster.
LINKS = (Fraction(0), *[Fraction(1, 2)] * 4, *[Fraction(1)] * 5)


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
        At least 0. The same seed gives the same jobs and clusters under every policy, and at every slot size above 0
        the same but for the unit of time.
    jobs
        How many jobs, of one to three tasks.
    clusters
        How many clusters.
    nodes
        At most so many nodes in a cluster.
    slot
        η. Base times are whole slots and halves, 1/2 to 3; without slots they are whole, 1 to 6.
    policy
        What becomes of saturated links: ``forbid`` or ``slowdown``.
    threshold
        ``slowdown``: a link is asked for at most MBW / threshold, above 0 and at most 1; left out, for any amount.
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
    sizes = _sizes(rng, counts["clusters"], counts["nodes"])
    drawn = [_job(rng, index, sum(sizes), eta / 2 or Fraction(1)) for index in range(counts["jobs"])]
    links = [_link(rng, drawn) for _ in sizes]
    grid = [
        Cluster(f"C{index + 1}", [NodeGroup(size, rng.choice(POWERS))], link)
        for index, (size, link) in enumerate(zip(sizes, links, strict=True))
    ]
    for index in jobs_without_allocation(CoallocationInstance(grid, drawn).scaled()):
        old = drawn[index]
        drawn[index] = Job(old.id, max(sizes), old.base_time, old.bandwidth, old.sigma)
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


def _sizes(rng: Random, clusters: int, most: int) -> list[int]:
    """Mostly one node or two in each cluster: jobs of two or three tasks often have to be split."""
    return [min(most, rng.choice((1, 1, 2, 2, 2, 3))) for _ in range(clusters)]


def _job(rng: Random, index: int, nodes: int, unit: Fraction) -> Job:
    tasks = min(nodes, rng.choice((1, 2, 2, 3, 3, 3)))
    return Job(f"J{index + 1}", tasks, rng.randint(1, 6) * unit, rng.choice(TASK_BANDWIDTHS), rng.choice(SIGMAS))


def _link(rng: Random, jobs: Sequence[Job]) -> Fraction:
    """Draw what a split job asks for where one of its tasks is, or half of that, which it saturates alone; or 0."""
    job = rng.choice([one for one in jobs if one.tasks > 1] or jobs)
    load = link_load(job, 1)
    return load * rng.choice(LINKS)


GENERATORS = (Generator("saturated", saturated, "a tiny random instance whose links are often saturated", rank=90),)
