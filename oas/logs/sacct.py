"""Reader of the job logs that SLURM's ``sacct --parsable2`` (or ``--parsable``) prints, plain or gzipped.

Columns are found by the names in the heading, in any case and order: `JobID`, `Submit`, `Start`, one of `End`,
`ElapsedRaw` and `Elapsed`, and the allocation: `AllocCPUS` or `NCPUS`, `AllocNodes` or `NNodes`, or else `AllocTRES`,
`ReqTRES`. `State` and `NodeList` are optional. Any delimiter is found from the heading (`oas.logs.sacct_table`).

Times are seconds since 1970, ISO with an offset such as ``+0100``, or local ISO times. For local times a time zone may
be given. Otherwise changes of clocks are inferred from elapsed times (`oas.logs.clocks.chosen_clock`), and a remark
says if that is not possible.
"""

from __future__ import annotations

import hashlib
import re
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from oas.core.errors import InputError, unknown_name
from oas.logs.clocks import (
    YEARS,
    Clock,
    Resolved,
    Run,
    Stamp,
    chosen_clock,
    clock_of,
    first_second,
    has_zones,
    iso_stamp,
    resolve,
    year_of,
    zone_named,
)
from oas.logs.invalid_lines import InvalidLines
from oas.logs.logged import MOST, Collected, JobLog, LoggedJob, Owner, Row
from oas.logs.sacct_table import ARRAY_REST, COMMAND, JOB, STATE, STEP, UNKNOWN, Heading, SacctTable
from oas.logs.swf import REQUESTED

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from oas.logs.logged import Time

Unit = Literal["cpus", "nodes"]
UNITS: dict[str, tuple[str, ...]] = {"cpus": ("alloccpus", "ncpus"), "nodes": ("allocnodes", "nnodes")}
NO_END = "end unknown: start and elapsed time count"
UNSURE = "local times, in a log that crosses a change of clocks"
_RESOURCES = {"cpus": "cpu", "nodes": "node"}  # names in AllocTRES and ReqTRES
_TABLES = ("alloctres", "reqtres")
_RUNNING = frozenset({
    *("RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING", "RESIZING", "SIGNALING", "STAGE_OUT", "STOPPED"),
    *("R", "S", "CG", "CF", "RS", "SI", "SO", "ST"),
})  # fmt: skip
_WAITING = frozenset({"PENDING", "PD"})
_COUNT = re.compile(r"(\d{1,15})(\.\d{1,9})?([KMGT]?)", re.ASCII)
_SECONDS = re.compile(r"\d{1,15}(\.\d{1,9})?", re.ASCII)
_ELAPSED = re.compile(r"(?:(?:(\d{1,6})-)?(\d{1,9}):)?(\d\d?):(\d\d)(\.\d{1,9})?", re.ASCII)
_LATEST = first_second(YEARS[-1] + 1)
_TURNED_BACK = 3 * 3600  # seconds; no clocks are turned back by more
_RANGE = r"\d{1,12}(?:-\d{1,12})?"
_NODE_ITEM = re.compile(rf"(?:[^,\[\]]|\[{_RANGE}(?:,{_RANGE})*\])+", re.ASCII)
_NODE_LIST = re.compile(rf"{_NODE_ITEM.pattern}(?:,{_NODE_ITEM.pattern})*", re.ASCII)
_NODES_OF_A_JOB = 100_000
_NODES_READ = 5_000_000  # nodes of all jobs together that are compared to find shared ones


def parse_sacct(
    data: bytes,
    name: str,
    unit: Unit | None = None,
    timezone: str | None = None,
    invalid: InvalidLines | None = None,
) -> JobLog:
    """Read a log called `name`.

    Parameters
    ----------
    unit
        Processors are ``cpus`` or ``nodes``; None if the log has only one of them.
    timezone
        Name of the time zone of local times, such as ``Europe/Berlin``.
    invalid
        Treatment of invalid lines; by default they are refused.

    Returns
    -------
    JobLog
        Job steps (``123.batch``) are skipped; tasks of an array (``123_4``) and components of a heterogeneous job
        (``123+1``) are jobs, and so is each execution of a requeued job. Times are in seconds since 1970.

    Raises
    ------
    InputError
        Naming line, column and value; also if no job ran, or the unit is ambiguous.
    """
    if unit is not None and unit not in get_args(Unit):
        raise unknown_name(unit, UNITS, "unit")
    zone = None if timezone is None else zone_named(timezone)
    return _Reader(unit, zone, invalid or InvalidLines()).log(data, name)


