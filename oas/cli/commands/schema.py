"""`oas schema` and `oas doctor`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from oas.cli import options as opt
from oas.cli.output import put_json


class FileKind(StrEnum):
    """The file formats."""

    INSTANCE = "instance"
    SCHEDULE = "schedule"
    RESULT = "result"


def schema_command(
    kind: Annotated[FileKind, typer.Argument(metavar="KIND", help="instance, schedule or result.")] = FileKind.INSTANCE,
) -> None:
    """Print the JSON schema of a file format.

    Examples
    --------
      oas schema
      oas schema result > result.schema.json
    """
    from oas.io import schema

    put_json(schema(kind.value))


def doctor_command(
    solver: Annotated[
        list[str] | None,
        typer.Option("--solver", metavar="NAME", help="Test this solver instead of all; repeatable."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only list what is installed.")] = False,
    as_json: opt.AsJson = False,
) -> None:
    """List the solvers found and test each on models with known answers.

    Among them are published models that solvers have answered wrongly. Exit code 4 if a solver is missing or answers
    wrongly, except for a fault that is known of a solver's release: that one is shown as such. CP-SAT is optional: it
    is missed only if it is named.

    Examples
    --------
      oas doctor
      oas doctor --solver cbc
      oas doctor --quick --json
    """
    from oas.cli.commands.doctor import diagnose

    raise typer.Exit(diagnose(solver, quick, as_json))
