"""Jobs that ran, as a log records them: when each was submitted, when it held how many processors, and on which."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.io.logs.swf import PARTIAL, UNDEFINED_STATUS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.io.logs.swf import SwfLog

Time = int | Fraction


@dataclass(frozen=True, slots=True)
class LoggedJob:
    """A job that held processors, in the log's own time."""

    id: str  # unique in the log
    # submit, start, end: submit ≤ start < end; no end where the job was still running when the log was written
    submit: Time
    start: Time
    end: Time | None
    processors: int  # how many it held
    nodes: tuple[int, ...] | None = None  # their numbers, ascending, where the log says


@dataclass(frozen=True)
class JobLog:
    """A log of one cluster."""

    # name, sha256: the file's name without its suffix, and its checksum
    name: str
    sha256: str
    format: str  # ``swf``, ``batsim`` or ``sacct``
    jobs: tuple[LoggedJob, ...] = field(repr=False)  # by submission, ties in the order of the file
    # skipped, noted: how many jobs are not among `jobs`, by reason; and how many are, though there is something to say
    # of them
    skipped: Mapping[str, int] = field(hash=False)
    noted: Mapping[str, int] = field(hash=False)
    processors: int | None = None  # of the cluster, if the log says
    acknowledgement: str = ""  # whom the log asks to acknowledge; to be kept with anything derived


class Collected:
    """Jobs on their way into a log."""

    def __init__(self) -> None:
        self._jobs: list[LoggedJob] = []
        self._ids: set[str] = set()
        self._skipped: Counter[str] = Counter()
        self._noted: Counter[str] = Counter()

    def skip(self, reason: str) -> None:
        """Count a job that is left out."""
        self._skipped[reason] += 1

    def note(self, remark: str) -> None:
        """Count a job that is kept, with something to say of it."""
        self._noted[remark] += 1

    def add(self, job: LoggedJob, id_field: str, start_field: str, end_field: str) -> None:
        """Keep a job, unless it ran for no time; the fields are what errors name.

        Raises `InputError` if the id is taken, or the job starts before it was submitted or ends before it started.
        """
        if job.id in self._ids:
            raise InputError("the id is taken", field=id_field, value=job.id)
        self._ids.add(job.id)
        if job.start < job.submit:
            reason = f"job {job.id} starts before it was submitted, at {job.submit}"
            raise InputError(reason, field=start_field, value=str(job.start))
        if job.end is not None and job.end < job.start:
            raise InputError(
                f"job {job.id} ends before it started, at {job.start}", field=end_field, value=str(job.end)
            )
        if job.end == job.start:
            self.skip("running time 0")
            return
        if job.end is None:
            self.note("still running: holds its processors from its start on, and is not appraised")
        self._jobs.append(job)

    def log(self, name: str, sha256: str, format: str, processors: int | None = None, acknowledge: str = "") -> JobLog:
        """Return the log; raises `InputError` if no job is left."""
        if not self._jobs:
            counts = "; ".join(f"{reason}: {number}" for reason, number in self._skipped.items())
            raise InputError(f"the log holds no job that ran (skipped: {counts or 'none'})")
        jobs = tuple(sorted(self._jobs, key=lambda job: job.submit))
        return JobLog(name, sha256, format, jobs, dict(self._skipped), dict(self._noted), processors, acknowledge)


def job_log(log: SwfLog) -> JobLog:
    """Return a log's jobs by what they held; ids are ``J`` and the number in the log.

    Skipped are parts of an execution (the whole job has a line of its own) and jobs of which submission, wait or
    running time is unknown, which ran for no time, or of which no number of processors is known. Processors are those
    allocated; where unknown or 0, those requested.

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
