"""Measures: prices of processors over time, which bound what a schedule of one cluster can hold until a horizon.

A measure is a list of parts ``{"weights": [w, …], "prices": [[from, to, π], …]}``: a weight w of each job, a price π of
each unit of time, 0 where none is given.

*Theorem.* By a part a job that runs in [s, s + p) weighs w·Σ π over these units. Let jobs that fit on c processors
together weigh at most W(c), a knapsack. If from a moment on what runs and what is yet to start, wherever that is
cheapest, weighs more than Σ W(free)·π, both summed over all parts, no schedule goes on from there.

*Proof.* The jobs that run in a unit weigh at most W(free)·π in it, by each part.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate
from operator import add, sub
from typing import Any, NamedTuple

from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.mosp_timeline import Timeline, TimelineJob
from oas.checker.mosp_weights import HeaviestSums, heaviest_side_by_side, read_job_weights
from oas.checker.reading import fields_of, integer_of, list_of

MAX_MEASURES = 200
MAX_MEASURE_CELLS = 10_000_000  # measures × jobs × units
MEASURE_LIMIT = 2**54  # of a weight, a price, and what all jobs or all moments weigh by a measure
MEASURE_NEVER = 2**55  # above all weights of jobs


class MeasurePart(NamedTuple):
    """Weights of the jobs in the order of the instance, and the price of each unit."""

    weights: list[int]
    prices: list[int]


class MeasureTable(NamedTuple):
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

    own: list[array[int]]
    least: list[array[int]]
    room: list[int]

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


def measure_tables(
    document: object, timeline: Timeline, processors: int, order: Sequence[int], effort: Effort
) -> list[MeasureTable]:
    """Return the measures of a certificate for the jobs in this order.

    Raises
    ------
    Refused
        If they are malformed, or too many or too large together with jobs and units.
    """
    measures = []
    for index, parts in enumerate(_filled_list(document, "certificate.measures")):
        field = f"certificate.measures[{index}]"
        measures.append(
            [_read_part(one, timeline, f"{field}[{n}]") for n, one in enumerate(_filled_list(parts, field))]
        )
    if len(measures) * len(order) * (timeline.horizon + 1) > MAX_MEASURE_CELLS:
        raise refused("certificate.measures", f"measures times jobs times units are above {MAX_MEASURE_CELLS:,}")
    jobs = [timeline.jobs[job] for job in order]
    effort.spend(timeline.horizon * len({*jobs}))
    starts = {job: timeline.starts(job) for job in {*jobs}}
    knapsacks: dict[tuple[int, ...], HeaviestSums] = {}  # solved once for equal weights
    widths = [job.width for job in timeline.jobs]
    for part in (part for parts in measures for part in parts):
        if tuple(part.weights) not in knapsacks:
            knapsacks[tuple(part.weights)] = heaviest_side_by_side(part.weights, widths, processors, effort)
    tables = []
    for parts in measures:
        room = _room(parts, knapsacks, timeline, effort)
        sums = [list(accumulate(part.prices, initial=0)) for part in parts]
        kinds: dict[Any, tuple[array[int], array[int]]] = {}
        rows = []
        for place, job in zip(order, jobs, strict=True):
            weights = tuple(part.weights[place] for part in parts)
            if (job, weights) not in kinds:
                own = [0] * (timeline.horizon + 1)
                for weight, priced in zip(weights, sums, strict=True):
                    if weight:
                        effort.spend(timeline.horizon)
                        own = list(map(add, own, [weight * one for one in priced]))
                _check_size(own[-1] * len(order))
                kinds[job, weights] = array("q", own), _least_weights(own, job, starts[job])
            rows.append(kinds[job, weights])
        tables.append(MeasureTable([own for own, _ in rows], [least for _, least in rows], room))
    return tables


def _room(
    parts: Sequence[MeasurePart], knapsacks: dict[tuple[int, ...], HeaviestSums], timeline: Timeline, effort: Effort
) -> list[int]:
    """Return what there is room for by a measure from each unit on, and 0 at the horizon."""
    total = [0] * timeline.horizon
    for weights, prices in parts:
        effort.spend(timeline.horizon)
        most = {free: knapsacks[tuple(weights)].within(free) for free in set(timeline.free)}
        for unit, price in enumerate(prices):
            if price:
                total[unit] += most[timeline.free[unit]] * price
    room = list(accumulate(reversed(total), initial=0))[::-1]
    _check_size(room[0])
    return room


def _least_weights(own: Sequence[int], job: TimelineJob, starts: Sequence[tuple[int, int]]) -> array[int]:
    """Return what a job weighs at least if it starts at each unit or later; above all weights if it cannot."""
    least = [MEASURE_NEVER] * len(own)
    for first, last in starts:
        ends = own[first + job.time : last + job.time + 1]
        least[first : last + 1] = map(sub, ends, own[first : last + 1])
    return array("q", list(accumulate(reversed(least), min))[::-1])


def _check_size(weight: int) -> None:
    if weight > MEASURE_LIMIT:
        raise refused("certificate.measures", "weights times prices of a measure are too large")


def _filled_list(value: object, field: str) -> list[Any]:
    rows = list_of(value, field, most=MAX_MEASURES)
    if not rows:
        raise refused(field, f"must be a list of 1 to {MAX_MEASURES} entries")
    return rows


def _read_part(value: object, timeline: Timeline, field: str) -> MeasurePart:
    document = fields_of(value, field, "weights", "prices")
    weights = read_job_weights(document["weights"], len(timeline.jobs), f"{field}.weights", MEASURE_LIMIT)
    prices = [0] * timeline.horizon
    last = 0
    for index, run in enumerate(list_of(document["prices"], f"{field}.prices")):
        where = f"{field}.prices[{index}]"
        first, end, price = (integer_of(one, where, 0, MEASURE_LIMIT) for one in list_of(run, where, 3))
        if not last <= first < end <= timeline.horizon:
            raise refused(where, "must be [from, to, price] after the one before, until the makespan at most", run)
        prices[first:end] = [price] * (end - first)
        last = end
    return MeasurePart(weights, prices)
