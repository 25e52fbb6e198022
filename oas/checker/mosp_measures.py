"""Measures: prices of processors over time, which limit the jobs that one cluster can run by a horizon.

A measure is a list of parts ``{"weights": [w, …], "prices": [[from, to, π], …]}``: a weight w of each job, and a price
π of each unit of time, 0 by default.

*Theorem.* In a part, a job that runs in [s, s + p) has the total weight w·Σ π over these units. Let W(c), a knapsack,
be the maximum of Σ w over jobs that fit on c processors together. Consider a moment, and add up the total weights of
the remaining running times of the running jobs and the minima of the waiting jobs over their starts. If this exceeds
Σ W(free)·π over the remaining units, both summed over all parts, then no schedule continues from there.

*Proof.* For each part, the jobs that run in a unit of time have at most the weight W(free)·π in it.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate
from operator import sub
from typing import NamedTuple

from oas.checker.effort import Effort
from oas.checker.mosp_instance import MospTicks, free_gaps, free_runs, ticks_in_units
from oas.checker.mosp_weights import heaviest_side_by_side
from oas.checker.reading import fields_of, integer_of, integers_of, list_of, refused, rows_of

MAX_TIMELINE_UNITS = 20_000
MAX_MEASURES = 200
MAX_MEASURE_CELLS = 10_000_000  # measures × jobs × units
MEASURE_LIMIT = 2**54  # for a weight, a price, and the total weight of all jobs or all moments
MEASURE_NEVER = 2**55  # above all weights of jobs


class TimelineJob(NamedTuple):
    """Time in units, processors, release, and deadline."""

    time: int
    width: int
    release: int
    end: int


class Timeline(NamedTuple):
    """An instance of one cluster with a makespan to be refuted; locality is ignored."""

    horizon: int  # the makespan in units
    unit: int  # in ticks
    free: list[int]  # processors that reservations leave free in each unit, and 0 at the horizon
    jobs: list[TimelineJob]  # in the order of the instance

    @classmethod
    def of(cls, scaled: MospTicks, horizon: int, *, mirrored: bool) -> Timeline:
        """Return the timeline; mirrored, time runs backwards from the horizon."""
        if len(scaled.processors) != 1:
            raise refused("certificate", "is for instances of one cluster", len(scaled.processors))
        if horizon > MAX_TIMELINE_UNITS:
            raise refused("certificate.makespan", f"must be at most {MAX_TIMELINE_UNITS:,} units", horizon)
        ticks, unit = ticks_in_units(scaled)
        free = [count for begin, end, count in free_runs(ticks, horizon)[0] for _ in range(begin, end)]
        rows = zip(ticks.times, ticks.widths, ticks.releases, strict=True)
        if mirrored:
            jobs = [TimelineJob(time, width, 0, horizon - release) for time, width, release in rows]
            return cls(horizon, unit, [*reversed(free), 0], jobs)
        return cls(horizon, unit, [*free, 0], [TimelineJob(*row, horizon) for row in rows])

    def starts(self, job: TimelineJob) -> list[tuple[int, int]]:
        """Return the intervals (first, last) of starts at which the job fits alongside the reservations."""
        intervals = []
        for begin, end in free_gaps(list(enumerate(self.free)), job.width):
            first, last = max(begin, job.release), min(end or 0, job.end) - job.time
            if first <= last:
                intervals.append((first, last))
        return intervals


class MeasureTable(NamedTuple):
    """A measure of the jobs in the order of a tree."""

    own: list[array[int]]  # own[j][t]: the weight of job j if it ran from 0 to t
    # least[j][t]: the minimum weight of job j over starts from t on; above all weights if there are none
    least: list[array[int]]
    room: list[int]  # room[t]: the maximum weight of all jobs from t on

    def too_heavy(self, moment: int, waiting: Sequence[int], running: Sequence[tuple[int, int]]) -> bool:
        """Return whether the jobs weigh more from `moment` on than the maximum.

        `waiting` are the jobs that have not started, `running` pairs (end, job) of started jobs, possibly ended.
        """
        least, own = self.least, self.own
        weight = sum([least[job][moment] for job in waiting])
        for end, job in running:
            if end > moment:
                weight += own[job][end] - own[job][moment]
        return weight > self.room[moment]


def measure_tables(document: object, timeline: Timeline, order: Sequence[int], effort: Effort) -> list[MeasureTable]:
    """Return the measures of a certificate for the jobs in this order."""
    measures = rows_of(document, "certificate.measures", MAX_MEASURES)
    if len(measures) * len(order) * (timeline.horizon + 1) > MAX_MEASURE_CELLS:
        raise refused("certificate.measures", f"measures times jobs times units are above {MAX_MEASURE_CELLS:,}")
    effort.spend(timeline.horizon * len(order))
    starts = [timeline.starts(timeline.jobs[job]) for job in order]
    tables = []
    for parts, field in measures:
        room, sums = [0] * timeline.horizon, []
        for part, place in rows_of(parts, field, MAX_MEASURES):
            weights, prices = _read_part(part, timeline, place)
            effort.spend(timeline.horizon)
            most = heaviest_side_by_side(weights, [job.width for job in timeline.jobs], max(timeline.free), effort)
            within = {free: most.within(free) for free in {*timeline.free}}
            room = [
                value + within[free] * price for value, free, price in zip(room, timeline.free, prices, strict=False)
            ]
            sums.append((weights, list(accumulate(prices, initial=0))))
        table = MeasureTable([], [], list(accumulate(reversed(room), initial=0))[::-1])
        for job, intervals in zip(order, starts, strict=True):
            own = [0] * (timeline.horizon + 1)
            for weights, priced in sums:
                if weights[job]:
                    effort.spend(timeline.horizon)
                    own = [value + weights[job] * price for value, price in zip(own, priced, strict=True)]
            if max(own[-1] * len(order), table.room[0]) > MEASURE_LIMIT:
                raise refused("certificate.measures", "weights times prices of a measure are too large")
            table.own.append(array("q", own))
            table.least.append(_least_weights(own, timeline.jobs[job].time, intervals))
        tables.append(table)
    return tables


def _least_weights(own: Sequence[int], time: int, starts: Sequence[tuple[int, int]]) -> array[int]:
    """Return the minimum weight of a job over starts from each unit on; above all weights if there are none."""
    least = [MEASURE_NEVER] * len(own)
    for first, last in starts:
        least[first : last + 1] = map(sub, own[first + time : last + time + 1], own[first : last + 1])
    return array("q", list(accumulate(reversed(least), min))[::-1])


def _read_part(value: object, timeline: Timeline, field: str) -> tuple[list[int], list[int]]:
    """Return the weights of the jobs in the order of the instance, and the price of each unit."""
    document = fields_of(value, field, "weights", "prices")
    weights = integers_of(document["weights"], f"{field}.weights", len(timeline.jobs), MEASURE_LIMIT)
    prices = [0] * timeline.horizon
    last = 0
    for run, where in rows_of(document["prices"], f"{field}.prices"):
        first, end, price = (integer_of(one, where, 0, MEASURE_LIMIT) for one in list_of(run, where, 3))
        if not last <= first < end <= timeline.horizon:
            raise refused(where, "must be [from, to, price], ascending and at most up to the makespan", run)
        prices[first:end] = [price] * (end - first)
        last = end
    return weights, prices
