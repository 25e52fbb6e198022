"""The phases model in Pyomo: which jobs run together in each phase, on which allocations, and for how long."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pyomo.environ as pyo

from oas.models.coallocation.sequence_model import SequenceBuilder

if TYPE_CHECKING:
    from oas.models.coallocation.phases import PhasesSpec

# What a bound that is stated as a row is lowered by, so that rounding it to a float cuts nothing off.
_ROUNDING = Fraction(1, 10**9)


def build(spec: PhasesSpec) -> pyo.ConcreteModel:
    """Build the model: minimise the makespan, in the spec's unit of time."""
    return _Builder(spec).build()


class _Builder(SequenceBuilder):
    """One method for each constraint family; the steps are phases."""

    def __init__(self, spec: PhasesSpec) -> None:
        super().__init__("phases", spec.phases, spec.choices, spec.configurations, spec.identical_jobs)
        self.spec = spec

    def build(self) -> pyo.ConcreteModel:
        self.variables()
        self.durations()
        self.makespan()
        self.one_configuration_at_a_time()
        self.time_where_it_runs()
        self.one_allocation()
        self.progress()
        self.begins()
        self.one_run()
        self.not_shorter_than_the_bound()
        self.empty_steps_last()
        self.identical_jobs_in_order()
        return self.model

    def durations(self) -> None:
        """Declare time[e,S]: how long configuration S runs in phase e."""
        self.model.time = pyo.Var(self.model.runs.index_set(), domain=pyo.NonNegativeReals)

    def makespan(self) -> None:
        """Minimise Σ time: phases without a configuration take none, and an optimum has no pause."""
        self.model.objective = pyo.Objective(expr=pyo.quicksum(self.model.time.values()), sense=pyo.minimize)

    def time_where_it_runs(self) -> None:
        """A configuration takes time where it runs, and at most until one of its jobs is done."""
        spec, model = self.spec, self.model
        longest = [float(spec.longest(index)) for index in range(len(spec.configurations))]
        model.where = pyo.Constraint(
            model.runs.index_set(),
            rule=lambda _, phase, index: model.time[phase, index] <= longest[index] * model.runs[phase, index],
        )

    def progress(self) -> None:
        """Each job makes progress 1, at the rates of equations (2) to (7), and runs no longer."""
        spec, model = self.spec, self.model

        def rule(_: Any, job: int, choice: int) -> Any:
            made = sum(
                float(rate * spec.unit) * model.time[phase, index]
                for phase in self.steps
                for index, rate in self.holding[job, choice]
            )
            return made == model.chosen[job, choice]

        model.progress = pyo.Constraint(self.allocations, rule=rule)

    def not_shorter_than_the_bound(self) -> None:
        """The makespan is not below the proven bound."""
        spec, model = self.spec, self.model
        bound = float(spec.lower_bound / spec.unit * (1 - _ROUNDING))
        if bound > 0:
            model.bound = pyo.Constraint(expr=pyo.quicksum(model.time.values()) >= bound)
