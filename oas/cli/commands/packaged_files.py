"""Files that the package contains: `oas example`, `oas schema`, and `oas checker`."""

from __future__ import annotations

import os
from typing import Literal

from typer import Argument, Option

from oas.cli.output import check_target, put, put_all, put_bytes, put_json
from oas.core.errors import InputError

NAME = "check_certificate.py"  # of the stand-alone checker


def example_command(
    name: str | None = Argument(None, metavar="NAME", help="Of the example; all are listed if not given."),
    output: str | None = Option(
        None, "--output", "-o", metavar="PATH", help="Where to write it; - is stdout. Here, by its name, if not given."
    ),
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
    from oas.io.reading import EXAMPLES, example_bytes, example_name

    if name is None:
        if output is not None:
            raise InputError("must be given with --output", field="NAME")
        from oas.show.tables import Table

        put_all(Table(("example", "what it is"), list(EXAMPLES.items()), texts=("what it is",)))
        return
    _write(example_bytes(name), output, example_name(name), "NAME")


def schema_command(
    kind: Literal["instance", "schedule", "result"] = Argument(
        "instance", metavar="KIND", help="instance, schedule or result."
    ),
) -> None:
    """Print the JSON schema of a file format.

    Examples
    --------
      oas schema
      oas schema result > result.schema.json
    """
    from oas.io import schema

    put_json(schema(kind))


def checker_command(
    output: str | None = Option(
        None, "--output", "-o", metavar="PATH", help=f"Where to write it; - is stdout. {NAME} here if not given."
    ),
) -> None:
    """Write the stand-alone checker: one Python file that checks what `oas verify` checks, by other code.

    It needs Python 3.11 and nothing else, and can be read and passed on. Without --output nothing that exists is
    overwritten. Schedules of fair sharing are left to oas verify.

    Examples
    --------
      oas checker
      python check_certificate.py grid.json result.json
      oas checker -o - | less
    """
    import oas
    from oas.io.checker_file import bundle

    _write(bundle(oas.__version__).encode(), output, NAME)


def _write(data: bytes, output: str | None, name: str, field: str = "") -> None:
    """Write a file of the package to `output`; under its own name here, where nothing is overwritten, if None."""
    from oas.io.files import write_bytes

    if output is None and os.path.lexists(name):
        raise InputError("exists already; nothing is overwritten", field=field, value=name)
    if output == "-":
        put_bytes(data)
        return
    check_target(output or name, "--output")
    write_bytes(output or name, data)
    put(f"{output or name}\n")
