"""The restricted master of the column generation: configurations over time, as a linear program (worker side).

The certificate is ``{"tree": [node, …]}``, a tree over the jobs' options and the order of starts and ends, in preorder:
inner nodes ``{"job": j, "parts": [[option, …], …]}`` and ``{"before": [event, event]}``, and leaves, which are duals.
`docs/api/certificates.rst` describes it and says why it proves its bound; `oas.checker.coallocation_shared_links`
checks it.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor, inf
from typing import TYPE_CHECKING, NamedTuple

from oas.coallocation.bounds.saturated.options import Item
from oas.lp.master import Master

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.coallocation.bounds.saturated.options import Allowed, Options, Order

SCALE = 2**46  # duals lie in [0, 1]; the resolution of floats is about 2^-50


class Leaf(NamedTuple):
    """Weights w and u of the jobs, and the greatest weight W of a configuration, as in the certificate."""

    weights: list[int]
    slots: list[int]
    capacity: int


def quotient(leaf: Leaf) -> Fraction:
    """Return the makespan that the weights prove, in slots or units of time."""
    return Fraction(sum(leaf.weights) + sum(leaf.slots), leaf.capacity) if leaf.capacity else Fraction(0)


def written(leaf: Leaf) -> dict[str, object]:
    """Return a leaf in the form of the certificate: its numbers, which may be long, as decimal texts."""
    weights, slots = ([str(number) for number in row] for row in (leaf.weights, leaf.slots))
    return {"weights": weights, "slots": slots, "capacity": str(leaf.capacity)}


class Answer(NamedTuple):
    """An optimum in floats."""

    objective: float  # in slots or units of time
    duals: list[float]  # of each job's progress, and with slots of its share of its minimum number of slots
    times: list[float]  # how long each configuration runs


class ConfigurationMaster(Master[tuple[Item, ...]]):
    """Minimise Σ y_S, the time that configurations S run, such that each job's progress adds up to 1.

    With slots, each job's shares of its minimum number of slots add up to 1 too. Rows are scaled such that their
    entries are at most 1, and time by the longest job.
    """

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.options = options
        self._shortest = [min(option.alone for option in row) for row in options.rows]
        self._least = [min(option.slots for option in row) for row in options.rows]
        self._time = Fraction(max(self._shortest))
        self._rows = [self.program.add_row(float(time / self._time)) for time in self._shortest]
        self._slot_rows = [self.program.add_row(float(slots / self._time)) for slots in self._least * options.slotted]
        # An order may exclude every configuration of a job: artificial columns, dearer than any schedule, cover it.
        self._extra = [
            self.program.add_column(4.0 * options.job_count, [row], [float(size / self._time)])
            for row, size in zip(
                self._rows + self._slot_rows, [*self._shortest, *map(Fraction, self._least)], strict=False
            )
        ]
        self._jobs: list[frozenset[int]] = []  # of each configuration
        self._kept: list[bool] = []  # whether each configuration was usable in the last solution
        self.add(((job, index),) for job, row in enumerate(options.rows) for index in range(len(row)))

    def terms(self, column: tuple[Item, ...]) -> tuple[float, list[int], list[float]]:
        jobs = [job for job, _ in column]
        rows, coefficients = [self._rows[job] for job in jobs], []
        for job, progress in zip(jobs, self.options.progress(column), strict=True):
            coefficients.append(float(progress * self._shortest[job]))
        if self.options.slotted:
            rows += [self._slot_rows[job] for job in jobs]
            coefficients += [self._least[job] / self.options.rows[job][index].slots for job, index in column]
        return 1.0, rows, coefficients

    def solve(self, usable: Sequence[bool]) -> Answer:
        """Solve with only the `usable` configurations."""
        self._kept += [True] * (len(self.columns) - len(self._kept))
        for column, (now, before) in enumerate(zip(usable, self._kept, strict=True)):
            if now != before:
                self.program.set_bounds(column + len(self._extra), 0, inf if now else 0)
        self._kept = list(usable)
        span = float(self._time)
        objective = self.program.solve() * span
        duals = self.program.duals()
        return Answer(
            objective,
            [duals[row] for row in self._rows + self._slot_rows],
            [time * span for time in self.amounts()],
        )

    def leaf(self, duals: Sequence[float]) -> Leaf:
        """Return duals of the rows, which are scaled, as weights; no capacity is proven yet."""
        scales: list[Fraction | int] = [*self._shortest, *self._least]
        weights = [floor(max(0.0, dual) * SCALE) * scale // 1 for dual, scale in zip(duals, scales, strict=False)]
        jobs = self.options.job_count
        return Leaf(weights[:jobs], weights[jobs:] or [0] * jobs, 0)

    def within(self, allowed: Allowed, order: Order) -> list[bool]:
        """Return for each configuration whether it uses only allowed options and respects the order."""
        self._jobs += [frozenset(job for job, _ in items) for items in self.columns[len(self._jobs) :]]
        together = {jobs: order.allows(jobs) for jobs in set(self._jobs)}
        return [
            together[jobs] and all([option in allowed[job] for job, option in items])
            for items, jobs in zip(self.columns, self._jobs, strict=True)
        ]

    def basis(self) -> list[int] | None:
        """Return the last basis: columns, and -1 - j for the surplus of job j; None if it uses an artificial column.

        Only for programs without slots.
        """
        basis, extra = self.program.basis(), len(self._extra)
        if any(0 <= column < extra for column in basis):
            return None
        return [column - extra if column >= 0 else column for column in basis]
