"""The search by windows of starts for a co-allocation schedule of a given makespan, see `oas.bounds.windows`.

The tree decides starts and levels only. Nodes and links enter it as sets of jobs that cannot run at the same moment,
and as conflicts. At a leaf the starts and levels of all jobs are known:

- If the jobs of some moment do not fit together, a minimal set of them is added to the problem.
- Otherwise nodes are searched that each job keeps from its start to its end. If they exist, the schedule is found; if
  not, a conflict is added.

After an addition the search continues at the same leaf.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, cast

from oas.bounds.coallocation.configurations import Weights
from oas.bounds.coallocation.configurations.packing import Packing
from oas.bounds.coallocation.search_log import MAX_PACKED, most_whole, packed
from oas.bounds.coallocation.windows import (
    NAME,
    OUT,
    VERSION,
    apart_table,
    level_weightings,
    pairs_of,
    set_weighting,
    windows_of,
)
from oas.bounds.coallocation.windows.placing_kernels import NO, YES, find_nodes
from oas.bounds.windows.tree import Outcome, WindowsTree, most_capacity
from oas.core.errors import TooLargeError
from oas.exact.coallocation.chronological.search import Verdict
from oas.exact.parallel import ParallelStage
from oas.problems.coallocation.allocations import Run, make_allocation
from oas.problems.coallocation.ticks import coarsened
from oas.solvers.isolation.client import call
from oas.solvers.task import limits_of_part

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.bounds.coallocation.windows import Item
    from oas.exact.coallocation.search import CoallocationExactSearch
    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.coallocation.ticks import ScaledCoallocation
    from oas.solvers.isolation.protocol import Session
    from oas.solvers.outcome import CallOutcome

    WindowsAnswer = tuple[Verdict, dict[str, object] | None, list[Run]]


PLACING_STEPS = 20_000  # splits tried in one search for nodes
STAGE_DECISIONS = 100_000  # of a parallel search between two looks at the clock
CUBED_JOBS_A_DECISION = 40  # a row takes as long as jobs³ / 40 decisions of a chronological search


class WindowsSearch:
    """A search for a schedule of at most `horizon` ticks, which can be stopped and resumed.

    Parameters
    ----------
    scaled
        The instance.
    duals
        Weights from the configuration bound; each is a weighting of the search.
    horizon
        The makespan, in ticks.
    packing
        Decides exactly which jobs can run at the same moment.
    compiled
        See `oas.core.compiling.chosen`.

    Raises
    ------
    TooLargeError
        If there are too many jobs and levels, or if times are too long.
    """

    name = NAME  # of its certificate

    def __init__(
        self,
        scaled: ScaledCoallocation,
        duals: Sequence[Weights],
        horizon: int,
        packing: Packing,
        *,
        compiled: bool | None = None,
    ) -> None:
        self._scaled, self._unit = coarsened(scaled)
        self._horizon, self._packing = horizon // self._unit, packing
        jobs = range(scaled.job_count)
        self._mirrored = max(jobs, key=lambda job: scaled.tasks[job] * scaled.durations[job][0])
        windows = windows_of(self._scaled, self._horizon, self._mirrored)
        levels = [[level for level, window in enumerate(row) if window != OUT] for row in windows]
        self._sets: list[tuple[Item, ...]] = list(self._pairs(levels))
        self._duals = [self._coarsened(one) for one in duals if one.whole > 0]
        self._tree = WindowsTree(
            self._scaled.durations,
            windows,
            apart_table(self._scaled, self._sets),
            [*((one.weights, one.whole) for one in self._duals), *level_weightings(self._scaled)],
            self._horizon,
            compiled=compiled,
        )
        self._conflicts: list[tuple[list[Item], list[list[int]]]] = []
        self._decisions_a_row = max(1, scaled.job_count**3 // CUBED_JOBS_A_DECISION)
        self._runs: list[Run] = []
        self._verdict = Verdict.UNDECIDED
        self.stuck = False  # at a leaf for which neither nodes nor a conflict was found, or at a limit of the tree

    @property
    def decisions(self) -> int:
        """The effort so far: rows of the tree, each converted into the decisions that take as long."""
        return self._tree.rows * self._decisions_a_row

    def go_on(self, decisions: int) -> Verdict:
        """Resume for about `decisions`; a verdict is final if it is not UNDECIDED, or if the search is stuck."""
        end = self._tree.rows + -(-decisions // self._decisions_a_row)
        while self._verdict is Verdict.UNDECIDED and not self.stuck and self._tree.rows < end:
            outcome = self._tree.go_on(end - self._tree.rows)
            if outcome is Outcome.REFUTED:
                self._verdict = Verdict.REFUTED
            elif outcome is Outcome.TOO_DEEP:
                self.stuck = True
            elif outcome is Outcome.LEAF:
                self._look_at_leaf()
        return self._verdict

    def runs(self) -> list[Run]:
        """Return the runs of the schedule that was found, in the order of jobs."""
        return self._runs

    def certificate(self) -> dict[str, object] | None:
        """Return the certificate of a search that has refuted the makespan; None if its log is too long."""
        log = self._tree.log()
        if log is None or len(log) > MAX_PACKED:
            return None
        return {
            "version": VERSION,
            "makespan": self._horizon,
            "mirrored": self._mirrored,
            "weights": [{"jobs": [list(row) for row in one.weights], "whole": one.whole} for one in self._duals],
            "apart": [[list(item) for item in one] for one in self._sets],
            "conflicts": [
                {"jobs": [list(item) for item in items], "moments": moments} for items, moments in self._conflicts
            ],
            "log": packed(log),
        }

    def _pairs(self, levels: Sequence[Sequence[int]]) -> list[tuple[Item, Item]]:
        """Return the pairs of (job, level) that are apart, for each two jobs only those at the slowest levels."""
        found: list[tuple[Item, Item]] = []
        for job, other in combinations(range(len(levels)), 2):
            least = -1  # slowest level of the other job in the pairs so far
            for level in reversed(levels[job]):
                apart = [one for one in levels[other] if not self._packing.fits(((job, level), (other, one)))]
                if apart and apart[-1] > least:
                    least = apart[-1]
                    found.append(((job, level), (other, least)))
        return found

    def _coarsened(self, dual: Weights) -> Weights:
        """Return weights divided so that sums over time fit into 64 bits; rounded down, they remain valid."""
        most = most_capacity(self._scaled.job_count, self._horizon)
        divisor = -(-dual.whole // min(most, most_whole(self._scaled, self._horizon))) or 1
        rows = tuple(tuple(min(weight, dual.whole) // divisor for weight in row) for row in dual.weights)
        return Weights(rows, dual.whole // divisor)

    def _look_at_leaf(self) -> None:
        """Find the schedule of a leaf; if it has none, add a set of jobs that cannot run together, or a conflict."""
        leaf = self._tree.leaf()
        runs = [(start, start + self._scaled.durations[job][level]) for job, (level, start) in enumerate(leaf)]
        moments = [
            [job for job, (start, end) in enumerate(runs) if start <= moment < end]
            for moment in sorted({start for start, _ in runs})
        ]
        items = [(job, level) for job, (level, _) in enumerate(leaf)]
        for jobs in moments:
            if not self._packing.fits([items[job] for job in jobs]):
                self._add_set([items[job] for job in jobs])
                return
        order = sorted(range(len(runs)), key=lambda job: (runs[job], job))
        answer, nodes = self._find_nodes(items, order, moments)
        if answer == YES:
            self._runs = [
                Run(job, leaf[job][1] * self._unit, self._allocation(job, nodes[place]))
                for place, job in enumerate(order)
            ]
            self._runs.sort(key=lambda run: run.job)
            self._verdict = Verdict.FOUND
            return
        for length in range(2, len(moments) + 1):
            for begin in range(len(moments) - length + 1):
                some = moments[begin : begin + length]
                if self._find_nodes(items, order, some)[0] == NO:
                    self._add_conflict(items, order, some)
                    return
        self.stuck = True

    def _allocation(self, job: int, counts: list[int]) -> Allocation:
        made = make_allocation(self._scaled, job, counts)
        return replace(made, duration=made.duration * self._unit)

    def _find_nodes(
        self, items: Sequence[Item], order: Sequence[int], moments: Sequence[Sequence[int]]
    ) -> tuple[int, list[list[int]]]:
        jobs = [job for job in order if any(job in one for one in moments)]
        places = [[jobs.index(job) for job in one] for one in moments]
        return find_nodes(self._scaled, [items[job] for job in jobs], places, PLACING_STEPS)

    def _add_conflict(self, items: list[Item], order: Sequence[int], moments: list[list[int]]) -> None:
        """Add a conflict; first drop jobs and make levels slower, as far as there are still no nodes."""
        for job in order:
            fewer = [[one for one in jobs if one != job] for jobs in moments]
            if fewer != moments and self._find_nodes(items, order, fewer)[0] == NO:
                moments = fewer
        jobs = [job for job in order if any(job in one for one in moments)]
        items = list(items)
        for job in jobs:
            for slower in range(len(self._scaled.powers) - 1, items[job][1], -1):
                moved = [*items[:job], (job, slower), *items[job + 1 :]]
                if self._find_nodes(moved, order, moments)[0] == NO:
                    items = moved
                    break
        members = [items[job] for job in jobs]
        groups = [one for one in moments if not any(set(one) < set(other) for other in moments)]
        self._conflicts.append((members, groups))
        try:
            self._tree.add_conflict(members, pairs_of(groups))
        except TooLargeError:
            self.stuck = True

    def _add_set(self, items: list[Item]) -> None:
        """Add a set; first drop jobs and make levels slower, as far as the set still does not fit."""
        for item in list(items):
            rest = [one for one in items if one != item]
            if not self._packing.fits(rest):
                items = rest
        for position, (job, level) in enumerate(items):
            for slower in range(len(self._scaled.powers) - 1, level, -1):
                moved = [*items[:position], (job, slower), *items[position + 1 :]]
                if not self._packing.fits(moved):
                    items = moved
                    break
        self._sets.append(tuple(items))
        try:
            self._tree.add(*set_weighting(self._scaled, items))
        except TooLargeError:
            self.stuck = True


class WindowsStage(ParallelStage):
    """The search as a parallel stage, for a schedule just shorter than the best; `memory`: bytes for its worker."""

    name = "windows"

    def __init__(self, search: CoallocationExactSearch) -> None:
        self.memory: int | None = None
        self._search = search
        self._horizon = 0
        self._undecided = 0  # the horizon for which the search has ended without an answer

    def begin(self) -> Callable[[], CallOutcome] | None:
        """Start from the best schedule."""
        search = self._search
        self._horizon = search.upper - 1
        if search.evidence.enough or self._horizon == self._undecided:
            return None
        given = (search.instance, search.duals, self._horizon)
        limits = limits_of_part(search.seconds_of_stage(), self.memory)
        return partial(call, f"{__name__}:search_windows", given, limits)

    def is_outdated(self, bound: float | None) -> bool:
        """Return whether there is a shorter schedule, or nothing left to do."""
        del bound
        return self._search.upper - 1 != self._horizon or self._search.evidence.enough

    def take(self, answer: CallOutcome) -> bool:
        """Keep a schedule or a refutation; return whether it is a schedule."""
        verdict, certificate, runs = cast("WindowsAnswer", answer.value or (Verdict.UNDECIDED, None, []))
        if verdict is Verdict.REFUTED:
            self._search.keep_refutation(WindowsSearch.name, certificate, self._horizon + 1)
        elif verdict is Verdict.FOUND:
            self._search.offer(runs, f"{self.name} search")
        else:
            self._undecided = self._horizon
        return verdict is Verdict.FOUND


def search_windows(given: tuple[CoallocationInstance, Sequence[Weights], int], session: Session) -> WindowsAnswer:
    """Search in the worker until the time is up; return the verdict, the certificate of a refutation, and runs."""
    instance, duals, horizon = given
    scaled = instance.scaled()
    search = WindowsSearch(scaled, duals, horizon, Packing(scaled))
    verdict = Verdict.UNDECIDED
    while verdict is Verdict.UNDECIDED and not search.stuck and not session.time_is_up:
        verdict = search.go_on(STAGE_DECISIONS)
    return verdict, search.certificate() if verdict is Verdict.REFUTED else None, search.runs()
