"""Job logs of any format: reading, and use in Python (data frame, instances, windows)."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from oas.core import formats
from oas.core.errors import InputError, unknown_name
from oas.core.numbers import parse_fraction
from oas.io.files import MARK, UNPACKING_ERRORS, display_path, naming_file, opened, read_bytes, uncompressed_name
from oas.logs.batsim import REQUIRED as BATSIM_COLUMNS
from oas.logs.batsim import parse_batsim, today
from oas.logs.clocks import iso_stamp
from oas.logs.invalid_lines import InvalidLines
from oas.logs.logged import DELIMITERS, LIMITS, JobLog, Workload, numbered_lines, readable, split_values, stem
from oas.logs.sacct import Unit, parse_sacct
from oas.logs.sacct_table import fault_of, heading_of, is_comment
from oas.logs.slices import Slice, cut, given_organizations
from oas.logs.swf import SwfJob, SwfLog, job_log, parse_swf
from oas.logs.windows import choose, cluster_size, window_of
from oas.logs.workload import parse_workload

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas

    from oas.core.numbers import Exact
    from oas.io.files import Source
    from oas.logs.logged import Time
    from oas.logs.membership import Membership
    from oas.logs.slices import OwnerField, Processors, ZeroRunTime
    from oas.logs.windows import Others, Window
    from oas.mosp.instance import MospInstance


_SUFFIX = {"swf": ".swf", "batsim": ".csv", "sacct": ".txt"}
FORMATS = tuple(_SUFFIX)


def read(
    path: Source,
    format: str | None = None,
    unit: Unit | None = None,
    *,
    strict: bool = False,
    host_speed: Exact | None = None,
    timezone: str | None = None,
    skip_invalid: bool = False,
) -> Log:
    """Read a job log.

    Parameters
    ----------
    path
        A regular file, plain or compressed (gzip, bzip2, xz); ``"-"`` is standard input.
    format
        ``swf``, ``batsim`` or ``sacct``; None to detect it from the first line, or for SWF from the name.
        ``batsim`` includes Batsim's workloads in JSON, which have no starts.
    unit
        For sacct: processors are ``cpus`` or ``nodes``; None if the log has only one of them.
    strict
        For SWF: whether a status that the format does not define is refused; otherwise its job is kept and counted.
    host_speed
        For Batsim's workloads: operations of a host in a second, for profiles that state operations.
    timezone
        For sacct: time zone of times without an offset, such as ``Europe/Berlin``. By default, changes of clocks are
        inferred from elapsed times; `JobLog.remarks` says if times are uncertain.
    skip_invalid
        Whether invalid lines are left out and counted (`JobLog.remarks`); otherwise the log is refused.

    Raises
    ------
    InputError
        Naming file, line, field and value.
    """
    with naming_file(path):
        data, kind = log_bytes(path, format, unit, strict=strict, timezone=timezone)
        invalid = InvalidLines(skip_invalid)
        if kind == "swf":
            log = parse_swf(data, stem(path, _SUFFIX[kind]), strict=strict, invalid=invalid)
            return Log(replace(log, file=display_path(path)))
        return Log(parse_jobs(data, path, kind, unit, timezone, invalid, host_speed))


def read_log(path: Source, format: str | None = None, unit: Unit | None = None, **reading: Any) -> JobLog:
    """Read the jobs of a log that ran; parameters and errors as `read`."""
    log = read(path, format, unit, **reading)
    with naming_file(path):
        return log.ran


def log_bytes(
    path: Source, format: str | None, unit: Unit | None, *, strict: bool, timezone: str | None
) -> tuple[bytes, str]:
    """Return the content of a log file and its format; parameters and errors as for `read`, but without a file name.

    The content is as it is in the file, compressed or not.
    """
    if format is not None and format not in FORMATS:
        raise unknown_name(format, FORMATS, "format")
    data = read_bytes(path, LIMITS["file_bytes"])
    kind = format or _told(data, display_path(path))
    if unit is not None and kind != "sacct":
        raise InputError("only logs of sacct count CPUs and nodes", field="unit", value=unit)
    if timezone is not None and kind != "sacct":
        raise InputError("only logs of sacct have local times", field="timezone", value=timezone)
    if strict and kind != "swf":
        raise InputError("only logs in SWF can be read strictly: the other formats always are", field="strict")
    return data, kind


def parse_jobs(
    data: bytes,
    path: Source,
    format: str,
    unit: Unit | None,
    timezone: str | None,
    invalid: InvalidLines,
    host_speed: Exact | None = None,
) -> JobLog | Workload:
    """Read the jobs of a file that is not in SWF."""
    if format == "batsim" and _is_json(data):
        return parse_workload(data, stem(path, ".json"), host_speed, invalid)
    name = stem(path, _SUFFIX[format])
    if format == "batsim":
        return parse_batsim(data, name, invalid)
    return parse_sacct(data, name, unit, timezone, invalid)


def moment_in(log: JobLog, text: str) -> Time:
    """Return a moment, written by a user, in the log's own time; for sacct it may also be an ISO time.

    Raises `InputError` if the text is no moment.
    """
    try:
        if log.format == "sacct" and "T" in text:
            stamp = iso_stamp(text)
            if log.clock.shows != "local":  # without an offset, a time is in UTC
                return stamp.seconds
            moments = log.clock.moments(stamp)
            if not moments:
                raise InputError(f"does not exist in {log.clock.zone}: clocks were moved forward", value=text)
            return moments[0]
        return parse_fraction(text)
    except ValueError as error:  # which an InputError is
        if isinstance(error, InputError) and "clocks" in error.reason:
            raise
        more = ", or a time such as 2026-03-01T09:30:00" if log.format == "sacct" else ""
        raise InputError(f"must be a number of the log's time units{more}", value=text) from error


def _told(data: bytes, name: str) -> str:
    """Return the format, which the name or the first line identifies."""
    if uncompressed_name(name).lower().endswith(".swf"):
        return "swf"
    if _is_json(data):
        return "batsim"
    lines = (line.strip() for _, line in numbered_lines(data))
    first = next((line for line in lines if line and not is_comment(line.decode(errors="replace"))), b"")
    if not first:
        raise InputError("the file is empty", field="format")
    missing = {format: missing_in(first.decode(errors="replace")) for format, missing_in in _MISSING.items()}
    told = [format for format, text in missing.items() if not text]
    if told:
        return told[0]
    reasons = "; ".join(f"{format}: {text}" for format, text in missing.items())
    reason = f"cannot be told by the name or the first line; {reasons}; name the format if it is one of them (--format)"
    raise InputError(reason, field="format", value=readable(first))


def _is_json(data: bytes) -> bool:
    """Return whether a file contains a JSON object, such as a workload of Batsim."""
    with suppress(*UNPACKING_ERRORS):
        return opened(data).read(1000).removeprefix(MARK).lstrip().startswith(b"{")
    return False


def _missing_in_swf(first: str) -> str:
    """Name the parts of SWF that the first line of a file lacks; empty if none."""
    values = first.partition(";")[0].split()
    if first.startswith(";") or (len(values) == len(SwfJob._fields) and all(map(_NUMBER.fullmatch, values))):
        return ""
    return f"no suffix .swf, and the first line is neither a comment (;) nor {len(SwfJob._fields)} numbers"


def _missing_in_batsim(first: str) -> str:
    """Name the parts of a Batsim log that the first line of a file lacks; empty if none."""
    lacking: list[str] = []
    for delimiter in DELIMITERS:
        with suppress(ValueError):
            columns = {today(column) for column in split_values(first, delimiter)}
            lacking.append(", ".join(name for name in BATSIM_COLUMNS if name not in columns))
    fewest = min(lacking, key=len, default=", ".join(BATSIM_COLUMNS))
    return fewest and f"no heading with {fewest}, nor a JSON object"


def _missing_in_sacct(first: str) -> str:
    """Name the parts of a heading of sacct that the first line of a file lacks; empty if none."""
    if heading_of(first) is not None or fault_of(first):
        return ""
    return "no heading with JobID and the columns of sacct"


_NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)
# Batsim before sacct: older versions of Batsim have a column jobID too.
_MISSING = {"swf": _missing_in_swf, "batsim": _missing_in_batsim, "sacct": _missing_in_sacct}


@dataclass(frozen=True, repr=False)
class Log:
    """A job log.

    Attributes
    ----------
    source
        The log as it was read: for SWF all lines, for workloads all jobs, for other formats the jobs that ran.
    """

    source: SwfLog | JobLog | Workload

    @property
    def name(self) -> str:
        """The file's name without its suffix."""
        return self.source.name

    @property
    def format(self) -> str:
        """``swf``, ``batsim`` or ``sacct``."""
        return self.source.format

    @property
    def processors(self) -> int | None:
        """Processors of the logged system; None if the log does not state them."""
        return self.source.max_processors

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences about invalid lines that were left out, and about uncertain times."""
        return self.source.invalid.remarks if isinstance(self.source, SwfLog) else self.source.remarks

    @property
    def acknowledgement(self) -> str:
        """Whom the log asks to acknowledge; must be kept with all derived data."""
        return self.source.acknowledgement

    @cached_property
    def ran(self) -> JobLog:
        """The jobs that held processors, as `oas.appraise` takes them.

        Raises `InputError` if there is none, or the log has no starts.
        """
        if isinstance(self.source, Workload):
            reason = "a workload of Batsim has no starts to appraise; simulate it (oas simulate), or convert it"
            raise InputError(reason, field="format", value=self.format)
        return job_log(self.source) if isinstance(self.source, SwfLog) else self.source

    @property
    def swf(self) -> SwfLog:
        """The lines of an SWF log.

        Raises `InputError` if the log is of another format.
        """
        if isinstance(self.source, SwfLog):
            return self.source
        raise InputError("must be SWF", field="format", value=self.format)

    def to_frame(self) -> pandas.DataFrame:
        """Return a data frame with a row for each job: job, submit, start, end, wait, run_time, processors.

        Times are floats, in the log's own time; NaN if unknown, such as the end of a job that is still running. For SWF
        there is a row for each line, even if its job did not run, and there are further columns, NaN for unknown:
        status, user, group, queue, partition, application, requested_processors, requested_time. Other formats have
        the columns user, group and account if the log contains them.
        """
        return formats.call_by_path("oas.logs.tables:log_frame", self)

    def to_instance(
        self,
        organizations: int | Membership | Sequence[Mapping[str, object]] | None = None,
        *,
        by: OwnerField = Slice.by,
        first: int = Slice.first,
        count: int = Slice.count,
        processors: Processors = Slice.processors,
        releases: bool = Slice.keep_releases,
        zero_run_time: ZeroRunTime = Slice.zero_run_time,
        where: Mapping[str, int] | None = None,
        local: str = Slice.local,
        seed: int = Slice.seed,
    ) -> MospInstance:
        """Cut an instance of several organizations out of a log, as ``oas convert`` does.

        Parameters
        ----------
        organizations
            The organization of each user, group or account: rules read by `oas.logs.organizations`, or a list of
            mappings such as ``{"user": "ada", "organization": "physics", "processors": 64}``. Or the number of
            organizations: the owners of the jobs are then assigned to them in turn, in a random order (`seed`).
        by
            The field of the log that identifies owners for a random assignment: ``user``, ``group``, ``account``,
            ``queue``, ``partition``, ``application``.
        first, count
            Number (in the log) of the first job of the slice, and number of jobs.
        processors
            Processors of each cluster: ``split`` to distribute those of the logged system evenly, one number for all,
            one per organization, or None for clusters of the size of the logged system, on which jobs hardly compete.
            If the rules of the organizations contain shares, one number is the total that is divided.
        releases
            Whether the release dates are the submissions, counted from the first one; otherwise 0.
        zero_run_time
            ``skip``: jobs with running time 0 are skipped; ``second``: they run for 1 second.
        where
            Only jobs whose fields have these values: of user, group, queue, partition, application, status.
        local
            Policy of the local schedules.
        seed
            Seed of the order of owners and of the policy RND.

        Returns
        -------
        MospInstance
            Its provenance contains the log, its checksum, its acknowledgement, the slice, and the skipped jobs.

        Raises
        ------
        InputError
            Naming the parameter, if the log has too few jobs or owners, or does not contain its number of processors.
        """
        window = Slice(
            organizations=given_organizations(organizations),
            by=by,
            first=first,
            count=count,
            processors=processors,
            keep_releases=releases,
            zero_run_time=zero_run_time,
            where=where or {},
            local=local,
            seed=seed,
        )
        return cut(self.source, window)

    def windows(
        self,
        *,
        jobs: int = 15,
        windows: int = 10,
        skip: int = 0,
        since: Time | None = None,
        until: Time | None = None,
        busy: Exact | None = None,
        processors: int | None = None,
        others: Others = "all",
    ) -> tuple[Window, ...]:
        """Return windows of jobs on one cluster, each an instance with the observed schedule, as ``oas appraise`` does.

        Parameters
        ----------
        jobs, windows, skip, since, until
            Jobs per window, number of consecutive windows, and number of jobs to skip first; only jobs submitted in
            [since, until).
        busy
            Only windows of at least this load, beginning at any job. The load is Σ running time × processors of the
            jobs / (processors × the time from the first submission to the last end if no job had waited). If there is
            none, only the busiest window; `Window.load` is its load.
        processors
            Number of processors of the cluster; None for the number in the log.
        others
            Jobs whose processors are reserved: ``all`` other jobs, or only those submitted ``earlier``.

        Raises
        ------
        InputError
            If no job is left, or the number of processors is not known.
        """
        cluster_size(self.ran, processors)
        chosen = choose(
            self.ran, jobs=jobs, windows=windows, skip=skip, since=since, until=until, busy=busy, processors=processors
        )
        return tuple(window_of(self.ran, places, processors, others) for places in chosen)

    def __repr__(self) -> str:
        return formats.call_by_path("oas.logs.tables:log_text", self)
