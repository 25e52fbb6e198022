"""A co-allocation instance in integers, as solvers, searches and compiled loops use it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import gcd
from typing import TYPE_CHECKING

from oas.core.errors import TooLargeError, shorten
from oas.core.numbers import common_denominator

if TYPE_CHECKING:
    from oas.problems.coallocation.instance import CoallocationInstance, Job

# Ticks must survive a float solver: the largest sum stays below 2^53.
MAX_TICKS = 2**53
MAX_LOADS = 2_000_000  # tasks of all jobs: the load of each number of them on a link is listed
MAX_LOAD_BITS = 2**33  # of all these integers: 1 GiB


@dataclass(frozen=True)
class NodeClass:
    """The nodes of one cluster that share one Γ: interchangeable in every schedule."""

    cluster: int  # index of the cluster
    level: int  # index of the nodes' Γ in `ScaledCoallocation.powers`; a greater level is slower
    nodes: tuple[int, ...]  # their numbers in the cluster

    @cached_property
    def members(self) -> frozenset[int]:
        """`nodes` as a set."""
        return frozenset(self.nodes)


@dataclass(frozen=True)
class ScaledCoallocation:
    """An instance in integer ticks."""

    # The time grid: one tick in the instance's time unit. η if η > 0, otherwise 1/D with D the common denominator of
    # every attainable duration. Every start and end of a schedule worth considering is a multiple of it. 0 for none:
    # where saturated links slow jobs down in continuous time, no grid holds all of these.
    tick: Fraction
    powers: tuple[Fraction, ...]  # the distinct Γ, fastest first. *Level* l means: only nodes with Γ ≥ powers[l].
    classes: tuple[NodeClass, ...]  # node classes, by cluster, then fastest first
    tasks: tuple[int, ...]  # τ of each job
    # durations[j][l]: ticks that job j runs when the slowest node it uses has level l, and no link is saturated. In
    # units of 1/D where there is no grid.
    durations: tuple[tuple[int, ...], ...]
    # What each cluster's link may be asked for, in a common integer unit of bandwidth: its MBW, or more where saturated
    # links slow jobs down. With many different τ the unit is tiny and these integers outgrow 64 bits:
    # `oas.models.coallocation.reductions.link_rows` sizes them for float solvers.
    link_capacity: tuple[int, ...]
    link_bandwidth: tuple[int, ...]  # MBW of each cluster's link, same unit: what is asked for beyond it slows down
    # link_loads[j][c]: load of job j on the link of a cluster that holds c of its tasks, equation (4), same unit.
    link_loads: tuple[tuple[int, ...], ...]

    @property
    def job_count(self) -> int:
        """Number of jobs."""
        return len(self.tasks)

    @property
    def cluster_count(self) -> int:
        """Number of clusters."""
        return len(self.link_capacity)

    def to_time(self, ticks: int) -> Fraction:
        """Return `ticks` in the instance's time unit."""
        return ticks * self.tick


def duration(job: Job, power: Fraction, slot: Fraction) -> Fraction:
    """Run time of `job` when the slowest node it uses has effective power `power`.

    Equations (1), (2) and (3) with SC = 1 (no link is saturated): Tb·(σ/Γ + 1 − σ). With slots it is rounded up to
    whole ones: the printed pair (19), (20) has a solution only where η divides every duration; section 4.1's text
    (resources are held until the slot ends) gives n = ⌈Tb·ct/η⌉.
    """
    time = job.base_time * (job.sigma / power + 1 - job.sigma)
    return time if slot == 0 else -(-time // slot) * slot


def link_load(job: Job, count: int) -> Fraction:
    """Bandwidth that `job` takes on the link of a cluster that holds `count` of its tasks: equation (4).

    The print is 0/0 at τ = 1, where nothing is sent: 0.
    """
    if job.tasks == 1:
        return Fraction(0)
    return count * job.bandwidth * Fraction(job.tasks - count, job.tasks - 1)


def scale_coallocation(instance: CoallocationInstance) -> ScaledCoallocation:
    """Return `instance` in integers.

    Raises `TooLargeError` if the durations add up to 2^53 ticks or more, jobs have too many tasks, or loads have no
    common unit of a reasonable length.
    """
    powers = tuple(sorted({power for cluster in instance.clusters for power in cluster.node_powers}, reverse=True))
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
    # A link wider than all jobs together never binds; the least capacity that does not is as good and stays small.
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

    Starts rounded down to a unit keep every rule: what then runs from t to t + 1 ran just before t + 1, so it fitted.
    """
    unit = gcd(*(duration for row in scaled.durations for duration in row))
    durations = tuple(tuple(duration // unit for duration in row) for row in scaled.durations)
    return replace(scaled, tick=scaled.tick * unit, durations=durations), unit


def _shares(job: Job) -> tuple[list[int], int]:
    """Return `link_load` of each number of the job's tasks, as numerators over one denominator."""
    if job.tasks == 1:
        return [0, 0], 1
    tasks, bandwidth, denominator = job.tasks, job.bandwidth.numerator, job.bandwidth.denominator
    return [count * (tasks - count) * bandwidth for count in range(tasks + 1)], (tasks - 1) * denominator


def _node_classes(instance: CoallocationInstance, powers: tuple[Fraction, ...]) -> tuple[NodeClass, ...]:
    classes = []
    for index, cluster in enumerate(instance.clusters):
        for level, power in enumerate(powers):
            nodes = tuple(number for number, own in enumerate(cluster.node_powers) if own == power)
            if nodes:
                classes.append(NodeClass(index, level, nodes))
    return tuple(classes)
