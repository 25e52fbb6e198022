"""Measures: prices of processors over time, which bound what a schedule of one cluster can hold until a horizon.

A measure is a list of parts ``{"weights": [w, …], "prices": [[from, to, π], …]}``: a weight w of each job, a price π of
each unit of time, 0 if none is given.

*Theorem.* By a part a job that runs in [s, s + p) weighs w·Σ π over these units. Let jobs that fit on c processors
together weigh at most W(c), a knapsack. If from a moment on the rest of the running jobs, and the other jobs at their
cheapest starts, weigh more than Σ W(free)·π, both summed over all parts, no schedule continues from there.

*Proof.* The jobs that run in a unit weigh at most W(free)·π in it, by each part.
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
MEASURE_LIMIT = 2**54  # of a weight, a price, and the total weight of all jobs or all moments by a measure
MEASURE_NEVER = 2**55  # above all weights of jobs


class TimelineJob(NamedTuple):
    """Time in units, processors, from when it may run, and by when it must have ended."""

    time: int
    width: int
    release: int
    end: int


class Timeline(NamedTuple):
    """An instance of one cluster, and a makespan that is asked for; locality is left out."""

    horizon: int  # the makespan in units
    unit: int  # in ticks
    free: list[int]  # processors that reservations leave free in each unit, and 0 at the horizon
    jobs: list[TimelineJob]  # in the order of the instance

    @classmethod
    def of(cls, scaled: MospTicks, horizon: int, *, mirrored: bool) -> Timeline:
        """Return the timeline; mirrored, time runs backwards from the horizon."""
        if len(scaled.processors) != 1:
            raise refused("certificate", "only one cluster can be weighed moment by moment", len(scaled.processors))
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
        """Return the intervals, (first, last), of starts at which reservations leave room for the job."""
        found = []
        for begin, end in free_gaps(list(enumerate(self.free)), job.width):
            first, last = max(begin, job.release), min(end or 0, job.end) - job.time
            if first <= last:
                found.append((first, last))
        return found


class MeasureTable(NamedTuple):
    """A measure of the jobs in the order of a tree."""

    own: list[array[int]]  # own[j][t]: what job j would weigh if it ran from 0 to t
    # least[j][t]: what it weighs at least if it starts at t or later; above all weights if it cannot
    least: list[array[int]]
    room: list[int]  # room[t]: what there is room for from t on

    def too_heavy(self, moment: int, waiting: Sequence[int], running: Sequence[tuple[int, int]]) -> bool:
        """Return whether jobs weigh more from `moment` on than there is room for.

        `waiting` are the jobs that have not started, `running` (end, job) of those that have; some may have ended.
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
            room = [one + within[free] * price for one, free, price in zip(room, timeline.free, prices, strict=False)]
            sums.append((weights, list(accumulate(prices, initial=0))))
        table = MeasureTable([], [], list(accumulate(reversed(room), initial=0))[::-1])
        for job, intervals in zip(order, starts, strict=True):
            own = [0] * (timeline.horizon + 1)
            for weights, priced in sums:
                if weights[job]:
                    effort.spend(timeline.horizon)
                    own = [one + weights[job] * price for one, price in zip(own, priced, strict=True)]
            if max(own[-1] * len(order), table.room[0]) > MEASURE_LIMIT:
                raise refused("certificate.measures", "weights times prices of a measure are too large")
            table.own.append(array("q", own))
            table.least.append(_least_weights(own, timeline.jobs[job].time, intervals))
        tables.append(table)
    return tables


def _least_weights(own: Sequence[int], time: int, starts: Sequence[tuple[int, int]]) -> array[int]:
    """Return the least weight of a job that starts at each unit or later; above all weights if it cannot."""
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
            raise refused(where, "must be [from, to, price] after the one before, until the makespan at most", run)
        prices[first:end] = [price] * (end - first)
        last = end
    return weights, prices
