"""Reading job logs in the Standard Workload Format (SWF) of the Parallel Workloads Archive, plain or gzipped.

A log is untrusted: each line is either a comment (``;`` first), empty, or exactly 18 fields in ASCII digits, where −1
means unknown and only the status may otherwise be negative. Times and memory may have decimals and are read exactly.
Values are kept as in the log; `oas.io.logs.slices` defines the handling of unknown values and of running times of 0. No
schedule depends on a status that the format does not define, so such a job is kept and counted.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from oas.core.errors import InputError
from oas.core.numbers import parse_fraction
from oas.io.files import naming_file, read_bytes
from oas.io.logs.logged import Collected, LoggedJob, TextLimits, numbered_lines, readable, stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.io.files import Source
    from oas.io.logs.logged import JobLog, Time

STATUSES = range(6)
"""Of a job, as the format defines them: 0 failed, 1 completed, 2 to 4 part of an execution, 5 cancelled."""
UNDEFINED_STATUS = "status that the format does not define"
PARTIAL = frozenset({2, 3, 4})
"""Statuses of a line that tells of one part of a job's execution only; the whole job has a line of its own."""


class SwfJob(NamedTuple):
    """A line of a log, its fields by the names and in the order of the format; None where the log says −1."""

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
        """Processors allocated; where these are unknown or 0, those requested; 0 where these are too."""
        return self.processors or self.requested_processors or 0

    @property
    def has_undefined_status(self) -> bool:
        """Whether the log gives a status that the format does not define."""
        return self.status is not None and self.status not in STATUSES


@dataclass(frozen=True)
class SwfLog:
    """A log."""

    name: str  # the file's name without ``.swf`` and ``.gz``
    sha256: str  # of the file as it is, so of the gzipped one if it is gzipped
    # comments before the first job as (key, text): ``; Key: text``, or a text under the key before it
    header: tuple[tuple[str, str], ...] = field(repr=False)
    jobs: tuple[SwfJob, ...] = field(repr=False)  # in the order of the file

    def comments(self, key: str) -> tuple[str, ...]:
        """Return the header's texts under a key, such as ``Acknowledge``."""
        return tuple(text for one, text in self.header if one == key and text)

    @property
    def acknowledgement(self) -> str:
        """Whom the log asks to acknowledge, and where it comes from; to be kept with anything derived."""
        kept = ("Computer", "Installation", "Acknowledge", "Conversion")
        return "; ".join(f"{key}: {', '.join(self.comments(key))}" for key in kept if self.comments(key))

    @property
    def max_processors(self) -> int | None:
        """Processors of the logged system, from ``MaxProcs`` or else ``MaxNodes``; None if the header has neither."""
        for text in (*self.comments("MaxProcs"), *self.comments("MaxNodes")):
            if (match := re.match(r"\d{1,9}(?!\d)", text, re.ASCII)) and int(match[0]) > 0:
                return int(match[0])
        return None


_WHOLE, _DECIMAL = rb"-1|\d{1,15}", rb"-1|\d{1,15}(?:\.\d{1,9})?"
# Fields of numbers that may have decimals
DECIMALS = {"submit", "wait", "run_time", "cpu_time", "memory", "requested_time", "requested_memory", "think_time"}
_PATTERNS = {name: re.compile(_DECIMAL if name in DECIMALS else _WHOLE) for name in SwfJob._fields}
_PATTERNS["number"] = re.compile(rb"\d{1,15}")
_PATTERNS["status"] = re.compile(rb"-?\d{1,15}")
_KEY = re.compile(r"([A-Z]\w*):\s*(.*)", re.ASCII)


def read_swf(path: Source, limits: TextLimits | None = None, *, strict: bool = False) -> SwfLog:
    """Read a log: a regular file, plain or gzipped (detected from its first bytes), or standard input for ``-``.

    A status that the format does not define is refused if `strict`; otherwise its job is kept and counted. Raises
    `InputError` naming file, line, field and value; also if the log holds no job.
    """
    limits = limits or TextLimits()
    with naming_file(path):
        return parse_swf(read_bytes(path, limits.file_bytes), stem(path, ".swf"), limits, strict=strict)


def parse_swf(data: bytes, name: str, limits: TextLimits | None = None, *, strict: bool = False) -> SwfLog:
    """Read a log called `name` from bytes; limits, strictness and errors as `read_swf`."""
    header: list[tuple[str, str]] = []
    jobs: list[SwfJob] = []
    seen: set[int] = set()
    for line, values in job_lines(data, SwfJob._fields, header, limits or TextLimits()):
        job = SwfJob(*(None if one == b"-1" else exact_number(one) for one in values))  # type: ignore[arg-type]
        if strict and job.has_undefined_status:
            raise undefined_status(job.status, line)
        if job.status not in PARTIAL:
            if job.number in seen:
                raise taken(line, job.number)
            seen.add(job.number)
        jobs.append(job)
    return SwfLog(name, hashlib.sha256(data).hexdigest(), tuple(header), tuple(jobs))


