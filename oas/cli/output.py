"""Output to stdout and files, exit codes, and early checks of output paths."""

from __future__ import annotations

import fcntl
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
from oas.core.formats import attributes as attributes
from oas.core.signals import recorded_signals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from matplotlib.figure import Figure
    from rich.console import RenderableType

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.show.tables import Part

    Write = Callable[[str], object]


class ExitCode(IntEnum):
    """Exit codes of the commands."""

    DONE = 0
    BAD_INPUT = 2
    VIOLATION = 3
    SOLVER_FAULT = 4
    INTERRUPTED = 130


def leave(results: Iterable[Result | None] = (), *, interrupted: bool = False, violated: bool = False) -> NoReturn:
    """Exit with the code of an interrupt, a solver's fault, a broken rule (`violated`) or success, in this order."""
    from oas.core.result import Termination

    terminations = {result.termination for result in results if result is not None}
    code = ExitCode.VIOLATION if violated else ExitCode.DONE
    if terminations & {Termination.CRASHED, Termination.KILLED, Termination.ERROR}:
        code = ExitCode.SOLVER_FAULT
    if interrupted or Termination.INTERRUPTED in terminations:
        code = ExitCode.INTERRUPTED
    raise typer.Exit(code)


PIPE_WIDTH = 200  # characters per line if stdout is not a terminal
JSON_ONLY = (".csv", ".tsv", ".parquet", ".xlsx")  # suffixes of tables, refused for JSON files


class StdoutError(InputError):
    """Standard output cannot be written; `data` holds the bytes that were not written."""

    def __init__(self, error: OSError, data: bytes) -> None:
        super().__init__(f"cannot be written: {error.strerror}", file="<stdout>")
        self.data = data


def put(text: str) -> None:
    """Write `text` to stdout and flush; discard it silently if the reader has closed the pipe."""
    put_bytes(text.encode(sys.stdout.encoding or "utf-8", "replace"))


def put_bytes(data: bytes) -> None:
    """Write bytes to stdout as `put` does; JSON is UTF-8 whatever the encoding of the terminal.

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
    """Write an instance to a file, or to stdout if `path` is ``-``."""
    from oas.io import dumps, save

    if path == "-":
        put_bytes(dumps(instance))
    else:
        save(instance, path)


def put_json(document: object) -> None:
    """Write `document` to stdout as JSON."""
    put_bytes(json_bytes(document))


def json_bytes(document: object) -> bytes:
    """Encode a document that a command prints.

    Exact numbers become texts, violations objects with rule and message, schedules and results as in their files.
    """
    return f"{json.dumps(document, indent=1, ensure_ascii=False, default=_encodable)}\n".encode()


def _encodable(value: Any) -> object:
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


def log_document(log: Any, jobs: int) -> dict[str, Any]:
    """Return the JSON fields of a job log or job stream."""
    source = attributes(log, "name", "sha256", "format", "acknowledgement")
    return {**source, "jobs": jobs, **attributes(log, "skipped", "noted", "remarks")}


def put_remarks(remarks: Iterable[str]) -> None:
    """Write sentences about a job log to stderr, a line each."""
    from oas.io.files import clean

    for remark in remarks:
        sys.stderr.write(f"oas: {clean(remark, '')}\n")


def ends_of(interval: Any) -> list[str] | None:
    """Return the bounds of an interval as texts; None if there is no interval."""
    return None if interval is None else [str(interval.low), str(interval.high)]


def put_all(*parts: Part | RenderableType, charts: bool = False) -> None:
    """Write tables, facts and texts to stdout without trailing blanks; Gantt charts, as text, only if `charts`."""
    from rich.console import Console

    from oas.cli.fitted_table import facts_table, fitted
    from oas.cli.text_gantt import text_gantt
    from oas.show.tables import Facts, Gantt, Table

    lines = StringIO()  # rich's own capture would flush stdout
    console = Console(
        file=lines,
        force_terminal=in_terminal(),
        width=None if _has_width() else PIPE_WIDTH,
        highlight=False,
        markup=False,
        emoji=False,
    )
    for part in parts:
        if isinstance(part, Gantt):
            if not charts:
                continue
            part = text_gantt(part.instance, part.schedule, columns())
        if isinstance(part, str):  # rich would break lines inside "η = 0"
            console.print("\n".join(_wrapped(line, console.width) for line in part.split("\n")))
        elif isinstance(part, Table):
            for renderable in fitted(part, console.width):
                console.print(renderable)
        elif isinstance(part, Facts):
            console.print(facts_table(part.pairs))
        else:
            console.print(part)
    put("".join(f"{line.rstrip()}\n" for line in lines.getvalue().splitlines()))


def _wrapped(line: str, width: int) -> str:
    """Break a long line at its blanks, but not inside "η = 0"."""
    if len(line) <= width:
        return line
    protected = line.replace("η = ", "η\u00a0=\u00a0")
    lines = textwrap.wrap(protected, width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("η\u00a0=\u00a0", "η = ")


def save_picture(figure: Figure, path: str, *, quiet: bool = False) -> None:
    """Write a figure and report the path on stderr."""
    from oas import plots

    plots.save_figure(figure, path)
    if not quiet:
        sys.stderr.write(f"picture written to {path}\n")


def in_terminal() -> bool:
    """Return whether stdout is a terminal."""
    return sys.stdout.isatty()


def columns() -> int:
    """Return the width of the terminal; 80 if stdout is not a terminal."""
    from rich.console import Console

    return Console().width if _has_width() else 80


def discard(stream: TextIO) -> None:
    """Redirect a stream to the null device, so that its buffered data causes no error at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def check_target(
    path: str, field: str, suffixes: tuple[str, ...] = (), makes_folder: bool = False, *, refused: tuple[str, ...] = ()
) -> None:
    """Raise `InputError` for `field` if no file can be written to `path`.

    The path must end in one of `suffixes`, if any are given, and in none of `refused`. Its folder must exist unless
    `makes_folder` is set.
    """
    from oas.io.files import descriptor_of

    try:
        target = Path(os.path.realpath(path))
        descriptor = descriptor_of(path)
    except OSError as error:
        raise InputError("cannot be written: the working folder has been deleted", field=field, value=path) from error
    folder = target.parent
    while makes_folder and not folder.exists():
        folder = folder.parent
    if suffixes and target.suffix.lower() not in suffixes:
        reason = f"must end in {' or '.join(suffixes)}"
    elif target.suffix.lower() in refused:
        reason = f"must not end in {target.suffix}; the file holds {'CSV' if '.json' in refused else 'JSON'}"
    elif path == "-":
        reason = "must be a file; --json prints to stdout"
    elif descriptor is not None:
        if _is_writable(descriptor):
            return
        reason = "is not open for writing"
    elif target.is_dir():
        reason = "is a folder"
    elif not folder.is_dir():
        reason = f"cannot be written: {'not a' if folder.exists() else 'no such'} folder {str(folder)!r}"
    elif not os.access(target if target.exists() and not target.is_file() else folder, os.W_OK):
        reason = "cannot be written: permission denied"
    else:
        return
    raise InputError(reason, field=field, value=path)


