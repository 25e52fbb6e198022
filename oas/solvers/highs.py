"""HiGHS through Pyomo's new interface (worker side).

Callbacks send every improving solution and bound to the parent immediately.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import highspy
import numpy as np
from pyomo.contrib.solver.solvers.highs import Highs

from oas.core.errors import InputError, SolverMissingError
from oas.core.result import Termination
from oas.solvers.discovery import HIGHS_ADVICE, WRONG_HIGHS
from oas.solvers.task import NOT_INTEGRAL, finite, integer_gap
from oas.solvers.variables import apply_start, discrete_variables, integral, key_of, objective_magnitude

if TYPE_CHECKING:
    from pyomo.core.base.PyomoModel import ConcreteModel

    from oas.solvers.isolation.protocol import Session
    from oas.solvers.task import Key, Outcome

_PRESOLVED = re.compile(r"Presolve reductions: rows (\d+)\(.*columns (\d+)\(.*nonzeros (\d+)\(")
# Options that Settings, Limits or this adapter sets.
_RESERVED = {"threads", "random_seed", "time_limit", "log_to_console", "output_flag"}

_ENDS = {
    "kOptimal": Termination.FINISHED,
    "kInfeasible": Termination.FINISHED,
    "kTimeLimit": Termination.TIME_LIMIT,
    "kInterrupt": Termination.INTERRUPTED,
    "kHighsInterrupt": Termination.INTERRUPTED,
    "kMemoryLimit": Termination.MEMORY_LIMIT,
    # Limits that only the caller's options can set.
    "kIterationLimit": Termination.FINISHED,
    "kSolutionLimit": Termination.FINISHED,
    "kObjectiveBound": Termination.FINISHED,
    "kObjectiveTarget": Termination.FINISHED,
}


def solve(model: ConcreteModel, session: Session) -> Outcome:
    """Solve `model` with HiGHS.

    Raises `InputError` if an option is unknown or its value refused; `SolverMissingError` if the installed HiGHS is a
    version known to be wrong.
    """
    solver = _Highs()
    number = solver._version_text()
    if number in WRONG_HIGHS:
        raise SolverMissingError(f"HiGHS {number} {WRONG_HIGHS[number]}; {HIGHS_ADVICE}")
    solver.session = session
    session.log.on_line = solver.read_line
    results = solver.solve(model, load_solutions=False, raise_exception_on_nonoptimal_result=False, tee=session.log)
    return solver.outcome(results)


class _Highs(Highs):
    """Pyomo's HiGHS with callbacks, a warm start, and checked options.

    It has no __init__, because Pyomo calls that again for each model.
    """

    session: Session

    def _solve(self) -> Any:
        engine = self._solver_model
        highspy.Highs.resetGlobalScheduler(True)  # otherwise the first solve's thread count stays
        self._place_discrete()
        self.session.report |= {
            "rows": engine.getNumRow(),
            "columns": engine.getNumCol(),
            "nonzeros": engine.getNumNz(),
        }
        self._set_options()
        if self.session.request.start is not None:
            self._pass_start()
        engine.cbMipImprovingSolution += self._on_solution
        engine.cbMipLogging += self._on_log
        for interrupt in (engine.cbMipInterrupt, engine.cbSimplexInterrupt, engine.cbIpmInterrupt):
            interrupt += self._on_interrupt
        engine.cbMipInterrupt += self._on_node
        time_left = self.session.begin(self._version_text())
        if time_left is not None:
            self._set("time_limit", time_left)
        return super()._solve()

    def _version_text(self) -> str:
        return ".".join(str(part) for part in self.version())

    def _place_discrete(self) -> None:
        """Find the columns of the discrete variables; a variable in no constraint has no column and is left out."""
        columns = self._pyomo_var_to_solver_var_map
        self._free: list[tuple[Key, int]] = []
        self._fixed: list[tuple[Key, float | None]] = []
        for variable in discrete_variables(self._model):
            if variable.fixed:
                self._fixed.append((key_of(variable), variable.value))
            elif id(variable) in columns:
                self._free.append((key_of(variable), columns[id(variable)]))

    def _set(self, name: str, value: object, field: str = "options") -> None:
        """Set an option and read it back, because HiGHS reports a refused value only by a return status."""
        engine = self._solver_model
        ok = highspy.HighsStatus.kOk
        if engine.getOptionType(name)[0] != ok:
            raise InputError("HiGHS has no such option", field=field, value=name)
        if engine.setOptionValue(name, value) != ok or engine.getOptionValue(name)[1] != value:
            raise InputError(f"HiGHS refuses this value for {name}", field=field, value=value)
        self.session.report["options"][name] = str(value)

    def _set_options(self) -> None:
        settings = self.session.settings
        self._set("threads", settings.threads, "threads")
        self._set("random_seed", settings.seed, "seed")
        self._set("mip_rel_gap", settings.gap)
        gap = settings.slack + (integer_gap(objective_magnitude(self._model)) if settings.integer_objective else 0)
        if gap:
            self._set("mip_abs_gap", gap)
        for name, value in settings.options.items():
            if name in _RESERVED:
                raise InputError("is set by Settings and Limits", field=f"options.{name}", value=value)
            self._set(name, value)

    def _pass_start(self) -> None:
        assert self.session.request.start is not None
        columns = self._pyomo_var_to_solver_var_map
        variables = [v for v in apply_start(self._model, self.session.request.start) if id(v) in columns]
        indices = np.array([columns[id(variable)] for variable in variables], dtype=np.int32)
        values = np.array([variable.value for variable in variables], dtype=np.double)
        self._solver_model.setSolution(len(variables), indices, values)

    def _incumbent(self, columns: Any) -> dict[Key, float] | None:
        free = [(key, float(columns[column])) for key, column in self._free]
        return integral(free + self._fixed)

    def _on_solution(self, event: Any) -> None:
        values = self._incumbent(event.data_out.mip_solution)
        if values is not None:
            self.session.incumbent(values, finite(event.data_out.objective_function_value))

    def _on_log(self, event: Any) -> None:
        self.session.progress(finite(event.data_out.mip_dual_bound), finite(event.data_out.mip_primal_bound))

    def _on_interrupt(self, event: Any) -> None:
        if self.session.stop.requested:
            event.interrupt()

    def _on_node(self, event: Any) -> None:
        if event.data_out.mip_node_count == 0 and finite(event.data_out.mip_dual_bound) is not None:
            self.session.report["root_bound"] = event.data_out.mip_dual_bound

    def read_line(self, line: str) -> None:
        """Read the size after presolve, the bound of the first linear program, and the cuts at the root, from the log.

        A line about the search has twelve columns, after the source of a new incumbent: branch-and-bound nodes,
        waiting nodes, leaves, progress, bound, objective, gap, cuts found, cuts in use, conflicts, iterations, time.
        """
        report = self.session.report
        if match := _PRESOLVED.match(line):
            sizes = map(int, match.groups())
            report |= zip(("presolved_rows", "presolved_columns", "presolved_nonzeros"), sizes, strict=True)
            self.session.send_report()
        columns = line.split()[-12:]
        if len(columns) < 12 or not columns[3].endswith("%") or columns[0] != "0" or columns[10] == "0":
            return
        if "lp_bound" not in report:  # with cuts, it is not that of the linear relaxation
            report["lp_bound"] = finite(float(columns[4])) if columns[7] == "0" else None
            self.session.send_report()
        if columns[8].isdecimal():
            report["cuts"] = int(columns[8])

    def outcome(self, results: Any) -> Outcome:
        """Return the outcome of a completed solve; anything doubtful is an error."""
        engine = self._solver_model
        info = engine.getInfo()
        counts = {"nodes": info.mip_node_count, "iterations": info.simplex_iteration_count}
        self.session.report |= {name: count for name, count in counts.items() if count >= 0}  # -1: not known
        status = engine.getModelStatus().name
        termination = _ENDS.get(status, Termination.ERROR)
        values = None
        if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
            values = self._incumbent(engine.getSolution().col_value)
        infeasible = status == "kInfeasible"
        stated, objective = results.objective_bound, results.incumbent_objective
        bound = self.session.bound if stated is None or math.isnan(stated) else finite(stated)
        if status == "kModelEmpty" and self._rows_hold_at_zero():
            status, termination, values = "kOptimal", Termination.FINISHED, self._incumbent([])
            bound = objective = engine.getLp().offset_
        message = "" if status in ("kOptimal", "kInfeasible") else f"HiGHS ended with {status}"
        if status == "kOptimal" and values is None:
            termination, bound = Termination.ERROR, None
            message = f"HiGHS {NOT_INTEGRAL}"
        return self.session.outcome(
            termination,
            infeasible=infeasible,
            values=values,
            objective=None if values is None else finite(objective),
            bound=None if infeasible else bound,
            message=message,
        )

    def _rows_hold_at_zero(self) -> bool:
        """Return whether a model without columns is feasible; HiGHS reports it as empty in either case."""
        program = self._solver_model.getLp()
        return all(low <= 0 <= high for low, high in zip(program.row_lower_, program.row_upper_, strict=True))
