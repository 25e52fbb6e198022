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
from functools import reduce
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
    from collections.abc import Iterable

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


# With 1e-6 as tolerance of integers, let alone the default 1e-5, Gurobi and CPLEX state a false optimum of the known
# model "trickle flow". Xpress would drop solutions that are slightly better than the incumbent.
_FURTHER: dict[str, dict[str, Any]] = {
    "gurobi": {"IntFeasTol": 1e-9},
    "scip": {},
    "cplex": {"mip_tolerances_integrality": 0.0},
    "xpress": {"miptol": 1e-6, "miprelcutoff": 0.0, "mipaddcutoff": 0.0},
}


class Run:
    """One run: the model, the session, and the settings under the solver's own names."""

    def __init__(self, model: ConcreteModel, session: Session) -> None:
        settings, names = session.settings, PARAMETERS[session.settings.solver]
        self.model, self.session = model, session
        self.free = [variable for variable in discrete_variables(model) if not variable.fixed]
        self.fixed = [(key_of(variable), variable.value) for variable in discrete_variables(model) if variable.fixed]
        magnitude = objective_magnitude(model)
        self.bounded = magnitude < float("inf")
        self.options: dict[str, Any] = {
            names.gap: settings.gap,  # SCIP relates it to the bound, which is stricter
            names.absolute_gap: settings.slack + (integer_gap(magnitude) if settings.integer_objective else 0.0),
            names.seed: settings.seed,
            **({names.threads: settings.threads} if names.threads else {}),
            **_FURTHER[settings.solver],
        }
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

    def begin(self, solver: Any, version: Iterable[object], **sizes: int) -> None:
        """Set the options and the time left; from here on, a request to stop is only recorded.

        `solver`: has ``set_option`` and ``option``, and a column for each variable that occurs in the model.
        """
        report = self.session.report
        report |= sizes
        self.free = [variable for variable in self.free if variable in solver._pyomo_var_to_solver_var_map]
        for name, value in self.options.items():
            try:
                solver.set_option(name, value)
                if solver.option(name) != value:  # it was rounded without a word
                    raise ValueError(f"takes {solver.option(name)} instead")
            except Exception as error:  # pyscipopt raises Exception itself
                who = self.session.settings.solver
                raise InputError(f"{who}: {error}", field=f"options.{name}", value=value) from None
            report["options"][name] = str(value)
        time_left = self.session.begin(".".join(map(str, version)))
        if time_left is not None:
            name = PARAMETERS[self.session.settings.solver].time
            solver.set_option(name, time_left)
            report["options"][name] = str(time_left)

    def must_stop(self, bound: float | None, objective: float | None) -> bool:
        """Pass on bound and objective; return whether the parent has asked to stop."""
        self.session.progress(finite(bound, _INFINITY) if self.trusted else None, finite(objective, _INFINITY))
        return self.session.stop.requested

    def incumbent(self, values: Iterable[float | None], objective: float) -> None:
        """Pass on a solution, by the values of the free discrete variables."""
        found = integral([*zip(map(key_of, self.free), values, strict=True), *self.fixed])
        if found is not None:
            self.session.incumbent(found, finite(objective, _INFINITY))

    def ending(self, condition: str, bound: float | None, solution: bool, nodes: float, iterations: float) -> Ending:
        """Return the ending; without infinite values of the objective, "infeasible or unbounded" is infeasible."""
        self.session.report |= {"nodes": int(nodes), "iterations": int(iterations)}
        if condition == "infeasibleOrUnbounded" and self.bounded:
            condition = "infeasible"
        return Ending(condition, finite(bound, _INFINITY), solution)

    def solve(self, solver: GurobiPersistent | ScipDirect) -> tuple[float | None, bool]:
        """Solve with a present interface, and load the solution; return the bound, and whether there is a solution."""
        results = solver.solve(
            self.model,
            warmstart_discrete_vars=self.warm,
            load_solutions=False,
            raise_exception_on_nonoptimal_result=False,
            tee=self.session.log,
        )
        found = results.incumbent_objective is not None
        if found:
            results.solution_loader.load_vars()
        return results.objective_bound, found

    def solve_classic(self, solver: CPLEXDirect | XpressDirect) -> None:
        """Solve with a classic plugin, which prints the log."""
        options = {"warmstart": self.warm, "load_solutions": False, "output_fixed_variable_bounds": True, "tee": True}
        with contextlib.redirect_stdout(self.session.log):
            solver.solve(self.model, **options)


