"""`oas example`."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from oas.cli.output import check_target, put, put_all, put_bytes
from oas.core.errors import InputError


def example_command(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Of the example; all are listed if not given.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="PATH", help="Where to write it; - is stdout. Here, by its name, if not given."
        ),
    ] = None,
) -> None:
    """Write an example file to try the commands on, or list the examples.

    Without --output nothing that exists is overwritten.

    Examples
    --------
      oas example
      oas example grid.json
      oas compare grid.json
      oas example organizations -o - | oas solve -
    """
    from oas.io.examples import example_bytes, example_name
    from oas.io.files import write_bytes

    if name is None:
        if output is not None:
            raise InputError("must be given with --output", field="NAME")
        _list()
        return
    target = output or example_name(name)
    if output is None and os.path.lexists(target):
        raise InputError("exists already; nothing is overwritten", field="NAME", value=target)
    if target == "-":
        put_bytes(example_bytes(name))
        return
    check_target(target, "--output")
    write_bytes(target, example_bytes(name))
    put(f"{target}\n")


def _list() -> None:
    from oas.cli.tables.fitted_table import FittedTable
    from oas.io.examples import EXAMPLES

    table = FittedTable("example")
    table.add_texts("what it is")
    for file, what in EXAMPLES.items():
        table.add_row(file, what)
    put_all(table)
