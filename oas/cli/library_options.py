"""Options and functions that the commands of `oas library` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.io.logs.swf import SwfLog
    from oas.library import Library

Names = Annotated[
    list[str] | None, typer.Argument(metavar="NAME", help="Names or patterns such as 'uni-n50-*'; all if not given.")
]
Logs = Annotated[
    list[str] | None,
    typer.Option("--log", metavar="LOG", help="A job log (SWF) that slices of it are cut out of; repeatable."),
]
Standing = Literal["open", "claimed", "certified"]


def open_library(folder: str | None) -> Library:
    """Return the library in a folder, or the one in this package."""
    from oas.library import Library

    return Library(folder)


def read_logs(paths: Sequence[str] | None) -> dict[str, SwfLog]:
    """Return job logs by their checksums."""
    from oas.io.logs.swf import read_swf

    return {log.sha256: log for log in map(read_swf, paths or ())}
