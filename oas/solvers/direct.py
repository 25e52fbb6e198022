"""Gurobi, SCIP, CPLEX and Xpress through their own Python packages (worker side).

Pyomo's interfaces to them lose the bound or the incumbent at a limit, and report nothing while the solver runs. Each
class is an adapter of `oas.solvers.run.Run`.
"""

from __future__ import annotations

import contextlib
import signal
from functools import reduce
from typing import TYPE_CHECKING, Any

from pyomo.common.dependencies import attempt_import

from oas.solvers.run import Ending, words

if TYPE_CHECKING:
    from oas.solvers.run import Run

gurobipy, _ = attempt_import("gurobipy")
pyscipopt, _ = attempt_import("pyscipopt")
cplex, _ = attempt_import("cplex")
xpress, _ = attempt_import("xpress")


class _Gurobi:
    ENDS = words(
        optimal=(2,), infeasible=(3,), infeasibleOrUnbounded=(4,), unbounded=(5,), maxIterations=(7, 8, 10, 16),
        maxTimeLimit=(9,), userInterrupt=(11,), memoryLimit=(17,)
    )  # fmt: skip

    def __init__(self, run: Run) -> None:
        self.run = run
        path, names = run.write_model()
        self.engine = gurobipy.read(str(path), env=gurobipy.Env(params={"LogToConsole": 0}))
        self.columns = [self.engine.getVarByName(name) for name in names]

    def version(self) -> str:
        return ".".join(map(str, gurobipy.gurobi.version()))

    def set_option(self, name: str, value: Any) -> None:
        self.engine.setParam(name, value)

    def option(self, name: str) -> object:
        return self.engine.getParamInfo(name)[2]

    def pass_start(self, start: dict[int, float]) -> None:
        for column, value in start.items():
            self.columns[column].Start = value

    def solve(self) -> Ending:
        engine = self.engine
        engine.optimize(self._on_event)
        status = engine.Status
        self.run.count(engine.NodeCount, engine.IterCount)
        bound = engine.ObjBound if engine.IsMIP else engine.ObjVal if status == gurobipy.GRB.OPTIMAL else None
        point = [column.X for column in self.columns] if engine.SolCount else None
        return Ending(self.ENDS.get(status, f"status {status}"), bound, point)

    def _on_event(self, engine: Any, where: int) -> None:
        at, run = gurobipy.GRB.Callback, self.run
        if where == at.MESSAGE:
            run.session.log.write(engine.cbGet(at.MSG_STRING))
        elif where == at.MIP:
            run.must_stop(engine.cbGet(at.MIP_OBJBND), engine.cbGet(at.MIP_OBJBST))
        elif where == at.MIPSOL:
            run.incumbent(engine.cbGetSolution(self.columns), engine.cbGet(at.MIPSOL_OBJ))
        if run.session.stop.requested:
            engine.terminate()


class _Scip:
    ENDS = words(
        optimal=("optimal", "gaplimit"), infeasible=("infeasible",), infeasibleOrUnbounded=("inforunbd",),
        maxTimeLimit=("timelimit",), userInterrupt=("userinterrupt", "terminate"), memoryLimit=("memlimit",),
        maxIterations=("nodelimit", "totalnodelimit", "stallnodelimit", "restartlimit", "sollimit", "bestsollimit")
    )  # fmt: skip

    def __init__(self, run: Run) -> None:
        self.run = run
        path, names = run.write_model()
        self.engine = engine = pyscipopt.Model()
        engine.hideOutput()
        self.log_path = path.with_suffix(".log")
        engine.setLogfile(str(self.log_path))
        self.set_option, self.option = engine.setParam, engine.getParam
        engine.readProblem(str(path))
        columns = {column.name: column for column in engine.getVars()}
        self.columns = [columns[name] for name in names]

    def version(self) -> str:
        engine = self.engine
        return f"{engine.getMajorVersion()}.{engine.getMinorVersion()}.{engine.getTechVersion()}"

    def pass_start(self, start: dict[int, float]) -> None:
        solution = self.engine.createPartialSol()
        for column, value in start.items():
            self.engine.setSolVal(solution, self.columns[column], value)
        self.engine.addSol(solution)

    def solve(self) -> Ending:
        engine, events = self.engine, pyscipopt.SCIP_EVENTTYPE
        engine.attachEventHandlerCallback(self._on_event, [events.BESTSOLFOUND, events.LPSOLVED])
        with open(self.log_path, errors="replace") as self.log:
            engine.optimizeNogil()
            engine.setLogfile(None)
            self.run.session.log.write(self.log.read())
        status = engine.getStatus()
        self.run.count(engine.getNTotalNodes(), engine.getNLPIterations())
        point = self._point() if engine.getNSols() else None
        return Ending(self.ENDS.get(status, status), engine.getDualbound(), point)

    def _point(self) -> list[float]:
        best = self.engine.getBestSol()
        return [self.engine.getSolVal(best, column) for column in self.columns]

    def _on_event(self, engine: Any, event: Any) -> None:
        self.run.session.log.write(self.log.read())
        if self.run.must_stop(engine.getDualbound(), engine.getPrimalbound()):
            engine.interruptSolve()
        if event.getType() == pyscipopt.SCIP_EVENTTYPE.BESTSOLFOUND:
            self.run.incumbent(self._point(), engine.getPrimalbound())


