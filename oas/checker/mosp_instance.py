"""Instances of the Multi-Organization Scheduling Problem (MOSP), in the time unit of the file and in whole ticks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import ClassVar

from oas.checker.reading import Refused

MOSP_MAX_TICKS = 2**53


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
    """An instance in whole ticks; jobs in the order of the organizations, clusters in that of the organizations."""

    tick: Fraction  # 1/D of the instance's time unit, D the common denominator of all times and local starts
    processors: tuple[int, ...]  # m of each cluster
    times: tuple[int, ...]  # p of each job
    widths: tuple[int, ...]  # q of each job
    releases: tuple[int, ...]
    owners: tuple[int, ...]  # organization of each job
    reservations: tuple[tuple[int, int, int, int], ...]  # (cluster, start, end, processors) of each
    deadlines: tuple[int | None, ...]  # of each organization, the last end of its jobs, rounded down; None for none

    @property
    def job_count(self) -> int:
        """Number of jobs."""
        return len(self.times)

    @property
    def cluster_count(self) -> int:
        """Number of clusters."""
        return len(self.processors)

    @property
    def cluster_sizes(self) -> list[tuple[int, int]]:
        """The sizes of clusters, ascending, and the number of clusters of each."""
        return sorted(Counter(self.processors).items())

    def to_time(self, ticks: int) -> Fraction:
        """Return `ticks` in the instance's time unit."""
        return ticks * self.tick


@dataclass(frozen=True)
class MospInstance:
    """Organizations whose jobs share the clusters; each must end by `locality` times its local makespan."""

    organizations: tuple[MospOrganization, ...]  # at least one, with at least one job among them
    locality: Fraction | None  # at least 1, or None for no such constraint
    local: dict[str, Fraction] | None  # start of each job in its organization's local schedule; None for no such ones
    problem: ClassVar[str] = "mosp"

    @cached_property
    def jobs(self) -> tuple[MospJob, ...]:
        """All jobs, by organization."""
        return tuple(job for one in self.organizations for job in one.jobs)

    @cached_property
    def owner(self) -> dict[str, int]:
        """Index of each job's organization, by job id."""
        return {job.id: k for k, one in enumerate(self.organizations) for job in one.jobs}

    @cached_property
    def local_makespans(self) -> tuple[Fraction, ...] | None:
        """C_loc of each organization, 0 for one without jobs; None without local schedules."""
        starts = self.local
        if starts is None:
            return None
        ends = [[starts[job.id] + job.time for job in one.jobs] for one in self.organizations]
        return tuple(max(own, default=Fraction(0)) for own in ends)

    @cached_property
    def deadlines(self) -> tuple[Fraction | None, ...]:
        """For each organization, when its jobs must have ended: locality · C_loc; None without locality."""
        if self.locality is None or self.local_makespans is None:
            return (None,) * len(self.organizations)
        return tuple(self.locality * alone for alone in self.local_makespans)

    def scaled(self) -> MospTicks:
        """Return the instance in ticks; times that add up to 2^53 ticks or more are refused."""
        return self._scaled

    @cached_property
    def _scaled(self) -> MospTicks:
        moments = [moment for job in self.jobs for moment in (job.time, job.release)]
        moments += [moment for one in self.organizations for r in one.reservations for moment in (r.start, r.end)]
        moments += (self.local or {}).values()
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
            deadlines=tuple(None if moment is None else moment * unit // 1 for moment in self.deadlines),
        )
