"""The slots model in Pyomo: which jobs run together in each slot, on which allocations."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

import pyomo.environ as pyo

from oas.models.coallocation.sequence_model import SequenceBuilder

if TYPE_CHECKING:
    from oas.models.coallocation.slots import SlotsSpec

# Progress is counted in integers up to here, so that no tolerance of a solver hides what is missing.
MAX_COUNT = 2**16


def build(spec: SlotsSpec) -> pyo.ConcreteModel:
    """Build the model: minimise the number of slots beyond the lower bound."""
    return _Builder(spec).build()


class _Builder(SequenceBuilder):
    """One method for each constraint family; the steps are slots."""

    def __init__(self, spec: SlotsSpec) -> None:
        super().__init__("slots", spec.slots, spec.choices, spec.configurations, spec.identical_jobs)
        self.spec = spec

    def build(self) -> pyo.ConcreteModel:
        self.variables()
        self.makespan()
        self.one_configuration_at_a_time()
        self.one_allocation()
        self.progress()
        self.begins()
        self.one_run()
        self.empty_steps_last()
        self.identical_jobs_in_order()
        return self.model

    def makespan(self) -> None:
        """Minimise C_max (9), counted in slots used beyond the lower bound; all before it are used."""
        beyond = sum(self.running(slot) for slot in self.steps if slot >= self.spec.lower_bound)
        self.model.objective = pyo.Objective(expr=beyond, sense=pyo.minimize)

    def progress(self) -> None:
        """Each job makes progress 1 or more, at the rates of equations (2) to (7), all of a slot long.

        A job that runs for longer than it needs slows others down for longer, with the paper's sharing: ended in time
        it leaves a schedule that ends no later.
        """
        model, slot = self.model, self.spec.instance.slot

        def rule(_: Any, job: int, choice: int) -> Any:
            made = [(index, min(rate * slot, Fraction(1))) for index, rate in self.holding[job, choice]]
            unit = lcm(*(progress.denominator for _, progress in made))
            count = unit if unit <= MAX_COUNT else 1
            total = sum(
                float(progress * count) * model.runs[at, index] for at in self.steps for index, progress in made
            )
            return total >= count * model.chosen[job, choice]

        model.progress = pyo.Constraint(self.allocations, rule=rule)
