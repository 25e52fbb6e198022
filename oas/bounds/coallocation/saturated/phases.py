"""Schedules made of configurations: a search over their order, with a linear program for how long each lasts.

Worker side. A sequence of configurations is a schedule if each job runs with one option and without a break. Depth
first, the next configuration is chosen; the linear program over those chosen and all that may still follow bounds what
can come of it. A sequence of which the program needs no other configuration is a schedule as long as the program says.
No configuration need occur twice: its jobs would run on in between.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from oas.bounds.coallocation.saturated.simplex import solve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.bounds.coallocation.saturated.master import Master
    from oas.bounds.coallocation.saturated.options import Options

# Times below this share of the whole are taken for none.
_NONE = 1e-9
_ROUNDING = 1e-9
# A makespan within this share of a bound ends the search: better ones, if any, are for exact numbers to find.
_NEAR = 1 + Fraction(1, 10**9)


class Plan(NamedTuple):
    """A schedule: option and start of each job, and its makespan, in units of time."""

    makespan: Fraction
    options: tuple[int, ...]
    starts: tuple[Fraction, ...]


class PhaseSearch:
    """The search, for one instance without slots; `stop` tells whether to give up."""

    def __init__(self, options: Options, stop: Callable[[], bool]) -> None:
        self.options, self.stop = options, stop

    def search(self, master: Master, kept: Sequence[bool], bound: Fraction, upper: Fraction, steps: int) -> Plan | None:
        """Return the shortest plan found of less than `upper`; at `bound` the search ends.

        Parameters
        ----------
        master
            Whose configurations plans are made of.
        kept
            Which of them.
        steps
            So many linear programs at most.
        """
        self.master, self.kept = master, kept
        self.sets = [dict(one) for one in master.configurations]
        self.bound, self.upper, self.left = bound, upper, steps
        self.best: Plan | None = None
        self._extend([], frozenset())
        return self.best

    def _extend(self, prefix: list[int], done: frozenset[int]) -> bool:
        """Go on from here; return whether the search is over."""
        if self.left <= 0 or self.stop():
            return True
        self.left -= 1
        running = self.sets[prefix[-1]] if prefix else {}
        chosen = set(prefix)
        later = [
            number in chosen
            or (
                self.kept[number]
                and done.isdisjoint(own)
                and all(running.get(job, option) == option for job, option in own.items())
            )
            for number, own in enumerate(self.sets)
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
            (number for number, own in enumerate(later) if own and number not in chosen),
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
        """Find the exact times of a sequence, and with them the starts."""
        columns = []
        for number in order:
            items = self.master.configurations[number]
            progress = self.options.progress(items)
            columns.append({job: one for (job, _), one in zip(items, progress, strict=True)})
        place = {number: index for index, number in enumerate(order)}
        jobs = self.options.job_count
        alone = [{job: Fraction(1, 10**9) / row[0].alone} for job, row in enumerate(self.options.rows)]
        known = self.master.basis() or []
        basis = [place[one] if one >= 0 else one for one in known if one < 0 or one in place]
        found = solve([*columns, *alone], jobs, basis)
        if found is None or any(one >= len(columns) and time for one, time in found.times.items()):
            return
        now = Fraction(0)
        starts: dict[int, Fraction] = {}
        options: dict[int, int] = {}
        for index, number in enumerate(order):
            for job, option in self.master.configurations[number]:
                starts.setdefault(job, now)
                options[job] = option
            now += found.times.get(index, Fraction(0))
        if now < self.upper:
            self.upper = now
            self.best = Plan(now, tuple(options[job] for job in range(jobs)), tuple(starts[job] for job in range(jobs)))
