"""Gurobi, SCIP, CPLEX and Xpress through Pyomo's interfaces to their Python packages (worker side).

Of the interfaces that Pyomo has for each of them, these are used:

- Gurobi: `pyomo.contrib.solver`, the present one, and of its two the one with a callback. The other needs SciPy. The
  classic plugins ignore Pyomo's time limit, and `appsi` is the predecessor.
- SCIP: `pyomo.contrib.solver`, which needs pyscipopt alone. The classic plugin needs an executable built for AMPL.
- CPLEX: the classic plugin for its Python package; there is no present one. `appsi` needs a compiled part of Pyomo and
  takes no warm start, and the plugin for the executable reports nothing while that runs.
- Xpress: the classic plugin, the only one.

The plugins' verdicts are ignored: they end without an incumbent in an exception, or without the bound. The solver's own
status counts. Its dual bound is used, never the objective of a solution that it calls optimal.
"""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING, Any, NamedTuple

from pyomo.common.dependencies import attempt_import
from pyomo.contrib.solver.solvers.gurobi.gurobi_persistent import GurobiPersistent
from pyomo.contrib.solver.solvers.scip.scip_direct import ScipDirect
from pyomo.solvers.plugins.solvers.cplex_direct import CPLEXDirect
from pyomo.solvers.plugins.solvers.xpress_direct import XpressDirect

from oas.core.errors import InputError
from oas.solvers.own_options import doubtful_options
from oas.solvers.parameters import PARAMETERS
from oas.solvers.task import finite, integer_gap
from oas.solvers.variables import apply_start, discrete_variables, integral, key_of, objective_magnitude

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyomo.core.base.PyomoModel import ConcreteModel

    from oas.solvers.isolation.protocol import Session

gurobipy, _ = attempt_import("gurobipy")
pyscipopt, _ = attempt_import("pyscipopt")
cplex, _ = attempt_import("cplex")
xpress, _ = attempt_import("xpress")

_INFINITY = 1e19  # SCIP, CPLEX and Xpress state 1e20, some releases of Xpress 1e40


class Ending(NamedTuple):
    """How a solver ended; a solution, if there is one, is loaded into the model."""

    condition: str  # in Pyomo's words, if it has one: ``optimal``, ``infeasible``, ``maxTimeLimit``
    bound: float | None
    solution: bool


class Run:
    """One run: the model, the session, and the settings under the solver's own names."""

    def __init__(self, model: ConcreteModel, session: Session) -> None:
        settings = session.settings
        self.session = session
        self.model = model
        self.free = [variable for variable in discrete_variables(model) if not variable.fixed]
        self.fixed = [(key_of(variable), variable.value) for variable in discrete_variables(model) if variable.fixed]
        names = PARAMETERS[settings.solver]
        # If the objective has finite limits, "infeasible or unbounded" means infeasible.
        magnitude = objective_magnitude(model)
        self.bounded = magnitude < float("inf")
        self.options: dict[str, Any] = {
            names.gap: settings.gap,  # SCIP relates it to the bound, which is stricter
            names.absolute_gap: settings.slack + (integer_gap(magnitude) if settings.integer_objective else 0.0),
            names.seed: settings.seed,
        }
        if names.threads:
            self.options[names.threads] = settings.threads
        self.options |= _FURTHER[settings.solver]
        reserved = {names.time.lower(), names.seed.lower(), names.threads.lower()}
        for name, value in settings.options.items():
            if name.lower() in reserved:
                raise InputError("is set by Settings and Limits", field=f"options.{name}", value=value)
            self.options[name] = value
        # A bound that was passed on counts, even if the outcome has none.
        self.trusted = not doubtful_options(settings.solver, settings.options)
        self.warm = session.request.start is not None
        if session.request.start is not None:
            apply_start(model, session.request.start)

    def begin(
        self,
        version: str,
        columns: Mapping[Any, Any],
        set_option: Callable[[str, Any], object],
        option: Callable[[str], object],
    ) -> None:
        """Set the options and the time left; from here on, a request to stop is the solver's business.

        A variable without a column occurs in no constraint.
        """
        settings, report = self.session.settings, self.session.report
        self.free = [variable for variable in self.free if variable in columns]
        for name, value in self.options.items():
            try:
                set_option(name, value)
                if option(name) != value:  # it was rounded without a word
                    raise ValueError(f"takes {option(name)} instead")
            except Exception as error:
                raise InputError(f"{settings.solver}: {error}", field=f"options.{name}", value=value) from None
            report["options"][name] = str(value)
        time_left = self.session.begin(version)
        if time_left is not None:
            name = PARAMETERS[settings.solver].time
            set_option(name, time_left)
            report["options"][name] = str(time_left)

    def report(self, **counts: float | None) -> None:
        """Record what the solver reports of the model and of the search."""
        self.session.report |= {name: int(count) for name, count in counts.items() if count is not None}

    def progress(self, bound: float | None, objective: float | None) -> None:
        """Pass on bound and objective."""
        self.session.progress(finite(bound, _INFINITY) if self.trusted else None, finite(objective, _INFINITY))

    def incumbent(self, values: list[float | None], objective: float) -> None:
        """Pass on a solution, by the values of the free discrete variables."""
        found = integral([*zip(map(key_of, self.free), values, strict=True), *self.fixed])
        if found is not None:
            self.session.incumbent(found, finite(objective, _INFINITY))

    def ending(self, condition: str, bound: float | None, solution: bool) -> Ending:
        """Return the ending, with "infeasible or unbounded" decided."""
        if condition == "infeasibleOrUnbounded" and self.bounded:
            condition = "infeasible"
        return Ending(condition, finite(bound, _INFINITY), solution)


