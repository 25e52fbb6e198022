"""The phases model in Pyomo: which jobs run together in each phase, on which allocations, and for how long."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyomo.environ as pyo

if TYPE_CHECKING:
    from oas.models.coallocation.phases import PhasesSpec

# What a bound that is stated as a row is lowered by, so that rounding it to a float cuts nothing off.
_ROUNDING = Fraction(1, 10**9)


def build(spec: PhasesSpec) -> pyo.ConcreteModel:
    """Build the model: minimise the makespan, in the spec's unit of time."""
    return _Builder(spec).build()


class _Builder:
    """One method for each constraint family."""

    def __init__(self, spec: PhasesSpec) -> None:
        self.spec = spec
        self.model = pyo.ConcreteModel("phases")
        self.allocations = [(job, index) for job, own in enumerate(spec.choices) for index in range(len(own))]
        # Configurations that hold an allocation of a job, with the job's progress in a unit of time there.
        self.holding: dict[tuple[int, int], list[tuple[int, Fraction]]] = {one: [] for one in self.allocations}
        for index, one in enumerate(spec.configurations):
            for member, rate in zip(one.members, one.rates, strict=True):
                self.holding[member].append((index, rate * spec.unit))

    def build(self) -> pyo.ConcreteModel:
        self.variables()
        self.makespan()
        self.one_configuration_at_a_time()
        self.time_where_it_runs()
        self.one_allocation()
        self.progress()
        self.begins()
        self.one_run()
        self.not_shorter_than_the_bound()
        self.empty_phases_last()
        self.identical_jobs_in_order()
        return self.model

    def variables(self) -> None:
        """Declare runs[e,S], time[e,S], chosen[j,a] and begins[j,a,e].

        runs = 1 if configuration S runs in phase e, for so much time; chosen = 1 if job j is on allocation a, and
        begins = 1 if it starts there in phase e. The last two are integers wherever the first are.
        """
        spec, model = self.spec, self.model
        pairs = [(phase, index) for phase in spec.phases for index in range(len(spec.configurations))]
        model.runs = pyo.Var(pairs, domain=pyo.Binary)
        model.time = pyo.Var(pairs, domain=pyo.NonNegativeReals)
        model.chosen = pyo.Var(self.allocations, domain=pyo.UnitInterval)
        beginnings = [(job, index, phase) for job, index in self.allocations for phase in spec.phases]
        model.begins = pyo.Var(beginnings, domain=pyo.UnitInterval)

    def makespan(self) -> None:
        """Minimise Σ time: phases without a configuration take none, and an optimum has no pause."""
        self.model.objective = pyo.Objective(expr=pyo.quicksum(self.model.time.values()), sense=pyo.minimize)

    def one_configuration_at_a_time(self) -> None:
        """In each phase at most one configuration runs: what it holds fits on nodes (10) and links."""
        self.model.one = pyo.Constraint(self.spec.phases, rule=lambda _, phase: self._running(phase) <= 1)

    def time_where_it_runs(self) -> None:
        """A configuration takes time where it runs, and at most until one of its jobs is done."""
        spec, model = self.spec, self.model
        longest = [float(spec.longest(index)) for index in range(len(spec.configurations))]
        model.where = pyo.Constraint(
            model.runs.index_set(),
            rule=lambda _, phase, index: model.time[phase, index] <= longest[index] * model.runs[phase, index],
        )

    def one_allocation(self) -> None:
        """Each job has one allocation (12), (15)."""
        spec, model = self.spec, self.model
        model.once = pyo.Constraint(
            spec.phases,
            rule=lambda _, job: sum(model.chosen[job, index] for index in range(len(spec.choices[job]))) == 1,
        )

    def progress(self) -> None:
        """Each job makes progress 1, at the rates of equations (2) to (7), and runs no longer."""
        spec, model = self.spec, self.model

        def rule(_: Any, job: int, choice: int) -> Any:
            made = sum(
                float(rate) * model.time[phase, index]
                for phase in spec.phases
                for index, rate in self.holding[job, choice]
            )
            return made == model.chosen[job, choice]

        model.progress = pyo.Constraint(self.allocations, rule=rule)

    def begins(self) -> None:
        """A job that runs in a phase, and not in the one before on the same allocation, begins there."""
        model = self.model

        def rule(_: Any, job: int, choice: int, phase: int) -> Any:
            before = self._holds(job, choice, phase - 1) if phase else 0
            return model.begins[job, choice, phase] >= self._holds(job, choice, phase) - before

        model.beginning = pyo.Constraint(model.begins.index_set(), rule=rule)

    def one_run(self) -> None:
        """A job begins once, on its allocation: its run is unbroken."""
        spec, model = self.spec, self.model
        model.run = pyo.Constraint(
            self.allocations,
            rule=lambda _, job, choice: (
                sum(model.begins[job, choice, phase] for phase in spec.phases) == model.chosen[job, choice]
            ),
        )

    def not_shorter_than_the_bound(self) -> None:
        """The makespan is not below the proven bound."""
        spec, model = self.spec, self.model
        bound = float(spec.lower_bound / spec.unit * (1 - _ROUNDING))
        if bound > 0:
            model.bound = pyo.Constraint(expr=pyo.quicksum(model.time.values()) >= bound)

    def empty_phases_last(self) -> None:
        """Phases without a configuration come last: symmetry only."""
        pairs = list(pairwise(self.spec.phases))
        self.model.empty = pyo.Constraint(
            range(len(pairs)), rule=lambda _, at: self._running(pairs[at][0]) >= self._running(pairs[at][1])
        )

    def identical_jobs_in_order(self) -> None:
        """Of identical jobs, the earlier index begins in no later phase: symmetry only."""
        spec = self.spec
        pairs = [pair for group in spec.identical_jobs for pair in pairwise(group)]
        rows = [(first, second, phase) for first, second in pairs for phase in spec.phases]
        self.model.identical_jobs = pyo.Constraint(
            rows, rule=lambda _, first, second, phase: self._begun(first, phase) >= self._begun(second, phase)
        )

    def _running(self, phase: int) -> Any:
        return sum(self.model.runs[phase, index] for index in range(len(self.spec.configurations)))

    def _holds(self, job: int, choice: int, phase: int) -> Any:
        """Whether the job runs on this allocation in a phase."""
        return sum(self.model.runs[phase, index] for index, _ in self.holding[job, choice])

    def _begun(self, job: int, phase: int) -> Any:
        """Whether the job begins in this phase or before."""
        choices = range(len(self.spec.choices[job]))
        return sum(self.model.begins[job, choice, at] for choice in choices for at in range(phase + 1))
