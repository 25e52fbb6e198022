"""Linear program that is solved repeatedly while rows, columns and bounds change (worker side)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.errors import SolverError
from oas.solvers.matrix import pass_to

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.solvers.matrix import Matrix

# The smallest tolerance that HiGHS allows. Proofs need a check of the floats in exact arithmetic.
_TOLERANCE = 1e-10


class LinearProgram:
    """Linear minimisation over bounded columns and rows, by HiGHS's simplex on one thread, warm-started.

    Equal sequences of calls give equal floats.
    """

    def __init__(self) -> None:
        import highspy  # not at the top: a process that imports this module may load ortools, or no solver at all

        self._engine: Any = highspy.Highs()
        self._engine.silent()
        options = {
            "threads": 1,
            "random_seed": 0,
            "solver": "simplex",
            "primal_feasibility_tolerance": _TOLERANCE,
            "dual_feasibility_tolerance": _TOLERANCE,
        }
        for name, value in options.items():
            self._check(self._engine.setOptionValue(name, value), f"refuses {name}")

    def add_row(
        self, lower: float, upper: float = math.inf, columns: Sequence[int] = (), values: Sequence[float] = ()
    ) -> int:
        """Add a row and return its index."""
        indices, entries = np.array(columns, dtype=np.int32), np.array(values, dtype=np.double)
        self._check(self._engine.addRow(lower, upper, len(indices), indices, entries), "refuses a row")
        return self._engine.getNumRow() - 1

    def add_column(
        self, cost: float, rows: Sequence[int], values: Sequence[float], lower: float = 0.0, upper: float = math.inf
    ) -> int:
        """Add a column and return its index."""
        indices, entries = np.array(rows, dtype=np.int32), np.array(values, dtype=np.double)
        status = self._engine.addCol(cost, lower, upper, len(indices), indices, entries)
        self._check(status, "refuses a column")
        return self._engine.getNumCol() - 1

    def add_columns(self, rows: Sequence[int]) -> None:
        """Add columns of cost 0 with no upper bound, each with an entry of 1 in its row."""
        count = len(rows)
        starts, indices = np.arange(count, dtype=np.int32), np.array(rows, dtype=np.int32)
        lower, upper, ones = np.zeros(count), np.full(count, math.inf), np.ones(count)
        status = self._engine.addCols(count, np.zeros(count), lower, upper, count, starts, indices, ones)
        self._check(status, "refuses columns")

    @classmethod
    def of(cls, matrix: Matrix) -> LinearProgram:
        """Return the relaxation of a model: its integers may be fractions."""
        program = cls()
        pass_to(program._engine, matrix, {}, integral=False)
        return program

    def set_row(self, row: int, lower: float) -> None:
        """Set the lower side of a row that has no upper side."""
        self._check(self._engine.changeRowBounds(row, lower, math.inf), "refuses bounds")

    def set_bounds(self, column: int, lower: float, upper: float) -> None:
        self._check(self._engine.changeColBounds(column, lower, upper), "refuses bounds")

    def solve(self) -> float:
        """Solve to optimality and return the objective; raises `SolverError` if HiGHS ends with another status."""
        self._check(self._engine.run(), "fails")
        return self._objective()

    def solve_within(self, seconds: float, iterations: int | None = None) -> float | None:
        """Solve to optimality as `solve` does; return None at a limit of time or of simplex iterations."""
        limit = self._engine.getRunTime() + max(seconds, 0.0)  # HiGHS adds up the time of all solves
        self._check(self._engine.setOptionValue("time_limit", limit), "refuses a time limit")
        if iterations is not None:
            self._check(self._engine.setOptionValue("simplex_iteration_limit", iterations), "refuses a limit")
        self._engine.run()
        if self._engine.getModelStatus().name in ("kTimeLimit", "kIterationLimit"):
            return None
        return self._objective()

    def _objective(self) -> float:
        status = self._engine.getModelStatus()
        if status.name != "kOptimal":
            raise SolverError(f"HiGHS ended a linear program with {status.name}")
        return float(self._engine.getObjectiveValue())

    def primal(self) -> list[float]:
        """Return the value of each column at the optimum."""
        return list(self._engine.getSolution().col_value)

    def duals(self) -> list[float]:
        """Return the dual of each row at the optimum: the change of the objective per unit of the binding side."""
        return list(self._engine.getSolution().row_dual)

    def basis(self) -> list[int]:
        """Return the last basis: columns, and -1 - i for the slack of row i."""
        basis: Any = self._engine.getBasis()
        columns = [column for column, status in enumerate(basis.col_status) if status.name == "kBasic"]
        return columns + [-1 - row for row, status in enumerate(basis.row_status) if status.name == "kBasic"]

    @staticmethod
    def _check(status: Any, failure: str) -> None:
        if status.name != "kOk":
            raise SolverError(f"HiGHS {failure}")
