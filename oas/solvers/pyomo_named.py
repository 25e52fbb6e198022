"""Any other MIP solver that Pyomo finds, by Pyomo's name for it (worker side).

Pyomo's plugins give different guarantees. The solution is therefore loaded into a model without values, and counts
only if every discrete variable then has an integral value. Threads, seed and relative gap are the solver's defaults
unless `Settings.options` sets them, and the warm start is not used. Options are passed on unchecked: with one that is
not known to be harmless, the solution counts but no bound.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pyomo.environ as pyo
from pyomo.opt import SolverFactory

from oas.core.errors import SolverMissingError, unknown_name
from oas.core.result import Termination
from oas.solvers.own_options import doubtful_options
from oas.solvers.task import NOT_INTEGRAL, finite
from oas.solvers.variables import discrete_variables, integral, key_of

if TYPE_CHECKING:
    from pyomo.core.base.PyomoModel import ConcreteModel

    from oas.solvers.isolation.protocol import Session
    from oas.solvers.task import Outcome

# Pyomo's names of MIP solvers, for error messages.
MIP_NAMES = (
    "appsi_cbc",
    "appsi_cplex",
    "appsi_gurobi",
    "appsi_highs",
    "cplex",
    "cplex_direct",
    "glpk",
    "gurobi",
    "gurobi_direct",
    "mosek",
    "scip",
    "xpress",
    "xpress_direct",
)
_ENDS = {
    "optimal": Termination.FINISHED,
    "globallyOptimal": Termination.FINISHED,
    "infeasible": Termination.FINISHED,
    "maxTimeLimit": Termination.TIME_LIMIT,
    "userInterrupt": Termination.INTERRUPTED,
    "resourceInterrupt": Termination.INTERRUPTED,
    "maxIterations": Termination.FINISHED,
    "maxEvaluations": Termination.FINISHED,
}


def check_name(name: str) -> None:
    """Raise `InputError` if Pyomo does not know this solver, `SolverMissingError` if Pyomo cannot run it."""
    if name.startswith("_") or name not in list(SolverFactory):
        known = ("highs", "cbc", "cpsat", *MIP_NAMES)
        raise unknown_name(name, known, "solver", reason="unknown solver", further="another of Pyomo's")
    try:
        available = bool(SolverFactory(name).available(exception_flag=False))
    except Exception:
        available = False
    if not available:
        raise SolverMissingError(f"Pyomo knows {name} but cannot run it: install it, with its licence if it needs one")


def solve(model: ConcreteModel, session: Session) -> Outcome:
    """Solve `model` with the solver that the settings name; its exceptions become outcomes."""
    name = session.settings.solver
    for variable in model.component_data_objects(pyo.Var):
        if not variable.fixed:
            variable.set_value(None)
    solver = SolverFactory(name)
    for option, value in session.settings.options.items():
        solver.options[option] = value
    time_left = session.begin(_version(solver))
    try:
        results = solver.solve(model, timelimit=time_left)
    except Exception as error:
        logging.getLogger(__name__).exception("%s failed", name)
        termination = Termination.INTERRUPTED if session.stop.requested else Termination.ERROR
        return session.outcome(termination, message=f"{type(error).__name__}: {error}")
    return _outcome(model, results, session)


def _outcome(model: ConcreteModel, results: Any, session: Session) -> Outcome:
    condition = str(results.solver.termination_condition)
    termination = _ENDS.get(condition, Termination.ERROR)
    infeasible = condition == "infeasible"
    values = None
    if not infeasible:
        # The incumbent is dropped if a discrete variable that occurs in a constraint has no value.
        values = integral((key_of(v), v.value) for v in discrete_variables(model) if not v.stale or v.fixed)
    objective = _objective(model) if values is not None else None
    bound = None if infeasible else _bound(results)
    message = "" if condition in ("optimal", "infeasible") else f"ended with {condition}"
    doubtful = doubtful_options(session.settings.solver, session.settings.options)
    if doubtful:
        infeasible, bound = False, None
        message = f"no bound is used, because {', '.join(doubtful)} may change the meaning of a bound or of feasibility"
    if condition == "optimal" and objective is None:
        termination, bound, message = Termination.ERROR, None, NOT_INTEGRAL
    return session.outcome(
        termination,
        infeasible=infeasible,
        values=values if objective is not None else None,
        objective=objective,
        bound=bound,
        message=message,
    )


def _version(solver: Any) -> str:
    try:
        return ".".join(str(part) for part in solver.version() or ())
    except Exception:
        return ""


def _objective(model: ConcreteModel) -> float | None:
    """Return the objective at the loaded values; None if a variable in it has no value."""
    (objective,) = model.component_data_objects(pyo.Objective, active=True)
    value = pyo.value(objective.expr, exception=False)
    return None if value is None else finite(float(value))


def _bound(results: Any) -> float | None:
    try:
        return finite(float(results.problem.lower_bound))
    except (TypeError, ValueError):
        return None
