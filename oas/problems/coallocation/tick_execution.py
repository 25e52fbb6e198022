"""The event loop of `execution` on ticks, for many jobs: compiled, and exact."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.compiling import chosen
from oas.problems.coallocation import execution_kernels as kernels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Sized

    from oas.problems.coallocation.execution import PlanOrder
    from oas.problems.coallocation.instance import CoallocationInstance

_LONG = 2**53  # ticks and differences of ticks below are floats without rounding
_BY_JOB = ("arrived", "changes", "since", "key_load", "key_link", "low", "high", "running", "ready")
_HEAVY = 2**62  # loads below, and sums of two, are 64-bit integers


class TickExecution:
    """A plan's run on the instance's grid; made by `tick_execution`.

    The loop works in floats with a bound on their error; what they leave open is decided here in Fractions.

    Parameters
    ----------
    instance, order
        Which `tick_execution` takes.
    parts
        By job the ticks that it computes and, over links that are not saturated, communicates: A and B.
    compiled
        See `oas.core.compiling.chosen`.

    Attributes
    ----------
    decided
        How many ends had to be decided exactly.
    """

    def __init__(
        self,
        instance: CoallocationInstance,
        order: PlanOrder,
        parts: list[tuple[Fraction, Fraction]],
        compiled: bool | None,
    ) -> None:
        scaled = instance.scaled()
        self._scaled, self._kernels, self.decided = scaled, chosen(compiled, kernels), 0
        self._parts = parts
        self._loads = [one.loads for one in order.allocations]
        count, links = len(order.order), scaled.cluster_count
        earliest = _whole(int(moment / scaled.tick) for moment in order.earliest)
        place = np.empty(count, np.int64)
        place[order.order] = np.arange(count)
        by_job = {name: np.zeros(count, np.int64) for name in _BY_JOB}
        self._grid = kernels.Grid(
            state=np.zeros(7, np.int64),
            earliest=earliest,
            arrivals=np.argsort(earliest, kind="stable"),
            place=place,
            order=_whole(order.order),
            before=_whole(order.before),
            after_from=_ends(order.after),
            after=_whole(job for own in order.after for job in own),
            queue_from=_ends(order.links),
            queue=_whole(job for own in order.links for job in own),
            head=np.zeros(links, np.int64),
            capacity=_whole(scaled.link_capacity),
            bandwidth=_whole(scaled.link_bandwidth),
            load=np.zeros(links, np.int64),
            loads=np.array(self._loads, np.int64),
            duration=_whole(one.duration for one in order.allocations),
            work=np.array([float(work) for work, _ in self._parts]),
            talk=np.array([float(talk) for _, talk in self._parts]),
            done=np.zeros(count),
            span=np.zeros(count),
            moments=np.zeros(2 * count, np.int64),
            jobs=np.zeros(2 * count, np.int64),
            ended=np.zeros(2 * count, np.int64),
            **by_job,
        )

    def run(self) -> list[tuple[Fraction, Fraction]]:
        """Return start and end of each job, in the instance's time unit."""
        return [(self._scaled.to_time(start), self._scaled.to_time(end)) for start, end in self.ticks().tolist()]

    def ticks(self) -> Any:
        """Return start and end of each job in ticks, a row a job."""
        while (job := int(self._kernels.run(self._grid))) >= 0:
            self._decide(job)
        ran = np.zeros((len(self._loads), 2), np.int64)
        ran[self._grid.jobs, self._grid.ended] = self._grid.moments
        return ran

    def _decide(self, job: int) -> None:
        """Settle whether a job ends at the first tick at which it may: whether its progress is then 1."""
        self.decided += 1
        moment = int(self._grid.low[job])
        if self._progress(job, moment) >= 1:
            self._grid.high[job] = moment
        else:
            self._grid.low[job] = moment + 1

    def _progress(self, job: int, until: int) -> Fraction:
        """Return a running job's progress at a tick up to which nothing starts or ends, going back event by event."""
        grid, used = self._grid, [link for link, own in enumerate(self._loads[job]) if own]
        bandwidth = self._scaled.link_bandwidth
        load = {link: int(self._grid.load[link]) for link in used}
        times: dict[Fraction, int] = {}
        event = int(self._grid.state[kernels.EVENTS])
        while True:
            event -= 1
            moment, other, ended = (int(column[event]) for column in (grid.moments, grid.jobs, grid.ended))
            if moment < until:
                degree = max([Fraction(1), *(Fraction(load[link], bandwidth[link]) for link in used)])
                times[degree] = times.get(degree, 0) + until - moment
                until = moment
            if other == job:
                work, talk = self._parts[job]
                return sum((ticks / (work + talk * degree) for degree, ticks in times.items()), Fraction(0))
            for link in used:
                load[link] += self._loads[other][link] if ended else -self._loads[other][link]


def tick_execution(
    instance: CoallocationInstance, order: PlanOrder, *, compiled: bool | None = None
) -> TickExecution | None:
    """Return the run of a plan on ticks.

    None where there is no grid that holds all starts, where links are shared by progressive filling, and where times
    or loads are too fine for 64-bit integers.
    """
    scaled = instance.scaled()
    if not scaled.tick or instance.saturation.sharing != "paper" or max(scaled.link_capacity) >= _HEAVY:
        return None
    if any(moment % scaled.tick for moment in order.earliest):
        return None
    pairs = zip(scaled.link_capacity, scaled.link_bandwidth, strict=True)
    worst = max([Fraction(1), *(Fraction(limit, own) for limit, own in pairs if own)])
    parts = _parts(instance, order)
    longest = sum(ceil(work + talk * worst) for work, talk in parts)
    if longest + max(order.earliest) / scaled.tick >= _LONG:
        return None
    return TickExecution(instance, order, parts, compiled)


def _parts(instance: CoallocationInstance, order: PlanOrder) -> list[tuple[Fraction, Fraction]]:
    scaled = instance.scaled()
    found = []
    for job, allocation in zip(instance.jobs, order.allocations, strict=True):
        used = (one.level for one, count in zip(scaled.classes, allocation.counts, strict=True) if count)
        base = job.base_time / scaled.tick
        found.append((base * job.sigma / scaled.powers[max(used)], base * (1 - job.sigma)))
    return found


def _whole(numbers: Iterable[int]) -> Any:
    return np.fromiter(numbers, np.int64)


def _ends(parts: Sequence[Sized]) -> Any:
    """Return where each part begins in a row of all, and where the last one ends."""
    return np.cumsum([0, *map(len, parts)])
