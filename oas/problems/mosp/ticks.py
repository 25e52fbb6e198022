"""A MOSP instance in integers, as solvers, searches and compiled loops use it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, gcd
from typing import TYPE_CHECKING

from oas.core.errors import TooLargeError
from oas.core.numbers import common_denominator

if TYPE_CHECKING:
    from oas.problems.mosp.instance import MospInstance

# Ticks must survive a float solver: the largest sum stays below 2^53.
MAX_TICKS = 2**53
# Compiled loops count processors in 64 bits, and multiply them by times in floats only.
MAX_PROCESSORS = 2**53


@dataclass(frozen=True)
class ScaledMosp:
    """An instance in integer ticks; jobs in the order of `MospInstance.jobs`, clusters in that of the organizations."""

    # One tick in the instance's time unit: 1/D, D the common denominator of all times, releases, reservations and local
    # starts. Every start worth considering is a sum of those, so a multiple of it.
    tick: Fraction
    processors: tuple[int, ...]  # m of each cluster
    # times, widths, releases, owners: p, q, release and organization of each job
    times: tuple[int, ...]
    widths: tuple[int, ...]
    releases: tuple[int, ...]
    owners: tuple[int, ...]
    reservations: tuple[tuple[int, int, int, int], ...]  # (cluster, start, end, processors) of each
    # Start of each job in its organization's local schedule; empty where the instance carries none.
    local_starts: tuple[int, ...]
    # For each organization the last tick at which a job of its may end, rounded down; None without locality.
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


def scale_mosp(instance: MospInstance) -> ScaledMosp:
    """Return `instance` in integers.

    Raises `TooLargeError` if times add up to 2^53 ticks or more, or the clusters have 2^53 processors or more.
    """
    if instance.node_count >= MAX_PROCESSORS:
        raise TooLargeError(f"{instance.node_count:,} processors; fewer than 2^53 can be counted")
    moments = [job.time for job in instance.jobs] + [job.release for job in instance.jobs]
    moments += [moment for one in instance.organizations for r in one.reservations for moment in (r.start, r.end)]
    local = instance.local or {}
    moments += local.values()
    denominator = common_denominator(moments, int(MAX_TICKS / max(moments)))
    tick = Fraction(1, denominator)
    if max(moments) * denominator >= MAX_TICKS or _latest(instance, max(moments)) * denominator >= MAX_TICKS:
        raise TooLargeError("times add up to 2^53 ticks of their common unit or more; coarser times are needed")

    def ticks(moment: Fraction) -> int:
        return moment.numerator * (denominator // moment.denominator)

    return ScaledMosp(
        tick=tick,
        processors=tuple(one.processors for one in instance.organizations),
        times=tuple(ticks(job.time) for job in instance.jobs),
        widths=tuple(job.processors for job in instance.jobs),
        releases=tuple(ticks(job.release) for job in instance.jobs),
        owners=tuple(instance.owner[job.id] for job in instance.jobs),
        reservations=tuple(
            (k, ticks(r.start), ticks(r.end), r.processors)
            for k, one in enumerate(instance.organizations)
            for r in one.reservations
        ),
        local_starts=tuple(ticks(local[job.id]) for job in instance.jobs if local),
        deadlines=tuple(None if moment is None else floor(moment / tick) for moment in instance.deadlines),
    )


def coarsened(scaled: ScaledMosp) -> tuple[ScaledMosp, int]:
    """Return the instance in units of the common divisor of its times, releases and reservations, and that divisor.

    Starts rounded down to a unit keep every rule: what then runs from t to t + 1 ran just before t + 1, so it fitted,
    and deadlines rounded down are kept, for times are whole units. Local starts count for nothing but the deadlines.
    """
    moments = [moment for _, start, end, _ in scaled.reservations for moment in (start, end)]
    unit = gcd(*scaled.times, *scaled.releases, *moments)
    coarse = replace(
        scaled,
        tick=scaled.tick * unit,
        times=tuple(time // unit for time in scaled.times),
        releases=tuple(release // unit for release in scaled.releases),
        reservations=tuple(
            (k, start // unit, end // unit, processors) for k, start, end, processors in scaled.reservations
        ),
        local_starts=tuple(start // unit for start in scaled.local_starts),
        deadlines=tuple(None if moment is None else moment // unit for moment in scaled.deadlines),
    )
    return coarse, unit


def _latest(instance: MospInstance, last: Fraction) -> Fraction:
    """When everything has ended, were the jobs to run one by one after the last moment named in the instance."""
    return sum((job.time for job in instance.jobs), last)