# With 1e-6 as tolerance of integers, let alone the default 1e-5, Gurobi and CPLEX state a false optimum of the known
# model "trickle flow". Xpress would drop solutions that are slightly better than the incumbent.
_FURTHER: dict[str, dict[str, Any]] = {
    "gurobi": {"IntFeasTol": 1e-9},
    "scip": {},
    "cplex": {"mip_tolerances_integrality": 0.0},
    "xpress": {"miptol": 1e-6, "miprelcutoff": 0.0, "mipaddcutoff": 0.0},
}


def _gurobi(run: Run) -> Ending:
    solver = _Gurobi()
    solver.run = run
    solver.set_callback(_on_gurobi)
    results = solver.solve(
        run.model,
        warmstart_discrete_vars=run.warm,
        load_solutions=False,
        raise_exception_on_nonoptimal_result=False,
        tee=run.session.log,
    )
    run.report(nodes=solver.get_model_attr("NodeCount"), iterations=solver.get_model_attr("IterCount"))
    status = solver.get_model_attr("Status")
    solution = solver.get_model_attr("SolCount") > 0
    if solution:
        results.solution_loader.load_vars()
    return run.ending(_GUROBI_ENDS.get(status, f"status {status}"), results.objective_bound, solution)


class _Gurobi(GurobiPersistent):
    """Pyomo's Gurobi with this run's options."""

    run: Run

    def _create_solver_model(self, pyomo_model: Any, config: Any) -> Any:
        engine, *others = super()._create_solver_model(pyomo_model, config)
        engine.update()
        self.run.report(rows=engine.NumConstrs, columns=engine.NumVars, nonzeros=engine.NumNZs)
        columns = self._pyomo_var_to_solver_var_map
        self.run.begin(_dotted(self.version()), columns, engine.setParam, lambda name: engine.getParamInfo(name)[2])
        return engine, *others


def _on_gurobi(_model: ConcreteModel, solver: _Gurobi, where: int) -> None:
    at = gurobipy.GRB.Callback
    if where == at.MIP:
        solver.run.progress(solver.cbGet(at.MIP_OBJBND), solver.cbGet(at.MIP_OBJBST))
    elif where == at.MIPSOL:
        solver.cbGetSolution(solver.run.free)
        solver.run.incumbent([variable.value for variable in solver.run.free], solver.cbGet(at.MIPSOL_OBJ))


_GUROBI_ENDS = {
    2: "optimal",
    3: "infeasible",
    4: "infeasibleOrUnbounded",
    5: "unbounded",
    7: "maxIterations",
    8: "maxIterations",
    9: "maxTimeLimit",
    10: "maxIterations",
    11: "userInterrupt",
    16: "maxIterations",
    17: "memoryLimit",
}


