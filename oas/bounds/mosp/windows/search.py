"""The search by windows that refutes makespans of a MOSP instance, or finds a schedule; runs in the worker process."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

from oas.bounds.mosp.knapsack import heaviest_by_capacity
from oas.bounds.mosp.searched import RefutingSearch
from oas.bounds.mosp.windows.problem import WindowsProblem
from oas.bounds.windows.tree import Outcome, WindowsTree, most_capacity
from oas.problems.mosp.ticks import coarsened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.bounds.request import BoundRequest
    from oas.solvers.isolation.protocol import Session

VERSION = 1  # of the certificate's format
ROWS = 500  # between two looks at the clock
FIRST_ROWS = 4_000  # of the search for one makespan in the first round; each later round doubles them
ROUNDS = 7  # together some minutes


class Search(RefutingSearch):
    """The search for certificates that refute makespans; it ends if it finds a schedule instead."""

    def __init__(self, request: BoundRequest, session: Session) -> None:
        self.scaled, unit = coarsened(request.scaled)
        super().__init__(request, session, unit)
        self.lower = max(1, self.lower)
        self.weights = [list(self.scaled.widths), *([list(request.heights)] if any(request.heights) else [])]
        self.trees: dict[int, WindowsTree] = {}

    def run(self) -> dict[str, object]:
        """Search in rounds: the highest makespan left, whose refutation proves optimality, then the lowest ones."""
        for turn in range(ROUNDS):
            rows = FIRST_ROWS << turn
            if self.is_open() and self._decide(self.upper - 1, rows):
                break
            while self.is_open() and self.lower < self.upper - 1 and self._decide(self.lower, rows):
                pass
        return self.found

    def _decide(self, makespan: int, rows: int) -> bool:
        """Resume the search for a makespan by up to `rows` rows; return whether it refuted the makespan."""
        problem = WindowsProblem(self.scaled, makespan)
        mirrored = problem.ranks[0] if problem.reverses else None
        if makespan not in self.trees:
            self.trees[makespan] = self._tree(problem, mirrored)
        tree = self.trees[makespan]
        outcome, end = Outcome.UNDECIDED, tree.rows + rows
        while outcome is Outcome.UNDECIDED and tree.rows < end and self.is_open():
            outcome = tree.go_on(ROWS)
        if outcome is Outcome.LEAF:
            jobs = enumerate(tree.leaf()[: self.scaled.job_count])
            self.attain([(job, cluster, start * self.unit) for job, (cluster, start) in jobs])
        if outcome is Outcome.REFUTED and (log := tree.log()) is not None:
            certificate: dict[str, object] = {
                "version": VERSION,
                "makespan": makespan,
                "mirrored": mirrored,
                "weights": self._coarsened(makespan),
                "log": b64encode(log).decode("ascii"),
            }
            self.refute(makespan, certificate)
        return outcome is Outcome.REFUTED

    def _tree(self, problem: WindowsProblem, mirrored: int | None) -> WindowsTree:
        weightings = [one for row in self._coarsened(problem.makespan) for one in problem.weightings(row)]
        return WindowsTree(problem.times, problem.windows(mirrored), problem.apart(), weightings, problem.makespan)

    def _coarsened(self, makespan: int) -> list[list[int]]:
        """Return weights so small that sums of weights over time fit into 64 bits."""
        jobs = self.scaled.job_count + 2 * len(self.scaled.reservations) + self.scaled.cluster_count
        limit = most_capacity(jobs, makespan)
        return [self._small(row, limit) for row in self.weights]

    def _small(self, row: Sequence[int], limit: int) -> list[int]:
        most = heaviest_by_capacity(row, self.scaled.widths, max(self.scaled.processors))[-1]
        divisor = -(-most * self.scaled.cluster_count // limit) or 1
        return [weight // divisor for weight in row]


find_log = Search.start
