"""Exit codes of the command `oas`."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oas.core.result import Result


class ExitCode(IntEnum):
    """The exit code of a command."""

    DONE = 0
    BAD_INPUT = 2
    VIOLATION = 3
    SOLVER_FAULT = 4
    INTERRUPTED = 130


def exit_code(result: Result) -> ExitCode:
    """Return the exit code for how a solve ended; what it found does not matter."""
    from oas.core.result import Termination

    if result.termination is Termination.INTERRUPTED:
        return ExitCode.INTERRUPTED
    faults = (Termination.CRASHED, Termination.KILLED, Termination.ERROR)
    return ExitCode.SOLVER_FAULT if result.termination in faults else ExitCode.DONE
