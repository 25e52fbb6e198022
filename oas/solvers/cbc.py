"""CBC's executable (worker side): this module reads its log and its solution file.

The first line of the solution file states why CBC ended. An incumbent exists only if CBC states an objective and every
discrete value is integral: at limits, the file may have a fractional point.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections import deque
from typing import TYPE_CHECKING

from oas.core.result import Termination
from oas.solvers.cbc_text import CbcLog, checked_option, read_end
from oas.solvers.isolation import launch
from oas.solvers.isolation.process import cause_of_death
from oas.solvers.matrix import solve_relaxation
from oas.solvers.run import Ending

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oas.solvers.run import Run

_TAIL = 1500
_MAX_LINES = 100_000


class _Cbc:
    """One run of CBC, which ends with this process; its log is read while it runs."""

    def __init__(self, run: Run) -> None:
        self.run, self.session, self.log = run, run.session, CbcLog(run.session.report)
        run.session.log.on_line = self._read_line
        if run.session.settings.threads > 1:
            run.notes.append("CBC ran one thread")
        seed = run.session.settings.seed % (2**31 - 1) + 1  # CBC takes 0 for the time of day
        self.own = {"randomSeed": seed, run.names.seed: seed}  # not for users
        run.options |= self.own
        self.options: dict[str, object] = {}
        path, self.names = run.write_model()
        self.folder = path.parent
        self.words = ["-printingOptions", "all", "-import", "model.lp"]

    def version(self) -> str:
        return ""  # its log states it

    def set_option(self, name: str, value: object) -> None:
        if name == self.run.names.time:  # by default CBC counts CPU time
            self.options["timeMode"] = "elapsed"
        elif name not in self.own:
            checked_option(name, value)
        self.options[name] = value

    def option(self, name: str) -> object:
        return self.options[name]

    def pass_start(self, start: Mapping[int, float]) -> None:
        """Write the warm start, if it is feasible; with an infeasible one CBC < 2.10.7 can be wrong."""
        if solve_relaxation((self.run.program.matrix, start), self.session).status != "kOptimal":
            self.run.notes.append("the warm start does not fit this model and was not used")
            return
        lines = [f"0 {self.names[column]} {value}\n" for column, value in start.items() if value]
        (self.folder / "start.txt").write_text("".join(lines))
        self.words += ["-mipstart", "start.txt"]

    def solve(self) -> Ending:
        code, output = self._execute()
        self.session.version = self.log.version
        tail = output[-_TAIL:].strip()
        if code:
            termination, cause = cause_of_death(code)
            if self.session.stop.requested:
                termination = Termination.INTERRUPTED
            return Ending(termination.value, message=f"CBC {cause}\n{tail}")
        header, point = self._solution()
        end = read_end(header, self.log.interrupted or self.session.stop.requested)
        if end.condition == "error":
            return Ending(end.condition, message=f"CBC ended with: {header.strip() or 'no solution file'}\n{tail}")
        bound = self.log.final_bound
        if end.condition == "optimal" and bound is None and end.objective is not None:
            # CBC prunes branch-and-bound nodes within the gap, so "optimal" proves no more.
            names, least = self.run.names, self.run.program.gap(self.session.settings)
            gap, ratio = (float(str(self.options[name])) for name in (names.absolute_gap, names.gap))
            bound = end.objective - max(gap, least, ratio * abs(end.objective))
        return Ending(end.condition, bound, None if end.objective is None else point)

    def _execute(self) -> tuple[int, str]:
        """Run CBC; return the exit code, of CBC or of the launcher, and the output."""
        launcher = [sys.executable, "-I", "-S", launch.__file__, str(os.getpid()), str(self.session.request.executable)]
        options = [word for name, value in self.options.items() for word in (f"-{name}", str(value))]
        lines: deque[str] = deque(maxlen=_MAX_LINES)
        # A pseudo-terminal: CBC buffers its log in large blocks when it writes to a pipe.
        reader, writer = os.openpty()
        process = subprocess.Popen(
            [*launcher, *options, *self.words, "-stat=1", "-solve", "-solu", "solution.txt"],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=writer,
        )
        os.close(writer)
        with open(reader, encoding="utf-8", errors="replace") as log, contextlib.suppress(OSError):  # EIO at the end
            for line in log:
                lines.append(line)
                self.session.log.write(line)
        return process.wait(), "".join(lines)

    def _read_line(self, line: str) -> None:
        """Read a line of the log, and report bound and objective if they have changed."""
        known = len(self.session.report)
        if self.log.read(line):
            self.session.progress(self.log.bound, self.log.objective)
        if len(self.session.report) > known:
            self.session.send_report()

    def _solution(self) -> tuple[str, Sequence[float | None]]:
        """Return the first line of the solution file, and the value of each column; None if it is missing.

        The other lines have index, name, value and reduced cost, of rows too, after ** if the value is infeasible.
        """
        try:
            header, *lines = (self.folder / "solution.txt").read_text("utf-8", "replace").splitlines()
        except (OSError, ValueError):
            return "", []
        values: dict[str, float] = {}
        for line in lines:
            fields = line.removeprefix("**").split()
            if len(fields) >= 3:
                with contextlib.suppress(ValueError):
                    values[fields[1]] = float(fields[2])
        return header, [values.get(name) for name in self.names]


ADAPTERS = {"cbc": _Cbc}
