"""Local search: ruin and recreate, and a search over orders if there are many jobs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from oas.mosp.runs import cluster_runs_from_schedule
from oas.mosp.search.orders import OrderSearch
from oas.mosp.search.ruin_recreate import RuinSearch

if TYPE_CHECKING:
    from oas.mosp.exact.search import MospExactSearch
    from oas.mosp.runs import ClusterRun

WARM_STEPS = 20_000  # of search before the bounds, and between them
MORE_STEPS = 500_000  # of search before the slowest stages
ORDER_JOBS = 200  # minimum number of jobs for the search over orders
FIRST_SECONDS = 3.0  # minimum time of the search over orders
LEADING, FOLLOWING = 3.0, 0.1  # its time relative to ruin and recreate, if it holds the incumbent and otherwise
SLICE, LEAST_PACE = 0.2, 250  # approximate seconds between two checks of the clock; minimum number of steps
UNLIMITED_STEPS = 10_000_000  # without a time limit
MODEL_JOBS = 20  # maximum number of jobs for a model, which gets the second half of the time
MODEL_SHARE = 0.5
SLOW_STEPS = 50  # without compiled code, a step counts as this number of steps


class LocalSearch:
    """The local searches of one exact search, which receives their schedules; they take turns."""

    def __init__(self, search: MospExactSearch) -> None:
        many = search.scaled.job_count >= ORDER_JOBS
        self._search = search
        self._ruin = RuinSearch(search.scaled, search.seed)
        self._orders = OrderSearch(search.scaled, search.seed) if many else None
        self._pace = sys.maxsize

    def go(self, steps: int, keep: float = 0.0) -> None:
        """Search for up to `steps` steps, or until only `keep` seconds remain; the search over orders takes turns."""
        search = self._search
        start = self._runs()
        while steps > 0 and not search.settled and search.step():
            left = search.time_left()
            if left is not None and left <= keep:
                return
            if self._orders_are_next():
                self._search_orders()
                start = self._runs()
                continue
            taken = min(steps, self._ruin.pace, self._pace)
            steps -= taken * (SLOW_STEPS if self._ruin.is_slow else 1)
            before = search.seconds.get("local", 0.0)
            with search.timed("local"):
                runs = self._ruin.improve(search.lower, taken, start)
            slow = search.seconds["local"] - before > SLICE
            self._pace = max(LEAST_PACE, taken // 2) if slow else 2 * taken
            if self._ruin.makespan < search.upper:
                search.offer(runs, "ruin and recreate")

    def _runs(self) -> list[ClusterRun]:
        search = self._search
        return cluster_runs_from_schedule(search.instance, search.scaled, search.evidence.schedule)  # type: ignore[arg-type]

    def _orders_are_next(self) -> bool:
        """Whether the next slice is for orders: most of the time while they hold the incumbent, otherwise rarely."""
        if self._orders is None:
            return False
        seconds = self._search.seconds
        had, others = seconds.get("orders", 0.0), seconds.get("local", 0.0)
        leads = self._orders.makespan <= self._search.upper
        return had < FIRST_SECONDS or had < others * (LEADING if leads else FOLLOWING)

    def _search_orders(self) -> None:
        assert self._orders is not None
        search = self._search
        with search.timed("orders"):
            runs = self._orders.improve(search.lower, self._orders.pace)
        if self._orders.makespan < search.upper:
            search.offer(runs, "search over orders")


def warm(search: MospExactSearch, _memory: int | None) -> None:
    """Search briefly, so that the bounds have a good upper limit."""
    search.local.go(WARM_STEPS)


def more(search: MospExactSearch, _memory: int | None) -> None:
    """Search for some seconds."""
    search.local.go(MORE_STEPS)


def rest(search: MospExactSearch, _memory: int | None) -> None:
    """Search for the remaining time; without a limit, or with few jobs, leave time for a model."""
    if search.scaled.job_count > MODEL_JOBS:
        search.local.go(sys.maxsize if search.time_left() is not None else UNLIMITED_STEPS)
    else:
        search.local.go(UNLIMITED_STEPS, keep=search.share(MODEL_SHARE) or 0.0)
