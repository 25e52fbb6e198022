"""An SWF log as what its jobs held: start = submit + wait, end = start + running time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.io.logs.logged import Collected, JobLog, LoggedJob
from oas.io.logs.swf import PARTIAL, UNDEFINED_STATUS

if TYPE_CHECKING:
    from oas.io.logs.swf import SwfLog


def job_log(log: SwfLog) -> JobLog:
    """Return a log's jobs by what they held; ids are ``J`` and the number in the log.

    Skipped are parts of an execution (the whole job has a line of its own) and jobs of which submission, wait or
    running time is unknown, which ran for no time, or of which no number of processors is known. Processors are those
    allocated; where unknown or 0, those requested.

    Raises
    ------
    InputError
        If no job is left.
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
