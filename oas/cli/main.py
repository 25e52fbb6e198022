"""The command `oas`."""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from oas.cli.command_list import ListedGroup
from oas.cli.output import ExitCode, discard
from oas.cli.plain_help import command_group
from oas.core import user_code
from oas.core.errors import InputError, OasError, SolverError, VerificationError

if TYPE_CHECKING:
    from types import FrameType

EPILOG = """\b
Examples:
  oas example grid.json
  oas generate section4 --seed 3 --output grid.json
  oas compare grid.json --check cbc --gantt grid.png
  oas solve grid.json --time-limit 60 --json > result.json
  oas verify grid.json result.json

\b
Exit codes:
  0    done, whatever was found
  2    bad input or usage
  3    a schedule broke a rule, or a result's claim does not hold
  4    a solver is missing or failed
  130  interrupted, after the best verified schedule has been written"""

app = command_group(epilog=EPILOG, cls=ListedGroup, pretty_exceptions_enable=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        import oas

        typer.echo(f"oas-scheduling {oas.__version__}")
        raise typer.Exit


@app.callback()
def _app(
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Show the version."),
) -> None:
    """Exact optima with proof for multi-cluster scheduling, beside every heuristic of the field."""


def main() -> NoReturn:
    """Run the command line and end this process without finalising the interpreter, which takes a third of a second."""
    try:
        run()
    except SystemExit as ended:
        code = ended.code
    # As the interpreter would: wait for threads, end child processes, flush.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # it is closed
            stream.flush()
    os._exit(code if isinstance(code, int) else ExitCode.DONE)


def run() -> NoReturn:
    """Run the command line; a user's mistake is one line on stderr, never a traceback."""
    signal.signal(signal.SIGTERM, _as_ctrl_c)
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - None where the shell closed it
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    user_code.listeners[:] = [_say]
    try:
        code: Any = app(standalone_mode=False)
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write("oas: interrupted\n")
        code = ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader of stdout has closed the pipe; nothing more can be written there.
        discard(sys.stdout)
        code = ExitCode.DONE
    except Exception as error:
        code = _explain(error)
    try:
        sys.stderr.flush()
    except OSError:  # stderr is closed; Python itself would turn that into a failure
        discard(sys.stderr)
    sys.exit(code if isinstance(code, int) else ExitCode.DONE)


def _say(line: str) -> None:
    """Write a line to stderr; a path or a library's words may hold what steers a terminal."""
    from oas.io.texts import clean

    sys.stderr.write(f"oas: {clean(line, '')}\n")


def _as_ctrl_c(_number: int, frame: FrameType | None) -> None:
    """Be asked to end as by Ctrl-C: a running solver stops and the best schedule is kept.

    Also where Ctrl-C itself is ignored, as in a job that a shell has put into the background.
    """
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


def _explain(error: Exception) -> ExitCode:
    """Say what went wrong on stderr and return the exit code; what is not ours to explain is raised again."""
    message = getattr(error, "format_message", None)  # a usage error of the command line itself
    if callable(message):
        return _explain_usage(error, message())
    if not isinstance(error, OasError | OSError):
        raise error
    _say(str(error))
    if isinstance(error, VerificationError):
        return ExitCode.VIOLATION
    faulty = isinstance(error, SolverError) and not isinstance(error, InputError)
    return ExitCode.SOLVER_FAULT if faulty else ExitCode.BAD_INPUT


def plain(message: str) -> str:
    """Return a usage error without the jargon of the library that parses options."""
    message = message.replace("Value error, ", "").replace("Input should be", "must be")
    return re.sub(r", unable to parse string as an? \w+$", "", message)


def _explain_usage(error: Exception, message: str) -> ExitCode:
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(f"{message}\n")
    else:
        hint = f" (see {context.command_path} --help)" if context else ""
        sys.stderr.write(f"oas: {plain(' '.join(message.split()))}{hint}\n")
    return ExitCode.BAD_INPUT
