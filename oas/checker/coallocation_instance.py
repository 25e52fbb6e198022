"""Instances of the co-allocation problem: reading of documents, and conversion into whole ticks and units.

A document has the format ``oas-instance`` with ``"problem": "coallocation"``; its numbers are exact.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, ClassVar, NamedTuple

from oas.checker.reading import check_different, fields_of, integer_of, name_of, number_of, one_of, refused, rows_of

COALLOCATION_MAX_CLUSTERS = COALLOCATION_MAX_GROUPS = 10_000
COALLOCATION_MAX_NODES = 100_000
COALLOCATION_MAX_JOBS = 50_000
COALLOCATION_MAX_TICKS = 2**53
# Limits of an instance in ticks: durations by job and level, and 64-bit words of all loads by number of tasks.
COALLOCATION_MAX_DURATIONS = 3_000_000
COALLOCATION_MAX_WORDS = 40_000_000


class CoallocationCluster(NamedTuple):
    """A cluster: groups of nodes (count, Γ), numbered from 0 through the groups, and the bandwidth MBW of its link."""

    id: str
    groups: tuple[tuple[int, Fraction], ...]
    bandwidth: Fraction

    @property
    def size(self) -> int:
        """Number of nodes."""
        return sum(count for count, _ in self.groups)


class CoallocationJob(NamedTuple):
    """A job: τ tasks, Tb, the bandwidth needed by each task, and σ, the share of processing."""

    id: str
    tasks: int
    base_time: Fraction
    bandwidth: Fraction
    sigma: Fraction

    def duration(self, power: Fraction, slot: Fraction) -> Fraction:
        """Return Tb·(σ/Γ + 1 − σ), where `power` is Γ of the slowest node, rounded up to whole slots if `slot` > 0."""
        time = self.base_time * (self.sigma / power + 1 - self.sigma)
        return time if slot == 0 else -(-time // slot) * slot

    def link_load(self, count: int) -> Fraction:
        """Return the load on the link of a cluster that holds `count` of the tasks: n·b·(τ − n)/(τ − 1), 0 at τ = 1."""
        return count * self.bandwidth * Fraction(self.tasks - count, max(1, self.tasks - 1))


class LinkSaturation(NamedTuple):
    """The rule for links whose load exceeds their bandwidth."""

    slows: bool  # whether saturated links are allowed and slow jobs down
    # If they do, loads are at most MBW / threshold; None for no limit, except 0 if MBW is 0.
    threshold: Fraction | None
    sharing: str  # paper or max-min, if links slow jobs down

    def limit(self, bandwidth: Fraction) -> Fraction | None:
        """Return the maximum load of a link of this bandwidth; None for no limit."""
        if not self.slows or bandwidth == 0:
            return bandwidth
        return None if self.threshold is None else bandwidth / self.threshold

    def __str__(self) -> str:
        """Return the text for the digest, such as ``forbid`` or ``slowdown, threshold 1/2, max-min``."""
        threshold = "" if self.threshold is None else f", threshold {self.threshold}"
        policy = "slowdown" if self.slows else "forbid"
        return policy + threshold + ("" if self.sharing == "paper" else f", {self.sharing}")


@dataclass(frozen=True)
class CoallocationNodes:
    """A node class, the nodes of one cluster with the same Γ: indices of the cluster and of Γ, number of nodes."""

    cluster: int
    level: int
    count: int


class CoallocationTicks(NamedTuple):
    """An instance in whole ticks, and link loads in a common whole unit."""

    # η if η > 0, otherwise 1/D with the common denominator D of all durations; 0 if saturated links slow jobs down in
    # continuous time, since then no grid contains all times
    tick: Fraction
    powers: tuple[Fraction, ...]  # the distinct Γ, fastest first; level l consists of the nodes with Γ ≥ powers[l]
    classes: tuple[CoallocationNodes, ...]  # by cluster, then fastest first
    tasks: tuple[int, ...]  # τ of each job
    # [job][level]: ticks (units of 1/D if the tick is 0) of a job if its slowest node has this level and no link is
    # saturated
    durations: tuple[tuple[int, ...], ...]
    link_capacity: tuple[int, ...]  # maximum load of each link, at most the load of all jobs together
    link_bandwidth: tuple[int, ...]  # MBW, at most the load of all jobs together
    # [job][n]: load on the link of a cluster with n tasks; jobs with equal tasks and bandwidth share a tuple
    link_loads: tuple[tuple[int, ...], ...]

    def to_time(self, ticks: int) -> Fraction:
        """Return `ticks` in the instance's time unit."""
        return ticks * self.tick


