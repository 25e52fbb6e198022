"""What the models under slowdown share: one configuration at a time, and each job in one unbroken run of them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyomo.environ as pyo

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.configurations import Configuration


class SequenceBuilder:
    """Variables and constraint families over steps, in each of which one configuration runs or none.

    Parameters
    ----------
    name
        Of the model.
    steps
        Phases or slots.
    choices
        choices[j]: the allocations of job j.
    configurations
        What may run together.
    identical
        Groups of identical jobs.
    """

    def __init__(
        self,
        name: str,
        steps: range,
        choices: Sequence[Sequence[Allocation]],
        configurations: Sequence[Configuration],
        identical: Sequence[Sequence[int]],
    ) -> None:
        self.model = pyo.ConcreteModel(name)
        self.steps = steps
        self.choices = choices
        self.configurations = configurations
        self.identical = identical
        self.allocations = [(job, index) for job, own in enumerate(choices) for index in range(len(own))]
        # Configurations that hold an allocation of a job, with the job's rate there.
        self.holding: dict[tuple[int, int], list[tuple[int, Fraction]]] = {one: [] for one in self.allocations}
        for index, one in enumerate(configurations):
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
        pairs = [pair for group in self.identical for pair in pairwise(group)]
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