def _scip(run: Run) -> Ending:
    solver = _Scip()
    solver.run = run
    results = solver.solve(
        run.model,
        warmstart_discrete_vars=run.warm,
        load_solutions=False,
        raise_exception_on_nonoptimal_result=False,
        tee=run.session.log,
    )
    run.report(nodes=solver.engine.getNTotalNodes(), iterations=solver.engine.getNLPIterations())
    status = solver.engine.getStatus()
    solution = solver.engine.getNSols() > 0
    if solution:
        results.solution_loader.load_vars()
    return run.ending(_SCIP_ENDS.get(status, status), results.objective_bound, solution)


class _Scip(ScipDirect):
    """Pyomo's SCIP with this run's options, and events."""

    run: Run
    engine: Any

    def _create_solver_model(self, model: Any, config: Any) -> Any:
        self.engine, *others = super()._create_solver_model(model, config)
        engine, events = self.engine, pyscipopt.SCIP_EVENTTYPE
        engine.attachEventHandlerCallback(self._on_event, [events.BESTSOLFOUND, events.LPSOLVED])
        self.run.report(rows=engine.getNConss(), columns=engine.getNVars())
        version = (engine.getMajorVersion(), engine.getMinorVersion(), engine.getTechVersion())
        self.run.begin(_dotted(version), self._pyomo_var_to_solver_var_map, engine.setParam, engine.getParam)
        return _WithoutLock(engine), *others

    def _on_event(self, engine: Any, event: Any) -> None:
        self.run.progress(engine.getDualbound(), engine.getPrimalbound())
        if event.getType() == pyscipopt.SCIP_EVENTTYPE.BESTSOLFOUND:
            best, columns = engine.getBestSol(), self._pyomo_var_to_solver_var_map
            values = [engine.getSolVal(best, columns[variable]) for variable in self.run.free]
            self.run.incumbent(values, engine.getPrimalbound())


class _WithoutLock:
    """A SCIP model that releases Python's lock while it runs.

    Pyomo reads SCIP's log in another thread, which would wait for the lock, and SCIP for the full pipe to be read.
    """

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self.optimize = engine.optimizeNogil

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)


_SCIP_ENDS = {
    "optimal": "optimal",
    "gaplimit": "optimal",
    "infeasible": "infeasible",
    "inforunbd": "infeasibleOrUnbounded",
    "timelimit": "maxTimeLimit",
    "userinterrupt": "userInterrupt",
    "terminate": "userInterrupt",
    "memlimit": "memoryLimit",
    **dict.fromkeys(
        ("nodelimit", "totalnodelimit", "stallnodelimit", "sollimit", "bestsollimit", "restartlimit"), "maxIterations"
    ),
}


def _solve_classic(solver: CPLEXDirect | XpressDirect, run: Run) -> None:
    with contextlib.redirect_stdout(run.session.log):
        solver.solve(run.model, warmstart=run.warm, load_solutions=False, output_fixed_variable_bounds=True, tee=True)


def _cplex(run: Run) -> Ending:
    solver = _Cplex()
    solver.run = run
    _solve_classic(solver, run)
    solution = solver.engine.solution
    progress = solution.progress
    run.report(nodes=progress.get_num_nodes_processed(), iterations=progress.get_num_iterations())
    status = solution.get_status()
    found = solution.get_solution_type() != solution.type.none
    condition = _CPLEX_ENDS.get(status, solution.get_status_string())
    bound = None
    if solver.engine.get_problem_type() == solver.engine.problem_type.MILP:
        with contextlib.suppress(cplex.exceptions.CplexError):  # it ended before it had a bound
            bound = solution.MIP.get_best_objective()
    elif condition == "optimal":
        bound = solution.get_objective_value()
    if found:
        solver.load_vars()
    return run.ending(condition, bound, found)


