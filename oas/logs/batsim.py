"""Reader of the job logs that Batsim writes (``…_jobs.csv``), plain or compressed.

Columns are identified by their current or former names; the order and further columns do not matter. The times of a job
are `submission_time`, `starting_time` and `finish_time`. Some versions write them in six digits, such as
4.53445e+06. `execution_time` and `waiting_time`, if given, may differ by this rounding: the running time is then
`execution_time`, and the job is counted as such. A greater difference is refused. Batsim counts time in seconds from
the start of the simulation.
"""

from __future__ import annotations

import hashlib
import re
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.logs.invalid_lines import InvalidLines
from oas.logs.logged import MOST, Collected, JobLog, LoggedJob, Owner, Row, csv_splitter, resolution, rows

if TYPE_CHECKING:
    from oas.logs.logged import Time

REQUIRED = ("job_id", "submission_time", "requested_number_of_resources", "starting_time", "finish_time")
NEVER_STARTED = frozenset({"REJECTED", "NOT_SUBMITTED", "SUBMITTED"})
RENAMED = {  # in files of older versions
    "jobID": "job_id",
    "requested_number_of_processors": "requested_number_of_resources",
    "allocated_processors": "allocated_resources",
}
STATES = NEVER_STARTED | {
    "RUNNING",
    "COMPLETED_SUCCESSFULLY",
    "COMPLETED_FAILED",
    "COMPLETED_WALLTIME_REACHED",
    "COMPLETED_KILLED",
}
DIGITS = 6  # of times in C++ streams without a given precision
ROUNDED = "times rounded: the running time is execution_time, which is not finish_time − starting_time"
MOST_NODES = 1_000_000  # maximum number of resources of a job
_UNKNOWN = re.compile(r"|-1(\.0*)?|-?nan", re.ASCII | re.IGNORECASE)


def parse_batsim(data: bytes, name: str, invalid: InvalidLines | None = None) -> JobLog:
    """Read a log called `name`; invalid lines are refused, unless they may be left out.

    Ids are ``workload!job``, as in Batsim, or only the job if there is no column `workload_name`. Processors are those
    of the column `allocated_resources` if it exists; otherwise the requested ones.

    Raises `InputError` naming line, column and value; also if no job ran.
    """
    collected = Collected()
    invalid = invalid or InvalidLines()
    for row in rows(data, csv_splitter(), REQUIRED, today, invalid):
        try:
            _collect(row, collected)
        except InputError as error:
            invalid.refuse(error)
    return collected.log(name, hashlib.sha256(data).hexdigest(), "batsim", invalid=invalid)


def today(column: str) -> str:
    """Return the current name of a column."""
    return RENAMED.get(column.strip(), column.strip())


def _collect(row: Row, collected: Collected) -> None:
    job = row.name("job_id")
    if row.values.get("workload_name"):
        job = f"{row.name('workload_name')}!{job}"
    submit, requested = row.time("submission_time"), row.count("requested_number_of_resources")
    state = row.values.get("final_state", "")
    if "final_state" in row.values and state not in STATES:
        raise row.refusal(f"unknown; known: {', '.join(sorted(STATES))}", "final_state")
    if state in NEVER_STARTED or _UNKNOWN.fullmatch(row.values["starting_time"]):
        collected.skip(f"never started ({state.lower().replace('_', ' ') or 'no starting time'})")
        return
    start = row.time("starting_time")
    end = None if _UNKNOWN.fullmatch(row.values["finish_time"]) else row.time("finish_time")
    if end is None and state not in ("RUNNING", ""):
        raise row.refusal(f"missing, though the job is {state}", "finish_time")
    length = _stated(row, "execution_time", "starting_time", "finish_time", None if end is None else end - start)
    _stated(row, "waiting_time", "submission_time", "starting_time", start - submit)
    if end is not None and length is not None and length != end - start:
        end = start + length
        collected.note(ROUNDED)
    nodes = _nodes(row)
    if nodes is not None and len(nodes) != requested:
        collected.note("allocated another number of resources than requested; those allocated count")
    processors = requested if nodes is None else len(nodes)
    if not processors:
        collected.skip("no resources")
        return
    if end is not None and end > start and state not in ("", "COMPLETED_SUCCESSFULLY"):
        collected.note(f"ran, and ended as {state.lower().replace('_', ' ')}")
    logged = LoggedJob(job, submit, start, end, processors, nodes, Owner.of(row.values))
    collected.add(logged, row.place("job_id"), row.place("starting_time"), row.place("finish_time"))


def _stated(row: Row, column: str, first: str, last: str, difference: Time | None) -> Time | None:
    """Return a stated duration; None if it is unknown.

    Raises `InputError` if, to the digits written, or six digits, it is not the `difference` of `last` and `first`.
    """
    text = row.values.get(column, "")
    if difference is None or _UNKNOWN.fullmatch(text):
        return None
    stated = row.time(column)
    tolerance = sum((_rounding(row.values[one], row.time(one)) for one in (column, first, last)), Fraction(0))
    if abs(Fraction(stated) - Fraction(difference)) > tolerance:
        raise row.refusal(
            f"must be {last} − {first}, which is {float(difference):.12g}, or differ by no more than the rounding of"
            " these times to six digits",
            column,
        )
    return stated


def _rounding(text: str, value: Time) -> Fraction:
    """Return the unit in the last place of a number as written, or in its sixth digit if that is coarser."""
    sixth = Fraction(10) ** (len(str(int(value))) - DIGITS) if value >= 1 else Fraction(0)
    return max(resolution(text), sixth)


def _nodes(row: Row) -> tuple[int, ...] | None:
    """Return the numbers in an interval set such as ``0-3 7``; None if the file does not contain it."""
    if not row.values.get("allocated_resources"):
        return None
    nodes: set[int] = set()
    count = 0
    for part in row.values["allocated_resources"].replace(",", " ").split():
        first, dash, last = part.partition("-")
        ends = (first, last if dash else first)
        if not all(text.isascii() and text.isdigit() and len(text) < len(str(MOST)) for text in ends):
            raise row.refusal("must be numbers and intervals such as 0-3 7", "allocated_resources")
        low, high = int(ends[0]), int(ends[1])
        count += high - low + 1
        if not low <= high or count > MOST_NODES:
            reason = f"must be intervals that ascend, of at most {MOST_NODES} resources in all"
            raise row.refusal(reason, "allocated_resources")
        nodes.update(range(low, high + 1))
    if len(nodes) != count:
        raise row.refusal("names a resource twice", "allocated_resources")
    return tuple(sorted(nodes))
