"""Instances of the co-allocation problem: the document in a file, and its integers.

`read_coallocation` takes the document of the format ``oas-instance`` with ``"problem": "coallocation"`` as `json.load`
gives it. Numbers there are exact, in the instance's units; `CoallocationInstance.scaled` has whole ticks, node classes
and link loads in whole units.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any

from oas.checker.errors import Refused, refused
from oas.checker.reading import fields_of, integer_of, list_of, name_of, number_of

COALLOCATION_MAX_TICKS = 2**53
COALLOCATION_MAX_CLUSTERS = 10_000
COALLOCATION_MAX_GROUPS = 10_000
COALLOCATION_MAX_NODES = 100_000
COALLOCATION_MAX_JOBS = 50_000
# Of the instance in ticks: durations by job and level, and words of 64 bits that hold all loads by number of tasks.
COALLOCATION_MAX_DURATIONS = 3_000_000
COALLOCATION_MAX_WORDS = 40_000_000


@dataclass(frozen=True)
class CoallocationCluster:
    """A cluster: `groups` of nodes (how many, Γ), numbered from 0 through the groups, and its link's bandwidth MBW."""

    id: str
    groups: tuple[tuple[int, Fraction], ...]
    bandwidth: Fraction

    @property
    def size(self) -> int:
        """Number of nodes."""
        return sum(count for count, _ in self.groups)

    @cached_property
    def node_powers(self) -> tuple[Fraction, ...]:
        """Γ of each node, by node number."""
        return tuple(power for count, power in self.groups for _ in range(count))