class _Execution(NamedTuple):
    """A row of a job that started."""

    line: int
    id_column: str
    job: str
    state: str
    run: Run
    processors: int
    requested: bool  # whether the processors are those requested
    running: bool  # whether the job had not ended when the row was printed
    suspended: Time
    nodes: str  # their names
    cpus: str
    owner: Owner

    def place(self, column: str) -> str:
        """Return the name of a value in error messages."""
        return f"line {self.line}, {column}"

    @property
    def key(self) -> tuple[str, Time, Time]:
        return self.job, self.run.submit.seconds, self.run.start.seconds

    @property
    def known(self) -> tuple[int, Time]:
        """The amount known about the end, to compare rows of one execution."""
        if self.run.end is not None:
            return 2, 0
        return int(not self.running), self.run.elapsed or 0


class _Reader:
    """Reader of one log."""

    def __init__(self, unit: Unit | None, zone: ZoneInfo | None, invalid: InvalidLines) -> None:
        self._unit, self._zone, self._invalid = unit, zone, invalid
        self._collected = Collected()
        self._clock = Clock()
        self._executions: dict[tuple[str, Time, Time], _Execution] = {}
        self._dated = self._has_end = False  # whether the log has dates, and a column with ends
        self._unexplained = 0  # number of jobs whose dates contradict their elapsed time
        self._cluster = ""

    def log(self, data: bytes, name: str) -> JobLog:
        table = SacctTable(data, self._invalid)
        heading = table.heading
        self._unit = _unit_of(heading, self._unit)
        for row in table:
            if table.heading is not heading:
                heading = table.heading
                self._unit = _unit_of(heading, self._unit)
            try:
                self._take(row)
            except InputError as error:
                self._invalid.refuse(error)
        remarks = self._set_clock()
        times: dict[str, int] = {}
        for execution in self._executions.values():
            times[execution.job] = times.get(execution.job, 0) + 1
            try:
                self._collect(execution, times[execution.job])
            except InputError as error:
                self._invalid.refuse(error)
        if table.mended:
            self._collected.note("text with a delimiter or a line break", table.mended)
        if self._unexplained:
            start = "1 job has" if self._unexplained == 1 else f"{self._unexplained:,} jobs have"
            remarks.append(
                f"{start} another elapsed time than from start to end, as after a suspension"
                f"{' or a change of clocks (--timezone)' if self._clock.shows == 'local' else ''}; start and end count"
            )
        shared = self._shared_node() if self._unit == "nodes" and self._executions else None
        remarks += [shared] if shared else []
        return self._collected.log(
            name,
            hashlib.sha256(data).hexdigest(),
            "sacct",
            clock=self._clock,
            unit=self._unit or "",
            shares_nodes=self._shares_nodes(shared),
            invalid=self._invalid,
            remarks=tuple(remarks),
        )

    def _take(self, row: Row) -> None:
        column = "jobid" if "jobid" in row.values else "jobidraw"
        job = row.values[column]
        if STEP.fullmatch(job):
            self._collected.skip("job step")
            return
        if ARRAY_REST.fullmatch(job):
            self._collected.skip("never started (waiting tasks of an array)")
            return
        if not JOB.fullmatch(job):
            raise row.refusal("must be a job such as 123, 123_4 or 123+1, or a step such as 123.batch", column)
        text = row.values.get("state", "")
        if text and not STATE.fullmatch(text):
            raise row.refusal("must be a state in capitals, such as COMPLETED", "state")
        state = text.partition(" ")[0].rstrip("+")
        if state in _WAITING or _unknown(row, "start"):
            self._collected.skip(f"never started ({state.lower() or 'no start'})")
            return
        self._check_cluster(row)
        submit, start = _stamp(row, "submit"), _stamp(row, "start")
        end = None if _unknown(row, "end") else _stamp(row, "end")
        run = Run(submit, start, end, _elapsed(row))
        processors, requested = self._processors(row)
        suspended = _length(row, "suspended") if row.values.get("suspended") else None
        running = end is None and (state in _RUNNING or (not state and "end" in row.values))
        nodes = row.values.get("nodelist", "") if self._unit == "nodes" else ""
        cpus = next((row.values[name] for name in UNITS["cpus"] if name in row.values), "")
        self._dated = self._dated or ":" in row.values["start"]
        self._has_end = "end" in row.values
        execution = _Execution(
            *(row.line, column, job, state.lower(), run, processors, requested, running, suspended or 0, nodes, cpus),
            owner=Owner.of(row.values),
        )
        self._keep(execution)

    def _check_cluster(self, row: Row) -> None:
        """Refuse a job of another cluster than those before it: the jobs of two clusters share no processors."""
        cluster = row.values.get("cluster", "")
        self._cluster = self._cluster or cluster
        if cluster and cluster != self._cluster:
            reason = (
                f"another cluster than {self._cluster} in the lines before; a log must be of one cluster: print each"
                " with sacct -M"
            )
            raise row.refusal(reason, "cluster")

    def _keep(self, new: _Execution) -> None:
        """Store an execution, unless it is stored; a job may be printed again after it has ended."""
        old = self._executions.get(new.key)
        if old is None:
            self._executions[new.key] = new
            return
        ended = old.run.end is not None and new.run.end is not None
        if ended and (old.run, old.processors) != (new.run, new.processors):
            reason = f"the execution is in line {old.line} with another end or other processors"
            raise InputError(reason, field=new.place(new.id_column), value=new.job)
        self._collected.skip("repeated line")
        if new.known > old.known:
            self._executions[new.key] = new

    def _processors(self, row: Row) -> tuple[int, bool]:
        """Return the number of processors, and whether it is only the requested one."""
        assert self._unit is not None
        for column in UNITS[self._unit]:
            if column in row.values and not _unknown(row, column):
                return _count(row, column, row.values[column]), False
        for column in _TABLES:
            entries = dict(entry.partition("=")[::2] for entry in row.values.get(column, "").split(","))
            if text := entries.get(_RESOURCES[self._unit]):
                return _count(row, column, text), column == "reqtres"
        places = [column for column in (*UNITS[self._unit], *_TABLES) if column in row.values]
        raise row.refusal("has no number of processors", places[0])

    def _set_clock(self) -> list[str]:
        """Choose the clock of local times; return remarks about it."""
        runs = [execution.run for execution in self._executions.values()]
        stamps = [stamp for run in runs for stamp in run.stamps]
        local = [stamp.seconds for stamp in stamps if stamp.offset is None]
        offsets = {stamp.offset for stamp in stamps} - {None, 0}
        if not local:
            if self._dated:
                self._clock = Clock(offset=next(iter(offsets), 0) or 0, shows="offset")
            return []
        if self._zone is not None:
            years = {year_of(seconds) for seconds in local}
            self._clock = clock_of(self._zone, range(min(years), max(years) + 1))
            return []
        choice = chosen_clock(runs)
        self._clock = choice.clock
        remarks = []
        remedy = "give --timezone (such as Europe/Berlin), or print seconds with SLURM_TIME_FORMAT=%s"
        if len(local) < len(stamps):
            remarks.append(f"only some times have an offset or are seconds; the others are taken as UTC: {remedy}")
        if choice.clock.changes:
            alike = " or ".join(clock.zone for clock in choice.rivals[:2])
            unsure = f", but possibly as in {alike}: {remedy}" if alike else ""
            dates = _dates(choice.clock)
            remarks.append(f"clocks changed on {dates} as in {choice.clock.zone}, by the elapsed times{unsure}")
        elif choice.rivals:
            rival = choice.rivals[0]
            remarks.append(
                "times have no offset from UTC, and clocks may have changed meanwhile (in"
                f" {rival.zone} on {_dates(rival)}), so times may be wrong by an hour: {remedy}"
            )
        if not has_zones():
            remarks.append(
                "times have no offset from UTC, and this system has no time zones to find changes of clocks"
                f" (pip install tzdata), so times may be wrong by an hour: {remedy}"
            )
        if choice.rivals or not has_zones():
            self._collected.note(UNSURE, len(runs))
        return remarks

    def _collect(self, execution: _Execution, time: int) -> None:
        run, state = execution.run, execution.state
        resolved = resolve(self._clock, run)
        if resolved is None:
            column, stamp = next(
                (column, stamp)
                for column, stamp in zip(("submit", "start", "end"), run.stamps, strict=False)
                if not self._clock.moments(stamp)
            )
            reason = f"does not exist in {self._clock.zone}: clocks were moved forward"
            shown = Clock(shows="local").show(stamp.seconds)
            raise InputError(reason, field=execution.place(column), value=shown)
        submit, start, end = resolved.submit, resolved.start, resolved.end
        if end is not None and end >= start and run.elapsed is not None and end - start != run.elapsed:
            if end - start == run.elapsed + execution.suspended:
                self._collected.note("suspended meanwhile; holds its processors from start to end")
            else:
                self._unexplained += 1
                self._collected.note("elapsed time differs from start to end; start and end count")
        elif resolved.consistent and not resolved.certain:
            self._collected.note("time that the clocks showed twice; the earlier one counts")
        known_until = None
        if end is None and run.elapsed is not None:
            if execution.running:
                known_until = start + run.elapsed
            else:
                end = start + run.elapsed
                if self._has_end:
                    self._collected.note(NO_END)
        elif end is None and (not execution.running or not state):
            self._collected.skip("end and elapsed time unknown")
            return
        if not execution.processors:
            self._collected.skip("no processors allocated")
            return
        if execution.requested:
            self._collected.note(REQUESTED)
        if end is not None and end > start and state not in ("", "completed", "cd"):
            self._collected.note(f"ran, and ended as {state}")
        if time > 1:
            self._collected.note("further execution of the same job id")
        job = execution.job if time == 1 else f"{execution.job}#{time}"
        logged = LoggedJob(
            job, submit, start, end, execution.processors, owner=execution.owner, known_until=known_until
        )
        hint = "" if resolved.consistent else self._hint(run, resolved)
        self._collected.add(
            logged,
            execution.place(execution.id_column),
            execution.place("start"),
            execution.place("end" if self._has_end else "elapsed"),
            show=self._clock.show,
            hint=hint,
        )

    def _hint(self, run: Run, times: Resolved) -> str:
        """Return a remedy for times in the wrong order, if a change of clocks may be the cause."""
        back = max(times.submit - times.start, times.start - times.end if times.end is not None else 0)
        if self._clock.zone or back > _TURNED_BACK or all(stamp.offset is not None for stamp in run.stamps):
            return ""
        return ", as where clocks were turned back: give --timezone, or print ElapsedRaw or SLURM_TIME_FORMAT=%s"

    def _shares_nodes(self, shared: str | None) -> bool | None:
        """Return whether jobs probably share nodes; `shared` is the result of `_shared_node`.

        A constant number of CPUs per node, above 1, shows that jobs are given whole nodes.
        """
        if self._unit != "nodes" or shared == "" or not self._executions:
            return False
        if shared is not None:
            return True
        ratios = {
            Fraction(int(one.cpus), one.processors)
            for one in self._executions.values()
            if one.cpus.isdecimal() and one.processors
        }
        return not (len(ratios) == 1 and max(ratios) > 1) if ratios else None

    def _shared_node(self) -> str | None:
        """Return a remark about two jobs that held a node together; empty if none do, None if this is not known."""
        executions = sorted(self._executions.values(), key=lambda execution: execution.run.start.seconds)
        last: dict[str, tuple[Time, str]] = {}
        unknown = read = 0
        for execution in executions:
            names = hosts(execution.nodes)
            unknown += not names
            read += len(names)
            if read > _NODES_READ:
                return None
            for node in names:
                until, other = last.get(node, (0, ""))
                if until > execution.run.start.seconds:
                    return (
                        f"jobs {other} and {execution.job} held node {node} at the same time, and counting nodes counts"
                        " it twice: count CPUs by --unit cpus (column AllocCPUS)"
                    )
                last[node] = _end_seconds(execution.run), execution.job
        return None if unknown else ""


