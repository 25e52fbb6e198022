"""The two checkers under limits: the command `oas verify`, and the stand-alone file that `oas checker` writes.

Each check runs in a process forked from this one, so that what both need is loaded once.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import oas
from oas.cli import main as command_line
from oas.io.checker_file import bundle

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SECONDS = 5.0  # of processor time for a check by the stand-alone checker
PATIENT_SECONDS = 250.0  # by `oas verify`, which allows a certificate more steps
KILLED_AFTER = 300  # seconds of processor time
WALL_SECONDS = 1200.0  # in all, enough on a busy machine
MEGABYTES = 512  # for a check, in addition to the loaded modules
TEXT = 4000  # characters of the output that are kept at its beginning and at its end
VERDICTS = {0: "accepted", 2: "bad file", 3: "refused"}
Program = tuple["Callable[[], object]", tuple[str, ...], float]
"""A function that reads ``sys.argv`` and raises SystemExit, the first of the arguments, and its limit in seconds."""


@dataclass(frozen=True)
class Answer:
    """A checker's verdict (or ``ended by …``), processor time and its limit in seconds, memory in bytes, and output."""

    verdict: str
    seconds: float
    memory: int
    output: str
    limit: float = SECONDS

    @property
    def fault(self) -> str:
        """The fault of the answer itself (crash, traceback, exceeded limit); empty for none."""
        if self.verdict not in VERDICTS.values():
            return f"{self.verdict}: {self.output[-1500:]}"
        if "Traceback" in self.output:
            return f"a traceback: {self.output[-1500:]}"
        if "MemoryError" in self.output:
            return f"out of memory: {self.output[:300]}"
        return f"{self.verdict} after {self.seconds:.1f} s of processor time" if self.seconds > self.limit else ""


@cache
def programs() -> dict[str, Program]:
    """Return both checkers, loaded."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "check_certificate.py"
        file.write_text(bundle(oas.__version__), encoding="utf-8")
        spec = spec_from_file_location("check_certificate", file)
        assert spec is not None and spec.loader is not None
        module: Any = module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    application: Any = typer.main.get_command(command_line.app)
    command_line.app = application  # the parser of the arguments is created once
    return {
        "oas verify": (command_line.run, ("oas", "verify"), PATIENT_SECONDS),
        "stand-alone": (lambda: sys.exit(module.main(sys.argv[1:])), ("check_certificate.py",), SECONDS),
    }


def ask(program: Program, files: Sequence[Path]) -> Answer:
    """Return a checker's answer on an instance and a result."""
    gc.freeze()  # keeps the child's collector from touching, and thus copying, the existing objects
    with tempfile.TemporaryFile() as output:
        pid = os.fork()
        if pid == 0:
            try:
                os.setsid()
                for number in (1, 2):
                    os.dup2(output.fileno(), number)
                sys.stdout, sys.stderr = (os.fdopen(number, "w", errors="replace") for number in (1, 2))
                _set_limits()
                code = _call(program, files)
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
            finally:
                os._exit(99)
        end, done = time.monotonic() + WALL_SECONDS, 0
        while not done:
            done, status, usage = os.wait4(pid, os.WNOHANG)
            if time.monotonic() > end:
                os.killpg(pid, signal.SIGKILL)
            time.sleep(0 if done else 0.002)
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    code = os.waitstatus_to_exitcode(status)
    verdict = VERDICTS.get(code, f"ended by {'exit code' if code >= 0 else 'signal'} {abs(code)}")
    shown = text if len(text) <= 2 * TEXT else text[:TEXT] + " … " + text[-TEXT:]
    return Answer(verdict, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, shown, program[2])


def _set_limits() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    space = pages * resource.getpagesize() + MEGABYTES * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (space, space))
    resource.setrlimit(resource.RLIMIT_CPU, (KILLED_AFTER, KILLED_AFTER + 5))


def _call(program: Program, files: Sequence[Path]) -> int:
    """Return the exit code of a call in this process."""
    function, begin, _ = program
    sys.argv = [*begin, *map(str, files)]
    try:
        function()
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0