@dataclass(frozen=True)
class CoallocationJob:
    """A job: τ tasks, Tb, the bandwidth that each task needs, and σ, the share of processing."""

    id: str
    tasks: int
    base_time: Fraction
    bandwidth: Fraction
    sigma: Fraction

    def duration(self, power: Fraction, slot: Fraction) -> Fraction:
        """Return Tb·(σ/Γ + 1 − σ), the run time where the slowest node has Γ = `power`, in whole slots if there are."""
        time = self.base_time * (self.sigma / power + 1 - self.sigma)
        return time if slot == 0 else -(-time // slot) * slot

    def link_load(self, count: int) -> Fraction:
        """Return the load on the link of a cluster that holds `count` of the tasks: n·b·(τ − n)/(τ − 1), 0 at τ = 1."""
        if self.tasks == 1:
            return Fraction(0)
        return count * self.bandwidth * Fraction(self.tasks - count, self.tasks - 1)


@dataclass(frozen=True)
class LinkSaturation:
    """What happens when jobs ask more of a link than it has.

    Attributes
    ----------
    policy
        ``forbid`` or ``slowdown``.
    threshold
        slowdown: no link is asked for more than MBW / threshold; None for any amount, but nothing where MBW is 0.
    sharing
        slowdown: ``paper`` or ``max-min``.
    """

    policy: str
    threshold: Fraction | None
    sharing: str

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
        words = [self.policy]
        if self.threshold is not None:
            words.append(f"threshold {self.threshold}")
        if self.sharing != "paper":
            words.append(self.sharing)
        return ", ".join(words)


@dataclass(frozen=True)
class CoallocationNodes:
    """The nodes of one cluster with one Γ: index of the cluster, of Γ in `CoallocationTicks.powers`, the numbers."""

    cluster: int
    level: int
    nodes: tuple[int, ...]


@dataclass(frozen=True)
class CoallocationTicks:
    """An instance in whole ticks.

    Attributes
    ----------
    tick
        η if η > 0, otherwise 1/D with D the common denominator of every duration. 0 for none: where saturated links
        slow jobs down in continuous time no grid holds all times.
    powers
        The distinct Γ, fastest first. Level l means: only nodes with Γ ≥ powers[l].
    classes
        Nodes by cluster, then fastest first.
    tasks
        τ of each job.
    durations
        durations[j][l]: ticks that job j runs when the slowest node it uses has level l and no link is saturated; in
        units of 1/D where there is no grid.
    link_capacity
        What each link may be asked for, in a common whole unit: at most what all jobs together can ask.
    link_bandwidth
        MBW of each link, same unit, at most what all jobs together can ask.
    link_loads
        link_loads[j][n]: load of job j on the link of a cluster that holds n of its tasks, same unit.
    """

    tick: Fraction
    powers: tuple[Fraction, ...]
    classes: tuple[CoallocationNodes, ...]
    tasks: tuple[int, ...]
    durations: tuple[tuple[int, ...], ...]
    link_capacity: tuple[int, ...]
    link_bandwidth: tuple[int, ...]
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

    Attributes
    ----------
    slot
        η: starts fall on multiples of it, durations are rounded up to it; 0 for continuous time.
    """

    clusters: tuple[CoallocationCluster, ...]
    jobs: tuple[CoallocationJob, ...]
    slot: Fraction
    saturation: LinkSaturation

    @cached_property
    def node_count(self) -> int:
        """Number of nodes in all clusters."""
        return sum(cluster.size for cluster in self.clusters)

    @property
    def variant(self) -> str:
        """The variant of the rules: ``forbid``, ``slowdown`` or ``slowdown, max-min``."""
        return "slowdown, max-min" if self.saturation.sharing == "max-min" else self.saturation.policy

    def scaled(self) -> CoallocationTicks:
        """Return the instance in ticks.

        Raises
        ------
        Refused
            If the durations add up to 2^53 ticks or more, or there are too many different numbers.
        """
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
        shares = [min(value, total) for value in bandwidths]
        unit, loads = self._loads_in_units([*bandwidths, *capacities])
        return CoallocationTicks(
            tick=Fraction(0) if self.saturation.slows and self.slot == 0 else tick,
            powers=powers,
            classes=tuple(self._node_classes(powers)),
            tasks=tuple(job.tasks for job in self.jobs),
            durations=tuple(tuple(int(time / tick) for time in row) for row in times),
            link_capacity=tuple(int(value * unit) for value in capacities),
            link_bandwidth=tuple(int(value * unit) for value in shares),
            link_loads=tuple(loads[job.tasks, job.bandwidth] for job in self.jobs),
        )

    def _loads_in_units(self, others: list[Fraction]) -> tuple[int, dict[tuple[int, Fraction], tuple[int, ...]]]:
        """Return how many units of bandwidth make 1, and in these the loads of jobs by (τ, bandwidth of a task).

        It is the least number with which all loads and the `others` are whole. The loads n·(τ − n)·b/(τ − 1) of a job
        are whole where b/(τ − 1) times the common divisor of all n·(τ − n) is, which is that of τ − 1 and 2.
        """
        shares = {(job.tasks, job.bandwidth): job.bandwidth / max(1, job.tasks - 1) for job in self.jobs}
        unit = lcm(*(value.denominator for value in others))
        halves = 0
        for (tasks, _), share in shares.items():
            halves += tasks // 2 + 1
            unit = lcm(unit, (share * gcd(tasks - 1, 2)).denominator if tasks > 1 else 1)
            if halves * (6 + unit.bit_length() // 64) > COALLOCATION_MAX_WORDS:
                raise Refused("instance: its jobs have too many different numbers of tasks and bandwidths")
        loads = {}
        for (tasks, bandwidth), share in shares.items():
            number, parts = (share * unit).as_integer_ratio() if tasks > 1 else (0, 1)
            half = [count * (tasks - count) * number // parts for count in range(tasks // 2 + 1)]
            loads[tasks, bandwidth] = (*half, *half[tasks - len(half) :: -1])  # it is the same from the other end
        return unit, loads

    def _node_classes(self, powers: tuple[Fraction, ...]) -> list[CoallocationNodes]:
        level_of = {power: level for level, power in enumerate(powers)}
        found = []
        for index, cluster in enumerate(self.clusters):
            numbers: dict[int, list[int]] = {}
            for node, power in enumerate(cluster.node_powers):
                numbers.setdefault(level_of[power], []).append(node)
            found += [CoallocationNodes(index, level, tuple(numbers[level])) for level in sorted(numbers)]
        return found


def read_coallocation(document: dict[str, Any]) -> CoallocationInstance:
    """Return the instance that a document of the problem ``coallocation`` says.

    Raises
    ------
    Refused
        Naming the field and the value.
    """
    optional = ("name", "slot", "saturation", "provenance")
    fields_of(document, "", "format", "version", "problem", "clusters", "jobs", optional=optional)
    slot = number_of(document.get("slot", 0), "slot")
    if slot < 0:
        raise refused("slot", "must not be negative", slot)
    rows = list_of(document["clusters"], "clusters", most=COALLOCATION_MAX_CLUSTERS)
    clusters = tuple(_read_cluster(row, f"clusters[{index}]") for index, row in enumerate(rows))
    rows = list_of(document["jobs"], "jobs", most=COALLOCATION_MAX_JOBS)
    jobs = tuple(_read_job(row, f"jobs[{index}]") for index, row in enumerate(rows))
    for what, ids in (("clusters", [one.id for one in clusters]), ("jobs", [one.id for one in jobs])):
        if not ids:
            raise refused(what, "at least one is needed")
        seen: set[str] = set()
        for index, name in enumerate(ids):
            if name in seen:
                raise refused(f"{what}[{index}].id", "another one has the same id", name)
            seen.add(name)
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
    for index, group in enumerate(list_of(row["nodes"], f"{where}.nodes", most=COALLOCATION_MAX_GROUPS)):
        place = f"{where}.nodes[{index}]"
        fields_of(group, place, "count", "power")
        power = number_of(group["power"], f"{place}.power")
        if not 0 < power <= 1:
            raise refused(f"{place}.power", "must be above 0 and at most 1", power)
        groups.append((integer_of(group["count"], f"{place}.count", 1), power))
    if not groups:
        raise refused(f"{where}.nodes", "at least one group of nodes is needed")
    bandwidth = number_of(row["bandwidth"], f"{where}.bandwidth")
    if bandwidth < 0:
        raise refused(f"{where}.bandwidth", "must not be negative", bandwidth)
    return CoallocationCluster(name_of(row["id"], f"{where}.id"), tuple(groups), bandwidth)


def _read_job(row: Any, where: str) -> CoallocationJob:
    fields_of(row, where, "id", "tasks", "base_time", optional=("bandwidth", "sigma"))
    job = CoallocationJob(
        name_of(row["id"], f"{where}.id"),
        integer_of(row["tasks"], f"{where}.tasks", 1),
        number_of(row["base_time"], f"{where}.base_time"),
        number_of(row.get("bandwidth", 0), f"{where}.bandwidth"),
        number_of(row.get("sigma", 1), f"{where}.sigma"),
    )
    if job.base_time <= 0:
        raise refused(f"{where}.base_time", "must be above 0", job.base_time)
    if job.bandwidth < 0:
        raise refused(f"{where}.bandwidth", "must not be negative", job.bandwidth)
    if not 0 <= job.sigma <= 1:
        raise refused(f"{where}.sigma", "must be between 0 and 1", job.sigma)
    return job


def _read_saturation(value: Any) -> LinkSaturation:
    fields = {"policy": value} if type(value) is str else value
    fields_of(fields, "saturation", "policy", optional=("threshold", "sharing"))
    policy, sharing = fields["policy"], fields.get("sharing", "paper")
    if policy not in ("forbid", "slowdown"):
        raise refused("saturation", "unknown policy; known: forbid, slowdown", policy)
    if sharing not in ("paper", "max-min"):
        raise refused("saturation.sharing", "unknown sharing; known: paper, max-min", sharing)
    threshold = fields.get("threshold")
    if threshold is not None:
        threshold = number_of(threshold, "saturation.threshold")
        if not 0 < threshold <= 1:
            raise refused("saturation.threshold", "must be above 0 and at most 1", threshold)
    if policy == "forbid" and (threshold is not None or sharing != "paper"):
        raise refused("saturation", "threshold and sharing go with slowdown alone", policy)
    return LinkSaturation(policy, threshold, sharing)
