"""The restricted master of the column generation: sets of (job, mode) over time, as a linear program (worker side)."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from oas.solvers.lp import LinearProgram

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oas.bounds.coallocation.configurations.modes import Allowed, Modes
    from oas.bounds.coallocation.configurations.packing import Item


class Master:
    """Minimise Σ_S x_S, the time that sets S run, where they run each job in its mode long enough.

    Σ_{S ∋ (j, m)} x_S ≥ ticks(j, m)·z_jm and Σ_m z_jm = 1. Time is in units of the longest mode, so that coefficients
    are at most 1 whatever a tick is.
    """

    def __init__(self, modes: Modes) -> None:
        self.modes = modes
        self.unit = max(mode.ticks for row in modes for mode in row)
        self._program = LinearProgram()
        self._rows = [[self._program.add_row(0) for _ in row] for row in modes]
        self._choices: list[list[int]] = []
        for own, rows in zip(modes, self._rows, strict=True):
            one = self._program.add_row(1, 1)
            self._choices.append(
                [
                    self._program.add_column(0, [row, one], [-(mode.ticks / self.unit), 1], 0, 1)
                    for row, mode in zip(rows, own, strict=True)
                ]
            )
        self._index = [{mode.level: index for index, mode in enumerate(row)} for row in modes]
        self._known: set[frozenset[Item]] = set()
        self.add(((job, mode.level),) for job, row in enumerate(modes) for mode in row)

    def add(self, sets: Iterable[tuple[Item, ...]]) -> bool:
        """Add columns; return whether any is new."""
        fresh = {frozenset(one): one for one in sets if frozenset(one) not in self._known}
        for one in fresh.values():
            rows = [self._rows[job][self._index[job][level]] for job, level in one]
            self._program.add_column(1, rows, [1] * len(rows))
        self._known |= fresh.keys()
        return bool(fresh)

    @contextmanager
    def longer(self, shares: Sequence[Sequence[float]]) -> Iterator[None]:
        """For a while, let each job run longer in each mode by this share of it: the duals tilt towards it."""
        pairs = [
            (row, -share * mode.ticks / self.unit)
            for rows, own, more in zip(self._rows, self.modes, shares, strict=True)
            for row, mode, share in zip(rows, own, more, strict=True)
        ]
        column = self._program.add_column(0, [row for row, _ in pairs], [entry for _, entry in pairs], 1, 1)
        yield
        self._program.set_bounds(column, 0, 0)

    def solve(self, allowed: Allowed) -> tuple[float, list[list[float]], list[list[float]]]:
        """Return the objective in ticks, the duals of the mode rows, and z."""
        for columns, kept in zip(self._choices, allowed, strict=True):
            for index, column in enumerate(columns):
                self._program.set_bounds(column, 0, 1 if index in kept else 0)
        objective = self._program.solve() * self.unit
        duals, primal = self._program.duals(), self._program.primal()
        return (
            objective,
            [[duals[row] for row in rows] for rows in self._rows],
            [[primal[column] for column in columns] for columns in self._choices],
        )
