"""Sequences of configurations for the models under slowdown, and the shortest durations of their steps."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, cast

from oas.core.errors import SolverError
from oas.models.coallocation.slowdown_reductions import canonical_runs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.coallocation.rates import Member
    from oas.problems.coallocation.running import StartedRun
    from oas.solvers.task import Key

    Choices = tuple[tuple[Allocation, ...], ...]


def shortest_durations(columns: Sequence[Sequence[Fraction]]) -> list[Fraction] | None:
    """Minimise Σ y over y ≥ 0 with Σ_i columns[i][j] · y_i = 1 for every j.

    The simplex method on Fractions, with Bland's rule, so that it ends. The answer is a basic solution: at most as many
    durations are above 0 as there are jobs.

    Parameters
    ----------
    columns
        columns[i][j]: progress of job j in a unit of time of configuration i; 0 for a job that is not in it.

    Returns
    -------
    list of Fraction or None
        None if no durations make every job's progress 1.
    """
    if not columns:
        return None
    simplex = _Simplex(columns)
    return simplex.durations() if simplex.is_feasible() else None


class _Simplex:
    """A tableau of the rows, the right-hand side last; columns from `count` on are artificial, one for each row."""

    def __init__(self, columns: Sequence[Sequence[Fraction]]) -> None:
        self.count, jobs = len(columns), len(columns[0])
        ones = [[Fraction(int(row == own)) for own in range(jobs)] for row in range(jobs)]
        self.rows = [[*(column[row] for column in columns), *ones[row], Fraction(1)] for row in range(jobs)]
        self.basis = [self.count + row for row in range(jobs)]

    def is_feasible(self) -> bool:
        """Drive the artificial columns to 0; leave out rows that follow from others."""
        artificial = range(self.count, self.count + len(self.rows))
        self._minimise({column: Fraction(1) for column in artificial}, self.count)
        if any(row[-1] for row, column in zip(self.rows, self.basis, strict=True) if column >= self.count):
            return False
        for place in reversed(range(len(self.rows))):
            if self.basis[place] >= self.count:
                entering = next((one for one in range(self.count) if self.rows[place][one]), None)
                if entering is None:
                    del self.rows[place], self.basis[place]
                else:
                    self._pivot(place, entering)
        return True

    def durations(self) -> list[Fraction]:
        """Minimise Σ y from the feasible basis."""
        self._minimise(dict.fromkeys(range(self.count), Fraction(1)), self.count)
        found = [Fraction(0)] * self.count
        for row, column in zip(self.rows, self.basis, strict=True):
            found[column] = row[-1]
        return found

    def _minimise(self, costs: dict[int, Fraction], usable: int) -> None:
        """Pivot until no column below `usable` improves. All costs are at least 0, so it is bounded."""
        while True:
            paid = [costs.get(column, Fraction(0)) for column in self.basis]
            entering = next((one for one in range(usable) if self._reduced(costs, paid, one) < 0), None)
            if entering is None:
                return
            ratios = [
                (row[-1] / row[entering], self.basis[place], place)
                for place, row in enumerate(self.rows)
                if row[entering] > 0
            ]
            self._pivot(min(ratios)[2], entering)

    def _reduced(self, costs: dict[int, Fraction], paid: Sequence[Fraction], column: int) -> Fraction:
        spent = sum((cost * row[column] for cost, row in zip(paid, self.rows, strict=True) if cost), Fraction(0))
        return costs.get(column, Fraction(0)) - spent

    def _pivot(self, place: int, entering: int) -> None:
        own = self.rows[place]
        factor = own[entering]
        own[:] = [value / factor for value in own]
        for other, row in enumerate(self.rows):
            if other != place and row[entering]:
                times = row[entering]
                row[:] = [value - times * mine for value, mine in zip(row, own, strict=True)]
        self.basis[place] = entering


def chosen_sequence(values: Mapping[Key, float]) -> dict[int, int]:
    """Return the configuration that an incumbent has in each step, for those that have one, ascending.

    Raises
    ------
    SolverError
        If a step has two.
    """
    chosen: dict[int, int] = {}
    for (name, index), value in values.items():
        if name == "runs" and value:
            step, configuration = cast("tuple[int, int]", index)
            if step in chosen:
                raise SolverError(f"the solver's incumbent has two configurations in step {step}")
            chosen[step] = configuration
    return dict(sorted(chosen.items()))


def first_steps(instance: CoallocationInstance, sequence: Sequence[Sequence[Member]]) -> list[tuple[int, int]]:
    """Return the first step of each job's run and its allocation.

    Raises
    ------
    SolverError
        If a job does not run, its run is broken, or it changes its allocation.
    """
    found = []
    for job, named in enumerate(instance.jobs):
        own = [(step, choice) for step, members in enumerate(sequence) for one, choice in members if one == job]
        if not own:
            raise SolverError(f"the solver's incumbent does not run job {named.id}")
        first, choice = own[0]
        if own != [(step, choice) for step in range(first, first + len(own))]:
            raise SolverError(f"the solver's incumbent breaks the run of job {named.id} or moves it to other nodes")
        found.append(own[0])
    return found


def allocations_of_runs(
    instance: CoallocationInstance, choices: Choices, ordered: bool, runs: Sequence[StartedRun]
) -> list[StartedRun] | None:
    """Return runs on allocations of a model; where these are reduced, moved onto them; None if that fails.

    `ordered`: identical jobs have an order in the model.
    """
    if all(run.allocation in choices[run.job] for run in runs) and not ordered:
        return list(runs)
    return canonical_runs(instance, choices, runs)


def together(
    choices: Choices, runs: Sequence[StartedRun], ends: Sequence[Fraction], moment: Fraction
) -> tuple[Member, ...]:
    """Return what runs at a moment, as the members of a configuration."""
    return tuple(
        sorted(
            (run.job, choices[run.job].index(run.allocation))
            for run, end in zip(runs, ends, strict=True)
            if run.start <= moment < end
        )
    )
