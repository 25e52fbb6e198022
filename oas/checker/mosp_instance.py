"""Instances of the Multi-Organization Scheduling Problem (MOSP): the document in a file, and its integers.

`read_mosp` takes the document of the format ``oas-instance`` with ``"problem": "mosp"`` as `json.load` gives it. Times
there are exact numbers in the instance's time unit; `MospInstance.scaled` has them in whole ticks.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

from oas.checker.errors import Refused, refused
from oas.checker.list_schedule import LOCAL_POLICIES, list_schedule
from oas.checker.reading import fields_of, integer_of, list_of, name_of, number_of

MOSP_MAX_TICKS = 2**53
MOSP_MAX_PROCESSORS = 2**53
MOSP_MAX_CLUSTERS = 10_000
MOSP_MAX_NODES = 1_000_000
MOSP_MAX_JOBS = 50_000
MOSP_MAX_RESERVATIONS = 100_000
MOSP_MAX_POLICY_STEPS = 10_000_000


@dataclass(frozen=True)
class MospJob:
    """A rigid job: `processors` of one cluster for `time`, started at `release` or later; times in the file's unit."""

    id: str
    time: Fraction
    processors: int
    release: Fraction


@dataclass(frozen=True)
class MospReservation:
    """Processors of a cluster that are not to be had in [start, end), in the file's time unit."""

    start: Fraction
    end: Fraction
    processors: int


@dataclass(frozen=True)
class MospOrganization:
    """An organization: the processors of its cluster, its jobs, and the reservations of its cluster."""

    id: str
    processors: int
    jobs: tuple[MospJob, ...]
    reservations: tuple[MospReservation, ...]


@dataclass(frozen=True)
class MospTicks:
    """An instance in whole ticks; jobs in the order of the organizations, clusters in that of the organizations.

    Attributes
    ----------
    tick
        One tick in the instance's time unit: 1/D, D the common denominator of all times, releases, reservations and
        local starts.
    processors
        m of each cluster.
    times, widths, releases, owners
        p, q, release and organization of each job.
    reservations
        (cluster, start, end, processors) of each.
    local_starts
        Start of each job in its organization's local schedule; empty where there is none.
    deadlines
        For each organization the last tick at which a job of its may end, rounded down; None without locality.
    """

    tick: Fraction
    processors: tuple[int, ...]
    times: tuple[int, ...]
    widths: tuple[int, ...]
    releases: tuple[int, ...]
    owners: tuple[int, ...]
    reservations: tuple[tuple[int, int, int, int], ...]
    local_starts: tuple[int, ...]
    deadlines: tuple[int | None, ...]

    @property
    def job_count(self) -> int:
        """Number of jobs."""
        return len(self.times)

    @property
    def cluster_count(self) -> int:
        """Number of clusters."""
        return len(self.processors)

    def to_time(self, ticks: int) -> Fraction:
        """Return `ticks` in the instance's time unit."""
        return ticks * self.tick


