"""`oas checker`."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from oas.cli.output import check_target, put, put_bytes
from oas.core.errors import InputError

NAME = "check_certificate.py"


def checker_command(
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="PATH", help=f"Where to write it; - is stdout. {NAME} here if not given."
        ),
    ] = None,
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
    from oas.checker.bundle import bundle
    from oas.io.files import write_bytes

    data = bundle(oas.__version__).encode()
    target = output or NAME
    if target == "-":
        put_bytes(data)
        return
    if output is None and os.path.lexists(target):
        raise InputError("exists already; nothing is overwritten", value=target)
    check_target(target, "--output")
    write_bytes(target, data)
    put(f"{target}\n")
