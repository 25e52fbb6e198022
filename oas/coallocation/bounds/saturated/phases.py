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

from oas.coallocation.simplex import solve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.coallocation.bounds.saturated.master import ConfigurationMaster
    from oas.coallocation.bounds.saturated.options import Options

_NONE = 1e-9  # times below this share of the total count as 0
_ROUNDING = 1e-9
# A makespan within this ratio of the bound ends the search; smaller improvements are left to exact numbers.
_NEAR = 1 + Fraction(1, 10**9)


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
