"""`oas example`, `oas schema` and `oas checker`: files that the package contains."""

from __future__ import annotations

import os
from typing import Literal

from typer import Argument, Option

from oas.cli.output import check_target, put, put_all, put_bytes, put_json
from oas.core.errors import InputError
from oas.io import schema
from oas.io.checker_file import bundle
from oas.io.files import write_bytes
from oas.io.reading import EXAMPLES, example_bytes, example_name
from oas.show.tables import Table

CHECKER = "check_certificate.py"


def example_command(
    name: str | None = Argument(None, metavar="NAME", help="Name of the example. Default: list all examples."),
    output: str | None = Option(
        None,
        "--output",
        "-o",
        metavar="PATH",
        help="Output file; - for stdout. Default: the name of the example, in the current folder.",
    ),
) -> None:
    """Write an example file to try the commands on, or list the examples.

    Without --output, an existing file is not overwritten.

    Examples
    --------
      oas example
      oas example grid.json
      oas compare grid.json
      oas example organizations -o - | oas solve -
    """
    if name is None:
        if output is not None:
            raise InputError("must be given with --output", field="NAME")
        put_all(Table(("example", "description"), list(EXAMPLES.items()), texts=("description",)))
        return
    _write(example_bytes(name), output, example_name(name), "NAME")


def schema_command(
    kind: Literal["instance", "schedule", "result", "model"] = Argument(
        "instance", metavar="KIND", help="instance, schedule, result or model."
    ),
) -> None:
    """Print the JSON schema of a file format.

    Examples
    --------
      oas schema
      oas schema result > result.schema.json
    """
    put_json(schema(kind))


def checker_command(
    output: str | None = Option(
        None,
        "--output",
        "-o",
        metavar="PATH",
        help=f"Output file; - for stdout. Default: {CHECKER} in the current folder.",
    ),
) -> None:
    """Write the stand-alone checker: one Python file with an independent implementation of `oas verify`.

    The file requires only Python 3.11, without any package, and can be inspected and passed on. It does not check
    schedules of fair sharing. Without --output, an existing file is not overwritten.

    Examples
    --------
      oas checker
      python check_certificate.py grid.json result.json
      oas checker -o - | less
    """
    import oas

    _write(bundle(oas.__version__).encode(), output, CHECKER)


def _write(data: bytes, output: str | None, name: str, field: str = "") -> None:
    """Write data to `output`; if None, to the new file `name` in the current folder."""
    if output is None and os.path.lexists(name):
        raise InputError("exists already; nothing is overwritten", field=field, value=name)
    if output == "-":
        put_bytes(data)
        return
    check_target(output or name, "--output")
    write_bytes(output or name, data)
    put(f"{output or name}\n")
