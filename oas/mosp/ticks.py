"""MOSP instances in integers, for solvers, searches and kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, gcd
from typing import TYPE_CHECKING

from oas.core.errors import TooLargeError
from oas.core.numbers import common_denominator

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.mosp.instance import MospInstance

MAX_TICKS = 2**53  # limit of sums of ticks, which float solvers must represent exactly


@dataclass(frozen=True)
class ScaledMosp:
    """An instance in integer ticks; jobs in the order of `MospInstance.jobs`, clusters in that of the organizations."""

    # One tick in the instance's time unit: 1/D, where D is the common denominator of all times, releases, reservations
    # and local starts. Some optimal schedule has only sums of these as starts, so multiples of the tick.
    tick: Fraction
    processors: tuple[int, ...]  # m of each cluster
    # times, widths, releases, owners: p, q, release and organization of each job
    times: tuple[int, ...]
    widths: tuple[int, ...]
    releases: tuple[int, ...]
    owners: tuple[int, ...]
    reservations: tuple[tuple[int, int, int, int], ...]  # (cluster, start, end, processors) of each
    # Start of each job in its organization's local schedule; empty if the instance has no local schedules.
    local_starts: tuple[int, ...]
    deadlines: tuple[int | None, ...]  # deadline of each organization's jobs, rounded down; None without locality

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
        return Fraction(ticks * self.tick.numerator, self.tick.denominator)  # faster than a product of fractions


def scale_mosp(instance: MospInstance, further: Iterable[Fraction] = ()) -> ScaledMosp:
    """Return `instance` in integers, in ticks that divide the `further` times, too.

    Raises `TooLargeError` if times add up to 2^53 ticks or more.
    """
    moments = [job.time for job in instance.jobs] + [job.release for job in instance.jobs]
    moments += [moment for one in instance.organizations for r in one.reservations for moment in (r.start, r.end)]
    local = instance.local or {}
    moments += [*local.values(), *further]
    largest = max(moments)
    denominator = common_denominator(moments, int(MAX_TICKS / largest))

    def ticks(moment: Fraction) -> int:
        return moment.numerator * (denominator // moment.denominator)

    too_fine = largest * denominator >= MAX_TICKS  # the denominator may then not be a common one
    times = () if too_fine else tuple(ticks(job.time) for job in instance.jobs)
    if too_fine or ticks(largest) + sum(times) >= MAX_TICKS:  # with the jobs one by one after all moments
        raise TooLargeError("times add up to 2^53 ticks of their common unit or more; coarser times are needed")
    tick = Fraction(1, denominator)
    return ScaledMosp(
        tick=tick,
        processors=tuple(one.processors for one in instance.organizations),
        times=times,
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

    Starts can be rounded down to such units: the jobs that then run from t to t + 1 ran at the same time just before
    t + 1, so they fit together; and rounded deadlines are met, since times are whole units. Local starts matter only
    for the deadlines.
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
