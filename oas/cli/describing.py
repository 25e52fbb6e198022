"""`oas schema` and `oas doctor`."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from oas.cli import options as opt


class FileKind(StrEnum):
    """The file formats."""

    INSTANCE = "instance"
    SCHEDULE = "schedule"
    RESULT = "result"


def schema_command(kind: Annotated[FileKind, typer.Argument(help="Which file format.")] = FileKind.INSTANCE) -> None:
    """Print the JSON schema of a file format.

    Examples
    --------
      oas schema

      oas schema result > result.schema.json
    """
    import json

    from oas.io import schema

    sys.stdout.write(json.dumps(schema(kind.value), indent=2, ensure_ascii=False) + "\n")


def doctor_command(
    solver: Annotated[list[str] | None, typer.Option("--solver", help="Test these solvers instead of all.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only list what is installed.")] = False,
    as_json: opt.AsJson = False,
) -> None:
    """List the solvers found and test each on models with known answers.

    Among them are published models that solvers have answered wrongly. Exit code 4 if a solver that is used by
    default is missing or answers wrongly.

    Examples
    --------
      oas doctor

      oas doctor --solver cbc
    """
    from oas.cli.diagnosis import diagnose

    raise typer.Exit(diagnose(solver, quick, as_json))
