"""Instances of the Multi-Organization Scheduling Problem (MOSP), in exact times, whole ticks, and larger units."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import gcd, lcm
from typing import ClassVar, NamedTuple

from oas.checker.reading import Refused

MOSP_MAX_TICKS = 2**53


class MospJob(NamedTuple):
    """A rigid job: `processors` of one cluster for `time`, started at `release` or later; times in the file's unit."""

    id: str
    time: Fraction
    processors: int
    release: Fraction


class MospReservation(NamedTuple):
    """Processors of a cluster that are unavailable in [start, end), in the file's time unit."""

    start: Fraction
    end: Fraction
    processors: int


class MospOrganization(NamedTuple):
    """An organization: the processors of its cluster, its jobs, and the reservations of its cluster."""

    id: str
    processors: int
    jobs: tuple[MospJob, ...]
    reservations: tuple[MospReservation, ...]


@dataclass(frozen=True)
class MospTicks:
    """An instance in whole ticks; jobs in the order of the organizations, clusters in that of the organizations.

    If every job of a schedule starts as early as the others permit, its start is a release, the end of a reservation or
    0, plus times of other jobs. So some optimal schedule has only whole ticks; bounds are rounded up, deadlines down.
    """

    tick: Fraction  # 1/D of the instance's time unit, with the common denominator D of all times and local starts
    processors: tuple[int, ...]  # m of each cluster
    times: tuple[int, ...]  # p of each job
    widths: tuple[int, ...]  # q of each job
    releases: tuple[int, ...]
    owners: tuple[int, ...]  # organization of each job
    reservations: tuple[tuple[int, int, int, int], ...]  # (cluster, start, end, processors) of each
    deadlines: tuple[int | None, ...]  # deadline of each organization's jobs, rounded down; None for no deadline

    @property
    def job_count(self) -> int:
        """Number of jobs."""
        return len(self.times)

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
    local: dict[str, Fraction] | None  # start of each job in its local schedule; None for no local schedules
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
    def deadlines(self) -> tuple[Fraction | None, ...]:
        """Deadline of the jobs of each organization: locality times its local makespan; None for no limit."""
        starts = self.local
        if self.locality is None or starts is None:
            return (None,) * len(self.organizations)
        ends = [[starts[job.id] + job.time for job in one.jobs] for one in self.organizations]
        return tuple(self.locality * max(own, default=Fraction(0)) for own in ends)

    @cached_property
    def ticks(self) -> MospTicks:
        """Return the instance in ticks; a total of 2^53 ticks or more is refused."""
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


# Pairs of a moment and the number of processors free from then to the next moment. The first moment is 0.
FreeTimeline = list[tuple[int, int]]
# Begin and end of an interval; None for no end.
FreeGap = tuple[int, int | None]


def free_timelines(ticks: MospTicks) -> list[FreeTimeline]:
    """Return the number of processors of each cluster over time that are not reserved."""
    changes: list[dict[int, int]] = [{0: size} for size in ticks.processors]
    for cluster, start, end, width in ticks.reservations:
        steps = changes[cluster]
        steps[start] = steps.get(start, 0) - width
        steps[end] = steps.get(end, 0) + width
    timelines = []
    for steps in changes:
        free = 0
        timeline = []
        for moment in sorted(steps):
            free += steps[moment]
            timeline.append((moment, free))
        timelines.append(timeline)
    return timelines


def free_runs(ticks: MospTicks, horizon: int) -> list[list[tuple[int, int, int]]]:
    """Return for each cluster the intervals before the horizon, (begin, end, free processors) of each, ascending."""
    return [
        [
            (begin, min(end, horizon), free)
            for (begin, free), (end, _) in pairwise([*timeline, (horizon, 0)])
            if begin < horizon
        ]
        for timeline in free_timelines(ticks)
    ]


def ticks_in_units(ticks: MospTicks) -> tuple[MospTicks, int]:
    """Return the instance in units of the greatest common divisor of all times, releases and reservations.

    Starts can be rounded down to units without breaking a rule. Deadlines are rounded down; local starts are omitted.
    The second result is the number of ticks in a unit.
    """
    unit = gcd(*ticks.times, *ticks.releases, *(moment for _, *ends, _ in ticks.reservations for moment in ends))
    coarse = replace(
        ticks,
        times=tuple(one // unit for one in ticks.times),
        releases=tuple(one // unit for one in ticks.releases),
        reservations=tuple((k, start // unit, end // unit, q) for k, start, end, q in ticks.reservations),
        deadlines=tuple(None if one is None else one // unit for one in ticks.deadlines),
    )
    return coarse, unit


def free_gaps(timeline: FreeTimeline, width: int) -> list[FreeGap]:
    """Return the maximal intervals with `width` free processors, ascending; the last one has no end."""
    gaps: list[FreeGap] = []
    begin = None
    for moment, free in timeline:
        if free >= width and begin is None:
            begin = moment
        elif free < width and begin is not None:
            gaps.append((begin, moment))
            begin = None
    return [*gaps, (begin, None)] if begin is not None else gaps


def spread_out(values: list[int], count: int) -> list[int]:
    """Return `count` evenly spread values, including the first and the last; all if there are no more."""
    if len(values) <= count:
        return values
    return [values[index * (len(values) - 1) // (count - 1)] for index in range(count)]