def _ends(**statuses: tuple[object, ...]) -> dict[object, str]:
    """Return Pyomo's word for each status of a solver."""
    return {status: word for word, several in statuses.items() for status in several}


class _Gurobi(GurobiPersistent):
    """Pyomo's Gurobi."""

    ENDS = _ends(
        optimal=(2,), infeasible=(3,), infeasibleOrUnbounded=(4,), unbounded=(5,), maxIterations=(7, 8, 10, 16),
        maxTimeLimit=(9,), userInterrupt=(11,), memoryLimit=(17,)
    )  # fmt: skip

    def run(self, run: Run) -> Ending:
        """Solve the model of this run."""
        self._run = run
        self.set_callback(_on_gurobi)
        bound, found = run.solve(self)
        status, nodes, iterations = map(self.get_model_attr, ("Status", "NodeCount", "IterCount"))
        return run.ending(self.ENDS.get(status, f"status {status}"), bound, found, nodes, iterations)

    def _create_solver_model(self, pyomo_model: Any, config: Any) -> Any:
        engine, *others = super()._create_solver_model(pyomo_model, config)
        engine.update()
        self.set_option, self.option = engine.setParam, lambda name: engine.getParamInfo(name)[2]
        sizes = {"rows": engine.NumConstrs, "columns": engine.NumVars, "nonzeros": engine.NumNZs}
        self._run.begin(self, self.version(), **sizes)
        return engine, *others


def _on_gurobi(_model: ConcreteModel, solver: _Gurobi, where: int) -> None:
    at, run = gurobipy.GRB.Callback, solver._run
    if where == at.MIP:
        if run.must_stop(solver.cbGet(at.MIP_OBJBND), solver.cbGet(at.MIP_OBJBST)):
            solver._solver_model.terminate()
    elif where == at.MIPSOL:
        solver.cbGetSolution(run.free)
        run.incumbent([variable.value for variable in run.free], solver.cbGet(at.MIPSOL_OBJ))


class _Scip(ScipDirect):
    """Pyomo's SCIP."""

    ENDS = _ends(
        optimal=("optimal", "gaplimit"), infeasible=("infeasible",), infeasibleOrUnbounded=("inforunbd",),
        maxTimeLimit=("timelimit",), userInterrupt=("userinterrupt", "terminate"), memoryLimit=("memlimit",),
        maxIterations=("nodelimit", "totalnodelimit", "stallnodelimit", "restartlimit", "sollimit", "bestsollimit")
    )  # fmt: skip

    def run(self, run: Run) -> Ending:
        """Solve the model of this run."""
        self._run = run
        bound, found = run.solve(self)
        engine = self._solver_model
        status = engine.getStatus()
        return run.ending(
            self.ENDS.get(status, status), bound, found, engine.getNTotalNodes(), engine.getNLPIterations()
        )

    def _create_solver_model(self, model: Any, config: Any) -> Any:
        engine, *others = super()._create_solver_model(model, config)
        events = pyscipopt.SCIP_EVENTTYPE
        engine.attachEventHandlerCallback(self._on_event, [events.BESTSOLFOUND, events.LPSOLVED])
        self.set_option, self.option = engine.setParam, engine.getParam
        version = (engine.getMajorVersion(), engine.getMinorVersion(), engine.getTechVersion())
        self._run.begin(self, version, rows=engine.getNConss(), columns=engine.getNVars())
        return _WithoutLock(engine), *others

    def _on_event(self, engine: Any, event: Any) -> None:
        if self._run.must_stop(engine.getDualbound(), engine.getPrimalbound()):
            engine.interruptSolve()
        if event.getType() == pyscipopt.SCIP_EVENTTYPE.BESTSOLFOUND:
            best, columns = engine.getBestSol(), self._pyomo_var_to_solver_var_map
            values = [engine.getSolVal(best, columns[variable]) for variable in self._run.free]
            self._run.incumbent(values, engine.getPrimalbound())


class _WithoutLock:
    """A SCIP model that releases Python's lock while it runs.

    Pyomo reads SCIP's log in another thread, which would wait for the lock, and SCIP for the full pipe to be read.
    """

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self.optimize = engine.optimizeNogil

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)