@dataclass(frozen=True)
class MospInstance:
    """Organizations whose jobs share the clusters, none of which may end after `locality` times its local makespan.

    Attributes
    ----------
    organizations
        At least one, with at least one job among them.
    locality
        At least 1, or None for no such constraint.
    local
        Start of each job by its id where each organization schedules its jobs on its own cluster; None for no local
        schedules.
    """

    organizations: tuple[MospOrganization, ...]
    locality: Fraction | None
    local: dict[str, Fraction] | None

    @cached_property
    def jobs(self) -> tuple[MospJob, ...]:
        """All jobs, by organization."""
        return tuple(job for one in self.organizations for job in one.jobs)

    @cached_property
    def owner(self) -> dict[str, int]:
        """Index of each job's organization, by job id."""
        return {job.id: k for k, one in enumerate(self.organizations) for job in one.jobs}

    @cached_property
    def local_makespans(self) -> tuple[Fraction | None, ...]:
        """C_loc of each organization: 0 for one without jobs, None where there is no local schedule."""
        starts = self.local
        if starts is None:
            return (None,) * len(self.organizations)
        return tuple(
            max((starts[job.id] + job.time for job in one.jobs), default=Fraction(0)) for one in self.organizations
        )

    @cached_property
    def deadlines(self) -> tuple[Fraction | None, ...]:
        """For each organization, when its jobs must have ended: locality · C_loc; None without locality."""
        locality = self.locality
        if locality is None:
            return (None,) * len(self.organizations)
        return tuple(None if alone is None else locality * alone for alone in self.local_makespans)

    def scaled(self) -> MospTicks:
        """Return the instance in ticks.

        Raises
        ------
        Refused
            If times add up to 2^53 ticks or more.
        """
        return self._scaled

    @cached_property
    def _scaled(self) -> MospTicks:
        moments = [moment for job in self.jobs for moment in (job.time, job.release)]
        moments += [moment for one in self.organizations for r in one.reservations for moment in (r.start, r.end)]
        local = self.local or {}
        moments += local.values()
        latest = sum((job.time for job in self.jobs), max(moments))
        unit = 1
        for moment in moments:
            unit = lcm(unit, moment.denominator)
            if latest * unit >= MOSP_MAX_TICKS:
                raise Refused("instance: times add up to 2^53 ticks of their common unit or more")

        def ticks(moment: Fraction) -> int:
            return moment.numerator * (unit // moment.denominator)

        return MospTicks(
            tick=Fraction(1, unit),
            processors=tuple(one.processors for one in self.organizations),
            times=tuple(ticks(job.time) for job in self.jobs),
            widths=tuple(job.processors for job in self.jobs),
            releases=tuple(ticks(job.release) for job in self.jobs),
            owners=tuple(self.owner[job.id] for job in self.jobs),
            reservations=tuple(
                (k, ticks(r.start), ticks(r.end), r.processors)
                for k, one in enumerate(self.organizations)
                for r in one.reservations
            ),
            local_starts=tuple(ticks(local[job.id]) for job in self.jobs if local),
            deadlines=tuple(None if moment is None else moment * unit // 1 for moment in self.deadlines),
        )


def read_mosp(document: dict[str, Any]) -> MospInstance:
    """Return the instance that a document of the problem ``mosp`` says.

    Raises
    ------
    Refused
        Naming the field and the value.
    """
    optional = ("name", "locality", "local", "seed", "provenance")
    fields_of(document, "", "format", "version", "problem", "organizations", optional=optional)
    locality = document.get("locality", 1)
    if locality is not None:
        locality = number_of(locality, "locality")
        if locality < 1:
            raise refused("locality", "must be at least 1, or null", locality)
    rows = list_of(document["organizations"], "organizations", most=MOSP_MAX_CLUSTERS)
    organizations = tuple(_read_organization(row, f"organizations[{k}]") for k, row in enumerate(rows))
    _check_organizations(organizations)
    return MospInstance(organizations, locality, _read_local(document, organizations, locality))


def _read_organization(row: Any, where: str) -> MospOrganization:
    fields_of(row, where, "id", "processors", "jobs", optional=("reservations",))
    processors = integer_of(row["processors"], f"{where}.processors", 1)
    jobs = []
    for index, one in enumerate(list_of(row["jobs"], f"{where}.jobs", most=MOSP_MAX_JOBS)):
        place = f"{where}.jobs[{index}]"
        fields_of(one, place, "id", "time", "processors", optional=("release",))
        job = MospJob(
            name_of(one["id"], f"{place}.id"),
            number_of(one["time"], f"{place}.time"),
            integer_of(one["processors"], f"{place}.processors", 1, processors),
            number_of(one.get("release", 0), f"{place}.release"),
        )
        if job.time <= 0:
            raise refused(f"{place}.time", "must be above 0", job.time)
        if job.release < 0:
            raise refused(f"{place}.release", "must not be negative", job.release)
        jobs.append(job)
    held = []
    for index, one in enumerate(list_of(row.get("reservations", []), f"{where}.reservations")):
        held.append(_read_reservation(one, f"{where}.reservations[{index}]"))
    if len(held) > MOSP_MAX_RESERVATIONS:
        raise refused(f"{where}.reservations", f"must have at most {MOSP_MAX_RESERVATIONS} entries", len(held))
    if most_in_use((one.start, one.end, one.processors) for one in held) > processors:
        raise refused(f"{where}.reservations", f"more is reserved at a time than the {processors} processors there are")
    return MospOrganization(name_of(row["id"], f"{where}.id"), processors, tuple(jobs), tuple(held))


def _read_reservation(row: Any, where: str) -> MospReservation:
    fields_of(row, where, "start", "end", "processors")
    start, end = number_of(row["start"], f"{where}.start"), number_of(row["end"], f"{where}.end")
    if start < 0:
        raise refused(f"{where}.start", "must not be negative", start)
    if end <= start:
        raise refused(f"{where}.end", f"must be after the start, {start}", end)
    return MospReservation(start, end, integer_of(row["processors"], f"{where}.processors", 1))


def _check_organizations(organizations: tuple[MospOrganization, ...]) -> None:
    if not any(one.jobs for one in organizations):
        raise refused("organizations", "at least one job is needed")
    ids = [one.id for one in organizations]
    jobs = [job.id for one in organizations for job in one.jobs]
    for what, names in (("organizations", ids), ("jobs", jobs)):
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise refused("organizations", f"two {what} have this id", name)
            seen.add(name)
    for what, limit, count in (
        ("jobs", MOSP_MAX_JOBS, len(jobs)),
        ("processors", MOSP_MAX_NODES, sum(one.processors for one in organizations)),
        ("reservations", MOSP_MAX_RESERVATIONS, sum(len(one.reservations) for one in organizations)),
    ):
        if count > limit:
            raise refused("organizations", f"more than {limit} {what} in all", count)


def _read_local(
    document: dict[str, Any], organizations: tuple[MospOrganization, ...], locality: Fraction | None
) -> dict[str, Fraction] | None:
    local = document.get("local")
    if "local" in document and type(local) not in (str, dict):
        raise refused("local", "must be a policy or the start of each job", local)
    if "seed" in document and local != "RND":
        raise refused("seed", "only the policy RND takes a seed", document["seed"])
    if local is None:
        if len(organizations) == 1 and locality is None:
            return None
        local = "HF"
    if isinstance(local, str):
        return _local_by_policy(organizations, local, integer_of(document.get("seed", 0), "seed"))
    starts = {name: number_of(start, "local") for name, start in local.items()}
    jobs = {job.id for one in organizations for job in one.jobs}
    for name in starts:
        if name not in jobs:
            raise refused("local", "no job has this id", name)
    for one in organizations:
        _check_local(one, starts)
    return starts


def _local_by_policy(organizations: tuple[MospOrganization, ...], policy: str, seed: int) -> dict[str, Fraction]:
    if policy not in LOCAL_POLICIES:
        raise refused("local", f"unknown policy; known: {', '.join(LOCAL_POLICIES)}", policy)
    steps = 0
    for one in organizations:
        steps += len(one.jobs) * (len(one.jobs) + len(one.reservations)) * (1 + len(one.reservations))
    if steps > MOSP_MAX_POLICY_STEPS:
        raise refused("local", "too many jobs and reservations for a policy; give the start of each job", policy)
    starts = {}
    for one in organizations:
        jobs = [(job.time, job.processors, job.release) for job in one.jobs]
        held = [(block.start, block.end, block.processors) for block in one.reservations]
        for job, start in zip(one.jobs, list_schedule(one.processors, jobs, held, policy, seed), strict=True):
            starts[job.id] = start
    return starts


def _check_local(one: MospOrganization, starts: dict[str, Fraction]) -> None:
    blocks = [(block.start, block.end, block.processors) for block in one.reservations]
    for job in one.jobs:
        if job.id not in starts:
            raise refused("local", "the job has no local start", job.id)
        if starts[job.id] < job.release:
            raise refused("local", f"starts before its release at {job.release}", job.id)
        blocks.append((starts[job.id], starts[job.id] + job.time, job.processors))
    if most_in_use(blocks) > one.processors:
        raise refused("local", f"the local schedule needs more than the {one.processors} processors there are", one.id)


def most_in_use(blocks: Any) -> int:
    """Return how many processors blocks (start, end, processors) use at most at one moment; 0 for none."""
    events = sorted(event for start, end, width in blocks for event in ((start, width), (end, -width)))
    usage, most = 0, 0
    for place, (moment, change) in enumerate(events):
        usage += change
        if place + 1 == len(events) or events[place + 1][0] != moment:
            most = max(most, usage)
    return most
