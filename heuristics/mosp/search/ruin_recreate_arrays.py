"""A MOSP instance as the loops of ruin and recreate see it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from heuristics.mosp.search.ruin_recreate_kernels import TAKEN, TRIED, WINDOWS, Memory, Problem
from oas.problems.mosp.runs import first_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.mosp.ticks import ScaledMosp

MANY_JOBS = 200  # from there on rounds of the beam on one cluster are not worth their time
KEY = 10**6  # greatest key by which jobs are sorted
NARROWER, WIDER = 40, 20  # parts of the largest cluster by which jobs about as wide may differ
WEIGHT = 7.65  # of a whole cluster for the mean time; a temperature of 1 goes with it
PLAIN, HIGH = 0.3, 0.5  # what a job weighs by its time alone, and more where it is high, beside its share of processors


def make_problem(scaled: ScaledMosp) -> Problem:
    """Return the instance as lists of integers.

    Times and processors are below 2^53 (`scale_mosp`), `never` beside them below 2^63; keys are at most 2·KEY, blurred
    2·KEY·1410. Processors times ticks are floats.
    """
    mean = sum(scaled.times) // scaled.job_count + 1
    never = 2**62
    deadlines = [scaled.deadlines[owner] for owner in scaled.owners]
    largest = max(scaled.processors)
    by_width = sorted(range(scaled.job_count), key=lambda job: (scaled.widths[job], job))
    widths = [scaled.widths[job] for job in by_width]
    return Problem(
        sizes=[
            scaled.job_count,
            scaled.cluster_count,
            2 * (scaled.job_count + len(scaled.reservations)) + 4,
            min(max(scaled.times), mean),
            mean,
            *_buckets(scaled),
            max(scaled.times),
        ],
        times=list(scaled.times),
        widths=list(scaled.widths),
        releases=list(scaled.releases),
        deadlines=[never if moment is None else moment for moment in deadlines],
        processors=list(scaled.processors),
        blocked=[number for reservation in scaled.reservations for number in reservation],
        keys=_keys(scaled),
        weights=weights(scaled),
        by_width=by_width,
        alike_first=[bisect_left(widths, width - largest // NARROWER) for width in scaled.widths],
        alike_last=[bisect_right(widths, width + largest // WIDER) for width in scaled.widths],
    )


def make_memory(scaled: ScaledMosp) -> Memory:
    """Return room for the loops' work, all jobs unplaced."""
    jobs, clusters = scaled.job_count, scaled.cluster_count
    steps = 2 * (jobs + len(scaled.reservations)) + 4
    room = WINDOWS * TAKEN + TRIED

    def zeros(count: int) -> list[int]:
        return [0] * count

    return Memory(
        cluster=[clusters] * jobs,
        start=zeros(jobs),
        unplaced=zeros(jobs),
        position=zeros(jobs),
        counters=zeros(3),
        head=zeros(clusters * _buckets(scaled)[1]),
        after=zeros(jobs),
        before=zeros(jobs),
        weight=[0.0] * jobs,
        moments=zeros(clusters * steps),
        free=zeros(clusters * steps),
        count=zeros(clusters),
        window_moments=zeros(WINDOWS * steps),
        window_free=zeros(WINDOWS * steps),
        window_count=zeros(WINDOWS),
        window_cluster=zeros(WINDOWS),
        window_first=zeros(WINDOWS),
        window_last=zeros(WINDOWS),
        chosen=zeros(room),
        chosen_window=zeros(room),
        chosen_start=zeros(room),
        key=zeros(jobs),
    )


def fills_alone(scaled: ScaledMosp) -> bool:
    """Tell whether there is one cluster, with few jobs, none wider than half of it: an event beam helps with these."""
    if scaled.cluster_count > 1 or scaled.job_count >= MANY_JOBS:
        return False
    return 2 * max(scaled.widths) <= scaled.processors[0]


def weights(scaled: ScaledMosp) -> list[float]:
    """Return the cost of leaving each job unplaced: by time and area, more for jobs of which no two fit side by side.

    Where high jobs follow one another all the time, as they must when they are what bounds the makespan, one left over
    can only go where two others make room for it. With few narrow jobs on one cluster the area alone is better, as
    measured.
    """
    if fills_alone(scaled):
        areas = [float(time) * float(width) for time, width in zip(scaled.times, scaled.widths, strict=True)]
        return [WEIGHT * scaled.job_count * area / sum(areas) for area in areas]
    unit = WEIGHT * scaled.job_count / sum(scaled.times) / scaled.cluster_count
    found = []
    for time, width in zip(scaled.times, scaled.widths, strict=True):
        shares = sum(PLAIN + min(1.0, width / size) + HIGH * (2 * width > size) for size in scaled.processors)
        found.append(unit * time * shares)
    return found


def _keys(scaled: ScaledMosp) -> list[int]:
    """Widest, longest, greatest area, high before low, first due: the orders in which jobs are placed."""
    largest = max(scaled.processors)
    longest = max(scaled.times)
    jobs = range(scaled.job_count)
    times = [KEY * (longest - time) // longest for time in scaled.times]
    widths = [KEY * (largest - width) // largest for width in scaled.widths]
    areas = [
        KEY * (largest * longest - time * width) // (largest * longest)
        for time, width in zip(scaled.times, scaled.widths, strict=True)
    ]
    high = [times[job] + (0 if 2 * scaled.widths[job] > largest else KEY) for job in jobs]
    return [*widths, *times, *areas, *high, *_due(scaled)]


def _due(scaled: ScaledMosp) -> Sequence[int]:
    latest = max((moment for moment in scaled.deadlines if moment is not None), default=0) or 1
    moments = [scaled.deadlines[owner] for owner in scaled.owners]
    return [KEY if moment is None else KEY * moment // latest for moment in moments]


def _buckets(scaled: ScaledMosp) -> tuple[int, int]:
    """Return ticks in a bucket, two thirds of the mean time or more, and buckets of a cluster: no more than 4 a job."""
    horizon = max(run.start + scaled.times[run.job] for run in first_runs(scaled))
    mean = sum(scaled.times) // scaled.job_count + 1
    ticks = max(1, 2 * mean // 3, horizon // (4 * scaled.job_count))
    return ticks, horizon // ticks + 1