@dataclass(frozen=True)
class CoallocationInstance:
    """Jobs on clusters; the makespan is minimised.

    Starts are multiples of the `slot` η, and durations are rounded up to multiples; η = 0 means continuous time.
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

    @cached_property
    def ticks(self) -> CoallocationTicks:
        """Return the instance in ticks; a total duration of 2^53 ticks or more is refused."""
        powers = tuple(sorted({power for one in self.clusters for _, power in one.groups}, reverse=True))
        if len(powers) * max(len(self.jobs), len(self.clusters)) > COALLOCATION_MAX_DURATIONS:
            raise refused("instance", f"{len(powers)} different powers are too many for its jobs and clusters")
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
            raise refused("instance", f"the durations add up to 2^53 ticks of {tick} or more")
        total = sum((job.link_load(job.tasks // 2) for job in self.jobs), Fraction(0))
        bandwidths = [cluster.bandwidth for cluster in self.clusters]
        limits = [self.saturation.limit(value) for value in bandwidths]
        capacities = [total if limit is None else min(limit, total) for limit in limits]
        level_of = {power: level for level, power in enumerate(powers)}
        counts: Counter[tuple[int, int]] = Counter()  # nodes by cluster and level
        for index, cluster in enumerate(self.clusters):
            for count, power in cluster.groups:
                counts[index, level_of[power]] += count
        unit, loads = _loads_in_units(self.jobs, [*bandwidths, *capacities])
        return CoallocationTicks(
            tick=Fraction(0) if self.saturation.slows and self.slot == 0 else tick,
            powers=powers,
            classes=tuple(CoallocationNodes(*where, count) for where, count in sorted(counts.items())),
            tasks=tuple(job.tasks for job in self.jobs),
            durations=tuple(tuple(int(time / tick) for time in row) for row in times),
            link_capacity=tuple(int(value * unit) for value in capacities),
            link_bandwidth=tuple(int(min(value, total) * unit) for value in bandwidths),
            link_loads=tuple(loads[job.tasks, job.bandwidth] for job in self.jobs),
        )


def _loads_in_units(
    jobs: tuple[CoallocationJob, ...], others: list[Fraction]
) -> tuple[int, dict[tuple[int, Fraction], tuple[int, ...]]]:
    """Return the number of units in bandwidth 1, and the loads of jobs in these units by (τ, bandwidth of a task).

    All loads, multiples of b/(τ − 1), and the `others` are integers in these units.
    """
    shares = {(job.tasks, job.bandwidth): job.bandwidth / max(1, job.tasks - 1) for job in jobs}
    unit = lcm(*(value.denominator for value in others))
    counts = 0
    for (tasks, _), share in shares.items():
        counts += tasks // 2 + 1
        unit = lcm(unit, share.denominator)
        if counts * (6 + unit.bit_length() // 64) > COALLOCATION_MAX_WORDS:
            raise refused("instance", "its jobs have too many different numbers of tasks and bandwidths")
    loads = {}
    for (tasks, bandwidth), share in shares.items():
        rate = int(share * unit)
        half = [count * (tasks - count) * rate for count in range(tasks // 2 + 1)]
        loads[tasks, bandwidth] = (*half, *half[tasks - len(half) :: -1])  # symmetric: n and τ − n have equal loads
    return unit, loads


def read_coallocation(document: dict[str, Any]) -> CoallocationInstance:
    """Return the instance that a document of the problem ``coallocation`` describes."""
    optional = ("name", "slot", "saturation", "provenance")
    fields_of(document, "", "format", "version", "problem", "clusters", "jobs", optional=optional)
    slot = number_of(document.get("slot", 0), "slot", least=0)
    rows = rows_of(document["clusters"], "clusters", COALLOCATION_MAX_CLUSTERS)
    clusters = tuple(_read_cluster(row, where) for row, where in rows)
    jobs = tuple(_read_job(row, where) for row, where in rows_of(document["jobs"], "jobs", COALLOCATION_MAX_JOBS))
    for field, ids in (("clusters", [one.id for one in clusters]), ("jobs", [one.id for one in jobs])):
        if not ids:
            raise refused(field, "at least one is needed")
        check_different(ids, field, "two have the same id")
    nodes = sum(one.size for one in clusters)
    if nodes > COALLOCATION_MAX_NODES:
        raise refused("clusters", f"more than {COALLOCATION_MAX_NODES} nodes in all", nodes)
    for index, job in enumerate(jobs):
        if job.tasks > nodes:
            raise refused(f"jobs[{index}].tasks", f"more tasks than the {nodes} nodes there are", job.tasks)
    return CoallocationInstance(clusters, jobs, slot, _read_saturation(document.get("saturation", "forbid")))


def _read_cluster(row: Any, where: str) -> CoallocationCluster:
    fields_of(row, where, "id", "bandwidth", "nodes")
    groups = []
    for group, place in rows_of(row["nodes"], f"{where}.nodes", COALLOCATION_MAX_GROUPS):
        fields_of(group, place, "count", "power")
        power = number_of(group["power"], f"{place}.power", above=0, most=1)
        groups.append((integer_of(group["count"], f"{place}.count", 1), power))
    if not groups:
        raise refused(f"{where}.nodes", "at least one group of nodes is needed")
    bandwidth = number_of(row["bandwidth"], f"{where}.bandwidth", least=0)
    return CoallocationCluster(name_of(row["id"], f"{where}.id"), tuple(groups), bandwidth)


def _read_job(row: Any, where: str) -> CoallocationJob:
    fields_of(row, where, "id", "tasks", "base_time", optional=("bandwidth", "sigma"))
    return CoallocationJob(
        name_of(row["id"], f"{where}.id"),
        integer_of(row["tasks"], f"{where}.tasks", 1),
        number_of(row["base_time"], f"{where}.base_time", above=0),
        number_of(row.get("bandwidth", 0), f"{where}.bandwidth", least=0),
        number_of(row.get("sigma", 1), f"{where}.sigma", least=0, most=1),
    )


def _read_saturation(value: Any) -> LinkSaturation:
    fields = {"policy": value} if type(value) is str else value
    fields_of(fields, "saturation", "policy", optional=("threshold", "sharing"))
    policy = one_of(fields["policy"], "saturation", ("forbid", "slowdown"))
    sharing = one_of(fields.get("sharing", "paper"), "saturation.sharing", ("paper", "max-min"))
    threshold = fields.get("threshold")
    if threshold is not None:
        threshold = number_of(threshold, "saturation.threshold", above=0, most=1)
    if policy == "forbid" and (threshold is not None or sharing != "paper"):
        raise refused("saturation", "threshold and sharing are only valid for slowdown", policy)
    return LinkSaturation(policy == "slowdown", threshold, sharing)
