"""Odd instances of co-allocation, with saturation forbidden and with links that slow jobs down.

Every shape draws what it does not fix, so that shapes overlap. Some jobs have no allocation: such an instance is
infeasible, which all must say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction as F
from itertools import pairwise
from typing import TYPE_CHECKING

from benchmarks.agreement.soak import odd_numbers as numbers
from oas.exact.coallocation.brute_force import MAX_NODES
from oas.problems.coallocation.allocations import jobs_without_allocation
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.saturation import PLAIN, Saturation
from oas.problems.coallocation.ticks import link_load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

HAIR = F(1, 10**9)
IMPOSSIBLE = 0.1  # of the instances may have a job without an allocation


@dataclass(frozen=True)
class Shape:
    """What is drawn from; each attribute is a choice of equally likely values.

    Attributes
    ----------
    jobs, clusters, nodes
        How many jobs and clusters, and nodes in a cluster.
    times, bandwidths
        ``rng -> Fraction``: base times, and bandwidths of a task.
    sigmas, powers, slots
        σ, Γ and η.
    links
        ``(rng, jobs) -> Fraction``: the bandwidth of a link.
    groups
        How many groups of nodes a cluster has at most.
    equal
        Whether all jobs are alike.
    wide
        Whether every job takes as many tasks as there are nodes, or one less.
    saturations
        The policies.
    """

    jobs: Sequence[int] = (1, 2, 3, 4, 5, 5)
    clusters: Sequence[int] = (1, 2, 2, 3)
    nodes: Sequence[int] = (1, 2, 2, 3)
    times: Sequence[Callable[[Random], F]] = (numbers.small, numbers.simple)
    bandwidths: Sequence[F] = (F(0), F(1), F(1), F(3, 2), F(2))
    sigmas: Sequence[F] = (F(0), F(1, 2), F(7, 10), F(1))
    powers: Sequence[F] = (F(1), F(1), F(1, 2), F(3, 4), F(1, 3))
    slots: Sequence[F] = (F(0), F(1, 2), F(1), F(7, 4))
    links: Callable[[Random, Sequence[Job]], F] = lambda rng, jobs: any_link(rng, jobs)
    groups: int = 2
    equal: bool = False
    wide: bool = False
    saturations: Sequence[Saturation] = (PLAIN,)


def no_link(_rng: Random, _jobs: Sequence[Job]) -> F:
    """Return 0: nothing is split."""
    return F(0)


def exact_link(rng: Random, jobs: Sequence[Job]) -> F:
    """Return what one split job or two ask for, to the letter or a hair less or more."""
    chosen = rng.sample(list(jobs), min(len(jobs), rng.choice((1, 1, 2))))
    load = sum((link_load(job, rng.randint(1, max(1, job.tasks - 1))) for job in chosen), F(0))
    return max(F(0), load + rng.choice((F(0), F(0), -HAIR, HAIR, F(-1, 7))))


def any_link(rng: Random, jobs: Sequence[Job]) -> F:
    """Return 0, a wide link, or one as `exact_link` does."""
    fixed = rng.choice((F(0), F(1000), None, None, None))
    return exact_link(rng, jobs) if fixed is None else fixed


def narrow_link(rng: Random, jobs: Sequence[Job]) -> F:
    """Return a part of what one split job asks for."""
    return exact_link(rng, jobs) * rng.choice((F(1), F(1, 2), F(1, 3), F(99, 100), F(2, 3)))


def draw(rng: Random, shape: Shape) -> CoallocationInstance:
    """Return an instance of `shape`."""
    sizes = [rng.choice(shape.nodes) for _ in range(rng.choice(shape.clusters))]
    while sum(sizes) > MAX_NODES:
        sizes.pop()
    total, times = sum(sizes), rng.choice(shape.times)
    jobs = [_job(rng, shape, index, total, times) for index in range(rng.choice(shape.jobs))]
    if shape.equal:
        jobs = [Job(f"J{index}", jobs[0].tasks, *_rest(jobs[0])) for index in range(len(jobs))]
    clusters = [Cluster(f"C{k}", _groups(rng, shape, size), shape.links(rng, jobs)) for k, size in enumerate(sizes)]
    if rng.random() >= IMPOSSIBLE:
        jobs = _possible(clusters, jobs)
    slot = rng.choice(shape.slots)
    return CoallocationInstance(clusters, jobs, slot, rng.choice(shape.saturations))


def _possible(clusters: Sequence[Cluster], jobs: Sequence[Job]) -> list[Job]:
    """Return the jobs, those that have no allocation with as many tasks as the largest cluster has nodes."""
    alike = [Job(one.id, one.tasks, 1, one.bandwidth) for one in jobs]  # their times do not matter here
    without = jobs_without_allocation(CoallocationInstance(clusters, alike).scaled())
    largest = max(one.size for one in clusters)
    return [Job(one.id, largest, *_rest(one)) if index in without else one for index, one in enumerate(jobs)]


def _job(rng: Random, shape: Shape, index: int, total: int, times: Callable[[Random], F]) -> Job:
    tasks = max(1, total - rng.choice((0, 0, 1))) if shape.wide else rng.randint(1, total)
    return Job(f"J{index}", tasks, times(rng), rng.choice(shape.bandwidths), rng.choice(shape.sigmas))


def _rest(job: Job) -> tuple[F, F, F]:
    return job.base_time, job.bandwidth, job.sigma


def _groups(rng: Random, shape: Shape, size: int) -> list[NodeGroup]:
    count = min(size, rng.randint(1, shape.groups))
    cuts = [0, *sorted(rng.sample(range(1, size), count - 1)), size]
    return [NodeGroup(end - begin, rng.choice(shape.powers)) for begin, end in pairwise(cuts)]


_PLAIN = Shape()
_ONE_NODE = Shape(clusters=(1,), nodes=(1,), jobs=(1, 2, 3, 4, 5, 6), times=(numbers.simple, numbers.fine))
_SLOTS = (F(96, 97), F(1009, 997), F(65537, 10007))
_PARTS = (F(96, 97), F(1, 101), F(500, 997), F(1))
SHAPES: dict[str, Shape] = {
    "anything": _PLAIN,
    "one node": _ONE_NODE,
    "one job": replace(_PLAIN, jobs=(1,), clusters=(1, 2, 3, 4)),
    "links of 0": replace(_PLAIN, links=no_link, nodes=(1, 2, 3)),
    "links met to a hair": replace(_PLAIN, links=exact_link, clusters=(2, 3), bandwidths=(F(1), F(3, 2), F(1, 3))),
    "equal jobs": replace(_PLAIN, equal=True, jobs=(4, 5, 6), clusters=(1, 2)),
    "several Γ in a cluster": replace(_PLAIN, groups=3, nodes=(2, 3, 3), clusters=(1, 2), slots=(F(0), F(1))),
    "large denominators": replace(_PLAIN, times=(numbers.fine,), jobs=(2, 3, 4)),
    "large denominators on slots": replace(
        _PLAIN,
        times=(numbers.fine,),
        slots=(F(96, 97), F(1009, 997), F(65537, 10007)),
        sigmas=_PARTS,
        powers=_PARTS[2:],
    ),
    "close times": replace(_PLAIN, times=(numbers.close,), powers=(F(1), F(996, 997)), jobs=(3, 4, 5)),
    "long times": replace(_PLAIN, times=(numbers.long,), slots=(F(0), F(10**6), F(1))),
    "uneven times": replace(_PLAIN, times=(numbers.uneven,), slots=(F(0), F(1), F(1000))),
    "wide jobs": replace(_PLAIN, wide=True, links=any_link, nodes=(1, 2, 2)),
    "slots longer than jobs": replace(_PLAIN, slots=(F(10), F(101, 3)), jobs=(3, 4, 5)),
    "only communication": replace(_PLAIN, sigmas=(F(0),), powers=(F(1, 2), F(1, 7)), bandwidths=(F(1), F(2))),
    "slow nodes": replace(_PLAIN, powers=(F(1), F(1, 1000), F(1, 7)), slots=(F(0), F(1), F(50))),
}
_POLICIES = tuple(
    Saturation("slowdown", threshold, sharing)
    for sharing in ("paper", "max-min")
    for threshold in (None, None, F(1, 2), F(3, 4), F(1), F(100, 101))
)
# In continuous time brute force goes through sequences of phases: more than three jobs take it too long.
_FLUID = Shape(
    jobs=(2, 3, 3),
    clusters=(2, 3),
    nodes=(1, 1, 2),
    bandwidths=(F(1), F(1), F(3, 2)),
    sigmas=(F(0), F(1, 2), F(7, 10), F(9, 10), F(1)),
    powers=(F(1), F(1), F(1, 2)),
    slots=(F(0),),
    links=narrow_link,
    groups=1,
    saturations=_POLICIES,
)
_SLOTTED = replace(_FLUID, jobs=(2, 3, 4), slots=(F(1), F(3, 2)), times=(numbers.small,))
SLOWED: dict[str, Shape] = {
    "slowdown": _FLUID,
    "slowdown on slots": _SLOTTED,
    "slowdown, links of 0": replace(_FLUID, links=lambda rng, jobs: rng.choice((F(0), narrow_link(rng, jobs)))),
    "slowdown, links met to a hair": replace(_SLOTTED, links=exact_link),
    "slowdown, equal jobs": replace(_FLUID, equal=True),
    "slowdown, equal jobs on slots": replace(_SLOTTED, equal=True),
    "slowdown, several Γ in a cluster": replace(_SLOTTED, groups=2, nodes=(2, 2), clusters=(2,)),
    "slowdown, large denominators": replace(_FLUID, times=(numbers.fine,), jobs=(2, 2, 3)),
    "slowdown, close times": replace(_FLUID, times=(numbers.close,)),
    "slowdown, only communication": replace(_SLOTTED, sigmas=(F(0),)),
    "slowdown, one node": replace(_ONE_NODE, jobs=(1, 2, 3), saturations=_POLICIES, slots=(F(0), F(1))),
}
