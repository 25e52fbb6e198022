"""The command line `oas`: dispatch, signals and exit codes."""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import signal
import sys
import threading
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from typer import Option
from typer.core import TyperGroup

from oas.cli.output import ExitCode, discard
from oas.cli.plain_help import add_command, command_group
from oas.core import user_code
from oas.core.errors import InputError, OasError, SolverError, VerificationError
from oas.core.signals import ENDING

if TYPE_CHECKING:
    from types import FrameType


COMMANDS = {
    "solve": ("solve", "Find a shortest schedule and prove that it is one."),
    "compare": ("compare", "Compare all heuristics with the exact optimum, and verify every schedule."),
    "verify": ("solve", "Check a schedule, or every claim of a result, in exact arithmetic and without a solver."),
    "checker": (
        "packaged_files",
        "Write the stand-alone checker: one Python file with an independent implementation of `oas verify`.",
    ),
    "example": ("packaged_files", "Write an example file to try the commands on, or list the examples."),
    "price": ("price", "Show the cost of a rule in makespan: locality, reservations, or unsaturated links."),
    "place-reservation": (
        "place_reservation",
        "Find the start of a reservation, such as a maintenance window, that delays the optimal makespan least.",
    ),
    "slots": ("slots", "Compare slot sizes: the optimum at each size and in continuous time."),
    "execute": (
        "execute",
        "Execute a plan, or an on-line heuristic, under any saturation policy, and report the executed makespan.",
    ),
    "convert": (
        "convert",
        "Convert a slice of a job log into an instance of organizations, or such an instance to fair sharing.",
    ),
    "appraise": ("job_logs", "Compare the schedule in a job log with the optimum, window by window."),
    "simulate": (
        "job_logs",
        "Simulate queueing policies on a job log, around reservations: waits, slowdowns, utilisation.",
    ),
    "fair": ("fair", "Compare policies by fairness: the utility and the contribution of each organization."),
    "export": ("export", "Write the MIP model of an instance as an LP or MPS file for another solver."),
    "read-solution": ("export", "Read the solution of another solver to an exported model, and verify its schedule."),
    "plot": ("export", "Draw one schedule with its link loads, or several schedules on one time axis."),
    "new-heuristic": ("heuristic", "Write a small working package as a starting point for your own heuristic."),
    "test-heuristic": (
        "heuristic",
        "Run your own heuristic on many instances, verify each schedule, and compare it with the optimum.",
    ),
    "schema": ("packaged_files", "Print the JSON schema of a file format."),
    "doctor": ("doctor", "List the installed solvers and test each on models with known answers."),
    "warm-up": ("doctor", "Compile the search kernels in advance, so that later commands start fast."),
    "generate": ("generate", "Generate an instance from a seed; each generator is a command."),
    "bench": ("bench", "Run and report campaigns: instances x methods x limits, declared in a TOML file."),
    "library": ("library", "Library of citable instances with their best known schedules, bounds and proofs."),
}
"""Module in `oas.cli.commands` and first line of the help, by command name; modules are imported when called."""


class ListedGroup(TyperGroup):
    """The commands in `COMMANDS`, each imported when it is called."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        names: Any = dict.fromkeys(COMMANDS)
        self.commands = names  # for lists and suggestions; `get_command` imports the commands

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import ``NAME_command`` of the command's module, or the group ``NAME_app``; return None if unknown."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, name = import_module(f"oas.cli.commands.{COMMANDS[cmd_name][0]}"), cmd_name.replace("-", "_")
        parent = command_group()
        if hasattr(module, f"{name}_app"):
            summary = COMMANDS[cmd_name][1]
            parent.add_typer(getattr(module, f"{name}_app"), name=cmd_name, help=summary, short_help=summary)
        else:
            parent.command("other", hidden=True)(lambda: None)  # typer makes no group of a single command
            add_command(parent, cmd_name, getattr(module, f"{name}_command"))
        return typer.main.get_group(parent).commands[cmd_name]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


EPILOG = """\b
Examples:
  oas example grid.json
  oas generate section4 --seed 3 --output grid.json
  oas compare grid.json --check cbc --gantt grid.png
  oas solve grid.json --time-limit 60 --json > result.json
  oas verify grid.json result.json