def _end_seconds(run: Run) -> Time:
    return run.start.seconds + (run.elapsed or 0) if run.end is None else run.end.seconds


@lru_cache(maxsize=4096)
def hosts(text: str) -> tuple[str, ...]:
    """Return the nodes in a list such as ``n[1-3,7],login``; empty if it is not such a list or has too many."""
    if text.lower() in UNKNOWN or not _NODE_LIST.fullmatch(text):
        return ()
    names: list[str] = []
    for item in _NODE_ITEM.findall(text):
        alike = [""]  # the names in this item: one for each combination of numbers
        for place, piece in enumerate(re.split(r"\[(.*?)\]", item)):  # every second piece was in brackets
            numbers = _numbers(piece) if place % 2 else [piece]
            if not numbers or len(names) + len(alike) * len(numbers) > _NODES_OF_A_JOB:
                return ()
            alike = [name + number for name in alike for number in numbers]
        names += alike
    return tuple(names)


def _numbers(ranges: str) -> list[str]:
    """Return the numbers in a list such as ``08-10,12``; empty if they are too many."""
    numbers: list[str] = []
    for part in ranges.split(","):
        low, _, high = part.partition("-")
        first, last = int(low), int(high or low)
        if len(numbers) + last - first > _NODES_OF_A_JOB:
            return []
        numbers += [f"{number:0{len(low)}d}" for number in range(first, last + 1)]
    return numbers


