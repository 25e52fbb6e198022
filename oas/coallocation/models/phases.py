"""The phases model for continuous time under slowdown.

A schedule is a sequence of *phases*, each from one start or end to the next. In a phase a configuration runs: a set of
jobs with their allocations, at constant rates. The model chooses the configuration and the duration of each phase.

**n phases suffice** for n jobs. Take an optimal schedule and keep its sequence of configurations. All durations y ≥ 0
with Σ_i r_j(S_i)·y_i = 1 for each job j define a schedule: every job runs in consecutive phases and is finished at the
end of the last of them. Minimising Σ y is a linear program with n equations. A basic optimum has at most n positive
durations, and is no longer than the given schedule. Without the phases of duration 0, every run is still unbroken.

No grid contains all relevant starts, so the objective is time itself and not a count of makespans, and claims of a
solver are valid only up to its tolerance. Starts are not read from its answer. They are computed from the sequence of
configurations, as the basic optimum of that linear program in Fractions.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from oas.coallocation.models.reductions import UNDOMINATED, latest_end
from oas.coallocation.models.sequences import (
    HORIZON_UNITS,
    SequenceBuilder,
    chosen_sequence,
    meanings,
    placed,
    prepare,
    runs_of_sequence,
    sequence_of,
    sequence_values,
)
from oas.coallocation.simplex import solve
from oas.core.errors import SolverError
from oas.core.registry import MAX_MIN, SLOWDOWN
from oas.solving.formulation import ORDER_OF_JOBS, Formulation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyomo.core.base.PyomoModel import ConcreteModel

    from oas.coallocation.instance import CoallocationInstance
    from oas.coallocation.models.sequences import SequenceSpec
    from oas.coallocation.rates import Member
    from oas.coallocation.running import StartedRun
    from oas.solvers.task import Key


def read(spec: SequenceSpec, values: Mapping[Key, float]) -> list[StartedRun]:
    """Return the runs of an incumbent's sequence of configurations, with the best durations for it.

    Raises `SolverError` if two configurations run simultaneously, the run of some job is interrupted or changes its
    allocation, or no durations give each job a progress of exactly 1.
    """
    chosen = chosen_sequence(values)
    shortest = _shortest(spec, [spec.configurations[index].members for index in chosen.values()])
    if shortest is None:
        raise SolverError("no durations of the configurations in the solver's incumbent make every job's progress 1")
    sequence, durations = shortest
    return runs_of_sequence(spec, sequence, [Fraction(0), *accumulate(durations)])


def start_values(spec: SequenceSpec, runs: Sequence[StartedRun]) -> dict[Key, float] | None:
    """Return the nonzero values of a feasible schedule's variables; None if it has no place in the reduced model.

    The schedule may have up to 2n − 1 phases: its configurations are given the best durations, which leaves n.
    """
    sequence = sequence_of(spec, runs)
    shortest = None if sequence is None else _shortest(spec, sequence)
    if shortest is None:
        return None
    values = sequence_values(spec, shortest[0])
    running = [index for name, index in values if name == "runs"]
    return values | {("time", key): float(time / spec.unit) for key, time in zip(running, shortest[1], strict=True)}


def time_of(spec: SequenceSpec, objective: Fraction) -> Fraction:
    """Return the makespan in the instance's time unit that an objective value stands for."""
    return max(objective * spec.unit, Fraction(0))


def needs_continuous_time(instance: CoallocationInstance) -> str:
    """Return the reason why an instance with slots is refused; empty without slots."""
    return f"it is for continuous time, and slots are {instance.slot}" if instance.slot else ""


def _shortest(
    spec: SequenceSpec, sequence: Sequence[tuple[Member, ...]]
) -> tuple[list[tuple[Member, ...]], list[Fraction]] | None:
    """Return the configurations with their best durations, without those of duration 0; None if impossible."""
    rates = {one.members: one.rates for one in spec.configurations}
    columns = [{job: rate for (job, _), rate in zip(members, rates[members], strict=True)} for members in sequence]
    solution = solve(columns, len(spec.choices), exactly=True)
    if solution is None:
        return None
    lasting = [(members, own) for index, members in enumerate(sequence) if (own := solution.times.get(index))]
    return [members for members, _ in lasting], [own for _, own in lasting]


# Subtracted from a bound in a row, so that rounding it to a float excludes no schedule.
_ROUNDING = Fraction(1, 10**9)


def build(spec: SequenceSpec) -> ConcreteModel:
    """Build the model: minimise the makespan, in the spec's unit of time."""
    builder = _Builder("phases", spec)
    builder.variables()
    builder.durations()
    builder.makespan()
    builder.one_configuration_at_a_time()
    builder.time_where_it_runs()
    builder.one_allocation()
    builder.progress()
    builder.begins()
    builder.one_run()
    builder.not_shorter_than_the_bound()
    builder.empty_steps_last()
    builder.identical_jobs_in_order()
    return builder.model


class _Builder(SequenceBuilder):
    """One method for each constraint family; the steps are phases."""

    def durations(self) -> None:
        """Declare time[e,S]: how long configuration S runs in phase e."""
        self.model.time = self.pyo.Var(self.model.runs.index_set(), domain=self.pyo.NonNegativeReals)

    def makespan(self) -> None:
        """Minimise Σ time: phases without a configuration take none, and an optimum has no pause."""
        self.model.objective = self.pyo.Objective(
            expr=self.pyo.quicksum(self.model.time.values()), sense=self.pyo.minimize
        )

    def time_where_it_runs(self) -> None:
        """A configuration takes time only in phases in which it runs, at most until one of its jobs is finished."""
        spec, model = self.spec, self.model
        longest = [float(min(HORIZON_UNITS, 1 / max(one.rates) / spec.unit)) for one in spec.configurations]
        model.where = self.pyo.Constraint(
            model.runs.index_set(),
            rule=lambda _, phase, index: model.time[phase, index] <= longest[index] * model.runs[phase, index],
        )

    def progress(self) -> None:
        """Each job makes progress 1, at the rates of equations (2) to (7), and runs no longer."""
        spec, model = self.spec, self.model

        def rule(_: Any, job: int, choice: int) -> Any:
            total = sum(
                float(rate * spec.unit) * model.time[phase, index]
                for phase in self.steps
                for index, rate in self.holding[job, choice]
            )
            return total == model.chosen[job, choice]

        model.progress = self.pyo.Constraint(self.allocations, rule=rule)

    def not_shorter_than_the_bound(self) -> None:
        """The makespan is not below the proven bound."""
        spec, model = self.spec, self.model
        bound = float(spec.lower_bound / spec.unit * (1 - _ROUNDING))
        if bound > 0:
            model.bound = self.pyo.Constraint(expr=self.pyo.quicksum(model.time.values()) >= bound)


FORMULATION = Formulation(
    name="phases",
    builder="oas.coallocation.models.phases:build",
    prepare=prepare,
    read=read,
    start_values=start_values,
    ticks_of=time_of,
    summary="slowdown, η = 0: one variable for (phase, jobs that run together)",
    variants=(SLOWDOWN, MAX_MIN),
    continuous=True,
    refusal=needs_continuous_time,
    placed=placed,
    prepare_full=partial(prepare, reduced=False),
    latest_end=latest_end,
    meanings=meanings,
    reductions=(UNDOMINATED, ORDER_OF_JOBS),
    assumptions=(
        "There are as many phases as jobs and no idle phases, and starts are computed as the earliest for the chosen"
        " sequence of configurations: only the makespan can be minimised, and constraints on times are not kept.",
    ),
)
