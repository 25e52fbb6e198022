"""The restricted master of the column generation: configurations over time, as a linear program (worker side)."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, Any, NamedTuple

import highspy

from oas.solvers.lp import LinearProgram

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oas.bounds.coallocation.saturated.options import Allowed, Item, Options

# Duals lie in [0, 1]: floats tell them apart to some 2^-50.
SCALE = 2**46


class Answer(NamedTuple):
    """An optimum in floats.

    Attributes
    ----------
    objective
        In slots or units of time.
    weights, slots
        Duals as weights of the jobs, to be compared with SCALE.
    times
        How long each configuration runs.
    """

    objective: float
    weights: list[int]
    slots: list[int]
    times: list[float]


class Master:
    """Minimise Σ y_S, the time that configurations S run, such that each job's progress adds up to 1.

    With slots each job's shares of the slots that it takes at least add up to 1 too. A row is scaled such that its
    entries are at most 1, and time by the longest job.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self._shortest = [min(one.alone for one in row) for row in options.rows]
        self._least = [min(one.slots for one in row) for row in options.rows]
        self._time = Fraction(max(self._shortest))
        self._program = _Program()
        self._rows = [self._program.add_row(float(time / self._time)) for time in self._shortest]
        self._slot_rows = [self._program.add_row(float(one / self._time)) for one in self._least * options.slotted]
        self.configurations: list[tuple[Item, ...]] = []
        self._known: set[frozenset[Item]] = set()
        self.add(((job, index),) for job, row in enumerate(options.rows) for index in range(len(row)))

    def add(self, configurations: Iterable[tuple[Item, ...]]) -> bool:
        """Add configurations as columns; return whether any is new."""
        before = len(self.configurations)
        for one in configurations:
            if (key := frozenset(one)) in self._known:
                continue
            self._known.add(key)
            self.configurations.append(one)
            jobs = [job for job, _ in one]
            rows, entries = [self._rows[job] for job in jobs], []
            for job, progress in zip(jobs, self.options.progress(one), strict=True):
                entries.append(float(progress * self._shortest[job]))
            if self.options.slotted:
                rows += [self._slot_rows[job] for job in jobs]
                entries += [self._least[job] / self.options.rows[job][index].slots for job, index in one]
            self._program.add_column(1, rows, entries)
        return len(self.configurations) > before

    def solve(self, kept: Sequence[bool]) -> Answer:
        """Solve with the configurations marked as kept alone."""
        for column, one in enumerate(kept):
            self._program.bound(column, within=one)
        objective = self._program.solve() * float(self._time)
        duals, times = self._program.duals(), self._program.primal()
        slots = self._weights(self._slot_rows, self._least, duals)
        return Answer(
            objective,
            self._weights(self._rows, self._shortest, duals),
            slots or [0] * self.options.job_count,
            [time * float(self._time) for time in times],
        )

    @staticmethod
    def _weights(rows: Sequence[int], scales: Sequence[Fraction | int], duals: Sequence[float]) -> list[int]:
        """Duals of scaled rows as weights of the jobs."""
        return [floor(max(0.0, duals[row]) * SCALE) * scale // 1 for row, scale in zip(rows, scales, strict=False)]

    def within(self, allowed: Allowed) -> list[bool]:
        """Mark the configurations that use allowed options alone."""
        return [all(option in allowed[job] for job, option in one) for one in self.configurations]

    def basis(self) -> list[int]:
        """The last basis: columns, and -1 - j for the surplus of job j; without slots."""
        return self._program.basis()


class _Program(LinearProgram):
    def __init__(self) -> None:
        super().__init__()
        self._within: dict[int, bool] = {}

    def bound(self, column: int, *, within: bool) -> None:
        if self._within.get(column, True) != within:
            self._within[column] = within
            self.set_bounds(column, 0, float("inf") if within else 0)

    def basis(self) -> list[int]:
        found: Any = self._engine.getBasis()
        basic = highspy.HighsBasisStatus.kBasic
        columns = [column for column, status in enumerate(found.col_status) if status == basic]
        return columns + [-1 - row for row, status in enumerate(found.row_status) if status == basic]
