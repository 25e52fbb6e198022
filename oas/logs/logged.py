"""Job logs: bounded reading of numbered lines and of rows of exact values; and the jobs that ran.

A log contains the submission of each job, its start and end, the number of its processors, and possibly which ones.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from oas.core.errors import InputError
from oas.core.numbers import identifier, parse_fraction
from oas.io.files import MARK, UNPACKING_ERRORS, broken, display_path, opened, refuse_binary, uncompressed_name
from oas.logs.clocks import Clock
from oas.logs.invalid_lines import InvalidLines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from oas.io.files import Source

Time = int | Fraction

# Limits for reading a text file
LIMITS = {
    "file_bytes": 256 << 20,
    "text_bytes": 1 << 30,  # decompressed
    "lines": 2_000_000,
    "line_bytes": 10_000,
    "header_lines": 10_000,  # comments of SWF before the first job
}


def numbered_lines(data: bytes, invalid: InvalidLines | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a text with their numbers from 1, without line ends and byte-order mark.

    Raises `InputError` naming the line if it is beyond the limits or the compression is broken; a line that is too long
    is `invalid`.
    """
    stream = opened(data)
    total, most = 0, LIMITS["line_bytes"]
    for number in count(1):
        place = f"line {number}"
        try:
            line = stream.readline(most + 1)
        except UNPACKING_ERRORS as error:
            raise broken(error, data, place) from error
        if not line:
            return
        if number == 1:
            refuse_binary(line)
            if b"\r" in line.rstrip(b"\r\n") and not line.endswith(b"\n"):
                reason = "lines end in CR alone, as on old Macs; save the file with line ends LF or CR LF"
                raise InputError(reason, field=place, value=readable(line[:40]))
            if [not byte for byte in line[:4]] in ([False, True] * 2, [True, False] * 2):
                raise InputError("every other byte is NUL, as in UTF-16; save it as UTF-8", value=line[:4])
        total += len(line)
        if len(line) > most:
            refusal = InputError(f"longer than {most} bytes", field=place, value=readable(line[:40]))
            (invalid or InvalidLines()).refuse(refusal)
            while line and not line.endswith(b"\n") and total <= LIMITS["text_bytes"]:
                line = stream.readline(most + 1)
                total += len(line)
            continue
        if number > LIMITS["lines"]:
            raise InputError(f"more than {LIMITS['lines']} lines, the most that is read")
        if total > LIMITS["text_bytes"]:
            raise InputError(f"more than {LIMITS['text_bytes']} bytes of text, the most that is read", field=place)
        yield number, line.removeprefix(MARK if number == 1 else b"").removesuffix(b"\n").removesuffix(b"\r")


def readable(data: bytes) -> str:
    """Return bytes as text for people, without characters that could steer a terminal."""
    return "".join(one if one.isprintable() else " " for one in data.decode(errors="replace")).strip()


def stem(path: Source, suffix: str) -> str:
    """Return a file's name without its folder, the suffix of its compression, and `suffix`."""
    name = uncompressed_name(PurePath(display_path(path)).name)
    return re.sub(rf"{re.escape(suffix)}$", "", name, flags=re.IGNORECASE)


STILL_RUNNING = "still running: holds its processors from its start on, and is not appraised"
MOST = 10**15  # larger than any time or number of processors of a real cluster


FINEST = 10**9  # maximum number of ticks in a second


def ticks_in_second(times: Iterable[Time]) -> int:
    """Return the least power of ten whose product with each of these times is an integer.

    Raises `InputError` if it exceeds 10^9.
    """
    second = 1
    for one in times:
        while (one * second).denominator != 1:
            second *= 10
            if second > FINEST:
                raise InputError("must have at most 9 decimals, in seconds", field="times", value=str(one))
    return second


@dataclass(frozen=True)
class Row:
    """A line of values."""

    line: int  # its number in the file, from 1
    values: Mapping[str, str]  # by column

    def place(self, column: str) -> str:
        """Return the name of a value in error messages."""
        return f"line {self.line}, {column}"

    def refusal(self, reason: str, column: str) -> InputError:
        """Return the error for an invalid value of this row."""
        return InputError(reason, field=self.place(column), value=self.values[column])

    def name(self, column: str) -> str:
        """Return a value that must be a valid name."""
        return identifier(self.values[column], self.place(column))

    def time(self, column: str) -> Time:
        """Return a time of at least 0, exactly; an int if it is an integer."""
        try:
            value = parse_fraction(self.values[column])
        except InputError as error:
            raise self.refusal(decimal_reason(self.values[column]), column) from error
        if not 0 <= value < MOST:
            raise self.refusal(f"must be from 0 on and below {MOST}", column)
        return value.numerator if value.denominator == 1 else value

    def count(self, column: str) -> int:
        """Return a whole number from 0 on."""
        text = self.values[column]
        if not (text.isascii() and text.isdigit()) or len(text) > len(str(MOST)) - 1:
            raise self.refusal("must be a whole number from 0 on, in at most 15 digits", column)
        return int(text)


