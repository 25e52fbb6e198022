"""Questions to a solver: whether there is a schedule of at most a given number of ticks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError, SolverError
from oas.core.problem import check_variant
from oas.models.formulation import PREPARE, Preparation
from oas.solvers.isolation.client import call, run
from oas.solvers.task import Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.instances import Instance
    from oas.core.result import Termination
    from oas.models.formulation import Formulation
    from oas.solvers.task import Limits, Settings


@dataclass(frozen=True)
class Decision:
    """The solver's answer.

    Attributes
    ----------
    refuted
        Whether it claims that there is none.
    runs
        A schedule as it says, to be verified; None if it has none.
    termination
        How the run ended.
    version
        Of the solver; empty if it never ran.
    message
        For people.
    """

    refuted: bool
    runs: list[Any] | None
    termination: Termination
    version: str = ""
    message: str = ""


def decide(
    instance: Instance,
    formulation: Formulation,
    settings: Settings,
    ticks: int,
    limits: Limits,
    strengthen: Callable[[Any], Any] | None = None,
) -> Decision:
    """Solve the formulation with horizon and bound both at `ticks`, without a warm start.

    A hint drops a solver's symmetry breaking, and there is nothing to minimise; both help where the answer is no.
    `strengthen` adds constraints to the formulation's specification that no schedule within the horizon breaks.
    """
    check_variant(instance, f"the formulation {formulation.name}", formulation.variants)
    given = Preparation(formulation.prepare, _no_start, instance, ticks, ticks, ())
    prepared = call(PREPARE, given, replace(limits, grace=0), family=settings.family)
    if prepared.value is None:
        return Decision(False, None, prepared.termination, message=prepared.message)
    assert isinstance(prepared.value, tuple)
    spec, _ = prepared.value
    if strengthen is not None:
        spec = strengthen(spec)
    task = Task(formulation.builder, spec, None, label=instance.name)
    outcome = run(task, replace(settings, integer_objective=True), limits)
    runs = None
    message = outcome.message
    if outcome.values is not None:
        try:
            runs = formulation.read(spec, outcome.values)
        except (SolverError, InputError) as error:
            message = str(error)
    return Decision(outcome.infeasible, runs, outcome.termination, outcome.version, message)


def _no_start(_spec: object, _runs: object) -> None:
    return None
