"""Co-allocation instances in integers, for solvers, searches and kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import gcd
from typing import TYPE_CHECKING

from oas.core.errors import TooLargeError, shorten
from oas.core.numbers import common_denominator

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.coallocation.instance import CoallocationInstance, Job

MAX_TICKS = 2**53  # limit of sums of ticks, which float solvers must represent exactly
MAX_LOADS = 2_000_000  # limit of the length of all tables `ScaledCoallocation.link_loads`
MAX_LOAD_BITS = 2**31  # limit of the total size of these integers: 256 MiB
MAX_DURATIONS = 3_000_000  # limit of the number of running times, by job or cluster and by Γ


@dataclass(frozen=True)
class NodeClass:
    """The nodes of one cluster with the same Γ, which are interchangeable in every schedule."""

    cluster: int  # index of the cluster
    level: int  # index of the nodes' Γ in `ScaledCoallocation.powers`; higher levels are slower
    nodes: tuple[int, ...]  # node numbers in the cluster

    @cached_property
    def members(self) -> frozenset[int]:
        """`nodes` as a set."""
        return frozenset(self.nodes)


@dataclass(frozen=True)
class ScaledCoallocation:
    """An instance in integer ticks."""

    # The time grid: one tick in the instance's time unit. It is η if η > 0, otherwise 1/D, where D is the common
    # denominator of all attainable durations. Some optimal schedule has only multiples of it as starts and ends. It is
    # 0 if saturated links slow jobs down in continuous time, since then there is no such grid.
    tick: Fraction
    powers: tuple[Fraction, ...]  # the distinct Γ, fastest first; *level* l consists of the nodes with Γ ≥ powers[l]
    classes: tuple[NodeClass, ...]  # node classes, by cluster, then fastest first
    tasks: tuple[int, ...]  # τ of each job
    # durations[j][l]: running time of job j in ticks (in units of 1/D if the tick is 0), if its slowest node has level
    # l and no link is saturated.
    durations: tuple[tuple[int, ...], ...]
    # Maximum load of each cluster's link, in a common integer unit of bandwidth: its MBW, or more if saturated links
    # slow jobs down. With many different τ the unit is tiny, and these integers may exceed 64 bits:
    # `oas.coallocation.models.reductions.link_rows` scales them for float solvers.
    link_capacity: tuple[int, ...]
    link_bandwidth: tuple[int, ...]  # MBW of each cluster's link, same unit; higher loads slow jobs down
    # link_loads[j][c]: load of job j on the link of a cluster with c of its tasks, equation (4), same unit.
    link_loads: tuple[tuple[int, ...], ...]

    @property
    def job_count(self) -> int:
        """Number of jobs."""
        return len(self.tasks)

    @property
    def cluster_count(self) -> int:
        """Number of clusters."""
        return len(self.link_capacity)

    @cached_property
    def classes_by_level(self) -> tuple[tuple[int, ...], ...]:
        """The indices of the node classes of each level."""
        return _places([one.level for one in self.classes], len(self.powers))

    @cached_property
    def classes_by_cluster(self) -> tuple[tuple[int, ...], ...]:
        """The indices of the node classes of each cluster, fastest first."""
        return _places([one.cluster for one in self.classes], self.cluster_count)

    @cached_property
    def sizes_by_level(self) -> tuple[tuple[int, ...], ...]:
        """By level and cluster: the number of nodes that are at least as fast."""
        return tuple(self.nodes_by_level([len(one.nodes) for one in self.classes]))

    def nodes_by_level(self, counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yield for each level, by cluster, how many of these nodes by class are at least as fast."""
        reached = [0] * self.cluster_count
        for classes in self.classes_by_level:
            for index in classes:
                reached[self.classes[index].cluster] += counts[index]
            yield tuple(reached)

    def to_time(self, ticks: int) -> Fraction:
        """Return `ticks` in the instance's time unit."""
        return ticks * self.tick


def _places(groups: Sequence[int], count: int) -> tuple[tuple[int, ...], ...]:
    """Return the places of each of `count` groups, given the group of each place."""
    rows: list[list[int]] = [[] for _ in range(count)]
    for place, group in enumerate(groups):
        rows[group].append(place)
    return tuple(map(tuple, rows))