def _is_writable(descriptor: int) -> bool:
    try:
        return fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
    except OSError:  # it is closed
        return False


class Delivery:
    """Output of the results of a long computation."""

    def __init__(self) -> None:
        self.signals: list[int] = []  # received during the delivery
        self.failed = False  # whether a file could not be written

    def save(self, write: Write, path: str | None) -> bool:
        """Write a file if a path is given; on failure, write a temporary file and name it on stderr.

        Returns whether the file was written to `path`.
        """
        if not path:
            return False
        try:
            write(path)
        except (OasError, OSError) as error:
            from oas.io.files import clean

            self.failed = True
            sys.stderr.write(f"oas: {clean(f'{error}{_save_elsewhere(write, Path(path).name)}', '')}\n")
            return False
        return True


def _save_elsewhere(write: Write, name: str) -> str:
    """Write a file in a new temporary folder; return the end of the error message, which names the file."""
    folder = None
    try:
        folder = tempfile.mkdtemp(prefix="oas-saved-")
        path = os.path.join(folder, name)
        write(path)
    except (OasError, OSError):
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        return "; nor can a temporary file"
    return f"; saved as {path}"


@contextmanager
def uninterrupted() -> Iterator[Delivery]:
    """Write and print the results of a long computation while Ctrl-C and requests to end are deferred.

    If a file or stdout cannot be written, the data is saved in a temporary file, the other results are still written
    and printed, and the command ends with exit code 2.
    """
    delivery = Delivery()
    with recorded_signals() as delivery.signals:
        try:
            yield delivery
        except StdoutError as error:
            data = error.data
            error.reason += _save_elsewhere(lambda path: Path(path).write_bytes(data), "stdout.txt")
            raise
    if delivery.failed:
        raise typer.Exit(ExitCode.BAD_INPUT)


def deliver(
    document: Callable[[], object], parts: Callable[[], Iterable[Part]], as_json: bool, *files: tuple[Write, str | None]
) -> None:
    """Write each file that has a path, then print the results: `document` as JSON, or the tables and texts `parts`."""
    with uninterrupted() as delivery:
        for write, path in files:
            delivery.save(write, path)
        if as_json:
            put_json(document())
        else:
            put_all(*parts())


def _has_width() -> bool:
    return in_terminal() or "COLUMNS" in os.environ
