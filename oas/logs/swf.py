"""Reading job logs in the Standard Workload Format (SWF) of the Parallel Workloads Archive, plain or compressed.

A log is untrusted: each line is either a comment (``;`` first), empty, or exactly 18 fields in ASCII digits, possibly
followed by a comment. −1 means unknown; only the status may otherwise be negative. Times and memory may have decimals
and are read exactly; −0.0 is 0.
Values are kept as in the log; `oas.logs.slices` defines the handling of unknown values and of running times of 0. No
schedule depends on a status that the format does not define, so such a job is kept and counted.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from oas.core.errors import InputError
from oas.core.numbers import parse_fraction
from oas.io.files import display_path, naming_file, read_bytes
from oas.logs.invalid_lines import InvalidLines
from oas.logs.logged import (
    LIMITS,
    OWNER_FIELDS,
    Collected,
    LoggedJob,
    Owner,
    SubmittedJob,
    numbered_lines,
    readable,
    stem,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.io.files import Source
    from oas.logs.logged import JobLog, Time

STATUSES = range(6)
"""Statuses of a job that the format defines: 0 failed, 1 completed, 2 to 4 part of an execution, 5 cancelled."""
UNDEFINED_STATUS = "status that the format does not define"
REQUESTED = "processors requested, for want of those allocated"
PARTIAL = frozenset({2, 3, 4})
"""Statuses of a line that describes one part of a job's execution; the whole job has a separate line."""


class SwfJob(NamedTuple):
    """A line of a log: fields with the names and in the order of the format; None if the log contains −1."""

    number: int
    submit: Time | None
    wait: Time | None
    run_time: Time | None
    processors: int | None
    cpu_time: Time | None
    memory: Time | None
    requested_processors: int | None
    requested_time: Time | None
    requested_memory: Time | None
    status: int | None
    user: int | None
    group: int | None
    application: int | None
    queue: int | None
    partition: int | None
    preceding_job: int | None
    think_time: Time | None

    @property
    def width(self) -> int:
        """Allocated processors; if unknown or 0, the requested ones; 0 if these are unknown too."""
        return self.processors or self.requested_processors or 0

    @property
    def has_undefined_status(self) -> bool:
        """Whether the log gives a status that the format does not define."""
        return self.status is not None and self.status not in STATUSES


class HeaderLine(NamedTuple):
    """A comment before the first job: ``; Key: text``, or a further text under the key before it."""

    key: str
    text: str
    line: int  # its number in the file
    begins: bool  # whether it contains the key


@dataclass(frozen=True)
class SwfLog:
    """A log in SWF."""

    format: ClassVar = "swf"
    name: str  # the file's name without ``.swf`` and the suffix of its compression
    sha256: str  # of the file as it is, even if it is compressed
    comment_lines: tuple[HeaderLine, ...] = field(repr=False)  # before the first job
    jobs: tuple[SwfJob, ...] = field(repr=False)  # in the order of the file
    invalid: InvalidLines = field(default_factory=InvalidLines, repr=False, compare=False)  # lines left out
    file: str | None = field(default=None, repr=False, compare=False)  # its path, for errors

    @property
    def header(self) -> tuple[tuple[str, str], ...]:
        """Comments before the first job as (key, text)."""
        return tuple((one.key, one.text) for one in self.comment_lines)

    def comments(self, key: str) -> tuple[str, ...]:
        """Return the header's texts under a key, such as ``Acknowledge``."""
        return tuple(text for one, text in self.header if one == key and text)

    @property
    def acknowledgement(self) -> str:
        """Whom the log asks to acknowledge, and the origin of the log; must be kept with all derived data."""
        keys = ("Computer", "Installation", "Acknowledge", "Conversion")
        return "; ".join(f"{key}: {', '.join(self.comments(key))}" for key in keys if self.comments(key))

    @property
    def max_processors(self) -> int | None:
        """Processors of the logged system, from ``MaxProcs`` or else ``MaxNodes``; None if the header has neither.

        Raises `InputError` naming line, key and text if it is not a number.
        """
        for key in ("MaxProcs", "MaxNodes"):
            for one in self.comment_lines:
                if one.key == key and one.begins and (number := header_number(one, self.file)):
                    return number
        return None

    def submitted(self) -> Iterator[SubmittedJob]:
        """Yield the lines of the log in the order of the file."""
        for job in self.jobs:
            owner = {name: getattr(job, name) for name in OWNER_FIELDS if name in SwfJob._fields}
            yield SubmittedJob(f"J{job.number}", job.number, job.submit, job.run_time, job.width, owner, job.status)