\b
Exit codes:
  0    completed, whether or not a schedule was found
  2    bad input or usage
  3    a schedule breaks a rule, or a claim of a result does not hold
  4    a solver is missing or failed
  130  interrupted, also by SIGTERM, SIGHUP, SIGUSR1 or SIGUSR2, after the
       best verified schedule has been written"""

app = command_group(epilog=EPILOG, cls=ListedGroup, pretty_exceptions_enable=False)


def _print_version(requested: bool) -> None:
    if requested:
        import oas

        typer.echo(f"oas-scheduling {oas.__version__}")
        raise typer.Exit


@app.callback()
def _app(
    version: bool = Option(False, "--version", callback=_print_version, is_eager=True, help="Show the version."),
) -> None:
    """Proven optima for multi-cluster scheduling, compared with the standard heuristics."""


def main() -> NoReturn:
    """Run the command line and exit without finalising the interpreter, which would take a third of a second."""
    try:
        run()
    except SystemExit as exit_request:
        code = exit_request.code
    # As the interpreter would: wait for threads, end child processes, flush.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # the stream is closed
            stream.flush()
    os._exit(code if isinstance(code, int) else ExitCode.DONE)


def run() -> NoReturn:
    """Run the command line; report a user's mistake as one line on stderr, without a traceback."""
    for number in ENDING:
        if number != signal.SIGINT and signal.getsignal(number) is not signal.SIG_IGN:  # ignored under nohup
            signal.signal(number, _handle_like_ctrl_c)
    _open_closed_streams()
    user_code.listeners[:] = [_report]
    try:
        code: Any = app(standalone_mode=False)
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        _report("interrupted")
        code = ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader of stdout has closed the pipe; nothing more can be written there.
        discard(sys.stdout)
        code = ExitCode.DONE
    except Exception as error:
        code = _explain(error)
    try:
        sys.stderr.flush()
    except OSError:  # stderr is closed, which the interpreter would report as a failure
        discard(sys.stderr)
    sys.exit(code if isinstance(code, int) else ExitCode.DONE)


def _open_closed_streams() -> None:
    """Connect standard streams that the shell has closed to the null device.

    Otherwise files would be opened under their numbers, and whatever libraries print would go into them.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - None if it was closed
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115


def _report(line: str) -> None:
    """Write a line to stderr, without control characters from paths or library messages."""
    from oas.io.files import clean

    with contextlib.suppress(OSError):  # the terminal was closed
        sys.stderr.write(f"oas: {clean(line, '')}\n")


def _handle_like_ctrl_c(_number: int, frame: FrameType | None) -> None:
    """Handle a request to end like Ctrl-C: stop a running solver and keep the best schedule.

    This also works in a shell's background job, where SIGINT is ignored.
    """
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


def _explain(error: Exception) -> ExitCode:
    """Report an error on stderr and return the exit code; raise unexpected errors again."""
    format_message = getattr(error, "format_message", None)  # of a usage error raised by typer
    if callable(format_message):
        _explain_usage(error, format_message())
        return ExitCode.BAD_INPUT
    if not isinstance(error, OasError | OSError):
        raise error
    _report(str(error))
    if isinstance(error, VerificationError):
        return ExitCode.VIOLATION
    faulty = isinstance(error, SolverError) and not isinstance(error, InputError)
    return ExitCode.SOLVER_FAULT if faulty else ExitCode.BAD_INPUT


def _explain_usage(error: Exception, message: str) -> None:
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(f"{message}\n")
        return
    message = " ".join(message.split()).replace("Value error, ", "").replace("Input should be", "must be")
    message = re.sub(r", unable to parse string as an? \w+$", "", message)
    context = getattr(error, "ctx", None)
    hint = f" (see {context.command_path} --help)" if context else ""
    sys.stderr.write(f"oas: {message}{hint}\n")
