"""The slots model under slowdown, before and after the solver; `slowdown_models` builds it.

In each slot a configuration runs: a set of jobs with their allocations, at rates that do not change, for nodes and
links are held to the end of the slot in which a job is done. It is for the paper's sharing: there a job that runs for
longer than it needs makes nobody earlier, so that the model may let it. With max-min sharing that is not so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.models.coallocation.sequences import (
    chosen_sequence,
    first_steps,
    placed,
    prepare,
    sequence_of,
    sequence_values,
)
from oas.models.formulation import Formulation
from oas.problems.coallocation.running import StartedRun
from oas.problems.registry import SLOWDOWN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oas.models.coallocation.sequences import SequenceSpec
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.solvers.task import Key


def read(spec: SequenceSpec, values: Mapping[Key, float]) -> list[StartedRun]:
    """Return the runs that an incumbent's sequence of configurations stands for; they end as soon as they are done.

    Raises
    ------
    SolverError
        If two configurations run at once, or some job's run is missing, broken or changes its allocation.
    """
    chosen = chosen_sequence(values)
    sequence = [spec.configurations[chosen[slot]].members if slot in chosen else () for slot in spec.steps]
    eta = spec.instance.slot
    return [
        StartedRun(job, first * eta, spec.choices[job][choice])
        for job, (first, choice) in enumerate(first_steps(spec.instance, sequence))
    ]


def start_values(spec: SequenceSpec, runs: Sequence[StartedRun]) -> dict[Key, float] | None:
    """Return the nonzero values of a feasible schedule's variables; None if it has no place in the reduced model.

    Slots in which nothing runs are left out.
    """
    sequence = sequence_of(spec, runs)
    return None if sequence is None else sequence_values(spec, sequence)


def ticks_of(spec: SequenceSpec, objective: int) -> int:
    """Return the makespan in slots at which so many are used beyond the lower bound."""
    return spec.lower_bound + max(objective, 0)


def needs_slots(instance: CoallocationInstance) -> str:
    """Say why an instance without slots is not taken; nothing with them."""
    return "" if instance.slot else "it is for slots, and time is continuous"


FORMULATION = Formulation(
    name="slots",
    builder="oas.models.coallocation.slowdown_models:build_slots",
    prepare=prepare,
    read=read,
    start_values=start_values,
    ticks_of=ticks_of,
    summary="slowdown with slots: one variable for (slot, jobs that run together)",
    variants=(SLOWDOWN,),
    refusal=needs_slots,
    placed=placed,
)