def duration(job: Job, power: Fraction, slot: Fraction) -> Fraction:
    """Return the running time of `job` if its slowest node has effective power `power`.

    Equations (1), (2) and (3) with SC = 1 (no link is saturated): Tb·(σ/Γ + 1 − σ). With slots it is rounded up to
    whole slots, n = ⌈Tb·ct/η⌉: by section 4.1, resources are held until the slot ends. The printed equations (19) and
    (20) mean the same if SP is only bounded from below, SP ≥ 1/Γ, and σ > 0.
    """
    time = job.base_time * (job.sigma / power + 1 - job.sigma)
    return time if slot == 0 else -(-time // slot) * slot


def link_load(job: Job, count: int) -> Fraction:
    """Return the load of `job` on the link of a cluster that holds `count` of its tasks: equation (4).

    For τ = 1 the printed equation is 0/0; the load is 0, since there is no communication.
    """
    if job.tasks == 1:
        return Fraction(0)
    return count * job.bandwidth * Fraction(job.tasks - count, job.tasks - 1)


def scale_coallocation(instance: CoallocationInstance) -> ScaledCoallocation:
    """Return `instance` in integers.

    Raises `TooLargeError` if the durations add up to 2^53 ticks or more, jobs have too many tasks, or the common unit
    of the loads is too small.
    """
    powers = tuple(sorted({power for cluster in instance.clusters for power in cluster.node_powers}, reverse=True))
    if len(powers) * max(len(instance.jobs), len(instance.clusters)) > MAX_DURATIONS:
        raise TooLargeError(f"{len(powers):,} different powers are too many for {len(instance.jobs):,} jobs")
    times = [[duration(job, power, instance.slot) for power in powers] for job in instance.jobs]
    finest = int(MAX_TICKS / max(row[-1] for row in times))
    tick = instance.slot or Fraction(1, common_denominator((time for row in times for time in row), finest))
    durations = tuple(tuple(int(time / tick) for time in row) for row in times)
    if sum(row[-1] for row in durations) >= MAX_TICKS:
        size = shorten(tick) if instance.slot else "their common unit"
        raise TooLargeError(f"the durations add up to 2^53 ticks of {size} or more; coarser times are needed")

    cells = sum(job.tasks + 1 for job in instance.jobs)
    if cells > MAX_LOADS:
        raise TooLargeError(f"the jobs have {cells:,} tasks; at most {MAX_LOADS:,} have their loads listed")
    loads = [_shares(job) for job in instance.jobs]
    bandwidths = [cluster.bandwidth for cluster in instance.clusters]
    total = sum((Fraction(max(row), whole) for row, whole in loads), Fraction(0))
    # Capacities above the load of all jobs together are equivalent to it; smaller integers suffice.
    limits = [instance.saturation.limit(value) for value in bandwidths]
    capacities = [total if limit is None else min(limit, total) for limit in limits]
    shares = [min(value, total) for value in bandwidths]
    denominators = {whole // gcd(whole, *row) for row, whole in loads}  # common to a row
    bits = min(MAX_LOAD_BITS // cells, 2**16)
    unit = common_denominator([*(Fraction(1, one) for one in denominators), *bandwidths, *capacities], 2**bits)
    if unit.bit_length() > bits:
        reason = f"the bandwidths of {len(loads):,} jobs have no common unit of at most {bits:,} bits"
        raise TooLargeError(f"{reason}; coarser bandwidths are needed")
    return ScaledCoallocation(
        tick=Fraction(0) if instance.saturation.slows and instance.slot == 0 else tick,
        powers=powers,
        classes=_node_classes(instance, powers),
        tasks=tuple(job.tasks for job in instance.jobs),
        durations=durations,
        link_capacity=tuple(int(value * unit) for value in capacities),
        link_bandwidth=tuple(int(value * unit) for value in shares),
        link_loads=tuple(tuple(share * unit // whole for share in row) for row, whole in loads),
    )


def coarsened(scaled: ScaledCoallocation) -> tuple[ScaledCoallocation, int]:
    """Return the instance in units of the common divisor of all durations, and that divisor in ticks.

    Starts can be rounded down to such units: the jobs that then run from t to t + 1 ran at the same time just before
    t + 1, so they fit together.
    """
    unit = gcd(*(duration for row in scaled.durations for duration in row))
    durations = tuple(tuple(duration // unit for duration in row) for row in scaled.durations)
    return replace(scaled, tick=scaled.tick * unit, durations=durations), unit


def _shares(job: Job) -> tuple[list[int], int]:
    """Return `link_load` for each number of the job's tasks, as numerators with a common denominator."""
    if job.tasks == 1:
        return [0, 0], 1
    tasks, bandwidth, denominator = job.tasks, job.bandwidth.numerator, job.bandwidth.denominator
    return [count * (tasks - count) * bandwidth for count in range(tasks + 1)], (tasks - 1) * denominator


def _node_classes(instance: CoallocationInstance, powers: tuple[Fraction, ...]) -> tuple[NodeClass, ...]:
    classes = []
    for index, cluster in enumerate(instance.clusters):
        for level, power in enumerate(powers):
            nodes = tuple(number for number, gamma in enumerate(cluster.node_powers) if gamma == power)
            if nodes:
                classes.append(NodeClass(index, level, nodes))
    return tuple(classes)
