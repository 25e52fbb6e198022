"""Base classes of models, and the objective of start-indexed models: attainable makespans beyond the bound.

Counting attainable makespans instead of ticks keeps the objective a small integer for every tick, so that the tolerance
of a solver cannot hide one. beyond[i] = 1 if C_max ≥ ends[i], where ends are the attainable makespans above the bound,
ascending.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from oas.core.errors import SolverError
from oas.solving.weight_rows import step_of, terms_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from fractions import Fraction

    from oas.solvers.cpsat import CpTask
    from oas.solvers.task import Key


def float_below(value: Fraction) -> float:
    """Return the greatest float that is at most an exact number.

    A coefficient that is rounded to the nearest float may exclude a schedule by a rounding error. No solver notices,
    but a bound that is proven for the floats of the model could be above the optimum.
    """
    nearest = float(value)
    return nearest if nearest <= value else math.nextafter(nearest, -math.inf)


def beyond_values(ends: Sequence[int], makespan: int) -> dict[Key, float]:
    """Return the nonzero values of beyond for a schedule."""
    return {("beyond", (index,)): 1 for index, end in enumerate(ends) if end <= makespan}


def ticks_of(spec: Any, objective: int) -> int:
    """Return the makespan in ticks that reaches `objective` of the attainable makespans beyond the bound."""
    reached = min(max(objective, 0), len(spec.ends))
    return spec.ends[reached - 1] if reached else spec.lower_bound


def started(values: Mapping[Key, float], jobs: int) -> list[Any]:
    """Return the indices of the start variables of an incumbent, one for each job, in the order of jobs.

    Raises `SolverError` if some job does not start exactly once.
    """
    indices = sorted(index for (name, index), value in values.items() if name == "start" and value)
    if [index[0] for index in indices] != list(range(jobs)):
        raise SolverError("the solver's incumbent does not start every job exactly once")
    return indices


class CpBuilder:
    """A CP-SAT model under construction, in the solver's process, with a method for each constraint family."""

    def __init__(self, spec: Any, task: CpTask) -> None:
        self.spec, self.scaled, self.task, self.model = spec, spec.scaled, task, task.model
        self.start: list[Any] = []  # start variable of each job

    def identical_jobs_in_order(self) -> None:
        """Let identical jobs start in the order of their indices, which only breaks symmetry."""
        for group in self.spec.identical_jobs:
            for first, second in pairwise(group):
                self.model.add(self.start[first] <= self.start[second])


class ModelBuilder:
    """A Pyomo model under construction, in the solver's process; the constructor loads Pyomo.

    A subclass has a method for each constraint family; the function `build` of its module calls them.
    """

    def __init__(self, name: str, spec: Any) -> None:
        import pyomo.environ as pyo

        self.pyo: Any = pyo
        self.spec, self.model = spec, pyo.ConcreteModel(name)

    def binaries(self, keys: Iterable[Any]) -> Any:
        """Return a binary variable for each key."""
        return self.pyo.Var(list(keys), domain=self.pyo.Binary)

    def linear(self, coefficients: Sequence[int], variables: Sequence[Any]) -> Any:
        """Return Σ coefficient · variable, which is built faster than a sum of products."""
        from pyomo.core.expr.numeric_expr import LinearExpression

        return LinearExpression(linear_coefs=coefficients, linear_vars=variables)

    # Methods for models that count attainable makespans by binary variables `beyond`

    def makespan(self) -> None:
        """Minimise C_max, counted in attainable makespans beyond the lower bound."""
        pyo, beyond = self.pyo, self.model.beyond
        self.model.objective = pyo.Objective(expr=pyo.quicksum(beyond.values()), sense=pyo.minimize)

    def beyond_is_monotone(self) -> None:
        """A makespan of at least ends[i+1] is also at least ends[i]."""
        beyond = self.model.beyond
        self.model.monotone = self.pyo.Constraint(
            range(max(0, len(beyond) - 1)), rule=lambda _, index: beyond[index] >= beyond[index + 1]
        )

    def ends_in_time(self) -> None:
        """If a job ends at ends[i] or later, the makespan is at least ends[i], (17)."""
        model, late = self.model, dict[tuple[int, int], list[Any]]()
        for job, key, duration, starts in self.spec.columns():
            for start in starts:
                for step in range(bisect_right(self.spec.ends, start + duration)):
                    late.setdefault((job, step), []).append(model.start[job, key, start])
        model.late = self.pyo.Constraint(
            sorted(late), rule=lambda _, job, step: sum(late[job, step]) <= model.beyond[step]
        )

    def weights(self) -> None:
        """Jobs that run at the same moment weigh at most as much as the heaviest set that can, see `weight_rows`."""
        rows, start = self.spec.weight_rows, self.model.start

        def rule(_: Any, index: int) -> Any:
            row = rows[index]
            return self.packing([(weight, start[key]) for weight, key in terms_of(self.spec, row)], *row[1:])

        self.model.weights = self.pyo.Constraint(range(len(rows)), rule=rule)

    def packing(self, terms: Sequence[tuple[int, Any]], size: int, moment: int) -> Any:
        """Return the row Σ weight · variable ≤ size, or ≤ 0 if `moment` is not before the makespan."""
        step = step_of(self.spec, moment)
        if step is not None:
            terms, size = [*terms, (-size, self.model.beyond[step])], 0
        coefficients, variables = zip(*terms, strict=True)
        return self.linear(coefficients, variables) <= size
