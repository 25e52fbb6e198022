"""Display of job logs, streams of jobs and simulations: data frames and text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.core.formats import MISSING, show_count, show_percent, show_time
from oas.core.numbers import as_float
from oas.io.logs.swf import SwfLog
from oas.show.frames import frame_with
from oas.show.views import text

if TYPE_CHECKING:
    import pandas

    from oas.core.stream import JobStream
    from oas.io.logs.log import Log
    from oas.io.logs.logged import LoggedJob
    from oas.io.logs.swf import SwfJob
    from oas.studies.simulation import Simulation

_COMMON = ("job", "submit", "start", "end", "wait", "run_time", "processors")
_OF_SWF = (
    *("status", "user", "group", "queue", "partition", "application"),
    *("requested_processors", "requested_time"),
)


def log_frame(log: Log) -> pandas.DataFrame:
    """See `Log.to_frame`."""
    if isinstance(log.source, SwfLog):
        return frame_with((*_COMMON, *_OF_SWF), map(_swf_row, log.source.jobs))
    return frame_with(_COMMON, map(_row, log.source.jobs))


def log_text(log: Log) -> str:
    """Return what the log is, how many jobs it has, and whom to acknowledge."""
    size = MISSING if log.processors is None else f"{log.processors:,}"
    heading = f"Log {log.name} ({log.format}): {show_count(len(log.source.jobs), 'job')}, {size} processors"
    return text(heading, [log.acknowledgement])


def _swf_row(job: SwfJob) -> tuple[Any, ...]:
    start = None if job.submit is None or job.wait is None else job.submit + job.wait
    end = None if start is None or job.run_time is None else start + job.run_time
    times = [as_float(one) for one in (job.submit, start, end, job.wait, job.run_time)]
    return (f"J{job.number}", *times, *(as_float(getattr(job, name)) for name in ("processors", *_OF_SWF)))


def _row(job: LoggedJob) -> tuple[Any, ...]:
    run_time = None if job.end is None else job.end - job.start
    times = (job.submit, job.start, job.end, job.start - job.submit, run_time)
    return (job.id, *map(as_float, times), job.processors)


def stream_text(stream: JobStream) -> str:
    """Return how many jobs there are, and on what machine."""
    size = MISSING if stream.machine is None else f"{stream.machine:,}"
    started = "" if stream.starts is None else ", with starts"
    heading = f"JobStream {stream.name}: {show_count(len(stream), 'job')}{started}, {size} processors"
    return text(heading, [stream.acknowledgement])


def simulation_text(simulation: Simulation) -> str:
    """Return a line a policy."""
    jobs, blocks = show_count(len(simulation.stream), "job"), show_count(len(simulation.reservations), "reservation")
    return text(
        f"Simulation: {jobs} on {show_count(simulation.processors, 'processor')}, {blocks}",
        (
            f"{row.policy}: makespan {show_time(row.makespan)}, utilisation {show_percent(row.utilisation)},"
            f" mean wait {row.wait.mean:,.1f}, mean bounded slowdown {row.bounded_slowdown.mean:,.2f}"
            + (f"; breaks {show_count(len(row.violations), 'rule')}" if row.violations else "")
            for row in simulation.rows
        ),
    )