def rows(
    data: bytes,
    split: Callable[[str], list[str]],
    required: Iterable[str],
    named: Callable[[str], str] = str,
    invalid: InvalidLines | None = None,
) -> Iterator[Row]:
    """Yield the rows of a file whose first nonempty line contains the names of the columns, with all `required` ones.

    The data are UTF-8, plain or gzipped. `split` divides a line into values; its ValueError means an invalid line.
    `named` converts a heading to a column's name. Raises `InputError` naming line, column and value if a line is
    invalid or not UTF-8, a column is missing or named twice, or there are too few or too many values; invalid lines
    after the first may be left out (`invalid`).
    """
    invalid = invalid or InvalidLines()
    names: list[str] = []
    for number, line in numbered_lines(data, invalid):
        if not line.strip():
            continue
        try:
            values = split(line.decode())
        except ValueError as error:
            reason = "not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
            refusal = InputError(reason, field=f"line {number}", value=readable(line))
            if not names:
                raise refusal from error
            invalid.refuse(refusal)
            continue
        if not names:
            names = [named(value.strip()) for value in values]
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise InputError("the column is named twice", field=f"line {number}", value=twice)
            missing = [name for name in required if name not in names]
            if missing:
                reason = f"has no column {' nor '.join(missing)}"
                raise InputError(reason, field=f"line {number}", value=", ".join(names))
            continue
        if len(values) != len(names):
            reason = f"must have {len(names)} values, as the heading has columns, not {len(values)}"
            if len(values) > len(names) and all(values) and not any(re.search(r"[^\d.\s-]", value) for value in values):
                reason += "; decimals need a point, not a comma"
            invalid.refuse(InputError(reason, field=f"line {number}", value=readable(line)))
            continue
        yield Row(number, dict(zip(names, (value.strip() for value in values), strict=True)))
    if not names:
        raise InputError("the file is empty")


def decimal_reason(text: str) -> str:
    """Return the reason to refuse a text that should be a decimal number."""
    if re.fullmatch(r"-?\d+,\d+", text, re.ASCII):
        return "must have a decimal point instead of the comma"
    return "must be a decimal number with a point, in at most 40 digits"


DELIMITERS = (",", ";", "\t")


def csv_splitter() -> Callable[[str], list[str]]:
    """Return a function that splits the lines of one file at the delimiter that occurs most often in its first line.

    Blanks around quoted values are permitted. The function raises `ValueError` if a line is not separated values.
    """
    delimiter = ""

    def split(line: str) -> list[str]:
        nonlocal delimiter
        delimiter = delimiter or max(DELIMITERS, key=line.count)
        return split_values(line, delimiter)

    return split


def split_values(line: str, delimiter: str = ",") -> list[str]:
    """Split a line at a delimiter outside quotes; raises `ValueError` if a quote is misplaced."""
    for one in (line, re.sub(rf'" +(?={delimiter}|$)', '"', line)):  # first as it is: quoted texts may have `" ,`
        try:
            return next(csv.reader([one], delimiter=delimiter, strict=True, skipinitialspace=True), [])
        except csv.Error as error:
            reason = f"not comma-separated values: {error}"
    raise ValueError(reason)


def resolution(text: str) -> Fraction:
    """Return the unit in the last place of a decimal number as it is written: 1/100 for ``3.20``, 1000 for ``1e3``."""
    mantissa, _, exponent = text.lower().partition("e")
    power = int(exponent or 0) - len(mantissa.partition(".")[2])
    return Fraction(10**power) if power >= 0 else Fraction(1, 10**-power)


class Owner(NamedTuple):
    """The owner of a job as named in the log; empty texts if unknown."""

    user: str = ""
    group: str = ""
    account: str = ""

    @classmethod
    def of(cls, values: Mapping[str, object]) -> Owner:
        """Return the owner in values by column or key."""
        return cls(*(str(values.get(name, "")) for name in cls._fields))


NOBODY = Owner()
OWNER_FIELDS = ("user", "group", "account", "queue", "partition", "application")
"""Fields of a log that may identify the owner of a job."""


class SubmittedJob(NamedTuple):
    """A job to be scheduled, whatever the log records about its start; None for unknown values."""

    id: str
    number: int  # in the log
    submit: Time | None
    run_time: Time | None
    width: int  # processors; 0 for unknown
    owner: Mapping[str, int | str | None]
    status: int | None = None  # of SWF


@dataclass(frozen=True, slots=True)
class LoggedJob:
    """A job that held processors, in the log's own time."""

    id: str  # unique in the log
    # submit, start, end: submit ≤ start < end; end is None if the job was still running when the log was written
    submit: Time
    start: Time
    end: Time | None
    processors: int  # number of processors that it held
    nodes: tuple[int, ...] | None = None  # their numbers, ascending, if the log contains them
    owner: Owner = NOBODY
    # Without an end: the last moment at which the job is known to have held its processors; None if it was running when
    # the log was written
    known_until: Time | None = None

    @property
    def ended(self) -> Time:
        """End of a job that has one."""
        assert self.end is not None
        return self.end