def _dates(clock: Clock) -> str:
    dates = [clock.show(change.moment)[:10] for change in clock.changes]
    return dates[0] if len(dates) == 1 else f"{dates[0]}, …, {dates[-1]}" if len(dates) > 2 else " and ".join(dates)


def _unit_of(heading: Heading, unit: Unit | None) -> Unit:
    """Return the unit of processors; raises `InputError` if it is ambiguous, or a column is missing."""
    names, place = heading.names, f"line {heading.line}"
    if not {"end", "elapsed", "elapsedraw"} & set(names):
        reason = f"has no column end nor elapsed nor elapsedraw: print it as in {COMMAND}"
        raise InputError(reason, field=place, value=", ".join(names))
    there = {one: any(column in names for column in columns) for one, columns in UNITS.items()}
    tables = any(column in names for column in _TABLES)
    if unit is None:
        if all(there.values()) or (tables and not any(there.values())):
            reason = (
                "the file counts CPUs and nodes: say which a processor is, by --unit cpus or, if no two jobs share a"
                " node, --unit nodes"
            )
            raise InputError(reason, field="unit")
        unit = "nodes" if there["nodes"] else "cpus"
    if not there[unit] and not tables:
        column = {"cpus": "AllocCPUS", "nodes": "NNodes"}[unit]
        reason = f"has no column {' nor '.join(UNITS[unit])}: add {column} to the columns of sacct -o"
        raise InputError(reason, field=place, value=", ".join(names))
    return unit


