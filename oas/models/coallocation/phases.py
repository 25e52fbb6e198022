"""The phases model for continuous time under slowdown, before and after the solver; `slowdown_models` builds it.

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

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING

from oas.core.errors import InputError, SolverError
from oas.models.coallocation.placed import placed
from oas.models.coallocation.sequences import (
    allocations_of_runs,
    chosen_sequence,
    first_steps,
    shortest_durations,
    together,
)
from oas.models.coallocation.slowdown_reductions import identical_jobs, reduced_allocations
from oas.models.formulation import Formulation, check_size
from oas.problems.coallocation.problem import MAX_MIN, SLOWDOWN
from oas.problems.coallocation.rates import configurations
from oas.problems.coallocation.running import StartedRun, ends_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from oas.core.schedule import Schedule
    from oas.models.formulation import Placed
    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.coallocation.rates import Configuration, Member
    from oas.problems.coallocation.ticks import ScaledCoallocation
    from oas.solvers.task import Key

NAME = "phases"
MAX_CONFIGURATIONS = 5_000
MAX_VARIABLES = 50_000
# The horizon in the model's unit of time: large against a solver's absolute tolerances, small against 1 / them.
HORIZON_UNITS = 1024


@dataclass(frozen=True)
class PhasesSpec:
    """The data that the model is built from.

    Attributes
    ----------
    instance
        At η = 0.
    unit
        Time that the model counts as 1; 1024 of them are the makespan of a known schedule.
    lower_bound
        No schedule is shorter, in the instance's time unit.
    choices
        choices[j]: the allocations of job j that are considered.
    configurations
        What may run together.
    identical_jobs
        Groups of jobs of which the earlier index starts in no later phase.
    apart
        Pairs of jobs that never run together, whatever their allocations.
    """

    instance: CoallocationInstance
    unit: Fraction
    lower_bound: Fraction
    choices: tuple[tuple[Allocation, ...], ...]
    configurations: tuple[Configuration, ...]
    identical_jobs: tuple[tuple[int, ...], ...]
    apart: frozenset[frozenset[int]] = frozenset()

    @property
    def phases(self) -> range:
        """One for each job."""
        return range(len(self.choices))

    def longest(self, index: int) -> Fraction:
        """How long a phase with this configuration can last: until one of its jobs is done; in the model's unit."""
        return min(Fraction(HORIZON_UNITS), 1 / max(self.configurations[index].rates) / self.unit)


def prepare(
    instance: CoallocationInstance, scaled: ScaledCoallocation, horizon: Fraction, lower_bound: Fraction
) -> PhasesSpec:
    """Reduce allocations, list configurations, and check the model's size before it is built.

    Parameters
    ----------
    instance
        At η = 0, under slowdown.
    scaled
        Not used: there are no ticks.
    horizon
        Makespan of a feasible schedule, in the instance's time unit.
    lower_bound
        A proven lower bound, same unit.

    Raises
    ------
    TooLargeError
        If there would be more than 5,000 configurations or 50,000 variables for them.
    """
    choices = reduced_allocations(instance)
    return phases_spec(instance, horizon, lower_bound, choices, identical_jobs(instance))


def phases_spec(
    instance: CoallocationInstance,
    horizon: Fraction,
    lower_bound: Fraction,
    choices: tuple[tuple[Allocation, ...], ...],
    identical: tuple[tuple[int, ...], ...] = (),
    apart: Collection[frozenset[int]] = (),
) -> PhasesSpec:
    """Return the spec for these allocations; the other parameters are those of `prepare` and `PhasesSpec`.

    Raises
    ------
    TooLargeError
        As `prepare`.
    """
    found = configurations(instance, choices, cap=MAX_CONFIGURATIONS, formulation=NAME, apart=apart)
    check_size(NAME, "variables for configurations", len(found) * len(choices), MAX_VARIABLES)
    unit = Fraction(horizon) / HORIZON_UNITS
    return PhasesSpec(instance, unit, Fraction(lower_bound), choices, found, identical, frozenset(apart))


