"""Output to stdout, and the check before any work is done that a path can be written."""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from rich.console import RenderableType

PIPE_WIDTH = 200  # a pipe has no width: nothing needs wrapping that a terminal of this width would not wrap


def put(text: str) -> None:
    """Write `text` to stdout now. If the reader has closed the pipe, discard it without an error."""
    put_bytes(text.encode(sys.stdout.encoding or "utf-8", "replace"))


def put_bytes(data: bytes) -> None:
    """Write to stdout as `put` does; JSON is UTF-8 whatever the terminal speaks.

    Raises
    ------
    InputError
        If stdout cannot be written, for instance because the disk is full.
    """
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        discard(sys.stdout)
        if not isinstance(error, BrokenPipeError):
            raise InputError(f"cannot be written: {error.strerror}", file="<stdout>") from error


def put_json(document: object) -> None:
    """Write `document` as JSON."""
    put_bytes(json_bytes(document))


def json_bytes(document: object) -> bytes:
    """Return `document` as the commands write JSON that is no file of instance, schedule or result."""
    return f"{json.dumps(document, indent=1, ensure_ascii=False)}\n".encode()


def put_all(*renderables: RenderableType) -> None:
    """Write tables and texts, without the blanks that rich fills lines up with."""
    from rich.console import Console

    lines = StringIO()  # not rich's own capture, which touches stdout by itself
    console = Console(
        file=lines,
        force_terminal=in_terminal(),
        width=None if _has_width() else PIPE_WIDTH,
        highlight=False,
        markup=False,
        emoji=False,
    )
    for one in renderables:
        console.print(one)
    put("".join(f"{line.rstrip()}\n" for line in lines.getvalue().splitlines()))


def in_terminal() -> bool:
    """Whether stdout is a terminal."""
    return sys.stdout.isatty()


def columns() -> int:
    """Width of the terminal that stdout is, or of one that fits most screens."""
    from rich.console import Console

    return Console().width if _has_width() else 80


def discard(stream: TextIO) -> None:
    """Let nothing that is still buffered be written, nor tried when Python exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def check_target(path: str, field: str, suffixes: tuple[str, ...] = (), makes_folder: bool = False) -> None:
    """Refuse a path that a file cannot be written to.

    Parameters
    ----------
    field
        What errors call it.
    suffixes
        What it must end in; empty for anything.
    makes_folder
        Whether missing folders will be made.

    Raises
    ------
    InputError
        Saying why not.
    """
    target = Path(os.path.realpath(path))
    folder = target.parent
    while makes_folder and not folder.exists():
        folder = folder.parent
    if suffixes and target.suffix.lower() not in suffixes:
        reason = f"must end in {' or '.join(suffixes)}"
    elif path == "-":
        reason = "must be a file; --json prints to stdout"
    elif target.is_dir():
        reason = "is a folder"
    elif not folder.is_dir():
        reason = f"cannot be written: {'not a' if folder.exists() else 'no such'} folder {str(folder)!r}"
    elif not os.access(target if target.exists() and not target.is_file() else folder, os.W_OK):
        reason = "cannot be written: permission denied"
    else:
        return
    raise InputError(reason, field=field, value=path)


@contextmanager
def uninterrupted() -> Iterator[list[int]]:
    """Put off Ctrl-C and requests to end for the moment it takes to write what a long solve has found.

    Yielded are the signals that came meanwhile: who has more to do has to ask.
    """
    came: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _has_width() -> bool:
    return in_terminal() or "COLUMNS" in os.environ