def _unknown(row: Row, column: str) -> bool:
    text = row.values.get(column, "")
    return not text[:1].isdigit() and text.lower() in UNKNOWN


def _stamp(row: Row, column: str) -> Stamp:
    text = row.values[column]
    if text.isascii() and _SECONDS.fullmatch(text):
        seconds = row.count(column) if text.isdigit() else row.time(column)
        if seconds >= _LATEST:
            raise row.refusal(f"after the year {YEARS[-1]}: must be seconds since 1970, not milliseconds", column)
        return Stamp(seconds)
    try:
        return iso_stamp(text)
    except ValueError as error:
        reason = "must be seconds since 1970 (SLURM_TIME_FORMAT=%s), or a time such as 2026-03-01T09:30:00"
        raise row.refusal(reason, column) from error


def _elapsed(row: Row) -> Time | None:
    """Return the running time that a row states; None if it states none."""
    if not _unknown(row, "elapsedraw"):
        text = row.values["elapsedraw"]
        return int(text) if text.isascii() and text.isdigit() and len(text) < 15 else row.time("elapsedraw")
    return _length(row, "elapsed")


def _length(row: Row, column: str) -> Time | None:
    if _unknown(row, column):
        return None
    text = row.values[column]
    match = _ELAPSED.fullmatch(text)
    if not match:
        raise row.refusal("must be a length such as 1-02:03:04 or 02:03:04", column)
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups()[:4])
    length: Time = ((24 * days + hours) * 60 + minutes) * 60 + seconds
    if match[5]:
        length += Fraction(match[5])
    return length.numerator if length.denominator == 1 else length


def _count(row: Row, column: str, text: str) -> int:
    """Return a number of processors; `sacct` writes 16384 as ``16K``."""
    if text.isascii() and text.isdigit() and len(text) < 15:
        return int(text)
    match = _COUNT.fullmatch(text)
    if not match:
        raise row.refusal("must be a number from 0 on, such as 64 or 16K", column)
    whole, decimals, suffix = match.groups()
    value = int(whole) + Fraction(decimals or 0)
    number = value * 1024 ** " KMGT".index(suffix or " ")
    # SLURM writes a half, such as 1.50K, only for an exact one; other decimals may be rounded
    if number.denominator != 1 or (suffix and value.denominator > 2):
        raise row.refusal("must be a whole number; print it unrounded with sacct --noconvert", column)
    if number >= MOST:
        raise row.refusal(f"must be below {MOST}", column)
    return number.numerator
