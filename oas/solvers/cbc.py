"""CBC's executable (worker side): Pyomo writes the model, and this module reads the log and the solution file.

The first line of the solution file states why CBC ended. An incumbent exists only if CBC states an objective and every
discrete value is integral: at limits, the file may have a fractional point.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oas.core.result import Termination
from oas.solvers.cbc_text import CbcLog, checked_options, read_end
from oas.solvers.isolation import launch
from oas.solvers.isolation.process import cause_of_death
from oas.solvers.matrix import solve_relaxation
from oas.solvers.program import Program
from oas.solvers.task import NOT_INTEGRAL

if TYPE_CHECKING:
    from pyomo.core.base.PyomoModel import ConcreteModel

    from oas.solvers.isolation.protocol import Session
    from oas.solvers.task import Key, Outcome

_TAIL = 1500
_MAX_LINES = 100_000


def solve(model: ConcreteModel, session: Session) -> Outcome:
    """Solve `model` with the CBC binary of the request.

    Raises `InputError` if an option is unknown or its value refused.
    """
    return _Run(model, session).outcome()


class _Run:
    """One run of CBC, which ends with this process; its log is read while it runs."""

    def __init__(self, model: ConcreteModel, session: Session) -> None:
        self.session, self.log = session, CbcLog(session.report)
        session.log.on_line = self.read_line
        self.program = Program(model, session.request.start)
        self.notes = [] if session.settings.threads == 1 else ["CBC ran one thread"]
        options = self._options()
        self.folder = Path(session.request.folder)
        # Pyomo's names are short: the user's may be longer than CBC allows.
        _, number = model.write(str(self.folder / "model.lp"), io_options={"symbolic_solver_labels": False})
        symbols = model.solutions.symbol_map[number].bySymbol
        places = self.program.columns
        self.columns = {name: places[id(one)] for name, one in symbols.items() if id(one) in places}
        words = [word for name, value in options.items() for word in (f"-{name}", value)]
        words += ["-printingOptions", "all", "-import", "model.lp"]
        if self._write_start():
            words += ["-mipstart", "start.txt"]
        self.code, self.output = self._execute([*words, "-stat=1", "-solve", "-solu", "solution.txt"])

    def _options(self) -> dict[str, str]:
        settings, seed = self.session.settings, str(self.session.settings.seed)
        options = {"ratioGap": repr(settings.gap), "randomSeed": seed, "randomCbcSeed": seed}
        gap = self.program.gap(settings)
        if gap:
            options["allowableGap"] = repr(gap)
        options |= checked_options(settings.options)
        self.session.report["options"] |= options
        self.gaps = max(gap, float(options.get("allowableGap", 0))), float(options["ratioGap"])
        return options

    def _write_start(self) -> bool:
        """Write the warm start, if it is feasible; with an infeasible one CBC < 2.10.7 can be wrong."""
        start = self.program.start
        if start is None:
            return False
        if solve_relaxation((self.program.matrix, start), self.session).status != "kOptimal":
            self.notes.append("the warm start does not fit this model and was not used")
            return False
        names = {column: name for name, column in self.columns.items()}
        lines = [f"0 {names[column]} {value}\n" for column, value in start.items() if value]
        (self.folder / "start.txt").write_text("".join(lines))
        return True

    def _execute(self, words: list[str]) -> tuple[int, str]:
        """Run CBC; return the exit code, of CBC or of the launcher, and the output."""
        launcher = [sys.executable, "-I", "-S", launch.__file__, str(os.getpid()), str(self.session.request.executable)]
        time_left = self.session.begin()
        if time_left is not None:  # by default CBC counts CPU time
            words = ["-timeMode", "elapsed", "-seconds", f"{time_left:.3f}", *words]
            self.session.report["options"]["seconds"] = f"{time_left:.3f}"
        lines: deque[str] = deque(maxlen=_MAX_LINES)
        # A pseudo-terminal: CBC buffers its log in large blocks when it writes to a pipe.
        reader, writer = os.openpty()
        streams = {"stdin": subprocess.DEVNULL, "stdout": writer, "stderr": writer}
        process = subprocess.Popen([*launcher, *words], cwd=self.folder, **streams)  # type: ignore[call-overload]
        os.close(writer)
        with open(reader, encoding="utf-8", errors="replace") as log, contextlib.suppress(OSError):  # EIO at the end
            for line in log:
                lines.append(line)
                self.session.log.write(line)
        return process.wait(), "".join(lines)

    def read_line(self, line: str) -> None:
        """Read a line of the log, and report bound and objective if they have changed."""
        known = len(self.session.report)
        if self.log.read(line):
            self.session.progress(self.log.bound, self.log.objective)
        if len(self.session.report) > known:
            self.session.send_report()

    def outcome(self) -> Outcome:
        """Return the outcome of the completed run; anything doubtful is an error."""
        if self.code:
            termination, cause = cause_of_death(self.code)
            if self.session.stop.requested:
                termination = Termination.INTERRUPTED
            return self._result(termination, f"CBC {cause}")
        header, values = self._solution()
        end = read_end(header, self.log.interrupted or self.session.stop.requested)
        if end.termination is Termination.ERROR:
            return self._result(Termination.ERROR, f"CBC ended with: {header.strip() or 'no solution file'}")
        if end.objective is None:
            values = None
        if end.optimal and values is None:
            # The objective and the bound are dropped too: no solution supports them.
            return self._result(Termination.ERROR, f"CBC {NOT_INTEGRAL}", bound=None)
        bound = self.log.final_bound
        if end.optimal and bound is None and end.objective is not None:
            # CBC prunes branch-and-bound nodes within the gap, so "optimal" proves no more.
            bound = end.objective - max(self.gaps[0], self.gaps[1] * abs(end.objective))
        if bound is None and not end.infeasible:
            bound = self.log.bound
        objective = None if values is None else end.objective
        return self._result(
            end.termination, "", infeasible=end.infeasible, values=values, objective=objective, bound=bound
        )

    def _result(self, termination: Termination, fault: str, **fields: Any) -> Outcome:
        self.session.version = self.log.version
        texts = [fault, *self.notes, self.output[-_TAIL:].strip() if fault and "bound" not in fields else ""]
        return self.session.outcome(termination, message="\n".join(filter(None, texts)), **fields)

    def _solution(self) -> tuple[str, dict[Key, float] | None]:
        """Return the first line of the solution file, and the discrete values; None if they are not integral.

        The other lines have index, name, value and reduced cost, of rows too, after ** if the value is infeasible.
        """
        try:
            header, *lines = (self.folder / "solution.txt").read_text("utf-8", "replace").splitlines()
        except (OSError, ValueError):
            return "", None
        point: list[float | None] = [None] * len(self.program.matrix.costs)
        for line in lines:
            words = line.removeprefix("**").split()
            if len(words) >= 3 and words[1] in self.columns:
                with contextlib.suppress(ValueError):
                    point[self.columns[words[1]]] = float(words[2])
        return header, self.program.values(point)