def job_lines(
    data: bytes, fields: Sequence[str], header: list[tuple[str, str]], limits: TextLimits
) -> Iterator[tuple[int, tuple[bytes, ...]]]:
    """Yield the number of each line of a job, from 1, and the texts of these fields, in the order of the format.

    Comments before the first job are added to `header`, as `SwfLog` has them.

    Raises `InputError` naming line, field and value; also if the log holds no job.
    """
    groups = (b"(%b)" if name in fields else b"(?:%b)" for name in _PATTERNS)
    parts = [group % pattern.pattern for group, pattern in zip(groups, _PATTERNS.values(), strict=True)]
    wanted = re.compile(rb"[ \t]*" + rb"[ \t]+".join(parts) + rb"[ \t]*")
    key, none = "", True
    for number, line in numbered_lines(data, limits):
        if match := wanted.fullmatch(line):
            none = False
            yield number, match.groups()
            continue
        text = line.strip(b" \t")
        if text and not text.startswith(b";"):
            raise _refusal(line, number)
        if text and none:
            if len(header) == limits.header_lines:
                reason = f"more than {limits.header_lines} comments before the first job, the most that is read"
                raise InputError(reason, field=f"line {number}")
            key, shown = _comment(line, key)
            header.append((key, shown))
    if none:
        raise InputError("the log holds no job")


def exact_number(text: bytes) -> Time:
    """Return a number of the format, which has decimals or none."""
    return int(text) if b"." not in text else parse_fraction(text.decode())


def place(line: int, field: str) -> str:
    """Return the name of a value in error messages."""
    return f"line {line}, field {SwfJob._fields.index(field) + 1} ({field})"


def undefined_status(status: int | None, line: int) -> InputError:
    """Return the error for a status that the format does not define."""
    known = ", ".join(map(str, STATUSES))
    reason = f"not a status of the format: {known} or -1 for unknown"
    return InputError(reason, field=place(line, "status"), value=status)


def taken(line: int, number: int) -> InputError:
    """Return the error for a job's number that another has."""
    return InputError("the number is taken", field=place(line, "number"), value=number)


def _refusal(line: bytes, number: int) -> InputError:
    fields = re.split(rb"[ \t]+", line.strip(b" \t"))
    for place, ((name, pattern), value) in enumerate(zip(_PATTERNS.items(), fields, strict=False), start=1):
        if not pattern.fullmatch(value):
            return InputError(_wanted(name), field=f"line {number}, field {place} ({name})", value=readable(value))
    reason = f"must have {len(_PATTERNS)} fields, not {len(fields)}"
    return InputError(reason, field=f"line {number}", value=readable(line))


def _wanted(name: str) -> str:
    """Return the requirement for the field of this name."""
    if name == "status":
        return "must be a whole number in at most 15 ASCII digits"
    decimals = ", decimals allowed" if name in DECIMALS else ""
    unknown = "" if name == "number" else " or -1 for unknown"
    return f"must be a number from 0 on in at most 15 ASCII digits{decimals}{unknown}"


def _comment(line: bytes, key: str) -> tuple[str, str]:
    text = readable(line.strip(b" \t;"))
    if match := _KEY.fullmatch(text):
        return match[1], match[2]
    return (key, text) if text else ("", "")


def job_log(log: SwfLog) -> JobLog:
    """Return the jobs of a log by id; ids are ``J`` and the number in the log.

    The following are skipped: parts of an execution (the whole job has a separate line), jobs with unknown submission,
    wait, running time or processors, and jobs that ran for no time. Processors are the allocated ones; if unknown or 0,
    the requested ones.

    Raises `InputError` if no job is left.
    """
    found = Collected()
    for number, job in enumerate(log.jobs, start=1):
        if job.status in PARTIAL:
            found.skip("part of an execution")
        elif job.submit is None:
            found.skip("submit time unknown")
        elif job.wait is None:
            found.skip("wait time unknown")
        elif job.run_time is None:
            found.skip("running time unknown")
        elif not job.width:
            found.skip("processors unknown or 0")
        else:
            if job.has_undefined_status:
                found.note(UNDEFINED_STATUS)
            if not job.processors:
                found.note("processors requested, for want of those allocated")
            start = job.submit + job.wait
            made = LoggedJob(f"J{job.number}", job.submit, start, start + job.run_time, job.width)
            found.add(made, f"job {number}, number", f"job {number}, wait", f"job {number}, run_time")
    return found.log(log.name, log.sha256, "swf", log.max_processors, log.acknowledgement)
