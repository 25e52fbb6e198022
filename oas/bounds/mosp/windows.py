"""The bound of a search by windows of starts that has refuted a makespan, for few jobs; it respects reservations.

Its certificate is the log of the search; `oas.checker.windows_log` explains the rules and the log, and
`oas.checker.mosp_windows` the certificate and why it proves the bound.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.mosp.knapsack import heaviest_by_capacity
from oas.bounds.mosp.scales import Scales
from oas.bounds.mosp.searched import RefutingSearch, SearchedBound
from oas.bounds.mosp.volume import free_steps
from oas.bounds.windows.tree import Outcome, WindowsTree, most_capacity
from oas.core.errors import TooLargeError
from oas.problems.mosp.ticks import coarsened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.bounds.request import BoundRequest
    from oas.problems.mosp.ticks import ScaledMosp
    from oas.solvers.isolation.protocol import Session

BOUND = SearchedBound("windows", search="oas.bounds.mosp.windows:find_log")
windows_bound = BOUND

OUT = (0, -1)  # the window of a cluster that a job cannot run on
MAX_JOBS = 150  # together with reservations
VERSION = 1  # of the certificate's format
ROWS = 500  # between two looks at the clock
FIRST_ROWS = 4_000  # of the search for one makespan in the first round; each later round doubles them
ROUNDS = 7  # together some minutes


@dataclass(frozen=True)
class WindowsProblem:
    """An instance, in units of `coarsened`, and the makespan that is searched.

    Raises
    ------
    TooLargeError
        If there are too many jobs and reservations.
    """

    scaled: ScaledMosp
    makespan: int

    def __post_init__(self) -> None:
        if self.scaled.job_count + len(self.scaled.reservations) > MAX_JOBS:
            raise TooLargeError(f"more than {MAX_JOBS} jobs and reservations are too many for a search by windows")

    @cached_property
    def reserved(self) -> list[tuple[int, int, int, int]]:
        """The blocks of reserved processors, from one change to the next: (cluster, start, end, processors)."""
        found = []
        for cluster, steps in enumerate(free_steps(self.scaled)):
            moments, free = [*steps.moments.tolist(), self.makespan], steps.free.tolist()
            for place, left in enumerate(free):
                start, end = moments[place], min(moments[place + 1], self.makespan)
                if start < end and left < self.scaled.processors[cluster]:
                    found.append((cluster, start, end, self.scaled.processors[cluster] - left))
        return found

    @cached_property
    def ends(self) -> list[int]:
        """The latest end of each job."""
        return Scales(self.scaled, self.makespan).deadlines

    @property
    def reverses(self) -> bool:
        """Whether every schedule read backwards is a schedule too."""
        plain = not self.scaled.reservations and not any(self.scaled.releases)
        return plain and all(end == self.makespan for end in self.ends)

    @cached_property
    def ranks(self) -> list[int]:
        """The jobs in the order of area, the largest first."""
        areas = [time * width for time, width in zip(self.scaled.times, self.scaled.widths, strict=True)]
        return sorted(range(len(areas)), key=lambda job: (-areas[job], job))

    @property
    def times(self) -> list[list[int]]:
        """The processing time of each job and block on each cluster."""
        times = [*self.scaled.times, *(end - start for _, start, end, _ in self.reserved)]
        return [[time] * self.scaled.cluster_count for time in times]

    def windows(self, mirrored: int | None) -> list[list[tuple[int, int]]]:
        """Return the first and the last start of each job and block on each cluster."""
        held = {cluster for cluster, *_ in self.scaled.reservations}
        alike: dict[int, list[int]] = {}
        for cluster, size in enumerate(self.scaled.processors):
            if cluster not in held:
                alike.setdefault(size, []).append(cluster)
        place = {cluster: rank for clusters in alike.values() for rank, cluster in enumerate(clusters)}
        rank = {job: at for at, job in enumerate(self.ranks)}
        found = []
        for job, (time, width, release) in enumerate(
            zip(self.scaled.times, self.scaled.widths, self.scaled.releases, strict=True)
        ):
            last = self.ends[job] - time
            window = (release, last // 2 if job == mirrored else last)
            found.append(
                [
                    window if width <= size and place.get(cluster, 0) <= rank[job] else OUT
                    for cluster, size in enumerate(self.scaled.processors)
                ]
            )
        for cluster, start, _, _ in self.reserved:
            found.append([(start, start) if one == cluster else OUT for one in range(self.scaled.cluster_count)])
        return found

    def weightings(self, weights: Sequence[int]) -> Iterator[tuple[list[list[int]], int]]:
        """Yield the weightings of a list of weights: for all clusters together if there are several, then for each."""
        clusters = range(self.scaled.cluster_count)
        most = heaviest_by_capacity(weights, self.scaled.widths, max(self.scaled.processors))
        whole = [most[size] for size in self.scaled.processors]
        own = [*([one] * len(clusters) for one in weights)]
        for cluster, _, _, processors in self.reserved:
            size = self.scaled.processors[cluster]
            own.append([most[size] - most[size - processors] if one == cluster else 0 for one in clusters])
        if len(clusters) > 1:
            yield own, sum(whole)
        for cluster in clusters:
            fitting = [
                [weight if one == cluster and weight <= whole[cluster] else 0 for one, weight in enumerate(row)]
                for row in own
            ]
            yield fitting, whole[cluster]

    def apart(self) -> Any:
        """Return the table [job, cluster, job, cluster]: whether these two need too many processors together."""
        widths = [*self.scaled.widths, *(processors for *_, processors in self.reserved)]
        both = np.add.outer(np.array(widths, dtype=np.int64), np.array(widths, dtype=np.int64))
        table = np.zeros((len(widths), self.scaled.cluster_count) * 2, dtype=np.bool_)
        for cluster, size in enumerate(self.scaled.processors):
            table[:, cluster, :, cluster] = both > size
        return table


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
