"""The phases model for continuous time under slowdown.

A schedule is a sequence of *phases*, between one start or end and the next: in each a configuration runs, a set of jobs
with their allocations, at rates that do not change. The model chooses the configuration of each phase and how long it
lasts.

**n phases suffice** for n jobs. Take an optimal schedule and keep its sequence of configurations. Durations y ≥ 0 with
Σ_i r_j(S_i)·y_i = 1 for each job j make a schedule of it: every job runs in one unbroken run of phases and is done as
that ends. Minimising Σ y over them is a linear program with n equations. A basic optimum has at most n durations above
0, and is no longer than the schedule. Leaving out the phases of duration 0 leaves every run unbroken.

No grid holds all starts that matter, so the objective is time itself and not a count of makespans: what a solver
states counts up to its tolerance only. Starts are not read from it but computed from the sequence of configurations,
as that linear program's basic optimum in Fractions.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from oas.core.errors import SolverError
from oas.models.coallocation.sequences import (
    SequenceBuilder,
    chosen_sequence,
    first_steps,
    placed,
    prepare,
    sequence_of,
    sequence_values,
)
from oas.models.formulation import Formulation
from oas.problems.coallocation.running import StartedRun
from oas.problems.registry import MAX_MIN, SLOWDOWN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyomo.core.base.PyomoModel import ConcreteModel

    from oas.models.coallocation.sequences import SequenceSpec
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.coallocation.rates import Member
    from oas.solvers.task import Key


def read(spec: SequenceSpec, values: Mapping[Key, float]) -> list[StartedRun]:
    """Return the runs of an incumbent's sequence of configurations, with the best durations for it.

    Raises
    ------
    SolverError
        If two configurations run simultaneously, the run of some job is interrupted or changes its allocation, or no
        durations give each job a progress of exactly 1.
    """
    chosen = chosen_sequence(values)
    found = _shortest(spec, [spec.configurations[index].members for index in chosen.values()])
    if found is None:
        raise SolverError("no durations of the configurations in the solver's incumbent make every job's progress 1")
    sequence, durations = found
    starts = [Fraction(0), *accumulate(durations)]
    return [
        StartedRun(job, starts[first], spec.choices[job][choice])
        for job, (first, choice) in enumerate(first_steps(spec.instance, sequence))
    ]


def start_values(spec: SequenceSpec, runs: Sequence[StartedRun]) -> dict[Key, float] | None:
    """Return the nonzero values of a feasible schedule's variables; None if it has no place in the reduced model.

    The schedule may have up to 2n − 1 phases: its configurations are given the best durations, which leaves n.
    """
    sequence = sequence_of(spec, runs)
    found = None if sequence is None else _shortest(spec, sequence)
    if found is None:
        return None
    values = sequence_values(spec, found[0])
    running = [key[1] for key in values if key[0] == "runs"]
    return values | {("time", key): float(own / spec.unit) for key, own in zip(running, found[1], strict=True)}


def time_of(spec: SequenceSpec, objective: Fraction) -> Fraction:
    """Return the makespan in the instance's time unit that an objective value stands for."""
    return max(objective * spec.unit, Fraction(0))


def needs_continuous_time(instance: CoallocationInstance) -> str:
    """Say why an instance with slots is not taken; nothing without them."""
    return f"it is for continuous time, and slots are {instance.slot}" if instance.slot else ""


def _shortest(
    spec: SequenceSpec, sequence: Sequence[tuple[Member, ...]]
) -> tuple[list[tuple[Member, ...]], list[Fraction]] | None:
    """The configurations of a sequence with their best durations, those of duration 0 left out; None if impossible."""
    rates = {one.members: one.rates for one in spec.configurations}
    columns = [[Fraction(0)] * len(spec.choices) for _ in sequence]
    for column, members in zip(columns, sequence, strict=True):
        for (job, _), rate in zip(members, rates[members], strict=True):
            column[job] = rate
    durations = shortest_durations(columns)
    if durations is None:
        return None
    lasting = [(members, own) for members, own in zip(sequence, durations, strict=True) if own]
    return [members for members, _ in lasting], [own for _, own in lasting]


def shortest_durations(columns: Sequence[Sequence[Fraction]]) -> list[Fraction] | None:
    """Minimise Σ y over y ≥ 0 with Σ_i columns[i][j] · y_i = 1 for every j.

    The simplex method on Fractions, with Bland's rule, so that it ends. The answer is a basic solution: at most as many
    durations are above 0 as there are jobs.

    columns[i][j] is the progress of job j in a unit of time of configuration i; 0 for a job that is not in it.

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


# Subtracted from a bound in a row, so that rounding it to a float excludes no schedule.
_ROUNDING = Fraction(1, 10**9)


def build(spec: SequenceSpec) -> ConcreteModel:
    """Build the model: minimise the makespan, in the spec's unit of time."""
    return _Builder("phases", spec).build()


class _Builder(SequenceBuilder):
    """One method for each constraint family; the steps are phases."""

    def build(self) -> ConcreteModel:
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
        self.model.time = self.pyo.Var(self.model.runs.index_set(), domain=self.pyo.NonNegativeReals)

    def makespan(self) -> None:
        """Minimise Σ time: phases without a configuration take none, and an optimum has no pause."""
        self.model.objective = self.pyo.Objective(
            expr=self.pyo.quicksum(self.model.time.values()), sense=self.pyo.minimize
        )

    def time_where_it_runs(self) -> None:
        """A configuration takes time where it runs, and at most until one of its jobs is done."""
        spec, model = self.spec, self.model
        longest = [float(spec.longest(index)) for index in range(len(spec.configurations))]
        model.where = self.pyo.Constraint(
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

        model.progress = self.pyo.Constraint(self.allocations, rule=rule)

    def not_shorter_than_the_bound(self) -> None:
        """The makespan is not below the proven bound."""
        spec, model = self.spec, self.model
        bound = float(spec.lower_bound / spec.unit * (1 - _ROUNDING))
        if bound > 0:
            model.bound = self.pyo.Constraint(expr=self.pyo.quicksum(model.time.values()) >= bound)


FORMULATION = Formulation(
    name="phases",
    builder="oas.models.coallocation.phases:build",
    prepare=prepare,
    read=read,
    start_values=start_values,
    ticks_of=time_of,
    summary="slowdown, η = 0: one variable for (phase, jobs that run together)",
    variants=(SLOWDOWN, MAX_MIN),
    continuous=True,
    refusal=needs_continuous_time,
    placed=placed,
)