class _Cplex:
    ENDS = words(
        optimal=(1, 101, 102), infeasible=(3, 103), infeasibleOrUnbounded=(4, 119), unbounded=(2, 118),
        maxTimeLimit=(11, 25, 107, 108, 131, 132), userInterrupt=(13, 113, 114), memoryLimit=(111, 112),
        maxIterations=(10, 104, 105, 106)
    )  # fmt: skip

    def __init__(self, run: Run) -> None:
        self.run = run
        path, self.names = run.write_model()
        self.engine = engine = cplex.Cplex()
        for set_stream in (engine.set_log_stream, engine.set_results_stream, engine.set_warning_stream):
            set_stream(run.session.log)
        engine.set_error_stream(None)  # its errors are exceptions
        engine.read(str(path))

    def version(self) -> str:
        return str(self.engine.get_version())

    def set_option(self, name: str, value: Any) -> None:
        """Set a parameter, such as ``mip_tolerances_mipgap``."""
        self._parameter(name).set(value)

    def option(self, name: str) -> object:
        return self._parameter(name).get()

    def _parameter(self, name: str) -> Any:
        return reduce(getattr, name.split("_"), self.engine.parameters)

    def pass_start(self, start: dict[int, float]) -> None:
        pair = cplex.SparsePair([self.names[column] for column in start], list(start.values()))
        self.engine.MIP_starts.add(pair, self.engine.MIP_starts.effort_level.auto)

    def solve(self) -> Ending:
        engine, solution = self.engine, self.engine.solution
        integer = engine.get_problem_type() == engine.problem_type.MILP
        if integer:  # CPLEX refuses callbacks in linear programs
            engine.set_callback(self, cplex.callbacks.Context.id.global_progress)
        engine.solve()
        condition = self.ENDS.get(solution.get_status(), solution.get_status_string())
        bound = None
        if integer:
            with contextlib.suppress(cplex.exceptions.CplexError):  # it ended before it had a bound
                bound = solution.MIP.get_best_objective()
        elif condition == "optimal":
            bound = solution.get_objective_value()
        self.run.count(solution.progress.get_num_nodes_processed(), solution.progress.get_num_iterations())
        found = solution.get_solution_type() != solution.type.none
        return Ending(condition, bound, solution.get_values(self.names) if found else None)

    def invoke(self, context: Any) -> None:
        """Pass on the progress; CPLEX calls this."""
        values = (context.info.best_bound, context.info.best_solution)
        if self.run.must_stop(*map(context.get_double_info, values)):
            context.abort()


_COLUMN = 2  # in Xpress, the kind of an index


class _Xpress:
    STOPS = words(
        maxTimeLimit=(1,), userInterrupt=(2, 9), maxIterations=(3, 4, 6, 14), optimal=(5,), memoryLimit=(8,)
    )  # fmt: skip
    ENDS = words(optimal=(1,), infeasible=(3,), unbounded=(4,))

    def __init__(self, run: Run) -> None:
        self.run = run
        path, names = run.write_model()
        with contextlib.redirect_stdout(run.session.log):
            self.engine = engine = xpress.problem()
        engine.setOutputEnabled(False)
        engine.addMessageCallback(lambda _problem, _data, text, _kind: run.session.log.write(f"{text}\n"), None, 0)
        engine.readProb(str(path), "l")
        self.columns = [engine.getIndex(_COLUMN, name) for name in names]

    def version(self) -> str:
        return str(xpress.getVersion())

    def set_option(self, name: str, value: Any) -> None:
        """Set a control, with an int for a float too."""
        self.engine.setControl(name, float(value) if isinstance(self.option(name), float) else value)

    def option(self, name: str) -> object:
        return getattr(self.engine.controls, name)

    def pass_start(self, start: dict[int, float]) -> None:
        self.engine.addMipSol(list(start.values()), [self.columns[column] for column in start])

    def solve(self) -> Ending:
        engine = self.engine
        engine.addCheckTimeCallback(self._on_time, None)
        engine.optimize()
        state = engine.attributes
        status, stop = int(state.solstatus), int(state.stopstatus)
        condition = self.STOPS.get(stop) or self.ENDS.get(status, f"status {status}, {stop}")
        self.run.count(state.nodes, state.simplexiter)
        found = status in (1, 2)  # optimal, feasible
        bound = state.bestbound if state.mipents else state.lpobjval if status == 1 else None
        values = engine.getSolution() if found else []
        return Ending(condition, bound, [values[column] for column in self.columns] if found else None)

    def _on_time(self, engine: Any, _data: object) -> int:
        with contextlib.suppress(ValueError):  # another thread than the main one
            # Xpress has reset the handler, and a request to stop would end the process.
            signal.signal(signal.SIGINT, self.run.session.stop.handle)
        if self.run.must_stop(engine.attributes.bestbound, engine.attributes.mipbestobjval):
            engine.interrupt()
        return 0


ADAPTERS: dict[str, Any] = {"gurobi": _Gurobi, "scip": _Scip, "cplex": _Cplex, "xpress": _Xpress}
