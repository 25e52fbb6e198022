"""The slots model and the phases model in Pyomo, for instances whose saturated links slow jobs down."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import TYPE_CHECKING, Any

import pyomo.environ as pyo

from oas.models.builder import ModelBuilder

if TYPE_CHECKING:
    from oas.models.coallocation.sequences import SequenceSpec


class SequenceBuilder(ModelBuilder):
    """Variables and constraint families over steps, in each of which one configuration runs or none."""

    def __init__(self, name: str, spec: SequenceSpec) -> None:
        super().__init__(name, spec)
        self.steps, self.choices, self.configurations = spec.steps, spec.choices, spec.configurations
        self.allocations = [(job, index) for job, own in enumerate(self.choices) for index in range(len(own))]
        # Configurations that hold an allocation of a job, with the job's rate there.
        self.holding: dict[tuple[int, int], list[tuple[int, Fraction]]] = {one: [] for one in self.allocations}
        for index, one in enumerate(self.configurations):
            for member, rate in zip(one.members, one.rates, strict=True):
                self.holding[member].append((index, rate))

    def variables(self) -> None:
        """Declare runs[e,S] = 1 if configuration S runs in step e; chosen[j,a] and begins[j,a,e].

        chosen = 1 if job j is on allocation a, begins = 1 if it starts there in step e: integers wherever runs are.
        """
        model = self.model
        pairs = [(step, index) for step in self.steps for index in range(len(self.configurations))]
        model.runs = pyo.Var(pairs, domain=pyo.Binary)
        model.chosen = pyo.Var(self.allocations, domain=pyo.UnitInterval)
        beginnings = [(job, index, step) for job, index in self.allocations for step in self.steps]
        model.begins = pyo.Var(beginnings, domain=pyo.UnitInterval)

    def one_configuration_at_a_time(self) -> None:
        """At most one configuration runs in each step: what it holds fits on nodes (10) and links."""
        self.model.one = pyo.Constraint(self.steps, rule=lambda _, step: self.running(step) <= 1)

    def one_allocation(self) -> None:
        """Each job has one allocation (12), (15)."""
        choices, model = self.choices, self.model
        model.once = pyo.Constraint(
            range(len(choices)),
            rule=lambda _, job: sum(model.chosen[job, index] for index in range(len(choices[job]))) == 1,
        )

    def begins(self) -> None:
        """A job that runs in a step, and not in the one before on the same allocation, begins there."""
        model = self.model

        def rule(_: Any, job: int, choice: int, step: int) -> Any:
            before = self.holds(job, choice, step - 1) if step else 0
            return model.begins[job, choice, step] >= self.holds(job, choice, step) - before

        model.beginning = pyo.Constraint(model.begins.index_set(), rule=rule)

    def one_run(self) -> None:
        """A job begins once, on its allocation: its run is unbroken."""
        model = self.model
        model.run = pyo.Constraint(
            self.allocations,
            rule=lambda _, job, choice: (
                sum(model.begins[job, choice, step] for step in self.steps) == model.chosen[job, choice]
            ),
        )

    def empty_steps_last(self) -> None:
        """Steps without a configuration come last: nothing waits where nothing runs."""
        pairs = list(pairwise(self.steps))
        self.model.empty = pyo.Constraint(
            range(len(pairs)), rule=lambda _, at: self.running(pairs[at][0]) >= self.running(pairs[at][1])
        )

    def identical_jobs_in_order(self) -> None:
        """Of identical jobs, the earlier index begins in no later step: symmetry only."""
        pairs = [pair for group in self.spec.identical_jobs for pair in pairwise(group)]
        rows = [(first, second, step) for first, second in pairs for step in self.steps]
        self.model.identical_jobs = pyo.Constraint(
            rows, rule=lambda _, first, second, step: self._begun(first, step) >= self._begun(second, step)
        )

    def running(self, step: int) -> Any:
        """Whether anything runs in a step."""
        return sum(self.model.runs[step, index] for index in range(len(self.configurations)))

    def holds(self, job: int, choice: int, step: int) -> Any:
        """Whether the job runs on this allocation in a step."""
        return sum(self.model.runs[step, index] for index, _ in self.holding[job, choice])

    def _begun(self, job: int, step: int) -> Any:
        """Whether the job begins in this step or before."""
        choices = range(len(self.choices[job]))
        return sum(self.model.begins[job, choice, at] for choice in choices for at in range(step + 1))


# Progress is counted in integers up to here, so that no tolerance of a solver hides what is missing.
MAX_COUNT = 2**16


def build_slots(spec: SequenceSpec) -> pyo.ConcreteModel:
    """Build the model: minimise the number of slots beyond the lower bound."""
    return SlotsBuilder("slots", spec).build()


class SlotsBuilder(SequenceBuilder):
    """One method for each constraint family; the steps are slots."""

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


# What a bound that is stated as a row is lowered by, so that rounding it to a float cuts nothing off.
_ROUNDING = Fraction(1, 10**9)


def build_phases(spec: SequenceSpec) -> pyo.ConcreteModel:
    """Build the model: minimise the makespan, in the spec's unit of time."""
    return PhasesBuilder("phases", spec).build()


class PhasesBuilder(SequenceBuilder):
    """One method for each constraint family; the steps are phases."""

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