_WHOLE, _DECIMAL = rb"-1|\d{1,15}", rb"-1(?:\.0{1,9})?|-0(?:\.0{1,9})?|\d{1,15}(?:\.\d{1,9})?"
# Fields whose numbers may have decimals
DECIMALS = {"submit", "wait", "run_time", "cpu_time", "memory", "requested_time", "requested_memory", "think_time"}
_PATTERNS = {name: re.compile(_DECIMAL if name in DECIMALS else _WHOLE) for name in SwfJob._fields}
_PATTERNS["number"] = re.compile(rb"\d{1,15}")
_PATTERNS["status"] = re.compile(rb"-?\d{1,15}")
# Keys of the header that are used, in any case; other comments before a colon count as keys if capitalized.
_KEYS = {key.lower(): key for key in ("MaxProcs", "MaxNodes", "Computer", "Installation", "Acknowledge", "Conversion")}
_KEY = re.compile(rf"([A-Z]\w*|(?i:{'|'.join(_KEYS)}))\s*:\s*(.*)", re.ASCII)
_GROUPING = ",_'’ "  # separators of groups of three digits; `readable` turns other blanks into this one
_COUNT = re.compile(
    rf"(?P<number>\d{{1,3}}(?:(?P<mark>[{_GROUPING}])\d{{3}}(?:(?P=mark)\d{{3}})*)|\d+)"
    # A remark may follow, but nothing that could belong to the number, such as "k", "x 2", "racks" or "nodes of 8 CPUs"
    r"(?:\s*(?:\(|//|#|[;,]\s+[^\W\d]).*|\s+(?:cpus?|cores?|proc(?:essor)?s?|nodes?|pes|hosts?|slots?|in\s+total)\b\D*)?",
    re.ASCII | re.IGNORECASE,
)
_UNKNOWN_COUNT = frozenset({"", "-1", "0", "?", "-", "n/a", "none", "unknown"})
_MOST_PROCESSORS = 999_999_999


def read_swf(path: Source, *, strict: bool = False) -> SwfLog:
    """Read a log: a regular file, plain or gzipped (detected from its first bytes), or standard input for ``-``.

    A status that the format does not define is refused if `strict`; otherwise its job is kept and counted. Raises
    `InputError` naming file, line, field and value; also if the log holds no job.
    """
    with naming_file(path):
        log = parse_swf(read_bytes(path, LIMITS["file_bytes"]), stem(path, ".swf"), strict=strict)
        return replace(log, file=display_path(path))


def parse_swf(data: bytes, name: str, *, strict: bool = False, invalid: InvalidLines | None = None) -> SwfLog:
    """Read a log called `name` from bytes; strictness and errors as `read_swf`, but invalid lines may be left out."""
    invalid = invalid or InvalidLines()
    header: list[HeaderLine] = []
    jobs: list[SwfJob] = []
    seen: set[int] = set()
    for line, values in job_lines(data, SwfJob._fields, header, invalid):
        numbers = map(exact_number, values)
        job = SwfJob(*(None if one == -1 else one for one in numbers))  # type: ignore[arg-type]
        if strict and job.has_undefined_status:
            invalid.refuse(undefined_status(job.status, line))
            continue
        if job.status not in PARTIAL:
            if job.number in seen:
                invalid.refuse(taken(line, job.number))
                continue
            seen.add(job.number)
        jobs.append(job)
    return SwfLog(name, hashlib.sha256(data).hexdigest(), tuple(header), tuple(jobs), invalid=invalid)


def job_lines(
    data: bytes, fields: Sequence[str], header: list[HeaderLine], invalid: InvalidLines
) -> Iterator[tuple[int, tuple[bytes, ...]]]:
    """Yield the number of each line of a job, from 1, and the texts of these fields, in the order of the format.

    Comments before the first job are added to `header`. Invalid lines are refused or left out.

    Raises `InputError` naming line, field and value; also if the log holds no job.
    """
    groups = (b"(%b)" if name in fields else b"(?:%b)" for name in _PATTERNS)
    parts = [group % pattern.pattern for group, pattern in zip(groups, _PATTERNS.values(), strict=True)]
    pattern_of_line = re.compile(rb"[ \t]*" + rb"[ \t]+".join(parts) + rb"[ \t]*")
    key, before_jobs = "", True
    for number, line in numbered_lines(data, invalid):
        if match := pattern_of_line.fullmatch(line) or pattern_of_line.fullmatch(line.partition(b";")[0]):
            before_jobs = False
            yield number, match.groups()
            continue
        text = line.strip(b" \t")
        if text and not text.startswith(b";"):
            invalid.refuse(_refusal(line, number))
            continue
        if text and before_jobs:
            if len(header) == LIMITS["header_lines"]:
                reason = f"more than {LIMITS['header_lines']} comments before the first job, the most that is read"
                raise InputError(reason, field=f"line {number}")
            comment = readable(text.strip(b" \t;"))
            if keyed := _KEY.fullmatch(comment):
                key, comment = _KEYS.get(keyed[1].lower(), keyed[1]), keyed[2]
            elif not comment:
                key = ""
            header.append(HeaderLine(key, comment, number, keyed is not None))
    if before_jobs:
        skipped = f" (left out: {invalid.count} invalid lines)" if invalid.count else ""
        raise InputError(f"the log holds no job{skipped}")


