"""The slots model under slowdown, before and after the solver; `slowdown_models` builds it.

In each slot a configuration runs: a set of jobs with their allocations, at rates that do not change, for nodes and
links are held to the end of the slot in which a job is done. It is for the paper's sharing: there a job that runs for
longer than it needs makes nobody earlier, so that the model may let it. With max-min sharing that is not so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.models.coallocation.placed import placed
from oas.models.coallocation.sequences import allocations_of_runs, chosen_sequence, first_steps, together
from oas.models.coallocation.slowdown_reductions import identical_jobs, reduced_allocations
from oas.models.formulation import Formulation, check_size
from oas.problems.coallocation.problem import SLOWDOWN
from oas.problems.coallocation.rates import configurations
from oas.problems.coallocation.running import StartedRun, ends_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from oas.core.schedule import Schedule
    from oas.models.formulation import Placed
    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.coallocation.rates import Configuration
    from oas.problems.coallocation.ticks import ScaledCoallocation
    from oas.solvers.task import Key

NAME = "slots"
MAX_CONFIGURATIONS = 5_000
MAX_VARIABLES = 50_000


@dataclass(frozen=True)
class SlotsSpec:
    """The data that the model is built from.

    Attributes
    ----------
    instance
        With slots.
    horizon, lower_bound
        In slots: of a known schedule, and proven.
    choices
        choices[j]: the allocations of job j that are considered.
    configurations
        What may run together.
    identical_jobs
        Groups of jobs of which the earlier index starts in no later slot.
    """

    instance: CoallocationInstance
    horizon: int
    lower_bound: int
    choices: tuple[tuple[Allocation, ...], ...]
    configurations: tuple[Configuration, ...]
    identical_jobs: tuple[tuple[int, ...], ...]

    @property
    def slots(self) -> range:
        """Those of the horizon."""
        return range(self.horizon)


def prepare(instance: CoallocationInstance, scaled: ScaledCoallocation, horizon: int, lower_bound: int) -> SlotsSpec:
    """Reduce allocations, list configurations, and check the model's size before it is built.

    Parameters
    ----------
    instance
        With slots, under slowdown with the paper's sharing.
    scaled
        Not used: a tick is a slot.
    horizon
        Makespan of a feasible schedule, in slots.
    lower_bound
        A proven lower bound, in slots.

    Raises
    ------
    TooLargeError
        If there would be more than 5,000 configurations or 50,000 variables for them.
    """
    choices = reduced_allocations(instance)
    return slots_spec(instance, horizon, lower_bound, choices, identical_jobs(instance))


def slots_spec(
    instance: CoallocationInstance,
    horizon: int,
    lower_bound: int,
    choices: tuple[tuple[Allocation, ...], ...],
    identical: tuple[tuple[int, ...], ...] = (),
    apart: Collection[frozenset[int]] = (),
) -> SlotsSpec:
    """Return the spec for these allocations; pairs of jobs that are `apart` never run together.

    The other parameters are those of `prepare` and `SlotsSpec`.

    Raises
    ------
    TooLargeError
        As `prepare`.
    """
    found = configurations(instance, choices, cap=MAX_CONFIGURATIONS, formulation=NAME, apart=apart)
    check_size(NAME, "variables for configurations", len(found) * horizon, MAX_VARIABLES)
    return SlotsSpec(instance, horizon, lower_bound, choices, found, identical)


def read(spec: SlotsSpec, values: Mapping[Key, float]) -> list[StartedRun]:
    """Return the runs that an incumbent's sequence of configurations stands for; they end as soon as they are done.

    Raises
    ------
    SolverError
        If two configurations run at once, or some job's run is missing, broken or changes its allocation.
    """
    chosen = chosen_sequence(values)
    sequence = [spec.configurations[chosen[slot]].members if slot in chosen else () for slot in spec.slots]
    eta = spec.instance.slot
    return [
        StartedRun(job, first * eta, spec.choices[job][choice])
        for job, (first, choice) in enumerate(first_steps(spec.instance, sequence))
    ]


def start_values(spec: SlotsSpec, runs: Sequence[StartedRun]) -> dict[Key, float] | None:
    """Return the nonzero values of a feasible schedule's variables; None if it has no place in the reduced model.

    Slots in which nothing runs are left out.
    """
    moved = allocations_of_runs(spec.instance, spec.choices, bool(spec.identical_jobs), runs)
    if moved is None:
        return None
    try:
        ends = ends_of(spec.instance, moved)
    except InputError:  # a link is asked for more: they have no place in the model
        return None
    every = [together(spec.choices, moved, ends, slot * spec.instance.slot) for slot in spec.slots]
    place = {one.members: index for index, one in enumerate(spec.configurations)}
    sequence = [members for members in every if members]
    if max(ends) > spec.horizon * spec.instance.slot or any(members not in place for members in sequence):
        return None
    values: dict[Key, float] = {}
    for slot, members in enumerate(sequence):
        values["runs", (slot, place[members])] = 1
    for job, (first, choice) in enumerate(first_steps(spec.instance, sequence)):
        values["chosen", (job, choice)] = 1
        values["begins", (job, choice, first)] = 1
    return values


def ticks_of(spec: SlotsSpec, objective: int) -> int:
    """Return the makespan in slots at which so many are used beyond the lower bound."""
    return spec.lower_bound + max(objective, 0)


def needs_slots(instance: CoallocationInstance) -> str:
    """Say why an instance without slots is not taken; nothing with them."""
    return "" if instance.slot else "it is for slots, and time is continuous"


def _placed(instance: CoallocationInstance, plan: Schedule) -> Placed:
    """Return the model for the nodes of a plan."""
    return placed(FORMULATION, slots_spec, instance, plan)


FORMULATION = Formulation(
    name=NAME,
    builder="oas.models.coallocation.slowdown_models:build_slots",
    prepare=prepare,
    read=read,
    start_values=start_values,
    ticks_of=ticks_of,
    summary="slowdown with slots: one variable for (slot, jobs that run together)",
    variants=(SLOWDOWN,),
    refusal=needs_slots,
    placed=_placed,
)
