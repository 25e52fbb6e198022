"""The slots model under slowdown.

In each slot a configuration runs: a set of jobs with their allocations, at constant rates, because nodes and links are
occupied until the end of the slot in which a job finishes. The model is for the paper's sharing, under which a job that
runs longer than necessary never speeds up others, so the model may permit it. This does not hold for max-min sharing.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import lcm
from typing import TYPE_CHECKING, Any

from oas.coallocation.models.reductions import UNDOMINATED, latest_end
from oas.coallocation.models.sequences import (
    SequenceBuilder,
    chosen_sequence,
    meanings,
    placed,
    prepare,
    runs_of_sequence,
    sequence_of,
    sequence_values,
)
from oas.core.registry import SLOWDOWN
from oas.solving.formulation import LATER_ENDS, ORDER_OF_JOBS, Formulation, Meaning
from oas.solving.model_builder import float_below

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyomo.core.base.PyomoModel import ConcreteModel

    from oas.coallocation.instance import CoallocationInstance
    from oas.coallocation.models.sequences import SequenceSpec
    from oas.coallocation.running import StartedRun
    from oas.solvers.task import Key


def read(spec: SequenceSpec, values: Mapping[Key, float]) -> list[StartedRun]:
    """Return the runs of an incumbent's sequence of configurations; each ends when its job is finished.

    Raises `SolverError` if two configurations run simultaneously, or the run of some job is missing, interrupted or
    changes its allocation.
    """
    chosen = chosen_sequence(values)
    sequence = [spec.configurations[chosen[slot]].members if slot in chosen else () for slot in spec.steps]
    return runs_of_sequence(spec, sequence, [slot * spec.instance.slot for slot in spec.steps])


def start_values(spec: SequenceSpec, runs: Sequence[StartedRun]) -> dict[Key, float] | None:
    """Return the nonzero values of a feasible schedule's variables; None if it has no place in the reduced model.

    Slots in which nothing runs are left out.
    """
    sequence = sequence_of(spec, runs)
    return None if sequence is None else sequence_values(spec, sequence)


def ticks_of(spec: SequenceSpec, objective: int) -> int:
    """Return the makespan in slots for this number of slots beyond the lower bound."""
    return spec.lower_bound + max(objective, 0)


def needs_slots(instance: CoallocationInstance) -> str:
    """Return the reason why an instance without slots is refused; empty with slots."""
    return "" if instance.slot else "it is for slots, and time is continuous"


# Progress is counted in integers up to this limit, so that the tolerance of a solver cannot hide missing progress.
MAX_COUNT = 2**16


def build(spec: SequenceSpec) -> ConcreteModel:
    """Build the model: minimise the number of slots beyond the lower bound."""
    builder = _Builder("slots", spec)
    builder.variables()
    builder.makespan()
    builder.one_configuration_at_a_time()
    builder.one_allocation()
    builder.progress()
    builder.begins()
    builder.one_run()
    if spec.reduced:
        builder.empty_steps_last()
    builder.identical_jobs_in_order()
    return builder.model


class _Builder(SequenceBuilder):
    """One method for each constraint family; the steps are slots."""

    def makespan(self) -> None:
        """Minimise C_max (9), counted in slots used beyond the lower bound; all before it are used.

        If idle slots may lie between used ones, beyond[e] = 1 if slot e or a later one is used.
        """
        model, steps = self.model, self.steps
        used: Any = self.running
        if not self.spec.reduced:
            model.beyond = self.binaries(steps)
            used = model.beyond.__getitem__
            model.used = self.pyo.Constraint(steps, rule=lambda _, at: used(at) >= self.running(at))
            model.monotone = self.pyo.Constraint(steps[1:], rule=lambda _, at: used(at - 1) >= used(at))
        beyond = sum(used(slot) for slot in steps if slot >= self.spec.lower_bound)
        model.objective = self.pyo.Objective(expr=beyond, sense=self.pyo.minimize)

    def progress(self) -> None:
        """Each job makes progress 1 or more, at the rates of equations (2) to (7), constant in a slot.

        A job that runs longer than necessary slows others down for longer under the paper's sharing; if it ends in
        time, the schedule ends no later.
        """
        model, slot = self.model, self.spec.instance.slot

        def rule(_: Any, job: int, choice: int) -> Any:
            progresses = [(index, min(rate * slot, Fraction(1))) for index, rate in self.holding[job, choice]]
            unit = lcm(*(progress.denominator for _, progress in progresses))
            count = unit if unit <= MAX_COUNT else 1
            total = sum(
                -float_below(-progress * count) * model.runs[at, index]
                for at in self.steps
                for index, progress in progresses
            )
            return total >= count * model.chosen[job, choice]

        model.progress = self.pyo.Constraint(self.allocations, rule=rule)


def _meanings(instance: CoallocationInstance, spec: SequenceSpec) -> Iterator[tuple[Key, Meaning]]:
    """Yield the meaning of each variable."""
    yield from meanings(instance, spec)
    for slot in spec.steps if not spec.reduced else ():
        yield ("beyond", (slot,)), Meaning("the makespan is this or more", makespan=(slot + 1) * instance.slot)


FORMULATION = Formulation(
    name="slots",
    builder="oas.coallocation.models.slots:build",
    prepare=prepare,
    read=read,
    start_values=start_values,
    ticks_of=ticks_of,
    summary="slowdown with slots: one variable for (slot, jobs that run together)",
    variants=(SLOWDOWN,),
    refusal=needs_slots,
    placed=placed,
    prepare_full=partial(prepare, reduced=False),
    latest_end=latest_end,
    meanings=_meanings,
    reductions=(UNDOMINATED, ORDER_OF_JOBS, "Idle slots come last: assumes that no job must wait."),
    assumptions=(LATER_ENDS,),
)