def exact_number(text: bytes) -> Time:
    """Return a number of the format, with or without decimals."""
    return int(text) if b"." not in text else parse_fraction(text.decode())


def header_number(comment: HeaderLine, file: str | None) -> int | None:
    """Return the number of processors in a line of the header; None if it says that it is unknown.

    The digits may be grouped in threes, and a remark may follow. Raises `InputError` naming file, line, key and text.
    """
    text = comment.text
    if text.lower() in _UNKNOWN_COUNT:
        return None
    match = _COUNT.fullmatch(text)
    number = int(re.sub(f"[{_GROUPING}]", "", match["number"])[:20]) if match else 0
    if not 0 < number <= _MOST_PROCESSORS:
        reason = (
            f"must be a number of processors from 1 to {_MOST_PROCESSORS:,}, such as 1024 or 1,024; correct it, or"
            " override it (--processors)"
        )
        raise InputError(reason, field=f"line {comment.line}, {comment.key}", value=text, file=file)
    return number


def place(line: int, field: str) -> str:
    """Return the name of a value in error messages."""
    return f"line {line}, field {SwfJob._fields.index(field) + 1} ({field})"


def undefined_status(status: int | None, line: int) -> InputError:
    """Return the error for a status that the format does not define."""
    known = ", ".join(map(str, STATUSES))
    reason = f"not a status of the format: {known} or -1 for unknown"
    return InputError(reason, field=place(line, "status"), value=status)


def taken(line: int, number: int) -> InputError:
    """Return the error for a number that another job has."""
    return InputError("the number is taken", field=place(line, "number"), value=number)


def _refusal(line: bytes, number: int) -> InputError:
    """Return the error for a line that is not a job, naming the first field that is wrong."""
    fields = re.split(rb"[ \t]+", line.strip(b" \t"))
    for (name, pattern), value in zip(_PATTERNS.items(), fields, strict=False):
        if not pattern.fullmatch(value):
            decimals = " and 9 decimals" if name in DECIMALS else ""
            whole = "" if name in DECIMALS else "whole "
            unknown = "" if name == "number" else ", or -1 for unknown"
            reason = f"must be a {whole}number from 0 on in at most 15 ASCII digits{decimals}{unknown}"
            if name == "status":
                reason = "must be a whole number in at most 15 ASCII digits"
            return InputError(reason, field=place(number, name), value=readable(value))
    reason = f"must have {len(_PATTERNS)} fields, not {len(fields)}"
    return InputError(reason, field=f"line {number}", value=readable(line))


def job_log(log: SwfLog) -> JobLog:
    """Return the jobs of a log that ran, by submission; ids are ``J`` and the number in the log.

    The following are skipped: parts of an execution (the whole job has a separate line), jobs with unknown submission,
    wait, running time or processors, and jobs that ran for no time. Processors are the allocated ones; if unknown or 0,
    the requested ones.

    Raises `InputError` if no job is left.
    """
    collected = Collected()
    for number, job in enumerate(log.jobs, start=1):
        if job.status in PARTIAL:
            collected.skip("part of an execution")
        elif job.submit is None:
            collected.skip("submit time unknown")
        elif job.wait is None:
            collected.skip("wait time unknown")
        elif job.run_time is None:
            collected.skip("running time unknown")
        elif not job.width:
            collected.skip("processors unknown or 0")
        else:
            if job.has_undefined_status:
                collected.note(UNDEFINED_STATUS)
            if not job.processors:
                collected.note(REQUESTED)
            start = job.submit + job.wait
            owner = Owner(*("" if one is None else str(one) for one in (job.user, job.group)))
            logged = LoggedJob(f"J{job.number}", job.submit, start, start + job.run_time, job.width, owner=owner)
            collected.add(logged, f"job {number}, number", f"job {number}, wait", f"job {number}, run_time")
    size, unread = None, None
    try:
        size = log.max_processors
    except InputError as error:
        unread = error
    acknowledge = log.acknowledgement
    return collected.log(
        log.name,
        log.sha256,
        "swf",
        processors=size,
        acknowledgement=acknowledge,
        unread_processors=unread,
        invalid=log.invalid,
    )
