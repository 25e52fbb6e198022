"""The command `oas`."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

import typer

from oas.cli.comparing import compare_command
from oas.cli.describing import doctor_command, schema_command
from oas.cli.exporting import export_command, plot_command
from oas.cli.generating import generate_app
from oas.cli.solving import solve_command
from oas.cli.verifying import verify_command
from oas.core.errors import InputError, OasError, SolverError, VerificationError

DONE, BAD_INPUT, VIOLATION, SOLVER_FAULT, INTERRUPTED = 0, 2, 3, 4, 130

EPILOG = """Examples:

  oas generate section4 --seed 3 --output grid.json

  oas compare grid.json --check cbc --gantt grid.png

  oas solve grid.json --time-limit 60 --json > result.json

  oas verify grid.json result.json

Exit codes: 0 done, whatever was found; 2 bad input or usage; 3 a schedule broke a rule; 4 a solver is missing or
failed; 130 interrupted, after the best verified schedule has been written."""

app = typer.Typer(
    help="Exact optima with proof for multi-cluster scheduling, beside every heuristic of the field.",
    epilog=EPILOG,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("solve")(solve_command)
app.command("compare")(compare_command)
app.command("verify")(verify_command)
app.add_typer(generate_app, name="generate")
app.command("export")(export_command)
app.command("plot")(plot_command)
app.command("schema")(schema_command)
app.command("doctor")(doctor_command)


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
    """Run the command line; a user's mistake is one line on stderr, never a traceback."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except typer.Abort:
        code = INTERRUPTED
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        # Whoever read stdout has gone; nothing more can be said there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = DONE
    except Exception as error:
        code = _explain(error)
    sys.exit(code if isinstance(code, int) else DONE)


def _explain(error: Exception) -> int:
    """Say what went wrong on stderr and return the exit code; what is not ours to explain is raised again."""
    show = getattr(error, "show", None)  # click's usage errors print themselves
    if callable(show):
        show()
        return int(getattr(error, "exit_code", BAD_INPUT))
    if not isinstance(error, OasError | OSError):
        raise error
    sys.stderr.write(f"oas: {error}\n")
    if isinstance(error, VerificationError):
        return VIOLATION
    return SOLVER_FAULT if isinstance(error, SolverError) and not isinstance(error, InputError) else BAD_INPUT
