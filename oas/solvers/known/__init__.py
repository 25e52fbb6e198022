"""Preflight of an installed solver: small models with known optima."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oas.core.result import Termination
from oas.solvers.isolation.client import run
from oas.solvers.known import known_cp_models, known_exact_models, known_models, known_pumpkin_models
from oas.solvers.task import CPSAT, EXACT, MIP, PUMPKIN, Limits, Settings, Task, family_of

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.solvers.known.known_cp_models import KnownCpModel
    from oas.solvers.known.known_exact_models import KnownExactModel
    from oas.solvers.known.known_models import KnownModel
    from oas.solvers.known.known_pumpkin_models import KnownPumpkinModel
    from oas.solvers.task import Outcome

SECONDS_EACH = 60.0  # a limit, not a wait: solvers need a fraction of a second, and seconds to start on a busy machine
_TOLERANCE = 1e-6


class Check(NamedTuple):
    """A solver's answer to one model."""

    model: str  # name of the model
    expected: Fraction | None  # the true optimum; None if the model is infeasible
    got: float | str  # the claimed objective, ``infeasible``, or the termination
    ok: bool  # whether the claimed objective (or infeasibility) is right, and no bound is above the optimum
    seconds: float  # wall time
    note: str  # about the model; with the solver's message if there is no answer


def preflight(solver: str) -> list[Check]:
    """Solve every known model of the solver's family, in a few seconds; a solver's failures are answers.

    Raises `InputError` if the solver is unknown; `SolverMissingError` if it is not installed; `KeyboardInterrupt` after
    Ctrl-C, because an interrupted solve does not test the solver.
    """
    known = {MIP: known_models, CPSAT: known_cp_models, PUMPKIN: known_pumpkin_models, EXACT: known_exact_models}[
        family_of(solver)
    ]
    return [_check(model, known.BUILDER, solver) for model in known.MODELS]


def _check(model: KnownModel | KnownCpModel | KnownPumpkinModel | KnownExactModel, builder: str, solver: str) -> Check:
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
    """Return whether the claimed objective is the optimum and the bound is not above it."""
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
