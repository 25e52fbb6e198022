"""Reading a log of jobs that ran, of whichever format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.errors import InputError, unknown_name
from oas.core.numbers import parse_fraction
from oas.io.files import read_bytes, shown
from oas.io.logs.batsim import REQUIRED as BATSIM_COLUMNS
from oas.io.logs.batsim import parse_batsim, today
from oas.io.logs.columns import TextLimits, numbered_lines, stem
from oas.io.logs.logged import JobLog, job_log
from oas.io.logs.sacct import Unit, moment, parse_sacct
from oas.io.logs.swf import SwfLog, parse_swf

if TYPE_CHECKING:
    from oas.io.files import Source
    from oas.io.logs.logged import Time

_SUFFIX = {"swf": ".swf", "batsim": ".csv", "sacct": ".txt"}
FORMATS = tuple(_SUFFIX)


def read_log(path: Source, format: str | None = None, unit: Unit | None = None, *, strict: bool = False) -> JobLog:
    """Read a log of jobs that ran.

    Parameters
    ----------
    path
        A regular file, plain or gzipped; ``"-"`` is standard input.
    format
        ``swf``, ``batsim`` or ``sacct``; None to tell by the first line, or by the name for SWF.
    unit
        For sacct: ``cpus`` or ``nodes``.
    strict
        For SWF: whether a status that the format does not define is refused; otherwise its job is kept and counted.

    Raises
    ------
    InputError
        Naming file, line, field and value.
    """
    found = read_any(path, format, unit, strict=strict)
    if isinstance(found, JobLog):
        return found
    try:
        return job_log(found)
    except InputError as error:
        error.file = shown(path)
        raise


def read_any(
    path: Source, format: str | None = None, unit: Unit | None = None, *, strict: bool = False
) -> SwfLog | JobLog:
    """Read a log: one in SWF line by line, of others the jobs that ran; parameters and errors as `read_log`."""
    try:
        data, kind = log_bytes(path, format, unit, strict=strict)
        if kind == "swf":
            return parse_swf(data, stem(path, _SUFFIX[kind]), strict=strict)
        return parse_jobs(data, path, kind, unit)
    except InputError as error:
        error.file = shown(path)
        raise


def log_bytes(path: Source, format: str | None, unit: Unit | None, *, strict: bool) -> tuple[bytes, str]:
    """Return what a log's file holds, and its format; parameters and errors as `read_log`, but none names the file."""
    if format is not None and format not in FORMATS:
        raise unknown_name(format, FORMATS, "format")
    data = read_bytes(path, TextLimits().file_bytes)
    kind = format or _told(data, shown(path))
    if unit is not None and kind != "sacct":
        raise InputError("only logs of sacct count CPUs and nodes", field="unit", value=unit)
    if strict and kind != "swf":
        raise InputError("only logs in SWF can be read strictly: the other formats always are", field="strict")
    return data, kind


def parse_jobs(data: bytes, path: Source, format: str, unit: Unit | None) -> JobLog:
    """Read the jobs of a file that is not in SWF."""
    name = stem(path, _SUFFIX[format])
    return parse_batsim(data, name) if format == "batsim" else parse_sacct(data, name, unit)


def moment_in(log: JobLog, text: str) -> Time:
    """Return the moment that a user writes, in the log's own time; of sacct also ISO without a zone.

    Raises
    ------
    InputError
        If it is none.
    """
    try:
        if log.format == "sacct" and "T" in text:
            return moment(text)
        return parse_fraction(text)
    except ValueError as error:  # which an InputError is
        more = ", or a time such as 2026-03-01T09:30:00" if log.format == "sacct" else ""
        raise InputError(f"must be a number of the log's time units{more}", value=text) from error


def _told(data: bytes, name: str) -> str:
    """The format that the name or the first line tells beyond doubt."""
    lines = (line for _, line in numbered_lines(data, TextLimits()) if line.strip())
    first = next(lines, b"").strip()
    if name.lower().removesuffix(".gz").endswith(".swf") or first.startswith(b";"):
        return "swf"
    if b"|" in first and b"jobid" in first.lower().split(b"|"):
        return "sacct"
    if set(BATSIM_COLUMNS) <= {today(column) for column in first.decode(errors="replace").split(",")}:
        return "batsim"
    raise InputError(f"cannot be told by name or first line; one of {', '.join(FORMATS)}", field="format")
