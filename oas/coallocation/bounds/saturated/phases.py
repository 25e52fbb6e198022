"""Schedules made of configurations: a search over their order, with a linear program for their durations.

Worker side. A sequence of configurations is a schedule if each job runs with one option and without a break. A
depth-first search chooses the next configuration; the linear program over the chosen configurations and all possible
successors bounds the makespan. If the program uses only chosen configurations, the sequence with its times is a
schedule. No configuration occurs twice, because its jobs would run in between too.

The program over the configurations of a schedule, or of a leaf, is solved in Fractions from a nearly optimal basis.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.coallocation.bounds.saturated.master import ConfigurationMaster
    from oas.coallocation.bounds.saturated.options import Options

Column = dict[int, Fraction]
"""Progress by job in a unit of time."""
MAX_PIVOTS = 2_000
_NONE = 1e-9  # times below this share of the total count as 0
_ROUNDING = 1e-9
# A makespan within this ratio of the bound ends the search; smaller improvements are left to exact numbers.
_NEAR = 1 + Fraction(1, 10**9)


class Solution(NamedTuple):
    """An optimum."""

    duals: list[Fraction]  # weights of the jobs: no column weighs more than 1
    times: dict[int, Fraction]  # duration of each column; 0 if omitted


def solve(columns: Sequence[Column], jobs: int, basis: Sequence[int]) -> Solution | None:
    """Minimise the total time of the columns, such that each job's progress is at least 1.

    `basis`: initial basis, as columns, and -1 - j for the surplus of job j; if it is infeasible, the columns of single
    jobs are used. Returns None if there are too many pivots, or neither a feasible basis nor such columns for all jobs.
    """
    current = list(basis)
    times = _times(columns, jobs, current)
    if times is None or min(times) < 0:
        alone = {next(iter(column)): index for index, column in enumerate(columns) if len(column) == 1}
        if len(alone) < jobs:
            return None
        current = [alone[job] for job in range(jobs)]
        times = _times(columns, jobs, current)
        assert times is not None
    for pivot in range(MAX_PIVOTS):
        duals = _solved(
            [[_entry(columns, column, job) for job in range(jobs)] for column in current],
            [Fraction(1 if column >= 0 else 0) for column in current],
        )
        assert duals is not None
        entering = _entering(columns, duals, current, first=pivot > MAX_PIVOTS // 4)
        if entering is None:
            return Solution(duals, {column: time for column, time in zip(current, times, strict=True) if column >= 0})
        rows = _rows(columns, jobs, current)
        direction = _solved(rows, [_entry(columns, entering, job) for job in range(jobs)])
        assert direction is not None
        steps = enumerate(zip(times, direction, current, strict=True))
        ratio, _, place = min((time / step, column, place) for place, (time, step, column) in steps if step > 0)
        times = [time - ratio * step for time, step in zip(times, direction, strict=True)]
        current[place], times[place] = entering, ratio
    return None


def _entering(columns: Sequence[Column], duals: Sequence[Fraction], basis: Sequence[int], *, first: bool) -> int | None:
    """Return a column or surplus of negative reduced cost: the most negative, or the `first` one to prevent cycling."""
    candidates = [(dual, -1 - job) for job, dual in enumerate(duals) if dual < 0]
    basic = set(basis)
    for index, column in enumerate(columns):
        if index not in basic:
            cost = 1 - sum((duals[job] * rate for job, rate in column.items()), Fraction(0))
            if cost < 0:
                candidates.append((cost, index))
    if not candidates:
        return None
    return min(index for _, index in candidates) if first else min(candidates)[1]


def _entry(columns: Sequence[Column], index: int, job: int) -> Fraction:
    if index >= 0:
        return columns[index].get(job, Fraction(0))
    return Fraction(-1 if job == -1 - index else 0)


def _rows(columns: Sequence[Column], jobs: int, basis: Sequence[int]) -> list[list[Fraction]]:
    return [[_entry(columns, index, job) for index in basis] for job in range(jobs)]


def _times(columns: Sequence[Column], jobs: int, basis: Sequence[int]) -> list[Fraction] | None:
    if len(basis) != jobs:
        return None
    return _solved(_rows(columns, jobs, basis), [Fraction(1)] * jobs)


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


class Plan(NamedTuple):
    """A schedule: option and start of each job, and its makespan, in units of time."""

    makespan: Fraction
    options: tuple[int, ...]
    starts: tuple[Fraction, ...]


class PhaseSearch:
    """The search, for one instance without slots; `stop` returns whether to stop."""

    def __init__(self, options: Options, stop: Callable[[], bool]) -> None:
        self.options, self.stop = options, stop

    def search(
        self, master: ConfigurationMaster, kept: Sequence[bool], bound: Fraction, upper: Fraction, steps: int
    ) -> Plan | None:
        """Return the shortest plan found below `upper`; the search ends at `bound`.

        `master`: its configurations are used. `kept`: the permitted ones. `steps`: maximum number of linear programs.
        """
        self.master, self.kept = master, kept
        self.sets = [dict(items) for items in master.columns]
        self.bound, self.upper, self.left = bound, upper, steps
        self.best: Plan | None = None
        self._extend([], frozenset())
        return self.best

    def _extend(self, prefix: list[int], done: frozenset[int]) -> bool:
        """Continue from this prefix; return whether the search is over."""
        if self.left <= 0 or self.stop():
            return True
        self.left -= 1
        running = self.sets[prefix[-1]] if prefix else {}
        chosen = set(prefix)
        later = [
            number in chosen
            or (
                self.kept[number]
                and done.isdisjoint(items)
                and all(running.get(job, option) == option for job, option in items.items())
            )
            for number, items in enumerate(self.sets)
        ]
        answer = self.master.solve(later)
        if answer.objective >= float(self.upper) * (1 - _ROUNDING):
            return False
        times = answer.times
        used = [number for number, time in enumerate(times) if time > _NONE * answer.objective]
        if chosen.issuperset(used):
            self._finish([number for number in prefix if number in used])
            return self.best is not None and self.best.makespan <= self.bound * _NEAR
        nexts = sorted(
            (number for number, usable in enumerate(later) if usable and number not in chosen),
            key=lambda number: (
                times[number] <= _NONE * answer.objective,
                -len(running.keys() & self.sets[number].keys()),
                -times[number],
            ),
        )
        for number in nexts[: max(3, len(used))]:
            ended = frozenset(running.keys() - self.sets[number].keys())
            if self._extend([*prefix, number], done | ended):
                return True
        return False

    def _finish(self, order: list[int]) -> None:
        """Compute the exact times of a sequence and the starts of its jobs; store the plan if it is shorter."""
        columns = [self.options.column(self.master.columns[number]) for number in order]
        place = {number: index for index, number in enumerate(order)}
        jobs = self.options.job_count
        alone = [{job: Fraction(1, 10**9) / row[0].alone} for job, row in enumerate(self.options.rows)]
        known = self.master.basis() or []
        basis = [place[column] if column >= 0 else column for column in known if column < 0 or column in place]
        solution = solve([*columns, *alone], jobs, basis)
        if solution is None or any(column >= len(columns) and time for column, time in solution.times.items()):
            return
        now = Fraction(0)
        starts: dict[int, Fraction] = {}
        options: dict[int, int] = {}
        for index, number in enumerate(order):
            for job, option in self.master.columns[number]:
                starts.setdefault(job, now)
                options[job] = option
            now += solution.times.get(index, Fraction(0))
        if now < self.upper:
            self.upper = now
            self.best = Plan(now, tuple(options[job] for job in range(jobs)), tuple(starts[job] for job in range(jobs)))