def read(spec: PhasesSpec, values: Mapping[Key, float]) -> list[StartedRun]:
    """Return the runs that an incumbent's sequence of configurations stands for, with the best durations for it.

    Raises
    ------
    SolverError
        If two configurations run at once, some job's run is broken or changes its allocation, or no durations make
        the progress of every job exactly 1.
    """
    chosen = chosen_sequence(values)
    sequence = [spec.configurations[index].members for index in chosen.values()]
    found = _shortest(spec, sequence)
    if found is None:
        raise SolverError("no durations of the configurations in the solver's incumbent make every job's progress 1")
    return _runs(spec, *found)


def start_values(spec: PhasesSpec, runs: Sequence[StartedRun]) -> dict[Key, float] | None:
    """Return the nonzero values of a feasible schedule's variables; None if it has no place in the reduced model.

    The schedule may have up to 2n − 1 phases: its configurations are given the best durations, which leaves n.
    """
    moved = allocations_of_runs(spec.instance, spec.choices, bool(spec.identical_jobs), runs)
    found = None if moved is None else _shortest(spec, _sequence(spec, moved))
    if found is None:
        return None
    place = {one.members: index for index, one in enumerate(spec.configurations)}
    values: dict[Key, float] = {}
    before: tuple[Member, ...] = ()
    for phase, (members, duration) in enumerate(zip(*found, strict=True)):
        index = place[members]
        values["runs", (phase, index)] = 1
        values["time", (phase, index)] = float(duration / spec.unit)
        for job, choice in members:
            values["chosen", (job, choice)] = 1
            if (job, choice) not in before:
                values["begins", (job, choice, phase)] = 1
        before = members
    return values


def time_of(spec: PhasesSpec, objective: Fraction) -> Fraction:
    """Return the makespan in the instance's time unit that an objective value stands for."""
    return max(objective * spec.unit, Fraction(0))


def needs_continuous_time(instance: CoallocationInstance) -> str:
    """Say why an instance with slots is not taken; nothing without them."""
    return f"it is for continuous time, and slots are {instance.slot}" if instance.slot else ""


def _sequence(spec: PhasesSpec, runs: Sequence[StartedRun]) -> list[tuple[Member, ...]]:
    """What runs between one start or end and the next; none where nothing does."""
    try:
        ends = ends_of(spec.instance, runs)
    except InputError:  # a link is asked for more: they have no place in the model
        return []
    moments = sorted({*ends, *(run.start for run in runs)})
    every = [together(spec.choices, runs, ends, moment) for moment in moments]
    return [members for members in every if members]


def _shortest(
    spec: PhasesSpec, sequence: Sequence[tuple[Member, ...]]
) -> tuple[list[tuple[Member, ...]], list[Fraction]] | None:
    """The configurations of a sequence with their best durations, those of duration 0 left out; None if impossible."""
    known = {one.members: one.rates for one in spec.configurations}
    if any(members not in known for members in sequence):
        return None
    columns = [
        [
            dict(zip((job for job, _ in members), known[members], strict=True)).get(job, Fraction(0))
            for job in spec.phases
        ]
        for members in sequence
    ]
    durations = shortest_durations(columns)
    if durations is None:
        return None
    lasting = [(members, own) for members, own in zip(sequence, durations, strict=True) if own]
    return [members for members, _ in lasting], [own for _, own in lasting]


def _runs(spec: PhasesSpec, sequence: Sequence[tuple[Member, ...]], durations: Sequence[Fraction]) -> list[StartedRun]:
    """Return the jobs' runs, each unbroken and on one allocation, in the order of jobs.

    Raises
    ------
    SolverError
        If one is not.
    """
    starts = [Fraction(0), *accumulate(durations)]
    return [
        StartedRun(job, starts[first], spec.choices[job][choice])
        for job, (first, choice) in enumerate(first_steps(spec.instance, sequence))
    ]


def _placed(instance: CoallocationInstance, plan: Schedule) -> Placed:
    """Return the model for the nodes of a plan."""
    return placed(FORMULATION, phases_spec, instance, plan)


FORMULATION = Formulation(
    name=NAME,
    builder="oas.models.coallocation.slowdown_models:build_phases",
    prepare=prepare,
    read=read,
    start_values=start_values,
    ticks_of=time_of,
    summary="slowdown, η = 0: one variable for (phase, jobs that run together)",
    variants=(SLOWDOWN, MAX_MIN),
    continuous=True,
    refusal=needs_continuous_time,
    placed=_placed,
)
