"""Reader of job logs as streams of arrays: submission, running time, processors and owner of each job.

The starts in the log are ignored, so a stream also contains jobs whose wait is unknown.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.errors import InputError, unknown_name
from oas.core.numbers import Exact, integer
from oas.core.rigid import usage_over_time
from oas.io.files import naming_file
from oas.logs.invalid_lines import InvalidLines
from oas.logs.log import log_bytes, parse_jobs
from oas.logs.logged import OWNER_FIELDS, STILL_RUNNING, JobLog, stem, ticks_in_second
from oas.logs.swf import (
    PARTIAL,
    REQUESTED,
    STATUSES,
    UNDEFINED_STATUS,
    HeaderLine,
    SwfJob,
    SwfLog,
    exact_number,
    job_lines,
    place,
    taken,
    undefined_status,
)
from oas.queueing.stream import NEVER, UNKNOWN, JobStream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from oas.io.files import Source
    from oas.logs.logged import Time, Workload
    from oas.logs.sacct import Unit

    Numbers = NDArray[np.int64]
    Flags = NDArray[np.bool_]

_NEEDED = ("number", "submit", "run_time", "processors", "requested_processors", "status")


def read_stream(
    path: Source,
    format: str | None = None,
    unit: Unit | None = None,
    *,
    processors: int | None = None,
    owner: str | Sequence[str] = "user",
    skip_wider: bool = False,
    strict: bool = False,
    host_speed: Exact | None = None,
    timezone: str | None = None,
    skip_invalid: bool = False,
) -> JobStream:
    """Read a job log as a stream of jobs, in the order of their submission; ties in the order of the file.

    The following are skipped and counted: jobs with unknown submission, running time or processors, jobs that ran for
    no time or never ended, and lines for a part of an execution. Processors are the allocated ones; in SWF, the
    requested ones if those are unknown or 0.

    Raises `InputError` naming file, line, field and value; also if no job is left.

    Parameters
    ----------
    path, format, unit, strict, host_speed, timezone, skip_invalid
        As `oas.logs.log.read`.
    processors
        Number of processors of the machine; None for the number in the log, if any.
    owner
        The fields that identify owners: ``user``, ``group`` or ``account``; for SWF ``user``, ``group``, ``queue``,
        ``partition`` or ``application``. Several fields identify an owner together.
    skip_wider
        Whether jobs wider than the machine are skipped and counted; otherwise they are refused.

    Returns
    -------
    JobStream
        Its ticks are seconds or, if the log's times need it, 1/10, 1/100, … of a second.
    """
    by = (owner,) if isinstance(owner, str) else tuple(owner)
    for name in by:
        if name not in OWNER_FIELDS:
            raise unknown_name(name, OWNER_FIELDS, "owner")
    size = None if processors is None else integer(processors, "processors", least=1)
    with naming_file(path):
        data, kind = log_bytes(path, format, unit, strict=strict, timezone=timezone)
        invalid = InvalidLines(skip_invalid)
        if kind == "swf":
            return _of_table(data, stem(path, ".swf"), size, by, skip_wider, strict, invalid)
        return _of_jobs(parse_jobs(data, path, kind, unit, timezone, invalid, host_speed), size, by, skip_wider)


class _SwfTable:
    """Some fields of all jobs of an SWF log as arrays, in the order of the file; errors as `swf.job_lines`."""

    def __init__(self, data: bytes, fields: Iterable[str], invalid: InvalidLines) -> None:
        names = [name for name in SwfJob._fields if name in set(fields)]
        self.header: list[HeaderLine] = []  # comments before the first job
        # The values that are not integers, as (job, field, value). The arrays contain them rounded down.
        self.decimals: list[tuple[int, str, Time]] = []
        lines, table = array("q"), array("q")
        for line, texts in job_lines(data, names, self.header, invalid):
            try:
                table.extend(map(int, texts))
            except ValueError:
                values = dict(zip(names, map(exact_number, texts), strict=True))
                del table[len(names) * len(lines) :]
                table.extend(map(int, values.values()))
                self.decimals += [(len(lines), *one) for one in values.items() if one[1].denominator != 1]
            lines.append(line)
        rows = np.frombuffer(table, dtype=np.int64).reshape(-1, len(names))
        self.lines = np.frombuffer(lines, dtype=np.int64)  # line number of each job, from 1
        self.fields = {name: rows[:, column].copy() for column, name in enumerate(names)}  # -1 for unknown


def _of_table(
    data: bytes,
    name: str,
    processors: int | None,
    by: tuple[str, ...],
    skip_wider: bool,
    strict: bool,
    invalid: InvalidLines,
) -> JobStream:
    """Return the jobs of an SWF log."""
    table = _SwfTable(data, (*_NEEDED, *by), invalid)
    log = SwfLog(name, hashlib.sha256(data).hexdigest(), tuple(table.header), ())
    fields, status = table.fields, table.fields["status"]
    undefined = (status != UNKNOWN) & ~np.isin(status, STATUSES)
    refused = np.zeros(len(status), dtype=np.bool_)
    for row in np.flatnonzero(undefined).tolist() if strict else ():
        invalid.refuse(undefined_status(int(status[row]), int(table.lines[row])))
        refused[row] = True
    partial = np.isin(status, sorted(PARTIAL))
    for row in _repeated_numbers(table, ~partial & ~refused):
        invalid.refuse(taken(int(table.lines[row]), int(fields["number"][row])))
        refused[row] = True
    requested = fields["processors"] <= 0
    width = np.where(requested, fields["requested_processors"], fields["processors"])
    second, (submit, time) = _in_ticks(table, ("submit", "run_time"))
    selection = _Selection(len(width), ~refused)
    selection.skipped.update(invalid.skipped)
    selection.skip("part of an execution", partial)
    selection.skip("submit time unknown", submit < 0)
    selection.skip("running time unknown", time < 0)
    selection.skip("processors unknown or 0", width <= 0)
    selection.skip("running time 0", time == 0)
    machine = processors or log.max_processors

    def width_place(job: int) -> str:
        return place(int(table.lines[job]), "requested_processors" if requested[job] else "processors")

    selection.check_width(width, machine, skip_wider, width_place)
    selection.note(UNDEFINED_STATUS, undefined)
    selection.note(REQUESTED, requested)
    owner: Numbers
    owners: tuple[tuple[str, ...], ...] = ()
    if len(by) == 1 and by[0] in fields:
        owner = fields[by[0]]
    else:
        columns = [fields[one].tolist() if one in fields else [UNKNOWN] * len(width) for one in by]
        owner, owners = _numbered(
            tuple("" if value == UNKNOWN else str(value) for value in row) for row in zip(*columns, strict=True)
        )
    columns_of_stream = (fields["number"], submit, time, width, owner)
    return selection.stream(
        log, columns_of_stream, second=second, machine=machine, owner_fields=by, owners=owners, remarks=invalid.remarks
    )


def _numbered(owners: Iterable[tuple[str, ...]]) -> tuple[Numbers, tuple[tuple[str, ...], ...]]:
    """Return a number for the owner of each job, -1 if all its fields are unknown, and the owners by number."""
    values = list(owners)
    distinct = sorted({one for one in values if any(one)})
    number = {one: index for index, one in enumerate(distinct)}
    return np.array([number.get(one, UNKNOWN) for one in values], dtype=np.int64), tuple(distinct)


def _repeated_numbers(table: _SwfTable, whole: Flags) -> list[int]:
    """Return the rows whose number an earlier one has; parts of an execution have the number of the whole job."""
    rows = np.flatnonzero(whole)
    order = rows[np.argsort(table.fields["number"][rows], kind="stable")]
    return sorted(order[1:][np.diff(table.fields["number"][order]) == 0].tolist())


def _in_ticks(table: _SwfTable, names: Iterable[str]) -> tuple[int, list[Numbers]]:
    """Return the number of ticks in a second, and the times of these fields in ticks, below 0 for unknown."""
    columns = {name: table.fields[name] for name in names}
    decimals = [one for one in table.decimals if one[1] in columns]
    second = ticks_in_second(value for _, _, value in decimals)
    for name, values in columns.items():
        if int(values.max()) * second >= NEVER:
            job = int(np.argmax(values))
            reason = f"too long for times in {second:,}ths of a second, as other times of the log are"
            raise InputError(reason, field=place(int(table.lines[job]), name), value=int(values[job]))
        columns[name] = values * second
    for job, name, value in decimals:
        columns[name][job] = int(value * second)
    return second, list(columns.values())


def _of_jobs(log: JobLog | Workload, processors: int | None, by: tuple[str, ...], skip_wider: bool) -> JobStream:
    """Return the jobs of a log that has an object for each."""
    ended = [job for job in log.submitted() if job.run_time is not None]
    times = [(job.submit or 0, job.run_time or 0) for job in ended]
    second = ticks_in_second(one for pair in times for one in pair)
    submit, time = np.array([[int(one * second) for one in pair] for pair in times] or np.empty((0, 2))).T
    width = np.array([job.width for job in ended], dtype=np.int64)
    selection = _Selection(len(ended))
    selection.skipped.update(log.skipped)
    if len(ended) < len(log.jobs):
        selection.skipped["still running"] = len(log.jobs) - len(ended)
    machine = processors or log.max_processors
    selection.check_width(width, machine, skip_wider, lambda job: f"job {ended[job].id}, processors")
    ids = np.array([job.id for job in ended])
    owner, owners = _numbered(tuple(str(job.owner.get(name) or "") for name in by) for job in ended)
    columns = (ids, submit, time, width, owner)
    selection.noted = {remark: number for remark, number in log.noted.items() if remark != STILL_RUNNING}
    remarks = (*log.remarks, *(_overload(log, machine) if isinstance(log, JobLog) else ()))
    return selection.stream(
        log, columns, second=second, machine=machine, owner_fields=by, owners=owners, remarks=remarks
    )


def _overload(log: JobLog, machine: int | None) -> Iterator[str]:
    """Yield a remark if the nodes held at one moment are more than there are, as if jobs shared nodes."""
    if log.unit != "nodes" or log.shares_nodes is False or machine is None:
        return
    runs = [(Fraction(job.start), Fraction(job.end), job.processors) for job in log.jobs if job.end is not None]
    most = max((held for _, held in usage_over_time(runs)), default=0)
    if most > machine:
        yield (
            f"jobs of the log held {most} of {machine} nodes at one moment and seem to share nodes: count"
            " CPUs by --unit cpus (column AllocCPUS)"
        )


class _Selection:
    """The jobs of a log that are in the stream, and the reasons why others are not."""

    def __init__(self, count: int, included: Flags | None = None) -> None:
        self._included = np.ones(count, dtype=np.bool_) if included is None else included
        self._remarks: dict[str, Flags] = {}
        self.skipped: Counter[str] = Counter()
        self.noted: dict[str, int] = {}  # remarks that count jobs of the log

    def skip(self, reason: str, which: Flags) -> None:
        """Skip these jobs; the first reason counts."""
        count = int(np.count_nonzero(self._included & which))
        if count:
            self.skipped[reason] += count
            self._included &= ~which

    def note(self, remark: str, which: Flags) -> None:
        """Record a remark about included jobs."""
        self._remarks[remark] = which

    def check_width(self, width: Numbers, machine: int | None, skip_wider: bool, named: Callable[[int], str]) -> None:
        """Skip or refuse jobs wider than the machine; `named` is the name of the processors of a job in errors."""
        if machine is None:
            return
        wider = width > machine
        if skip_wider:
            self.skip(f"wider than the machine of {machine} processors", wider)
            return
        refused = np.flatnonzero(self._included & wider)
        if refused.size:
            more = f", and so {refused.size - 1} more" if refused.size > 1 else ""
            reason = (
                f"wider than the machine of {machine} processors{more}: give the right number of processors, or have"
                " such jobs skipped"
            )
            raise InputError(reason, field=named(int(refused[0])), value=int(width[refused[0]]))

    def stream(
        self,
        log: SwfLog | JobLog | Workload,
        columns: Iterable[NDArray[Any]],
        **further: Any,
    ) -> JobStream:
        """Return the included jobs by submission; the columns are ids, submit, time, processors and owner."""
        rows = np.flatnonzero(self._included)
        if not rows.size:
            counts = "; ".join(f"{reason}: {number}" for reason, number in self.skipped.items())
            raise InputError(f"the log holds no job that can be simulated (skipped: {counts or 'none'})")
        noted = {remark: int(np.count_nonzero(which[rows])) for remark, which in self._remarks.items()}
        ids, submit, time, width, owner = columns
        rows = rows[np.argsort(submit[rows], kind="stable")]
        return JobStream(
            ids[rows],
            submit[rows],
            time[rows],
            width[rows],
            owner[rows],
            skipped=dict(self.skipped),
            noted=self.noted | {remark: number for remark, number in noted.items() if number},
            name=log.name,
            format=log.format,
            sha256=log.sha256,
            acknowledgement=log.acknowledgement,
            **further,
        )
