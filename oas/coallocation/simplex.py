"""The simplex method in Fractions, for the durations of sets of jobs that run one after another.

It minimises the total duration of given columns, such that the progress of each job is at least 1, or exactly 1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

Column = dict[int, Fraction]
"""Progress by job in a unit of time."""
MAX_PIVOTS = 2_000


class Solution(NamedTuple):
    """A basic optimum: at most as many durations are above 0 as there are jobs."""

    duals: list[Fraction]  # weights of the jobs: no column weighs more than 1
    times: dict[int, Fraction]  # duration of each column; 0 if omitted


def solve(columns: Sequence[Column], jobs: int, basis: Sequence[int] = (), *, exactly: bool = False) -> Solution | None:
    """Minimise the total time of the columns, such that each job's progress is at least 1, or `exactly` 1.

    `basis`: initial basis, as columns, and -1 - j for the unit column of job j: progress beyond 1, or, if `exactly`,
    progress that is missing, whose cost is infinite. If the basis is infeasible, the search starts from all progress
    missing, or from the columns of single jobs. Returns None if there is no solution or no basis to start from, or
    after too many pivots.
    """
    program = _Program(columns, jobs, exactly)
    current = list(basis)
    times = program.times(current)
    if times is None or min(times) < 0:
        alone = {next(iter(column)): index for index, column in enumerate(columns) if len(column) == 1}
        if len(alone) < jobs and not exactly:
            return None
        current = [-1 - job if exactly else alone[job] for job in range(jobs)]
        times = program.times(current)
        assert times is not None
    for pivot in range(MAX_PIVOTS):
        duals, infinite = program.duals(current)
        entering = program.entering(duals, infinite, current, first=pivot > MAX_PIVOTS // 4)
        if entering is None:
            if exactly and any(time for column, time in zip(current, times, strict=True) if column < 0):
                return None
            return Solution(duals, {column: time for column, time in zip(current, times, strict=True) if column >= 0})
        direction = _solved(program.rows(current), [program.entry(entering, job) for job in range(jobs)])
        assert direction is not None
        steps = enumerate(zip(times, direction, current, strict=True))
        ratio, _, place = min((time / step, column, place) for place, (time, step, column) in steps if step > 0)
        times = [time - ratio * step for time, step in zip(times, direction, strict=True)]
        current[place], times[place] = entering, ratio
    return None


class _Program:
    """The columns, and a unit column for each job, of index -1 - j."""

    def __init__(self, columns: Sequence[Column], jobs: int, exactly: bool) -> None:
        self.columns, self.jobs, self.exactly = columns, jobs, exactly

    def entry(self, index: int, job: int) -> Fraction:
        """Return the progress of a job in a unit of time of a column."""
        if index >= 0:
            return self.columns[index].get(job, Fraction(0))
        return Fraction((1 if self.exactly else -1) if job == -1 - index else 0)

    def rows(self, basis: Sequence[int]) -> list[list[Fraction]]:
        """Return the matrix of a basis, by job."""
        return [[self.entry(index, job) for index in basis] for job in range(self.jobs)]

    def times(self, basis: Sequence[int]) -> list[Fraction] | None:
        """Return the durations of a basis; None if it is not a basis."""
        return None if len(basis) != self.jobs else _solved(self.rows(basis), [Fraction(1)] * self.jobs)

    def duals(self, basis: Sequence[int]) -> tuple[list[Fraction], list[Fraction]]:
        """Return the finite and the infinite part of the duals of a basis."""
        transposed = [[self.entry(column, job) for job in range(self.jobs)] for column in basis]
        parts = []
        for costs in ([int(column >= 0) for column in basis], [int(self.exactly and column < 0) for column in basis]):
            part = _solved(transposed, list(map(Fraction, costs))) if any(costs) else [Fraction(0)] * self.jobs
            assert part is not None
            parts.append(part)
        return parts[0], parts[1]

    def entering(
        self, duals: Sequence[Fraction], infinite: Sequence[Fraction], basis: Sequence[int], *, first: bool
    ) -> int | None:
        """Return a column of negative reduced cost: the most negative, or the `first` one to prevent cycling.

        Reduced costs are compared by their infinite parts, then by their finite parts.
        """
        nothing = Fraction(0)
        candidates = [] if self.exactly else [((nothing, dual), -1 - job) for job, dual in enumerate(duals) if dual < 0]
        basic = set(basis)
        for index, column in enumerate(self.columns):
            if index not in basic:
                cost = 1 - sum((duals[job] * rate for job, rate in column.items()), nothing)
                large = -sum((infinite[job] * rate for job, rate in column.items()), nothing)
                if (large, cost) < (nothing, nothing):
                    candidates.append(((large, cost), index))
        if not candidates:
            return None
        return min(index for _, index in candidates) if first else min(candidates)[1]


def _solved(rows: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """Solve a square system; None if it is singular."""
    size = len(rows)
    work = [[*row, value] for row, value in zip(rows, right, strict=True)]
    for column in range(size):
        pivots = [row for row in range(column, size) if work[row][column]]
        if not pivots:
            return None
        best = min(pivots, key=lambda row: sum(1 for entry in work[row] if entry))
        work[column], work[best] = work[best], work[column]
        top = work[column]
        for row in range(column + 1, size):
            if work[row][column]:
                factor = work[row][column] / top[column]
                work[row] = [
                    entry - factor * above if place >= column and above else entry
                    for place, (entry, above) in enumerate(zip(work[row], top, strict=True))
                ]
    answer = [Fraction(0)] * size
    for row in range(size - 1, -1, -1):
        known = sum((work[row][place] * answer[place] for place in range(row + 1, size)), Fraction(0))
        answer[row] = (work[row][size] - known) / work[row][row]
    return answer
