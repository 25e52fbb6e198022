"""Instances of the co-allocation problem: with the exact numbers of their files, and in whole ticks and units."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import ClassVar

from oas.checker.reading import Refused

COALLOCATION_MAX_TICKS = 2**53
# Of the instance in ticks: durations by job and level, and words of 64 bits that hold all loads by number of tasks.
COALLOCATION_MAX_DURATIONS = 3_000_000
COALLOCATION_MAX_WORDS = 40_000_000


@dataclass(frozen=True)
class CoallocationCluster:
    """A cluster: groups of nodes (count, Γ), numbered from 0 through the groups, and its link's bandwidth MBW."""

    id: str
    groups: tuple[tuple[int, Fraction], ...]
    bandwidth: Fraction

    @property
    def size(self) -> int:
        """Number of nodes."""
        return sum(count for count, _ in self.groups)


@dataclass(frozen=True)
class CoallocationJob:
    """A job: τ tasks, Tb, the bandwidth that each task needs, and σ, the share of processing."""

    id: str
    tasks: int
    base_time: Fraction
    bandwidth: Fraction
    sigma: Fraction

    def duration(self, power: Fraction, slot: Fraction) -> Fraction:
        """Return Tb·(σ/Γ + 1 − σ) where Γ of the slowest node is `power`, in whole slots if `slot` is above 0."""
        time = self.base_time * (self.sigma / power + 1 - self.sigma)
        return time if slot == 0 else -(-time // slot) * slot

    def link_load(self, count: int) -> Fraction:
        """Return the load on the link of a cluster that holds `count` of the tasks: n·b·(τ − n)/(τ − 1), 0 at τ = 1."""
        if self.tasks == 1:
            return Fraction(0)
        return count * self.bandwidth * Fraction(self.tasks - count, self.tasks - 1)


@dataclass(frozen=True)
class LinkSaturation:
    """The rule for jobs that ask more of a link than it has."""

    policy: str  # forbid or slowdown
    # slowdown: no link is asked for more than MBW / threshold; None for any amount, but nothing where MBW is 0
    threshold: Fraction | None
    sharing: str  # slowdown: paper or max-min

    @property
    def slows(self) -> bool:
        """Whether saturated links slow jobs down, rather than being forbidden."""
        return self.policy == "slowdown"

    def limit(self, bandwidth: Fraction) -> Fraction | None:
        """Return the most that a link of this bandwidth may be asked for; None for any amount."""
        if not self.slows or bandwidth == 0:
            return bandwidth
        return None if self.threshold is None else bandwidth / self.threshold

    def __str__(self) -> str:
        """Return the text that the digest has: such as ``forbid`` or ``slowdown, threshold 1/2, max-min``."""
        threshold = "" if self.threshold is None else f", threshold {self.threshold}"
        return self.policy + threshold + ("" if self.sharing == "paper" else f", {self.sharing}")


@dataclass(frozen=True)
class CoallocationNodes:
    """A node class: the nodes of one cluster with one Γ, by indices of the cluster and of Γ, and their number."""

    cluster: int
    level: int
    count: int


@dataclass(frozen=True)
class CoallocationTicks:
    """An instance in whole ticks, and link loads in a common whole unit."""

    # η if η > 0, otherwise 1/D with D the common denominator of every duration. 0 where saturated links slow jobs down
    # in continuous time: no grid holds all times then
    tick: Fraction
    powers: tuple[Fraction, ...]  # the distinct Γ, fastest first; level l means: only nodes with Γ ≥ powers[l]
    classes: tuple[CoallocationNodes, ...]  # by cluster, then fastest first
    tasks: tuple[int, ...]  # τ of each job
    # [job][level]: ticks that a job runs if its slowest node has the level and no link is saturated; in units of 1/D
    # where there is no grid
    durations: tuple[tuple[int, ...], ...]
    link_capacity: tuple[int, ...]  # the most that each link may be asked for, at most what all jobs together ask
    link_bandwidth: tuple[int, ...]  # MBW, likewise
    # [job][n]: load on the link of a cluster that holds n tasks; jobs with equal tasks and bandwidth share a tuple
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


@dataclass(frozen=True)
class CoallocationInstance:
    """Jobs to be scheduled on clusters so that the last one ends as early as possible.

    Starts fall on multiples of `slot`, η, and durations are rounded up to it; it is 0 for continuous time.
    """

    clusters: tuple[CoallocationCluster, ...]
    jobs: tuple[CoallocationJob, ...]
    slot: Fraction
    saturation: LinkSaturation
    problem: ClassVar[str] = "coallocation"

    @property
    def node_count(self) -> int:
        """Number of nodes in all clusters."""
        return sum(cluster.size for cluster in self.clusters)

    def scaled(self) -> CoallocationTicks:
        """Return the instance in ticks; durations of 2^53 ticks or more in all are refused."""
        return self._scaled

    @cached_property
    def _scaled(self) -> CoallocationTicks:
        powers = tuple(sorted({power for one in self.clusters for _, power in one.groups}, reverse=True))
        if len(powers) * max(len(self.jobs), len(self.clusters)) > COALLOCATION_MAX_DURATIONS:
            raise Refused(f"instance: {len(powers)} different powers are too many for its jobs and clusters")
        times = [[job.duration(power, self.slot) for power in powers] for job in self.jobs]
        longest = sum((row[-1] for row in times), Fraction(0))
        tick = self.slot
        if not tick:
            unit = 1
            for time in (time for row in times for time in row):
                unit = lcm(unit, time.denominator)
                if longest * unit >= COALLOCATION_MAX_TICKS:
                    break
            tick = Fraction(1, unit)
        if longest / tick >= COALLOCATION_MAX_TICKS:
            raise Refused(f"instance: the durations add up to 2^53 ticks of {tick} or more")
        total = sum((job.link_load(job.tasks // 2) for job in self.jobs), Fraction(0))
        bandwidths = [cluster.bandwidth for cluster in self.clusters]
        limits = [self.saturation.limit(value) for value in bandwidths]
        capacities = [total if limit is None else min(limit, total) for limit in limits]
        unit, loads = _loads_in_units(self.jobs, [*bandwidths, *capacities])
        return CoallocationTicks(
            tick=Fraction(0) if self.saturation.slows and self.slot == 0 else tick,
            powers=powers,
            classes=tuple(self._node_classes(powers)),
            tasks=tuple(job.tasks for job in self.jobs),
            durations=tuple(tuple(int(time / tick) for time in row) for row in times),
            link_capacity=tuple(int(value * unit) for value in capacities),
            link_bandwidth=tuple(int(min(value, total) * unit) for value in bandwidths),
            link_loads=tuple(loads[job.tasks, job.bandwidth] for job in self.jobs),
        )

    def _node_classes(self, powers: tuple[Fraction, ...]) -> list[CoallocationNodes]:
        level_of = {power: level for level, power in enumerate(powers)}
        classes = []
        for index, cluster in enumerate(self.clusters):
            counts: dict[int, int] = {}
            for count, power in cluster.groups:
                counts[level_of[power]] = counts.get(level_of[power], 0) + count
            classes += [CoallocationNodes(index, level, counts[level]) for level in sorted(counts)]
        return classes


def _loads_in_units(
    jobs: tuple[CoallocationJob, ...], others: list[Fraction]
) -> tuple[int, dict[tuple[int, Fraction], tuple[int, ...]]]:
    """Return a number of units of bandwidth in 1, and in these the loads of jobs by (τ, bandwidth of a task).

    All loads, multiples of b/(τ − 1), and the `others` are whole in these units.
    """
    shares = {(job.tasks, job.bandwidth): job.bandwidth / max(1, job.tasks - 1) for job in jobs}
    unit = lcm(*(value.denominator for value in others))
    counts = 0
    for (tasks, _), share in shares.items():
        counts += tasks // 2 + 1
        unit = lcm(unit, share.denominator)
        if counts * (6 + unit.bit_length() // 64) > COALLOCATION_MAX_WORDS:
            raise Refused("instance: its jobs have too many different numbers of tasks and bandwidths")
    loads = {}
    for (tasks, bandwidth), share in shares.items():
        rate = int(share * unit) if tasks > 1 else 0
        half = [count * (tasks - count) * rate for count in range(tasks // 2 + 1)]
        loads[tasks, bandwidth] = (*half, *half[tasks - len(half) :: -1])  # the same numbers from the other end
    return unit, loads
