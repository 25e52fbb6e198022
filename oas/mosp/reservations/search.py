"""Search for the start of a reservation that delays the optimum least, and for the optimum at every start.

Every solve is for one start, or for a relaxation of all starts of a range; `landscape` derives bounds from it. A range
that stays open is divided into halves.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from heapq import heappop, heappush
from itertools import count
from math import ceil
from typing import TYPE_CHECKING, Any

from oas.core.result import Status, Termination
from oas.core.verifier import verify
from oas.mosp.reservations.landscape import Landscape
from oas.solving.pipeline import solve
from oas.solving.progress import SolveProgress
from oas.solving.study import LEAST_SECONDS, SolveSeries

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction

    from oas.core.result import Result
    from oas.mosp.reservations.site import Range, Site

FIRST_SECONDS = 5.0  # maximum for a first solve, enough for a solver to start; doubled for each further attempt
FIRST_SHARE = 0.02  # of a long time limit


class Kind(StrEnum):
    """The kinds of solves that bound the optimum for all starts of a range."""

    FREE = "without"
    COMMON = "common"
    DELAY = "delay"


@dataclass(frozen=True)
class Step:
    """One solve of the proof, with a bound on the optimum at every start of a range (docs/how/reservations.md)."""

    #: ``without``: the jobs without the reservation. ``common``: with the part that it covers for every start of the
    #: range; for one start this is the reservation. ``delay``: with the reservation at the last start, where other
    #: reservations of the cluster that begin at its end at the first start or later begin later by the range's length.
    kind: Kind
    first: Fraction  #: the first start of the range
    last: Fraction  #: the last one
    #: its lower bound is a bound on the optimum for every start of the range; for ``delay`` minus the time from the
    #: start to the last one
    result: Result


class PlacementSearch:
    """The search at one site, with options of `oas.solve` except `start`; the time limit is for all solves."""

    def __init__(self, site: Site, options: Mapping[str, Any]) -> None:
        self.site = site
        self.series = SolveSeries(options)
        self.land = Landscape(site)
        self.steps: list[Step] = []
        self.stage = ""
        self._everywhere = 0, site.count - 1
        self._final: set[tuple[Kind, Range]] = set()  # ended before the time limit: more time does not help

    def place(self) -> None:
        """Narrow the bounds until the best start is proven, or time runs out."""
        self._run("best start", self.land.rivals)

    def trace(self) -> None:
        """Narrow the bounds until they meet at every start, or time runs out."""
        self._run("every start", self.land.gaps)

    # The loop

    def _run(self, stage: str, open_parts: Callable[[Range], list[Range]]) -> None:
        """Bound and halve the ranges of starts until none is open; then solve without the reservation.

        Ranges with the least bounds come first, then the longest. A start that stays open is tried again at the next
        level, with twice the time.
        """
        self.stage = stage
        land = self.land
        queue: list[tuple[int, int, int, Range]] = []

        def push(task: Range, level: int) -> None:
            heappush(queue, (level, land.least_bound(task), task[0] - task[1], task))

        with self.series.interruptible():
            if not self.steps:
                self._solve(Kind.FREE, self._everywhere, 1)  # every other bound begins with this one
            for place in (land.ranges[0][0], land.ranges[-1][1]):  # initial makespans
                if open_parts((place, place)) and not self._is_over():
                    self._bound((place, place), 0)
            for task in land.ranges:
                push(task, 0)
            while queue and not self._is_over():
                level, _, _, task = heappop(queue)
                parts = open_parts(task)
                if parts == [task]:
                    self._bound(task, level)
                    first, last = task
                    middle = (first + last) // 2
                    if first < last:
                        parts = [(first, middle), (middle + 1, last)]
                    else:
                        level += 1
                        parts = [] if (Kind.COMMON, task) in self._final else [task]
                for part in parts:
                    push(part, level)
            for level in count(2):
                is_known = land.free_lower == land.free_upper
                if is_known or self._is_over() or (Kind.FREE, self._everywhere) in self._final:
                    break
                self._solve(Kind.FREE, self._everywhere, level)

    def _bound(self, task: Range, level: int) -> None:
        """Solve for a single start, or the relaxation of all starts of a range that is probably tighter."""
        span = self.site.tick(task[1]) - self.site.tick(task[0])
        kind = Kind.DELAY if self.land.rises(task) else Kind.COMMON
        if kind is Kind.COMMON and 2 * span > self.site.length:
            return  # the starts have less than half of the reservation in common
        if (kind, task) not in self._final:
            self._solve(kind, task, level)

    def _is_over(self) -> bool:
        return self.series.left == 0 and self.land.best().schedules is not None

    def _seconds(self, level: int) -> float:
        """Return the time limit of a solve in seconds."""
        left = self.series.left
        share = max(FIRST_SECONDS, FIRST_SHARE * (self.series.time_limit or 0.0)) * 2.0**level
        return share if left is None else max(LEAST_SECONDS, min(left, share))

    # One solve

    def _solve(self, kind: Kind, task: Range, level: int) -> None:
        """Solve for the starts of a range, and use the results."""
        site, land = self.site, self.land
        instance, start_range = site.instance, task
        if kind is Kind.COMMON:
            instance = site.with_common(*task)
        elif kind is Kind.DELAY:
            instance, start_range = site.with_delay(*task), (task[1], task[1])
        result = solve(
            instance,
            on_interrupt="return",
            **self.series.options,
            time_limit=self._seconds(level),
            start=land.schedule(start_range),
            on_progress=self.series.on_progress and self._report,
        )
        self.steps.append(Step(kind, site.time(task[0]), site.time(task[1]), result))
        bound = ceil((result.lower_bound or 0) / site.scaled.tick)
        if kind is Kind.DELAY:
            land.learn_bound(task, bound, site.step)
        elif task[0] == task[1]:  # also a bound for earlier starts from which the reservation can be delayed
            land.learn_bound((min(task[1], site.first_put_off), task[1]), bound, site.step)
        else:
            land.learn_bound(task, bound)
        if kind is Kind.FREE:
            land.free_lower = max(land.free_lower, bound)
        if result.schedule is not None and not verify(site.instance, result.schedule):
            land.learn_schedule(result.schedule)
        if result.status is Status.OPTIMAL or result.termination is not Termination.TIME_LIMIT:
            self._final.add((kind, task))
        if result.termination is Termination.INTERRUPTED:
            raise KeyboardInterrupt

    def _report(self, progress: SolveProgress) -> None:
        to_time = self.site.scaled.to_time
        stage = f"{self.stage}, solve {len(self.steps) + 1}"
        lower = to_time(self.land.least_bound())
        upper = to_time(self.land.makespan()) if self.land.best().schedules else None
        self.series.on_progress(SolveProgress(stage, self.series.seconds, lower, upper))
