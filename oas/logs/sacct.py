"""Reader of the job logs that SLURM's ``sacct --parsable2`` (or ``--parsable``) prints, plain or gzipped.

Columns are found by the names in the heading, in any case and order: `JobID`, `Submit`, `Start`, one of `End`,
`ElapsedRaw` and `Elapsed`, and the allocation: `AllocCPUS` or `NCPUS`, `AllocNodes` or `NNodes`. `State` is optional.
Times are seconds since 1970, ISO with an offset such as ``+0100``, or ISO without an offset, for which every day has 24
hours. A clock change is then detected if both an end and an elapsed time are given, because they must agree.
"""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal, get_args

from oas.core.errors import InputError, unknown_name
from oas.logs.logged import Collected, JobLog, LoggedJob, Owner, Row, rows

if TYPE_CHECKING:
    from collections.abc import Callable

Unit = Literal["cpus", "nodes"]
UNITS: dict[str, tuple[str, ...]] = {"cpus": ("alloccpus", "ncpus"), "nodes": ("allocnodes", "nnodes")}
_JOB = re.compile(r"\d{1,12}(_\d{1,9})?(\+\d{1,9})?", re.ASCII)
_STEP = re.compile(r"\d{1,12}(_\d{1,9})?(\+\d{1,9})?\.\w+(\+\d{1,9})?", re.ASCII)
_ARRAY_REST = re.compile(r"\d{1,12}_\[[\d,%:\-.…]+\]", re.ASCII)  # waiting tasks of an array, in one line
_UNKNOWN = frozenset({"", "Unknown", "None", "None assigned", "N/A"})
_STATE = re.compile(r"[A-Z_]+( by \d+)?\+?", re.ASCII)
_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:?\d\d)?", re.ASCII)
_ELAPSED = re.compile(r"(?:(?:(\d{1,6})-)?(\d{1,9}):)?(\d\d?):(\d\d)", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_sacct(data: bytes, name: str, unit: Unit | None = None) -> JobLog:
    """Read a log called `name`; `unit`: processors are ``cpus`` or ``nodes``; None if the log has only one of them.

    Job steps (``123.batch``) are skipped; tasks of an array (``123_4``) and components of a heterogeneous job
    (``123+1``) are jobs. Raises `InputError` naming line, column and value; also if no job ran, or the unit is
    ambiguous.
    """
    if unit is not None and unit not in get_args(Unit):
        raise unknown_name(unit, UNITS, "unit")
    collected = Collected()
    column = ""
    for row in rows(data, _splitter(), ("jobid", "submit", "start"), str.lower):
        column = column or _processors_column(row, unit)
        _collect(row, column, collected)
    return collected.log(name, hashlib.sha256(data).hexdigest(), "sacct")


def moment(text: str) -> int:
    """Return an ISO time as seconds since 1970; a time without an offset is taken as UTC.

    Raises `ValueError` if the text is no such time.
    """
    if not _ISO.fullmatch(text):
        raise ValueError("not a time such as 2026-03-01T09:30:00")
    parsed = datetime.fromisoformat(text)
    return (parsed.replace(tzinfo=parsed.tzinfo or UTC) - _EPOCH) // timedelta(seconds=1)


def _splitter() -> Callable[[str], list[str]]:
    """Return a function that splits a line at bars; ``--parsable`` ends every line, even the heading, with one."""
    heading: list[str] = []

    def split(line: str) -> list[str]:
        values = line.split("|")
        if not heading:
            heading.extend(values)
        return values[:-1] if not heading[-1].strip() and not values[-1].strip() else values

    return split


def _processors_column(row: Row, unit: Unit | None) -> str:
    """Return the name of the column with the number of processors."""
    there = {one: [column for column in columns if column in row.values] for one, columns in UNITS.items()}
    if unit is None:
        if all(there.values()):
            raise InputError("the file counts CPUs and nodes: say which a processor is", field="unit")
        unit = "nodes" if there["nodes"] else "cpus"
    if not there[unit]:
        raise InputError(f"has no column {' nor '.join(UNITS[unit])}", value=", ".join(row.values))
    return there[unit][0]


def _collect(row: Row, column: str, collected: Collected) -> None:
    job = row.values["jobid"]
    if _STEP.fullmatch(job):
        collected.skip("job step")
        return
    if _ARRAY_REST.fullmatch(job):
        collected.skip("never started (waiting tasks of an array)")
        return
    if not _JOB.fullmatch(job):
        raise row.refusal("must be a job such as 123, 123_4 or 123+1, or a step such as 123.batch", "jobid")
    state = row.values.get("state", "")
    if state and not _STATE.fullmatch(state):
        raise row.refusal("must be a state in capitals, such as COMPLETED", "state")
    state = state.partition(" ")[0].rstrip("+").lower()
    if row.values["start"] in _UNKNOWN:
        collected.skip(f"never started ({state or 'no start'})")
        return
    submit, start = _moment(row, "submit"), _moment(row, "start")
    end = _end(row, start)
    processors = row.count(column)
    if not processors:
        collected.skip("no processors allocated")
        return
    if end is not None and end > start and state not in ("", "completed"):
        collected.note(f"ran, and ended as {state}")
    logged = LoggedJob(job, submit, start, end, processors, owner=Owner.of(row.values))
    collected.add(
        logged, row.place("jobid"), row.place("start"), row.place("end" if "end" in row.values else "elapsed")
    )


def _moment(row: Row, column: str) -> int:
    text = row.values[column]
    if text.isascii() and text.isdigit():
        return row.count(column)
    try:
        return moment(text)
    except ValueError as error:
        raise row.refusal("must be seconds since 1970, or a time such as 2026-03-01T09:30:00", column) from error


def _end(row: Row, start: int) -> int | None:
    """Return the end of the job; None if it had not ended."""
    elapsed = _elapsed(row)
    if "end" not in row.values:
        if elapsed is None:
            raise InputError("has no column end nor elapsed nor elapsedraw", value=", ".join(row.values))
        running = row.values.get("state", "") in ("RUNNING", "SUSPENDED", "COMPLETING")
        return None if running else start + elapsed
    if row.values["end"] in _UNKNOWN:
        return None
    end = _moment(row, "end")
    if elapsed is not None and end >= start and end - start != elapsed:
        reason = (
            f"the job took {elapsed} s by its elapsed time and {end - start} s by start and end, as where the clock was"
            " changed (then print seconds: SLURM_TIME_FORMAT=%s) or the job suspended (then leave out the elapsed time)"
        )
        raise row.refusal(reason, "end")
    return end


def _elapsed(row: Row) -> int | None:
    if "elapsedraw" in row.values:
        return row.count("elapsedraw")
    if "elapsed" not in row.values:
        return None
    match = _ELAPSED.fullmatch(row.values["elapsed"])
    if not match:
        raise row.refusal("must be a length such as 1-02:03:04 or 02:03:04", "elapsed")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return ((24 * days + hours) * 60 + minutes) * 60 + seconds
