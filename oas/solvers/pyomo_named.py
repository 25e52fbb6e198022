"""Any other MIP solver that Pyomo finds, by Pyomo's name for it (worker side).

Pyomo's plugins give different guarantees. The solution is therefore loaded into a model without values, and counts
only if every discrete variable then has an integral value. With an option that is not known to be harmless, the
solution counts but no bound.

Gurobi, SCIP, CPLEX and Xpress take all settings (`oas.solvers.direct`). For all others, seed and relative gap are the
solver's defaults unless `Settings.options` sets them, and the warm start is not used.
"""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING, Any

import pyomo.environ as pyo
from pyomo.opt import SolverFactory

from oas.core.errors import InputError, SolverMissingError, unknown_name
from oas.core.result import Termination
from oas.solvers.direct import SOLVERS, Run
from oas.solvers.discovery import executable_for
from oas.solvers.own_options import doubtful_options
from oas.solvers.parameters import PARAMETERS
from oas.solvers.task import NOT_INTEGRAL, Key, finite
from oas.solvers.variables import discrete_variables, integral, key_of

if TYPE_CHECKING:
    from pyomo.core.base.PyomoModel import ConcreteModel

    from oas.solvers.isolation.protocol import Session
    from oas.solvers.task import Outcome

# Pyomo's names of further MIP solvers, for error messages.
MIP_NAMES = ("appsi_cbc", "appsi_highs", "glpk", "mosek")
_ENDS = {
    "optimal": Termination.FINISHED,
    "globallyOptimal": Termination.FINISHED,
    "infeasible": Termination.FINISHED,
    "maxTimeLimit": Termination.TIME_LIMIT,
    "userInterrupt": Termination.INTERRUPTED,
    "resourceInterrupt": Termination.INTERRUPTED,
    "memoryLimit": Termination.MEMORY_LIMIT,
    "maxIterations": Termination.FINISHED,
    "maxEvaluations": Termination.FINISHED,
}


def check_name(name: str) -> None:
    """Raise `InputError` if Pyomo does not know this solver, `SolverMissingError` if Pyomo cannot run it."""
    if name in SOLVERS:
        executable_for(name)
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
    try:
        ended = _direct(model, session) if session.settings.solver in SOLVERS else _plain(model, session)
    except InputError:
        raise
    except Exception as error:
        logging.getLogger(__name__).exception("%s failed", session.settings.solver)
        termination = Termination.INTERRUPTED if session.stop.requested else Termination.ERROR
        return session.outcome(termination, message=f"{type(error).__name__}: {error}")
    return _outcome(*ended, session)


# Condition in Pyomo's words, bound, discrete values and objective
_Ended = tuple[str, float | None, dict[Key, float] | None, float | None]


def _direct(model: ConcreteModel, session: Session) -> _Ended:
    """Solve `model` through the solver's own package."""
    run = Run(model, session)
    condition, bound, point = run.solve()
    if point is None:
        return condition, bound, None, None
    return condition, bound, run.program.values(point), finite(run.program.objective(point))


def _plain(model: ConcreteModel, session: Session) -> _Ended:
    """Solve `model` with a plugin of which nothing more is known."""
    for variable in model.component_data_objects(pyo.Var):
        if not variable.fixed:
            variable.set_value(None)
    solver = SolverFactory(session.settings.solver)
    for option, value in session.settings.options.items():
        solver.options[option] = value
    time_left = session.begin(_version(solver))
    with contextlib.redirect_stdout(session.log):
        results = solver.solve(model, timelimit=time_left, tee=session.log.wanted)
    # The incumbent is dropped if a discrete variable that occurs in a constraint has no value.
    values = integral((key_of(v), v.value) for v in discrete_variables(model) if not v.stale or v.fixed)
    return str(results.solver.termination_condition), _bound(results), values, _objective(model)


def _outcome(
    condition: str,
    bound: float | None,
    values: dict[Key, float] | None,
    objective: float | None,
    session: Session,
) -> Outcome:
    termination = _ENDS.get(condition, Termination.ERROR)
    infeasible = condition == "infeasible"
    if infeasible or objective is None:
        values = None
    bound = session.bound if bound is None else bound
    if condition in ("unbounded", "infeasibleOrUnbounded"):
        bound = None
    message = "" if condition in ("optimal", "infeasible") else f"ended with {condition}"
    doubtful = doubtful_options(session.settings.solver, session.settings.options)
    if doubtful:
        infeasible, bound = False, None
        message = f"no bound is used, because {', '.join(doubtful)} may change the meaning of a bound or of feasibility"
    if condition == "optimal" and values is None:
        termination, bound, message = Termination.ERROR, None, NOT_INTEGRAL
    return session.outcome(
        termination,
        infeasible=infeasible,
        values=values,
        objective=None if values is None else objective,
        bound=None if infeasible else bound,
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
