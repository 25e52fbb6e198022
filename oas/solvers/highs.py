"""HiGHS through its Python package (worker side).

Callbacks send every improving solution and bound to the parent immediately.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import highspy
import numpy as np

from oas.core.errors import InputError, SolverMissingError
from oas.core.result import Termination
from oas.solvers.discovery import HIGHS_ADVICE, WRONG_HIGHS
from oas.solvers.matrix import pass_to
from oas.solvers.program import Program
from oas.solvers.task import NOT_INTEGRAL, finite

if TYPE_CHECKING:
    from pyomo.core.base.PyomoModel import ConcreteModel

    from oas.solvers.isolation.protocol import Session
    from oas.solvers.task import Outcome

# Rules that presolve leaves out: probing (bit 15) and enumeration (bit 16). On time-indexed models with thousands of
# binary variables probing takes most of a minute, also of each sub-MIP, and fixes few of them.
_PRESOLVE_RULES_OFF = 1 << 15 | 1 << 16
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
    number = highspy.Highs().version()
    if number in WRONG_HIGHS:
        raise SolverMissingError(f"HiGHS {number} {WRONG_HIGHS[number]}; {HIGHS_ADVICE}")
    return _Run(Program(model, session.request.start), session).outcome()


class _Run:
    """One run of HiGHS."""

    def __init__(self, program: Program, session: Session) -> None:
        self.program, self.session = program, session
        self.engine = engine = highspy.Highs()
        engine.setOptionValue("log_to_console", False)
        engine.cbLogging += lambda event: session.log.write(event.message)
        pass_to(engine, program.matrix, {}, integral=True)
        session.report |= {"rows": engine.getNumRow(), "columns": engine.getNumCol(), "nonzeros": engine.getNumNz()}
        session.log.on_line = self._on_line
        highspy.Highs.resetGlobalScheduler(True)  # otherwise the first solve's thread count stays
        self._set_options()
        if program.start is not None:
            columns = np.array(list(program.start), dtype=np.int32)
            engine.setSolution(len(columns), columns, np.array(list(program.start.values()), dtype=np.double))
        engine.cbMipImprovingSolution += self._on_solution
        engine.cbMipLogging += self._on_log
        for interrupt in (engine.cbMipInterrupt, engine.cbSimplexInterrupt, engine.cbIpmInterrupt):
            interrupt += self._on_interrupt
        engine.cbMipInterrupt += self._on_node
        time_left = session.begin(engine.version())
        if time_left is not None:
            self._set("time_limit", time_left)
        engine.run()

    def _set(self, name: str, value: object, field: str = "options") -> None:
        """Set an option and read it back, because HiGHS reports a refused value only by a return status."""
        ok = highspy.HighsStatus.kOk
        if self.engine.getOptionType(name)[0] != ok:
            raise InputError("HiGHS has no such option", field=field, value=name)
        if self.engine.setOptionValue(name, value) != ok or self.engine.getOptionValue(name)[1] != value:
            raise InputError(f"HiGHS refuses this value for {name}", field=field, value=value)
        self.session.report["options"][name] = str(value)

    def _set_options(self) -> None:
        settings = self.session.settings
        self._set("threads", settings.threads, "threads")
        self._set("random_seed", settings.seed, "seed")
        self._set("presolve_rule_off", _PRESOLVE_RULES_OFF)
        self._set("mip_rel_gap", settings.gap)
        gap = self.program.gap(settings)
        if gap:
            self._set("mip_abs_gap", gap)
        for name, value in settings.options.items():
            if name in _RESERVED:
                raise InputError("is set by Settings and Limits", field=f"options.{name}", value=value)
            self._set(name, value)

    def _on_solution(self, event: Any) -> None:
        values = self.program.values(event.data_out.mip_solution)
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

    def _on_line(self, line: str) -> None:
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

    def outcome(self) -> Outcome:
        """Return the outcome of the completed run; anything doubtful is an error."""
        engine = self.engine
        info = engine.getInfo()
        counts = {"nodes": info.mip_node_count, "iterations": info.simplex_iteration_count}
        self.session.report |= {name: count for name, count in counts.items() if count >= 0}  # -1: not known
        status = engine.getModelStatus().name
        termination = _ENDS.get(status, Termination.ERROR)
        values = None
        if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
            values = self.program.values(engine.getSolution().col_value)
        objective = info.objective_function_value
        bound = self.session.bound
        if info.mip_node_count >= 0:
            bound = finite(info.mip_dual_bound)
        elif status == "kOptimal":  # a linear program
            bound = finite(objective)
        if status == "kModelEmpty":  # whether its rows hold or not
            matrix, termination = self.program.matrix, Termination.FINISHED
            holds = all(row.lower <= 0 <= row.upper for row in matrix.rows)
            status, values = ("kOptimal", self.program.values([])) if holds else ("kInfeasible", None)
            bound = objective = matrix.offset
        infeasible = status == "kInfeasible"
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
