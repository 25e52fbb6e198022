"""Exact search of a MOSP instance: three bounds, each stronger and slower than the one before, and search in between.

The bounds come with certificates. Where CP-SAT is installed and jobs are few, it is asked whether the least makespan
left can be had; its word is a claim. Very few jobs are left to a model at last, with bound and schedule as they stand.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from heuristics.mosp.search.orders import OrderSearch
from heuristics.mosp.search.ruin_recreate import RuinSearch
from oas.bounds.mosp.cluster_sets import cluster_sets_bound
from oas.bounds.mosp.configurations.bound import configuration_bound
from oas.bounds.mosp.start_tree import start_tree_bound
from oas.bounds.mosp.two_dimensional import two_dimensional_bound
from oas.core.result import Termination
from oas.exact.search import ExactSearch, Question, StopSearch
from oas.models.mosp.cumulative_cpsat import FORMULATION as CUMULATIVE
from oas.problems.mosp.runs import cluster_runs_from_schedule, schedule_from_cluster_runs
from oas.problems.mosp.ticks import coarsened
from oas.solvers.discovery import usable

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.bounds.mosp.refutation import Refutation
    from oas.bounds.mosp.start_tree.bound import StartTree
    from oas.core.schedule import Schedule
    from oas.problems.mosp.instance import MospInstance
    from oas.problems.mosp.runs import ClusterRun

BOUND_SHARE = 0.2  # of the time left, for each of the bounds
WARM_STEPS = 20_000  # of search before the bounds, and between them
MORE_STEPS = 500_000  # of search before CP-SAT is asked
TWO_DIMENSIONAL_JOBS = 200  # up to which the two-dimensional bound has been seen to gain anything
CLUSTER_SETS_JOBS = 120  # up to which cluster sets are tried, where there are
JOBS_A_CLUSTER = 9  # or fewer; with 10 they have closed nothing in a minute
FIRST_TREE, LAST_TREE = 0.2, 0.5  # of the time left, for trees over starts before and after more search
FEW_JOBS, TREE_JOBS = 25, 60  # up to which all of it comes before; up to which any comes after
DECIDE_JOBS = 120  # up to which CP-SAT is asked
DECIDE_SHARE, FAIR_JOBS = 0.25, 30  # of the time left, for each answer; less in proportion from so many jobs on
MODEL_JOBS = 20  # up to which a model is given a chance, in the second half of the time
MODEL_SHARE = 0.5
ORDER_JOBS = 200  # from which on orders are searched too
FIRST_SECONDS = 3.0  # of search are for orders
LEADING, FOLLOWING = 3.0, 0.1  # their time, to that of ruin and recreate: with the best schedule, and without
SLICE, LEAST_PACE = 0.2, 250  # seconds between two looks at the clock, about; steps in between at least
UNLIMITED_STEPS = 10_000_000  # of search where there is no time limit
UNLIMITED_SECONDS = 60.0  # for an answer where there is no time limit


class MospExactSearch(ExactSearch):
    """The search for an instance of MOSP; parameters as for every `ExactSearch`."""

    def prepare(self) -> None:
        """Make what the stages work with."""
        self.instance: MospInstance = self.evidence.instance  # type: ignore[assignment]
        self.scaled = self.instance.scaled()
        many = self.scaled.job_count >= ORDER_JOBS
        self.local = RuinSearch(self.scaled, self.seed, compiled=many or None)
        self.orders = OrderSearch(self.scaled, self.seed) if many else None
        self.pace = sys.maxsize
        self.heights: tuple[int, ...] = ()

    def close(self, memory: int | None = None) -> Termination:
        """Search and bound in turns, then search; leave small instances to a model in time."""
        try:
            self._search(WARM_STEPS)
            self._bound(memory)
            self._search(WARM_STEPS)
            jobs, clusters = self.scaled.job_count, self.scaled.cluster_count
            if clusters == 1:
                self._grow(memory, LAST_TREE if jobs <= FEW_JOBS else FIRST_TREE)
            if clusters == 1 and jobs <= FEW_JOBS:
                self._decide(memory)
            if jobs <= TWO_DIMENSIONAL_JOBS:
                self._refute("two-dimensional", two_dimensional_bound, memory, heights=self.heights)
            self._search(MORE_STEPS)
            if jobs <= CLUSTER_SETS_JOBS and jobs <= JOBS_A_CLUSTER * clusters:
                self._refute("cluster sets", cluster_sets_bound, memory)
            if clusters == 1 and FEW_JOBS < jobs <= TREE_JOBS:
                self._grow(memory, LAST_TREE)
            self._decide(memory)
            self._search_on()
        except StopSearch as stop:
            return stop.termination
        return Termination.FINISHED

    def to_schedule(self, runs: list[ClusterRun]) -> Schedule:
        """Return the schedule that these runs make."""
        return schedule_from_cluster_runs(self.instance, self.scaled, runs)

    def _bound(self, memory: int | None) -> None:
        if not self.step():
            return
        assert self.evidence.makespan is not None
        with self.timed("configurations"):
            found = configuration_bound(
                self.instance, self.evidence.makespan, seconds=self.share(BOUND_SHARE), memory=memory
            )
        self.raise_bound(found.bound)
        self.heights = found.weights
        self.raise_if_interrupted(found.termination)

    def _refute(self, part: str, bound: Callable[..., Any], memory: int | None, **known: object) -> None:
        """Raise the bound by one that goes from makespan to makespan."""
        if not self.step():
            return
        with self.timed(part):
            found = bound(
                self.instance,
                self.evidence.lower_bound,
                self.evidence.makespan,
                seconds=self.share(BOUND_SHARE),
                memory=memory,
                **known,
            )
        self._keep(found)

    def _keep(self, found: Refutation | StartTree) -> None:
        if found.bound is not None:
            self.raise_bound(found.bound)
        self.raise_if_interrupted(found.termination)

    def _grow(self, memory: int | None, share: float) -> None:
        """Refute makespans by trees over starts, as long as these find shorter schedules instead."""
        better = True
        while better and self.step():
            assert self.evidence.lower_bound is not None
            assert self.evidence.makespan is not None
            with self.timed("start tree"):
                found = start_tree_bound(
                    self.instance,
                    self.evidence.lower_bound,
                    self.evidence.makespan,
                    heights=self.heights,
                    seconds=self.share(share),
                    memory=memory,
                )
            before = self.upper
            better = found.runs is not None and self.accept(found.runs, "start tree") and self.upper < before
            self._keep(found)

    def _decide(self, memory: int | None) -> None:
        """Ask for the least makespan left, as long as there are answers."""
        if self.scaled.job_count > DECIDE_JOBS or not usable("cpsat"):
            return
        _, unit = coarsened(self.scaled)
        question = Question(CUMULATIVE, unit, {})
        share = DECIDE_SHARE * min(1.0, FAIR_JOBS / self.scaled.job_count)
        while self.step() and self.ask(question, self.share(share) or UNLIMITED_SECONDS, memory):
            pass

    def _search(self, steps: int, keep: float = 0.0) -> None:
        """Search for so many steps, or until no more than `keep` seconds are left; orders have slices in between."""
        start = self._runs()
        while steps > 0 and self.step():
            left = self.time_left()
            if left is not None and left <= keep:
                return
            if self._orders_are_next():
                self._search_orders()
                start = self._runs()
                continue
            taken = min(steps, self.local.pace, self.pace)
            steps -= taken
            before = self.seconds.get("local", 0.0)
            with self.timed("local"):
                found = self.local.improve(self.lower, taken, start)
            slow = self.seconds["local"] - before > SLICE
            self.pace = max(LEAST_PACE, taken // 2) if slow else 2 * taken
            if self.local.makespan < self.upper:
                self.offer(found, "ruin and recreate")

    def _runs(self) -> list[ClusterRun]:
        return cluster_runs_from_schedule(self.instance, self.scaled, self.evidence.schedule)  # type: ignore[arg-type]

    def _orders_are_next(self) -> bool:
        """Whether the next slice is for orders: most of the time while they hold the best schedule, else little."""
        if self.orders is None:
            return False
        had, others = self.seconds.get("orders", 0.0), self.seconds.get("local", 0.0)
        leads = self.orders.makespan is not None and self.orders.makespan <= self.upper
        return had < FIRST_SECONDS or had < others * (LEADING if leads else FOLLOWING)

    def _search_orders(self) -> None:
        assert self.orders is not None
        with self.timed("orders"):
            found = self.orders.improve(self.lower, self.orders.pace)
        if found is not None and self.orders.makespan < self.upper:  # type: ignore[operator]
            self.offer(found, "search over orders")

    def _search_on(self) -> None:
        """Search as long as there is time; without a limit, or with few jobs, until a model is to be tried."""
        if len(self.scaled.times) > MODEL_JOBS:
            self._search(sys.maxsize if self.time_left() is not None else UNLIMITED_STEPS)
        else:
            self._search(UNLIMITED_STEPS, keep=self.share(MODEL_SHARE) or 0.0)
