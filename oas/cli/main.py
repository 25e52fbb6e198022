"""The command `oas`."""

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

from oas.cli.output import ExitCode, discard
from oas.cli.plain_help import PlainGroup, add_command, command_group
from oas.core import user_code
from oas.core.errors import InputError, OasError, SolverError, VerificationError

if TYPE_CHECKING:
    from types import FrameType


COMMANDS = {
    "solve": ("solve", "Find a shortest schedule and prove that it is one."),
    "compare": ("compare", "Show the exact optimum beside every heuristic, each verified."),
    "verify": ("solve", "Check a schedule, or all that a result claims, in exact arithmetic and without a solver."),
    "checker": (
        "packaged_files",
        "Write the stand-alone checker: one Python file that checks what `oas verify` checks, by other code.",
    ),
    "example": ("packaged_files", "Write an example file to try the commands on, or list the examples."),
    "price": (
        "price",
        "Show what a promise or a rule costs: the optimum at each locality, of each reservation, of each threshold.",
    ),
    "place-reservation": (
        "place_reservation",
        "Find the start of a reservation, such as a maintenance window, that delays the optimal makespan least.",
    ),
    "slots": (
        "slots",
        "Show what the size of the time slots costs and saves: the optimum at each size, and in continuous time.",
    ),
    "execute": (
        "execute",
        "Run a plan, or a heuristic on line, under any saturation policy, and show what becomes of it.",
    ),
    "convert": (
        "convert",
        "Cut a slice of a job log into an instance of several organizations, or convert such a file to fair sharing.",
    ),
    "appraise": (
        "appraise",
        "Show how far from optimal a scheduler was: windows of its log beside the best that could have been done.",
    ),
    "simulate": (
        "simulate",
        "Simulate queueing policies on a job log, around reservations: waits, slowdowns, utilisation.",
    ),
    "fair": ("fair", "Show how fair policies are: what each organization gets, beside what it contributes."),
    "export": ("export", "Write the model of an instance for another solver."),
    "plot": ("export", "Draw schedules: one with its link loads, several above one another on one time axis."),
    "new-heuristic": ("heuristic", "Write a small package with a heuristic of your own that works: to be changed."),
    "test-heuristic": (
        "heuristic",
        "Run a heuristic of your own over many instances, verify all it returns, and hold it against the optimum.",
    ),
    "schema": ("packaged_files", "Print the JSON schema of a file format."),
    "doctor": ("doctor", "List the solvers found and test each on models with known answers."),
    "warm-up": ("doctor", "Compile the searches, so that no later command has to."),
    "generate": ("generate", "Make an instance by a seeded generator: a command for each."),
    "bench": ("bench", "Campaigns: instances x methods x limits, declared in a TOML file."),
    "library": (
        "library",
        "Instances of both problems to cite: the best schedule and bound known of each, and their proof.",
    ),
}
"""Module in `oas.cli.commands` and first line of the help, by name, in the order of the help; imported when called."""


class ListedGroup(PlainGroup):
    """The commands in `COMMANDS`."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands in the order of the help."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command, ``NAME_command`` of its module, or a group of commands, ``NAME_app``; None if unknown."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, name = import_module(f"oas.cli.commands.{COMMANDS[cmd_name][0]}"), cmd_name.replace("-", "_")
        parent = command_group()
        if hasattr(module, f"{name}_app"):
            parent.add_typer(getattr(module, f"{name}_app"), name=cmd_name)
        else:
            parent.command("other", hidden=True)(lambda: None)  # typer makes no group of a single command
            add_command(parent, cmd_name, getattr(module, f"{name}_command"))
        return typer.main.get_group(parent).commands[cmd_name]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with a line each; none is imported."""
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
    version: bool = Option(False, "--version", callback=_print_version, is_eager=True, help="Show the version."),
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
    from oas.io.files import clean

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
