"""MIP solvers by name: those with an adapter, and any other that Pyomo finds, by Pyomo's name for it (worker side).

The solvers of `PARAMETERS` take all settings. Pyomo's plugins give different guarantees. The solution is therefore
loaded into a model without values, and counts only if every discrete variable then has an integral value. With an
option that is not known to be harmless, the solution counts but no bound. Seed and relative gap are the solver's
defaults unless `Settings.options` sets them, and the warm start is not used.
"""

from __future__ import annotations

import contextlib
import logging
from importlib import import_module
from typing import TYPE_CHECKING

import pyomo.environ as pyo
from pyomo.opt import SolverFactory

from oas.core.errors import InputError, SolverMissingError, unknown_name
from oas.core.result import Termination
from oas.solvers.parameters import PARAMETERS
from oas.solvers.run import Ending, Run, outcome_of
from oas.solvers.task import finite
from oas.solvers.variables import discrete_variables, integral, key_of

if TYPE_CHECKING:
    from pyomo.core.base.PyomoModel import ConcreteModel

    from oas.solvers.isolation.protocol import Session
    from oas.solvers.task import Outcome

# Pyomo's names of further MIP solvers, for error messages.
MIP_NAMES = ("appsi_cbc", "appsi_highs", "glpk", "mosek")


def check_name(name: str) -> None:
    """Raise `InputError` if Pyomo does not know this solver, `SolverMissingError` if Pyomo cannot run it."""
    if name in PARAMETERS:  # `executable_for` has checked it
        return
    if name.startswith("_") or name not in list(SolverFactory):
        known = (*PARAMETERS, *MIP_NAMES)
        raise unknown_name(name, known, "solver", reason="unknown solver", further="another of Pyomo's")
    try:
        available = bool(SolverFactory(name).available(exception_flag=False))
    except Exception:
        available = False
    if not available:
        raise SolverMissingError(f"Pyomo knows {name} but cannot run it: install it, with its licence if it needs one")


def solve(model: ConcreteModel, session: Session) -> Outcome:
    """Solve `model` with the solver that the settings name; its exceptions become outcomes."""
    solver = session.settings.solver
    try:
        if solver not in PARAMETERS:
            return _plain(model, session)
        module = import_module(f"oas.solvers.{solver if solver in ('highs', 'cbc') else 'direct'}")
        return Run(model, session).outcome(module.ADAPTERS[solver])
    except (InputError, SolverMissingError, MemoryError):
        raise
    except Exception as error:
        logging.getLogger(__name__).exception("%s failed", solver)
        termination = Termination.INTERRUPTED if session.stop.requested else Termination.ERROR
        return session.outcome(termination, message=f"{type(error).__name__}: {error}")


def _plain(model: ConcreteModel, session: Session) -> Outcome:
    """Solve `model` with a plugin of which nothing more is known."""
    for variable in model.component_data_objects(pyo.Var):
        if not variable.fixed:
            variable.set_value(None)
    solver = SolverFactory(session.settings.solver)
    for option, value in session.settings.options.items():
        solver.options[option] = value
    version, bound, objective = "", None, None
    with contextlib.suppress(Exception):
        version = ".".join(map(str, solver.version() or ()))
    time_left = session.begin(version)
    with contextlib.redirect_stdout(session.log):
        results = solver.solve(model, timelimit=time_left, tee=session.log.wanted)
    # The incumbent is dropped if a discrete variable that occurs in a constraint has no value.
    values = integral((key_of(v), v.value) for v in discrete_variables(model) if not v.stale or v.fixed)
    (goal,) = model.component_data_objects(pyo.Objective, active=True)
    with contextlib.suppress(TypeError, ValueError):  # there is no number
        bound = finite(float(results.problem.lower_bound))
    with contextlib.suppress(TypeError, ValueError):
        objective = finite(float(pyo.value(goal.expr, exception=False)))
    return outcome_of(session, Ending(str(results.solver.termination_condition), bound), values, objective)
