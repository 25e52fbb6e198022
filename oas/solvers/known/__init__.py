"""Test whether a solver, as installed, answers small models with known optima correctly."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oas.core.result import Termination
from oas.solvers.isolation.client import run
from oas.solvers.known import known_cp_models, known_models
from oas.solvers.task import CPSAT, Limits, Settings, Task, family_of

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.solvers.known.known_cp_models import KnownCpModel
    from oas.solvers.known.known_models import KnownModel
    from oas.solvers.task import Outcome

SECONDS_EACH = 10.0
_TOLERANCE = 1e-6


class Check(NamedTuple):
    """One model's answer."""

    model: str  # its name
    expected: Fraction | None  # the true optimum; None if there is no solution
    got: float | str  # the objective the solver stated, ``infeasible``, or why there is none
    ok: bool  # whether the solver claims the true optimum and no bound above it, or, rightly, that there is no solution
    seconds: float  # wall time
    note: str  # description of the model; for a failure without an answer, also the solver's message


def preflight(solver: str) -> list[Check]:
    """Solve every known model of its family with `solver`. Faults of the solver do not raise; takes a few seconds.

    Raises `InputError` if the solver is unknown; `SolverMissingError` if it is not installed; `KeyboardInterrupt` after
    Ctrl-C, because an interrupted model gives no information about the solver.
    """
    known = known_cp_models if family_of(solver) == CPSAT else known_models
    return [_check(model, known.BUILDER, solver) for model in known.MODELS]


def _check(model: KnownModel | KnownCpModel, builder: str, solver: str) -> Check:
    limits = Limits(time=SECONDS_EACH, grace=2.0)
    outcome = run(Task(builder, model.name, label=model.name), Settings(solver), limits)
    if outcome.termination is Termination.INTERRUPTED:
        raise KeyboardInterrupt
    note = model.note
    if outcome.objective is not None:
        got: float | str = outcome.objective
    else:
        got = "infeasible" if outcome.infeasible else outcome.termination.value
        if outcome.message:
            note = f"{note}; {outcome.message.splitlines()[0]}"
    return Check(model.name, model.optimum, got, _right(model.optimum, outcome), outcome.seconds, note)


def _right(optimum: Fraction | None, outcome: Outcome) -> bool:
    """Whether the objective is the optimum and no bound excludes it."""
    if optimum is None:
        return outcome.termination is Termination.FINISHED and outcome.infeasible
    expected = float(optimum)
    slack = _TOLERANCE * max(1.0, abs(expected))
    return (
        outcome.termination is Termination.FINISHED
        and outcome.objective is not None
        and abs(outcome.objective - expected) <= slack
        and (outcome.bound is None or outcome.bound <= expected + slack)
    )