@dataclass(frozen=True)
class JobLog:
    """A log of one cluster."""

    name: str  # of the file, without its suffix
    sha256: str  # of the file
    format: str  # ``swf``, ``batsim`` or ``sacct``
    jobs: tuple[LoggedJob, ...] = field(repr=False)  # by submission, ties in the order of the file
    skipped: Mapping[str, int] = field(hash=False)  # number of jobs that are not in `jobs`, by reason
    noted: Mapping[str, int] = field(hash=False)  # number of `jobs` with a remark, by remark
    processors: int | None = None  # of the cluster, if the log says
    acknowledgement: str = ""  # whom the log asks to acknowledge; must be kept with all derived data
    clock: Clock = field(default=Clock(), repr=False)  # how the log writes times
    unit: str = ""  # for sacct: the unit of processors, ``cpus`` or ``nodes``
    shares_nodes: bool | None = None  # whether jobs probably share nodes, if processors are nodes; None if unknown
    remarks: tuple[str, ...] = ()  # sentences about invalid lines and uncertain times, for the user
    unread_processors: InputError | None = None  # why the number of processors in the log cannot be read

    @property
    def max_processors(self) -> int | None:
        """Processors of the cluster, if the log says.

        Raises `InputError` if the log has a text there that is no number.
        """
        if self.unread_processors is not None:
            raise self.unread_processors
        return self.processors

    def submitted(self) -> Iterator[SubmittedJob]:
        """Yield the jobs by submission, numbered from 1."""
        for number, job in enumerate(self.jobs, start=1):
            time = None if job.end is None else job.end - job.start
            yield SubmittedJob(job.id, number, job.submit, time, job.processors, job.owner._asdict())


@dataclass(frozen=True)
class Workload:
    """Jobs to be scheduled, without starts."""

    name: str  # of the file, without its suffix
    sha256: str  # of the file
    format: str
    jobs: tuple[SubmittedJob, ...] = field(repr=False)  # by submission, ties in the order of the file
    skipped: Mapping[str, int] = field(hash=False)  # number of jobs that are not in `jobs`, by reason
    noted: Mapping[str, int] = field(hash=False)  # number of `jobs` with a remark, by remark
    max_processors: int | None = None  # of the cluster, if the file says
    acknowledgement: str = ""
    remarks: tuple[str, ...] = ()  # sentences for the user

    def submitted(self) -> Iterator[SubmittedJob]:
        """Yield the jobs by submission."""
        yield from self.jobs


class Collected:
    """A job log under construction."""

    def __init__(self) -> None:
        self._jobs: list[LoggedJob] = []
        self._ids: set[str] = set()
        self._skipped: Counter[str] = Counter()
        self._noted: Counter[str] = Counter()

    def skip(self, reason: str) -> None:
        """Count a skipped job."""
        self._skipped[reason] += 1

    def note(self, remark: str, number: int = 1) -> None:
        """Count a remark on included jobs."""
        self._noted[remark] += number

    def add(
        self,
        job: LoggedJob,
        id_field: str,
        start_field: str,
        end_field: str,
        show: Callable[[Time], str] = str,
        hint: str = "",
    ) -> None:
        """Store a job unless its running time is 0.

        The field names are used in errors; `show` writes times as the log does, and `hint` names a possible cause of
        times in the wrong order. Raises `InputError` if the id is taken, or the job starts before it was submitted or
        ends before it started.
        """
        if job.id in self._ids:
            raise InputError("the id is taken", field=id_field, value=job.id)
        if job.start < job.submit:
            reason = f"job {job.id} starts before it was submitted, at {show(job.submit)}{hint}"
            raise InputError(reason, field=start_field, value=show(job.start))
        if job.end is not None and job.end < job.start:
            reason = f"job {job.id} ends before it started, at {show(job.start)}{hint}"
            raise InputError(reason, field=end_field, value=show(job.end))
        self._ids.add(job.id)
        if job.end == job.start:
            self.skip("running time 0")
            return
        if job.end is None:
            self.note(STILL_RUNNING)
        self._jobs.append(job)

    def log(
        self,
        name: str,
        sha256: str,
        format: str,
        processors: int | None = None,
        *,
        invalid: InvalidLines | None = None,
        remarks: tuple[str, ...] = (),
        **further: Any,
    ) -> JobLog:
        """Return the log with `further` fields; raises `InputError` if no job is left."""
        invalid = invalid or InvalidLines()
        self._skipped.update(invalid.skipped)
        if not self._jobs:
            counts = "; ".join(f"{reason}: {number}" for reason, number in self._skipped.items())
            raise InputError(f"the log holds no job that ran (skipped: {counts or 'none'})")
        jobs = tuple(sorted(self._jobs, key=lambda job: job.submit))
        numbers = dict(self._skipped), dict(self._noted)
        return JobLog(name, sha256, format, jobs, *numbers, processors, remarks=invalid.remarks + remarks, **further)