class _Cplex(CPLEXDirect):
    """Pyomo's CPLEX."""

    ENDS = _ends(
        optimal=(1, 101, 102), infeasible=(3, 103), infeasibleOrUnbounded=(4, 119), unbounded=(2, 118),
        maxTimeLimit=(11, 25, 107, 108, 131, 132), userInterrupt=(13, 113, 114), memoryLimit=(111, 112),
        maxIterations=(10, 104, 105, 106)
    )  # fmt: skip

    def run(self, run: Run) -> Ending:
        """Solve the model of this run."""
        self._run = run
        run.solve_classic(self)
        engine, solution = self._solver_model, self._solver_model.solution
        condition = self.ENDS.get(solution.get_status(), solution.get_status_string())
        found = solution.get_solution_type() != solution.type.none
        bound = None
        if engine.get_problem_type() == engine.problem_type.MILP:
            with contextlib.suppress(cplex.exceptions.CplexError):  # it ended before it had a bound
                bound = solution.MIP.get_best_objective()
        elif condition == "optimal":
            bound = solution.get_objective_value()
        if found:
            self.load_vars()
        progress = solution.progress
        return run.ending(condition, bound, found, progress.get_num_nodes_processed(), progress.get_num_iterations())

    def _apply_solver(self) -> Any:
        rows, columns = self._solver_model.linear_constraints, self._solver_model.variables
        if columns.get_num_integer() + columns.get_num_binary():  # CPLEX refuses callbacks in linear programs
            self._solver_model.set_callback(self, cplex.callbacks.Context.id.global_progress)
        sizes = {"rows": rows.get_num(), "columns": columns.get_num(), "nonzeros": rows.get_num_nonzeros()}
        self._run.begin(self, [self._solver_model.get_version()], **sizes)
        return super()._apply_solver()

    def set_option(self, name: str, value: Any) -> None:
        """Set a parameter, such as ``mip_tolerances_mipgap``."""
        self._parameter(name).set(value)

    def option(self, name: str) -> object:
        """Return the value of a parameter."""
        return self._parameter(name).get()

    def _parameter(self, name: str) -> Any:
        return reduce(getattr, name.split("_"), self._solver_model.parameters)

    def invoke(self, context: Any) -> None:
        """Pass on the progress; CPLEX calls this."""
        values = (context.info.best_bound, context.info.best_solution)
        if self._run.must_stop(*map(context.get_double_info, values)):
            context.abort()


class _Xpress(XpressDirect):
    """Pyomo's Xpress."""

    STOPS = _ends(
        maxTimeLimit=(1,), userInterrupt=(2, 9), maxIterations=(3, 4, 6, 14), optimal=(5,), memoryLimit=(8,)
    )  # fmt: skip
    ENDS = _ends(optimal=(1,), infeasible=(3,), unbounded=(4,))

    def run(self, run: Run) -> Ending:
        """Solve the model of this run."""
        self._run = run
        run.solve_classic(self)
        state = self._solver_model.attributes
        status, stop = int(state.solstatus), int(state.stopstatus)
        condition = self.STOPS.get(stop) or self.ENDS.get(status, f"status {status}, {stop}")
        found = status in (1, 2)  # optimal, feasible
        if found:
            self.load_vars()
        bound = state.bestbound if state.mipents else state.lpobjval
        return run.ending(condition, bound, found, state.nodes, state.simplexiter)

    def _solve_model(self) -> None:
        self._solver_model.addCheckTimeCallback(self._on_time, None)
        size = self._solver_model.attributes
        self._run.begin(self, self.version(), rows=size.rows, columns=size.cols, nonzeros=size.elems)
        super()._solve_model()

    def set_option(self, name: str, value: Any) -> None:
        """Set a control, with an int for a float too."""
        self._solver_model.setControl(name, float(value) if isinstance(self.option(name), float) else value)

    def option(self, name: str) -> object:
        """Return the value of a control."""
        return getattr(self._solver_model.controls, name)

    def _on_time(self, engine: Any, _data: object) -> int:
        with contextlib.suppress(ValueError):  # another thread than the main one
            # Xpress has reset the handler, and a request to stop would end the process.
            signal.signal(signal.SIGINT, self._run.session.stop.handle)
        if self._run.must_stop(engine.attributes.bestbound, engine.attributes.mipbestobjval):
            engine.interrupt()
        return 0


INTERFACES: dict[str, Any] = {"gurobi": _Gurobi, "scip": _Scip, "cplex": _Cplex, "xpress": _Xpress}
"""Solvers by name; ``run`` of an instance solves the model of a `Run`."""
