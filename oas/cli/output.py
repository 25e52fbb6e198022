"""Output to stdout and files, exit codes, and the check before any work is done that a path can be written."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import textwrap
from contextlib import contextmanager
from enum import IntEnum
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import typer

from oas.core.errors import InputError, OasError
from oas.core.signals import noted_signals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pandas
    from matplotlib.figure import Figure
    from rich.console import RenderableType

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.show.tables import Part

    Write = Callable[[str], object]


class ExitCode(IntEnum):
    """The exit code of a command."""

    DONE = 0
    BAD_INPUT = 2
    VIOLATION = 3
    SOLVER_FAULT = 4
    INTERRUPTED = 130


def exit_code(result: Result) -> ExitCode:
    """Return the exit code for how a solve ended; what it found does not matter."""
    from oas.core.result import Termination

    if result.termination is Termination.INTERRUPTED:
        return ExitCode.INTERRUPTED
    faults = (Termination.CRASHED, Termination.KILLED, Termination.ERROR)
    return ExitCode.SOLVER_FAULT if result.termination in faults else ExitCode.DONE


def leave(results: Iterable[Result | None] = (), *, interrupted: bool = False, violated: bool = False) -> NoReturn:
    """End a command that has made several solves, with the exit code of the worst; a broken rule counts after these."""
    codes = [exit_code(result) for result in results if result is not None]
    worst = ExitCode.INTERRUPTED if interrupted else max(codes, default=ExitCode.DONE)
    raise typer.Exit(ExitCode.VIOLATION if violated and worst == ExitCode.DONE else worst)


PIPE_WIDTH = 200  # a pipe has no width: nothing needs wrapping that a terminal of this width would not wrap
JSON_ONLY = (".csv", ".tsv", ".parquet", ".xlsx")  # endings of tables: refused for a file of JSON


class StdoutError(InputError):
    """Standard output cannot be written; `data` holds the bytes."""

    def __init__(self, error: OSError, data: bytes) -> None:
        super().__init__(f"cannot be written: {error.strerror}", file="<stdout>")
        self.data = data


def put(text: str) -> None:
    """Write `text` to stdout now. If the reader has closed the pipe, discard it without an error."""
    put_bytes(text.encode(sys.stdout.encoding or "utf-8", "replace"))


def put_bytes(data: bytes) -> None:
    """Write to stdout as `put` does; JSON is UTF-8 whatever the terminal speaks.

    Raises `StdoutError` if stdout cannot be written, for instance because the disk is full.
    """
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        discard(sys.stdout)
        if not isinstance(error, BrokenPipeError):
            raise StdoutError(error, data) from error


def put_instance(instance: Instance, path: str) -> None:
    """Write an instance to a file; to stdout, which a reader may close, for ``-``."""
    from oas.io import dumps, save

    if path == "-":
        put_bytes(dumps(instance))
    else:
        save(instance, path)


def put_json(document: object) -> None:
    """Write `document` as JSON."""
    put_bytes(json_bytes(document))


def json_bytes(document: object) -> bytes:
    """Return `document` as the commands write JSON that is no file of instance, schedule or result.

    Exact numbers are texts, violations objects of rule and message, schedules and results as in their files.
    """
    return f"{json.dumps(document, indent=1, ensure_ascii=False, default=_plain)}\n".encode()


def _plain(value: Any) -> object:
    from oas.core.result import Proof, Result
    from oas.core.schedule import Schedule
    from oas.core.verifier import Violation

    if isinstance(value, Violation):
        return attributes(value, "rule", "message")
    if isinstance(value, Fraction | Proof):
        return str(value)
    if isinstance(value, Schedule | Result):
        from oas.io import dumps

        return json.loads(dumps(value))
    return dict(value)


def attributes(thing: object, *names: str) -> dict[str, object]:
    """Return these attributes of a thing as the fields of a JSON object."""
    return {name: getattr(thing, name) for name in names}


def log_document(log: Any, jobs: int) -> dict[str, Any]:
    """Return a job log, or a stream of its jobs, as fields of JSON."""
    about = attributes(log, "name", "sha256", "format", "acknowledgement")
    return {**about, "jobs": jobs, **attributes(log, "skipped", "noted")}


def ends_of(interval: Any) -> list[str] | None:
    """Return the least and the greatest possible value of a quantity as texts; None if nothing is known of it."""
    return None if interval is None else [str(interval.low), str(interval.high)]


def put_all(*parts: Part | RenderableType) -> None:
    """Write tables and texts, without the blanks that rich fills lines up with; charts are for notebooks."""
    from rich.console import Console

    from oas.cli.fitted_table import FittedTable
    from oas.show.tables import Gantt, Table

    lines = StringIO()  # not rich's own capture, which touches stdout by itself
    console = Console(
        file=lines,
        force_terminal=in_terminal(),
        width=None if _has_width() else PIPE_WIDTH,
        highlight=False,
        markup=False,
        emoji=False,
    )
    for one in parts:
        if isinstance(one, str):  # rich would break lines inside "η = 0"
            console.print("\n".join(_wrapped(line, console.width) for line in one.split("\n")))
        elif not isinstance(one, Gantt):
            console.print(FittedTable(one) if isinstance(one, Table) else one)
    put("".join(f"{line.rstrip()}\n" for line in lines.getvalue().splitlines()))


def _wrapped(line: str, width: int) -> str:
    """Break a line that is too long at its blanks, but not inside "η = 0"."""
    if len(line) <= width:
        return line
    held = line.replace("η = ", "η\u00a0=\u00a0")
    lines = textwrap.wrap(held, width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("η\u00a0=\u00a0", "η = ")


def save_picture(figure: Figure, path: str, *, quiet: bool = False) -> None:
    """Write a figure, and say so on stderr."""
    from oas import plots

    plots.save_figure(figure, path)
    if not quiet:
        sys.stderr.write(f"picture written to {path}\n")


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


def check_target(
    path: str, field: str, suffixes: tuple[str, ...] = (), makes_folder: bool = False, *, refused: tuple[str, ...] = ()
) -> None:
    """Refuse a path that a file cannot be written to: `InputError` under the name `field`.

    It must end in one of `suffixes`, if there are any, and in none of `refused`. Missing folders are accepted if they
    will be made.
    """
    target = Path(os.path.realpath(path))
    folder = target.parent
    while makes_folder and not folder.exists():
        folder = folder.parent
    if suffixes and target.suffix.lower() not in suffixes:
        reason = f"must end in {' or '.join(suffixes)}"
    elif target.suffix.lower() in refused:
        reason = f"must not end in {target.suffix}; the file holds {'CSV' if '.json' in refused else 'JSON'}"
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


class Delivery:
    """Writes and prints the results of a long computation."""

    def __init__(self) -> None:
        self.signals: list[int] = []  # that arrived in the meantime
        self.failed = False  # whether a file could not be written

    def save(self, write: Write, path: str | None) -> bool:
        """Write a file if a path is given; if that fails, write a temporary file and name it on stderr.

        Returns
        -------
        bool
            Whether the file was written.
        """
        if not path:
            return False
        try:
            write(path)
        except (OasError, OSError) as error:
            from oas.io.files import clean

            self.failed = True
            sys.stderr.write(f"oas: {clean(f'{error}{_kept(write, Path(path).name)}', '')}\n")
            return False
        return True


def _kept(write: Write, name: str) -> str:
    """Write in a new temporary folder what cannot be written elsewhere; return the words that name the file."""
    try:
        folder = tempfile.mkdtemp(prefix="oas-saved-")
    except OSError:
        return "; nor can a temporary file"
    kept = os.path.join(folder, name)
    try:
        write(kept)
    except (OasError, OSError):
        shutil.rmtree(folder, ignore_errors=True)
        return "; nor can a temporary file"
    return f"; saved as {kept}"


@contextmanager
def uninterrupted() -> Iterator[Delivery]:
    """Deliver the results of a long computation: they are written and printed before anything ends the process.

    Ctrl-C and requests to end are put off. A file that cannot be written is saved elsewhere, the results are still
    printed, and the command then ends with exit code 2. The same holds for standard output.
    """
    delivery = Delivery()
    with noted_signals() as delivery.signals:
        try:
            yield delivery
        except StdoutError as error:
            lost = error.data
            error.reason += _kept(lambda path: Path(path).write_bytes(lost), "stdout.txt")
            raise
    if delivery.failed:
        raise typer.Exit(ExitCode.BAD_INPUT)


def deliver(
    document: Callable[[], object], shown: Callable[[], Iterable[Part]], as_json: bool, *files: tuple[Write, str | None]
) -> None:
    """Write files, each where a path is given, then print the results: a document as JSON, or tables and texts."""
    with uninterrupted() as delivery:
        for write, path in files:
            delivery.save(write, path)
        if as_json:
            put_json(document())
        else:
            put_all(*shown())


def copy_of(document: Callable[[], object], frame: Callable[[], pandas.DataFrame]) -> Write:
    """Return what writes the results of a command: a table if the name ends in .csv, otherwise JSON."""

    def write(path: str) -> None:
        from oas.io.files import csv_bytes, write_bytes

        write_bytes(path, csv_bytes(frame()) if path.lower().endswith(".csv") else json_bytes(document()))

    return write


def _has_width() -> bool:
    return in_terminal() or "COLUMNS" in os.environ
