"""HiGHS through its Python package (worker side)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import highspy
import numpy as np

from oas.core.errors import SolverMissingError
from oas.solvers.discovery import HIGHS_ADVICE, WRONG_HIGHS
from oas.solvers.matrix import pass_to
from oas.solvers.run import Ending, words
from oas.solvers.task import finite

if TYPE_CHECKING:
    from oas.solvers.run import Run

_PRESOLVED = re.compile(r"Presolve reductions: rows (\d+)\(.*columns (\d+)\(.*nonzeros (\d+)\(")


class _Highs:
    ENDS = words(
        optimal=("kOptimal",),
        infeasible=("kInfeasible",),
        unbounded=("kUnbounded",),
        infeasibleOrUnbounded=("kUnboundedOrInfeasible",),
        maxTimeLimit=("kTimeLimit",),
        userInterrupt=("kInterrupt", "kHighsInterrupt"),
        memoryLimit=("kMemoryLimit",),
        maxIterations=("kIterationLimit", "kSolutionLimit", "kObjectiveBound", "kObjectiveTarget"),
    )

    def __init__(self, run: Run) -> None:
        self.run, self.session = run, run.session
        self.engine = engine = highspy.Highs()
        number = engine.version()
        if number in WRONG_HIGHS:
            raise SolverMissingError(f"HiGHS {number} {WRONG_HIGHS[number]}; {HIGHS_ADVICE}")
        engine.setOptionValue("log_to_console", False)
        engine.cbLogging += lambda event: run.session.log.write(event.message)
        run.session.log.on_line = self._on_line
        highspy.Highs.resetGlobalScheduler(True)  # otherwise the first solve's thread count stays
        pass_to(engine, run.program.matrix, {}, integral=True)

    def version(self) -> str:
        return str(self.engine.version())

    def set_option(self, name: str, value: object) -> None:
        if self.engine.getOptionType(name)[0] != highspy.HighsStatus.kOk:
            raise ValueError("there is no such option")
        if self.engine.setOptionValue(name, value) != highspy.HighsStatus.kOk:
            raise ValueError("this value is refused")

    def option(self, name: str) -> object:
        return self.engine.getOptionValue(name)[1]

    def pass_start(self, start: dict[int, float]) -> None:
        columns, values = np.array(list(start), dtype=np.int32), np.array(list(start.values()), dtype=np.double)
        self.engine.setSolution(len(columns), columns, values)

    def solve(self) -> Ending:
        engine = self.engine
        engine.cbMipImprovingSolution += self._on_solution
        engine.cbMipLogging += self._on_log
        for interrupt in (engine.cbMipInterrupt, engine.cbSimplexInterrupt, engine.cbIpmInterrupt):
            interrupt += self._on_interrupt
        engine.cbMipInterrupt += self._on_node
        engine.run()
        info, status = engine.getInfo(), engine.getModelStatus().name
        self.run.count(info.mip_node_count, info.simplex_iteration_count)
        if status == "kModelEmpty":  # whether its rows hold or not
            matrix = self.run.program.matrix
            holds = all(row.lower <= 0 <= row.upper for row in matrix.rows)
            return Ending("optimal" if holds else "infeasible", matrix.offset, [])
        integer = info.mip_node_count >= 0
        bound = info.mip_dual_bound if integer else info.objective_function_value if status == "kOptimal" else None
        found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        return Ending(self.ENDS.get(status, status), bound, engine.getSolution().col_value if found else None)

    def _on_solution(self, event: Any) -> None:
        self.run.incumbent(event.data_out.mip_solution, event.data_out.objective_function_value)

    def _on_log(self, event: Any) -> None:
        self.run.must_stop(event.data_out.mip_dual_bound, event.data_out.mip_primal_bound)

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


ADAPTERS = {"highs": _Highs}
