"""Measures: prices of processors over time, which bound what a schedule of one cluster can hold until a horizon.

A measure is a list of parts ``{"weights": [w, …], "prices": [[from, to, π], …]}``: a weight w of each job, a price π of
each unit of time, 0 where none is given. By a part a job that runs in [s, s + p) weighs w·Σ π over these units, and
jobs that run at once on c processors weigh at most W(c)·π in a unit, W(c) the knapsack of the weights. So from any
moment on there is room for Σ W(free)·π, and a job yet to start weighs at least as much as where that is cheapest.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate
from operator import add, sub
from typing import Any

from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.mosp_timeline import Timeline, TimelineJob
from oas.checker.mosp_weights import HeaviestSums, heaviest_side_by_side
from oas.checker.reading import fields_of, integer_of, list_of

MAX_MEASURES = 200
MAX_MEASURE_CELLS = 10_000_000  # measures × jobs × units
MEASURE_LIMIT = 2**54  # of what all jobs, or all moments, weigh by a measure
MEASURE_NEVER = 2**55  # above all weights of jobs

# Weights of the jobs, and prices as (from, to, price).
MeasurePart = tuple[list[int], list[tuple[int, int, int]]]


class MeasureTable:
    """A measure of the jobs in the order of a tree.

    Attributes
    ----------
    own
        own[j][t]: what job j would weigh if it ran from 0 to t.
    least
        least[j][t]: what it weighs at least if it starts at t or later; above all weights if it cannot.
    room
        room[t]: what there is room for from t on.
    """

    def __init__(self, parts: Sequence[MeasurePart], timeline: Timeline, order: Sequence[int], rooms: Rooms) -> None:
        units = timeline.horizon
        prices = [list(accumulate(unit_prices(runs, units), initial=0)) for _, runs in parts]
        self.room = rooms.of(parts)
        kinds: dict[Any, tuple[array[int], array[int]]] = {}
        self.own, self.least = [], []
        for place in order:
            job, weights = timeline.jobs[place], tuple(own[place] for own, _ in parts)
            if (job, weights) not in kinds:
                own = [0] * (units + 1)
                for weight, sums in zip(weights, prices, strict=True):
                    if weight:
                        rooms.effort.spend(units)
                        own = list(map(add, own, [weight * one for one in sums]))
                if own[-1] * len(order) > MEASURE_LIMIT:
                    raise refused("certificate.measures", "weights times prices of a measure are too large")
                kinds[job, weights] = array("q", own), least_weights(own, job, rooms.starts(job), units)
            own_row, least_row = kinds[job, weights]
            self.own.append(own_row)
            self.least.append(least_row)

    def too_heavy(self, moment: int, waiting: Sequence[int], running: Sequence[tuple[int, int]]) -> bool:
        """Return whether jobs weigh more from `moment` on than there is room for.

        Parameters
        ----------
        waiting
            The jobs that have not started.
        running
            (end, job) of those that have; not all need to run any more.
        """
        least, own = self.least, self.own
        weight = sum([least[job][moment] for job in waiting])
        for end, job in running:
            if end > moment:
                weight += own[job][end] - own[job][moment]
        return weight > self.room[moment]


class Rooms:
    """What there is room for from each unit on, by weights and prices; knapsacks are solved once for equal weights."""

    def __init__(self, timeline: Timeline, processors: int, effort: Effort) -> None:
        self.timeline, self.processors, self.effort = timeline, processors, effort
        self.knapsacks: dict[tuple[int, ...], HeaviestSums] = {}
        self.intervals: dict[TimelineJob, list[tuple[int, int]]] = {}

    def of(self, parts: Sequence[MeasurePart]) -> list[int]:
        """Return the room for a measure from each unit on, and 0 at the horizon."""
        timeline = self.timeline
        widths = [job.width for job in timeline.jobs]
        total = [0] * timeline.horizon
        for weights, runs in parts:
            self.effort.spend(timeline.horizon)
            if sum((end - first) * price for first, end, price in runs) * sum(weights) > MEASURE_LIMIT // MAX_MEASURES:
                raise refused("certificate.measures", "weights times prices of a measure are too large")
            if (key := tuple(weights)) not in self.knapsacks:
                self.knapsacks[key] = heaviest_side_by_side(weights, widths, self.processors, self.effort)
            most = {free: self.knapsacks[key].within(free) for free in set(timeline.free)}
            for unit, price in enumerate(unit_prices(runs, timeline.horizon)):
                if price:
                    total[unit] += most[timeline.free[unit]] * price
        room = list(accumulate(reversed(total), initial=0))[::-1]
        if room[0] > MEASURE_LIMIT:
            raise refused("certificate.measures", "weights times prices of a measure are too large")
        return room

    def starts(self, job: TimelineJob) -> list[tuple[int, int]]:
        """Return where the job may start beside the reservations (`Timeline.starts`)."""
        if job not in self.intervals:
            self.effort.spend(self.timeline.horizon)
            self.intervals[job] = self.timeline.starts(job)
        return self.intervals[job]


def least_weights(own: Sequence[int], job: TimelineJob, starts: Sequence[tuple[int, int]], units: int) -> array[int]:
    """Return what a job weighs at least if it starts at each unit or later; above all weights if it cannot."""
    least = [MEASURE_NEVER] * (units + 1)
    for first, last in starts:
        ends = own[first + job.time : last + job.time + 1]
        least[first : last + 1] = map(sub, ends, own[first : last + 1])
    return array("q", list(accumulate(reversed(least), min))[::-1])


def unit_prices(runs: Sequence[tuple[int, int, int]], units: int) -> list[int]:
    """Return the price of each unit."""
    prices = [0] * units
    for first, end, price in runs:
        prices[first:end] = [price] * (end - first)
    return prices


def measure_tables(
    document: object, timeline: Timeline, processors: int, order: Sequence[int], effort: Effort
) -> list[MeasureTable]:
    """Return the measures of a certificate for the jobs in this order.

    Raises
    ------
    Refused
        If they are malformed, or too many or too large together with jobs and units.
    """
    measures = read_measures(document, len(timeline.jobs), timeline.horizon)
    if len(measures) * len(order) * (timeline.horizon + 1) > MAX_MEASURE_CELLS:
        raise refused("certificate.measures", f"measures times jobs times units are above {MAX_MEASURE_CELLS:,}")
    rooms = Rooms(timeline, processors, effort)
    return [MeasureTable(parts, timeline, order, rooms) for parts in measures]


def read_measures(document: object, jobs: int, horizon: int) -> list[list[MeasurePart]]:
    """Return the measures of a certificate, each a list of parts; raise `Refused` if they are malformed."""
    field = "certificate.measures"
    measures = []
    for index, parts in enumerate(filled_list(document, field)):
        where = f"{field}[{index}]"
        measures.append(
            [read_part(one, jobs, horizon, f"{where}[{n}]") for n, one in enumerate(filled_list(parts, where))]
        )
    return measures


def filled_list(value: object, field: str) -> list[Any]:
    """Return a list of 1 to `MAX_MEASURES` entries; raise `Refused` if it is none."""
    rows = list_of(value, field, most=MAX_MEASURES)
    if not rows:
        raise refused(field, f"must be a list of 1 to {MAX_MEASURES} entries")
    return rows


def read_part(value: object, jobs: int, horizon: int, field: str) -> MeasurePart:
    """Return a part of a measure; raise `Refused` if it is malformed."""
    document = fields_of(value, field, "weights", "prices")
    weights = list_of(document["weights"], f"{field}.weights", jobs)
    for job, weight in enumerate(weights):
        integer_of(weight, f"{field}.weights[{job}]", 0, MEASURE_LIMIT)
    last = 0
    runs = []
    for index, run in enumerate(list_of(document["prices"], f"{field}.prices")):
        where = f"{field}.prices[{index}]"
        first, end, price = (integer_of(one, where, 0, MEASURE_LIMIT) for one in list_of(run, where, 3))
        if not last <= first < end <= horizon:
            raise refused(where, "must be [from, to, price] after the one before, until the makespan at most", run)
        last = end
        runs.append((first, end, price))
    return weights, runs
