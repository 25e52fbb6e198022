"""CBC through Pyomo's plugin (worker side): Pyomo writes the model and reads the solution; this module does the rest.

The plugin reads "(within gap)" as optimal, loads fractional points at limits, and drops the lower bound that CBC
prints at the end. Its verdict is therefore ignored: the first line of the solution file states why CBC ended, and an
incumbent exists only if CBC states an objective and every discrete value is integral.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections import deque
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from pyomo.solvers.plugins.solvers.CBCplugin import CBCSHELL

from oas.core.result import Termination
from oas.solvers.cbc_text import CbcLog, checked_options, read_end
from oas.solvers.isolation import launch
from oas.solvers.isolation.process import cause_of_death
from oas.solvers.task import NOT_INTEGRAL, integer_gap
from oas.solvers.variables import apply_start, discrete_variables, integral, key_of, objective_magnitude

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
    solver = _Cbc(executable=session.request.executable, validate=False)
    solver.session, solver.log = session, CbcLog(session.report)
    session.log.on_line = solver.read_line
    notes = [] if session.settings.threads == 1 else ["CBC ran one thread"]
    gaps = _set_options(solver, model, session)
    start = session.request.start
    warm = False
    if start is not None:
        apply_start(model, start)
        warm = _start_fits(model)
        if not warm:
            notes.append("the warm start does not fit this model and was not used")
    try:
        results = solver.solve(model, load_solutions=False, warmstart=warm, timelimit=None)
    except _CbcDiedError as death:
        return solver.died(death.code, notes)
    return solver.outcome(model, results, gaps, notes)


def _set_options(solver: _Cbc, model: ConcreteModel, session: Session) -> tuple[float, float]:
    """Set the options and return the absolute and the relative gap within which the search may stop."""
    settings, seed = session.settings, str(session.settings.seed)
    options = {"ratioGap": repr(settings.gap), "randomSeed": seed, "randomCbcSeed": seed}
    gap = settings.slack + (integer_gap(objective_magnitude(model)) if settings.integer_objective else 0)
    if gap:
        options["allowableGap"] = repr(gap)
    options |= checked_options(settings.options)
    solver.options.update(options)
    session.report["options"] |= options
    return max(gap, float(options.get("allowableGap", 0))), float(options["ratioGap"])


def _start_fits(model: ConcreteModel) -> bool:
    """Return whether the discrete values just set are feasible; with an infeasible start CBC < 2.10.7 can be wrong."""
    from pyomo.contrib.solver.solvers.highs import Highs

    free = [variable for variable in discrete_variables(model) if not variable.fixed]
    for variable in free:
        variable.fix()
    results = Highs().solve(model, load_solutions=False, raise_exception_on_nonoptimal_result=False)
    for variable in free:
        variable.unfix()
    return bool(results.incumbent_objective is not None)


class _CbcDiedError(Exception):
    """CBC ended with an exit code other than 0."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class _Cbc(CBCSHELL):
    """Pyomo's CBC plugin; CBC ends with this process, and its log is read while it runs."""

    session: Session

    def __init__(self, **keywords: Any) -> None:
        self.log = CbcLog({})
        self.header = ""
        self.output = ""
        super().__init__(**keywords)

    def _get_version(self) -> tuple[int, ...]:
        return ()  # read from the log of the solve: a separate run might hang

    def warm_start_capable(self) -> bool:
        return True

    def create_command_line(self, executable: str, problem_files: list[str]) -> Any:
        command = super().create_command_line(executable, problem_files)
        launcher = [sys.executable, "-I", "-S", launch.__file__, str(os.getpid())]
        command.cmd = launcher + command.cmd
        return command

    def _apply_solver(self) -> Any:
        # The plugin would look for a program called "timer", and log the whole output again on failure.
        self._rc, self._log = self._execute_command(self._command)
        if self._rc:
            raise _CbcDiedError(self._rc)
        return SimpleNamespace(rc=self._rc, log=self._log)

    def _execute_command(self, command: Any) -> tuple[int, str]:
        time_left = self.session.begin()
        arguments = list(command.cmd)
        if time_left is not None:
            # Set here, because writing the model has taken time. By default CBC counts CPU time.
            position = arguments.index("-printingOptions")
            arguments[position:position] = ["-timeMode", "elapsed", "-seconds", f"{time_left:.3f}"]
            self.session.report["options"]["seconds"] = f"{time_left:.3f}"
        lines: deque[str] = deque(maxlen=_MAX_LINES)
        # A pseudo-terminal: CBC buffers its log in large blocks when it writes to a pipe.
        reader, writer = os.openpty()
        process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=writer, stderr=writer)
        os.close(writer)
        with open(reader, encoding="utf-8", errors="replace") as log, contextlib.suppress(OSError):  # EIO at the end
            for line in log:
                lines.append(line)
                self.session.log.write(line)
        code = process.wait()
        self.output = "".join(lines)
        return code, self.output

    def read_line(self, line: str) -> None:
        """Read a line of the log, and report bound and objective if they have changed."""
        known = len(self.session.report)
        if self.log.read(line):
            self.session.progress(self.log.bound, self.log.objective)
        if len(self.session.report) > known:
            self.session.send_report()

    def process_soln_file(self, results: Any) -> None:
        with contextlib.suppress(OSError):
            self.header = Path(self._soln_file).read_text("utf-8", "replace").partition("\n")[0]
        super().process_soln_file(results)

    def died(self, code: int, notes: list[str]) -> Outcome:
        """Return the outcome of a run with this exit code, of CBC or of the launcher."""
        termination, cause = cause_of_death(code)
        if self.session.stop.requested:
            termination = Termination.INTERRUPTED
        return self._result(termination, [f"CBC {cause}", *notes, self.output[-_TAIL:].strip()])

    def outcome(self, model: ConcreteModel, results: Any, gaps: tuple[float, float], notes: list[str]) -> Outcome:
        """Return the outcome of a completed run, for an absolute and a relative gap; anything doubtful is an error."""
        end = read_end(self.header, self.log.interrupted or self.session.stop.requested)
        if end.termination is Termination.ERROR:
            state = self.header.strip() or "no solution file"
            notes = [f"CBC ended with: {state}", *notes, self.output[-_TAIL:].strip()]
            return self._result(Termination.ERROR, notes)
        values = None if end.objective is None else _values(model, results)
        if end.optimal and values is None:
            # The objective and the bound are dropped too: no solution supports them.
            return self._result(Termination.ERROR, [f"CBC {NOT_INTEGRAL}", *notes], bound=None)
        bound = self.log.final_bound
        if end.optimal and bound is None and end.objective is not None:
            # CBC prunes branch-and-bound nodes within the gap, so "optimal" proves no more.
            bound = end.objective - max(gaps[0], gaps[1] * abs(end.objective))
        if bound is None and not end.infeasible:
            bound = self.log.bound
        objective = None if values is None else end.objective
        return self._result(
            end.termination, notes, infeasible=end.infeasible, values=values, objective=objective, bound=bound
        )

    def _result(self, termination: Termination, notes: list[str], **fields: Any) -> Outcome:
        self.session.version = self.log.version
        return self.session.outcome(termination, message="\n".join(filter(None, notes)), **fields)


def _values(model: ConcreteModel, results: Any) -> dict[Key, float] | None:
    """Return the discrete variables' values in the solution that Pyomo read; None if it is not integral."""
    if len(results.solution) != 1:
        return None
    stated = results.solution(0).variable
    symbols = results._smap.byObject
    pairs: list[tuple[Key, float | None]] = []
    for variable in discrete_variables(model):
        symbol = symbols.get(id(variable))
        if variable.fixed:
            pairs.append((key_of(variable), variable.value))
        elif symbol is not None:  # a variable in no constraint has no symbol
            entry = stated.get(symbol)
            pairs.append((key_of(variable), None if entry is None else float(entry["Value"])))
    return integral(pairs)