class _Cplex(CPLEXDirect):
    """Pyomo's CPLEX with this run's options, and a callback."""

    run: Run

    @property
    def engine(self) -> Any:
        return self._solver_model

    def _apply_solver(self) -> Any:
        rows, columns = self.engine.linear_constraints, self.engine.variables
        self.run.report(rows=rows.get_num(), columns=columns.get_num(), nonzeros=rows.get_num_nonzeros())
        if columns.get_num_integer() + columns.get_num_binary():  # CPLEX refuses callbacks in linear programs
            self.engine.set_callback(self, cplex.callbacks.Context.id.global_progress)
        columns = self._pyomo_var_to_solver_var_map
        self.run.begin(
            self.engine.get_version(),
            columns,
            lambda name, value: self._parameter(name).set(value),
            lambda name: self._parameter(name).get(),
        )
        return super()._apply_solver()

    def _parameter(self, name: str) -> Any:
        parameter = self.engine.parameters
        for part in name.split("_"):
            parameter = getattr(parameter, part)
        return parameter

    def invoke(self, context: Any) -> None:
        """Pass on the progress; CPLEX calls this."""
        kinds = context.info
        self.run.progress(context.get_double_info(kinds.best_bound), context.get_double_info(kinds.best_solution))


_CPLEX_ENDS = {
    **dict.fromkeys((1, 101, 102), "optimal"),
    **dict.fromkeys((3, 103), "infeasible"),
    **dict.fromkeys((4, 119), "infeasibleOrUnbounded"),
    **dict.fromkeys((2, 118), "unbounded"),
    **dict.fromkeys((11, 25, 107, 108, 131, 132), "maxTimeLimit"),
    **dict.fromkeys((13, 113, 114), "userInterrupt"),
    **dict.fromkeys((111, 112), "memoryLimit"),
    **dict.fromkeys((10, 104, 105, 106), "maxIterations"),
}


def _xpress(run: Run) -> Ending:
    solver = _Xpress()
    solver.run = run
    _solve_classic(solver, run)
    state = solver.engine.attributes
    run.report(nodes=state.nodes, iterations=state.simplexiter)
    status, stop = int(state.solstatus), int(state.stopstatus)
    found = status in (_XPRESS_OPTIMAL, _XPRESS_FEASIBLE)
    condition = _XPRESS_STOPS.get(stop) or _XPRESS_ENDS.get(status, f"status {status}, {stop}")
    if found:
        solver.load_vars()
    return run.ending(condition, state.bestbound if state.mipents else state.lpobjval, found)


class _Xpress(XpressDirect):
    """Pyomo's Xpress with this run's options, and a callback."""

    run: Run

    @property
    def engine(self) -> Any:
        return self._solver_model

    def _solve_model(self) -> None:
        self.engine.addCheckTimeCallback(self._on_time, None)
        size = self.engine.attributes
        self.run.report(rows=size.rows, columns=size.cols, nonzeros=size.elems)
        columns = self._pyomo_var_to_solver_var_map
        self.run.begin(_dotted(self.version()), columns, self._set, lambda name: getattr(self.engine.controls, name))
        super()._solve_model()

    def _set(self, name: str, value: Any) -> None:
        is_float = isinstance(getattr(self.engine.controls, name), float)
        self.engine.setControl(name, float(value) if is_float else value)

    def _on_time(self, engine: Any, _data: object) -> int:
        stop = self.run.session.stop
        with contextlib.suppress(ValueError):  # another thread than the main one
            signal.signal(signal.SIGINT, stop.handle)  # Xpress would let a request to stop end the process
        if stop.requested:
            engine.interrupt()
        self.run.progress(engine.attributes.bestbound, engine.attributes.mipbestobjval)
        return 0


_XPRESS_OPTIMAL, _XPRESS_FEASIBLE = 1, 2
_XPRESS_ENDS = {_XPRESS_OPTIMAL: "optimal", 3: "infeasible", 4: "unbounded"}
_XPRESS_STOPS = {
    1: "maxTimeLimit",
    **dict.fromkeys((2, 9), "userInterrupt"),
    **dict.fromkeys((3, 4, 6, 14), "maxIterations"),
    8: "memoryLimit",
}


def _dotted(version: tuple[object, ...]) -> str:
    return ".".join(str(part) for part in version)


INTERFACES: dict[str, Callable[[Run], Ending]] = {
    "gurobi": _gurobi,
    "scip": _scip,
    "cplex": _cplex,
    "xpress": _xpress,
}
