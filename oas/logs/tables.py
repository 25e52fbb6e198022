"""Display of job logs, streams of jobs, simulations and appraisals."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oas.core.formats import MISSING, show_count, show_factor, show_percent, show_ratio, show_time
from oas.core.numbers import as_float
from oas.logs.logged import Owner, Workload
from oas.logs.swf import SwfLog
from oas.show.frames import frame_with
from oas.show.tables import Table, log_counts, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas

    from oas.logs.appraisal import Appraisal
    from oas.logs.log import Log
    from oas.logs.logged import LoggedJob, SubmittedJob
    from oas.logs.simulation import Simulation
    from oas.logs.swf import SwfJob
    from oas.logs.window_appraisal import Figures, WindowAppraisal
    from oas.queueing.stream import JobStream
    from oas.show.tables import Part

_COMMON = ("job", "submit", "start", "end", "wait", "run_time", "processors")
_OF_SWF = (
    *("status", "user", "group", "queue", "partition", "application"),
    *("requested_processors", "requested_time"),
)


def log_frame(log: Log) -> pandas.DataFrame:
    """See `Log.to_frame`."""
    if isinstance(log.source, SwfLog):
        return frame_with((*_COMMON, *_OF_SWF), map(_swf_row, log.source.jobs))
    rows = map(_workload_row, log.source.jobs) if isinstance(log.source, Workload) else map(_row, log.source.jobs)
    frame = frame_with((*_COMMON, *Owner._fields), rows)
    return frame.drop(columns=[name for name in Owner._fields if not any(frame[name])])


def log_text(log: Log) -> str:
    """Return name, format and size of a log, and its acknowledgement."""
    size = MISSING if log.processors is None else f"{log.processors:,}"
    heading = f"Log {log.name} ({log.format}): {show_count(len(log.source.jobs), 'job')}, {size} processors"
    return text(heading, [log.acknowledgement, *log.remarks])


def _swf_row(job: SwfJob) -> tuple[Any, ...]:
    start = None if job.submit is None or job.wait is None else job.submit + job.wait
    end = None if start is None or job.run_time is None else start + job.run_time
    times = [as_float(value) for value in (job.submit, start, end, job.wait, job.run_time)]
    return (f"J{job.number}", *times, *(as_float(getattr(job, name)) for name in ("processors", *_OF_SWF)))


def _row(job: LoggedJob) -> tuple[Any, ...]:
    run_time = None if job.end is None else job.end - job.start
    times = (job.submit, job.start, job.end, job.start - job.submit, run_time)
    return (job.id, *map(as_float, times), job.processors, *job.owner)


def _workload_row(job: SubmittedJob) -> tuple[Any, ...]:
    times = (job.submit, None, None, None, job.run_time)
    return (job.id, *map(as_float, times), job.width, *job.owner.values())


def stream_text(stream: JobStream) -> str:
    """Return name and size of a stream, and the processors of its machine."""
    size = MISSING if stream.machine is None else f"{stream.machine:,}"
    started = "" if stream.starts is None else ", with starts"
    heading = f"JobStream {stream.name}: {show_count(len(stream), 'job')}{started}, {size} processors"
    return text(heading, [stream.acknowledgement, *stream.remarks])


def simulation_parts(simulation: Simulation) -> Iterator[Part]:
    """Yield the size, a table with one row per policy, and notes."""
    rows, stream = simulation.rows, simulation.stream
    machine = show_count(simulation.processors, "processor"), show_count(len(simulation.reservations), "reservation")
    size = f"{show_count(len(stream), 'job')} on {', '.join(machine)}"
    statistics = ("mean", "median", "95 %", "most")
    waits, slowdowns = ([f"{name}\n{statistic}" for statistic in statistics] for name in ("wait", "slowdown"))
    yield size
    yield Table(
        ("policy", "makespan", "utilisation", *waits, *slowdowns, "verified"),
        [
            [
                row.policy,
                show_time(row.makespan),
                show_percent(row.utilisation),
                *(f"{value:,.0f}" for value in vars(row.wait).values()),
                *(f"{value:,.2f}" for value in vars(row.bounded_slowdown).values()),
                "a rule is broken" if row.violations else "yes",
            ]
            for row in rows
        ],
        side=[f"{name} {statistic}" for statistic in statistics[1:] for name in ("slowdown", "wait")],
        names=("verified",),
        styles=["red" if row.violations else "" for row in rows],
    )
    yield from ("", *(f"{row.policy}: {violation}" for row in rows for violation in row.violations))
    yield (
        f"times in seconds; bounded slowdown: shorter jobs count as {show_time(simulation.threshold)} s;"
        " utilisation: of the processors left by reservations"
    )
    yield from (f"log: {stream.name}, {size}", *log_counts(skipped=stream.skipped, kept=stream.noted))


def appraisal_parts(appraisal: Appraisal) -> Iterator[Part]:
    """Yield a table with one row per window, means per method if there are several rows or heuristics, and notes."""
    rows = appraisal.rows
    name = "an instance" if appraisal.log is None else appraisal.log.name
    left = f", {appraisal.skipped:,} not appraised" if appraisal.skipped else ""
    yield f"{name}: {show_count(len(rows), 'window')}{left}"
    yield Table(
        (
            *("window", "jobs", "makespan", "optimum", "above\noptimum", "mean wait\n/ best"),
            *("bounded slow-\ndown / best", "utilisation\n/ best", "proof"),
        ),
        [_window_cells(row) for row in rows],
        side=("jobs", "utilisation / best", "proof", "bounded slowdown / best", "mean wait / best", "makespan"),
        names=("proof",),
        styles=["" if row.observed else "red" for row in rows],
    )
    if len(rows) > 1 or any(row.heuristics for row in rows):
        headings = ("method", "windows", "optimal", "above\noptimum", "mean wait", "bounded\nslowdown", "utilisation")
        by_method: defaultdict[str, list[tuple[WindowAppraisal, Figures]]] = defaultdict(list)
        for row in rows:
            for figures in row.schedules:
                by_method[figures.method].append((row, figures))
        means = [(method, *_means(pairs)) for method, pairs in by_method.items()]
        yield from ("", Table(headings, means, side=("windows", "utilisation", "bounded slowdown", "mean wait")))
    yield from ("", *_appraisal_notes(appraisal))


def _window_cells(row: WindowAppraisal) -> list[str]:
    observed, best = row.observed, row.best
    first = [row.window.name, str(row.window.jobs), show_time(Fraction(row.window.makespan))]
    if observed is None or best is None:
        return [*first, *[MISSING] * 5, "a rule is broken"]
    return [
        *first,
        _optimum(row),
        _range(row.at_least(observed), row.at_most(observed)),
        f"{_rounded(observed.mean_wait)} / {_rounded(best.mean_wait)}",
        " / ".join(
            MISSING if figures.bounded_slowdown is None else f"{float(figures.bounded_slowdown):,.2f}"
            for figures in (observed, best)
        ),
        f"{show_percent(observed.utilisation)} / {show_percent(best.utilisation)}",
        row.result.proof.kind.value.replace("_", " ") if row.result and row.result.proof else MISSING,
    ]


def _optimum(row: WindowAppraisal) -> str:
    """Return the optimum, or the range that contains it."""
    best = None if row.best is None else row.best.makespan
    if row.proven:
        return show_time(best)
    return f"{show_time(row.result.lower_bound if row.result else None)} to {show_time(best)}"


def _range(least: Fraction | None, most: Fraction | None) -> str:
    if least == most or most is None:
        return show_percent(least)
    return f"{show_percent(least).removesuffix(' %')} to {show_percent(most)}"


def _rounded(value: Fraction | None) -> str:
    """Return a mean time, rounded to whole units from 100 on."""
    return show_time(Fraction(round(value)) if value is not None and value >= 100 else value)


def _means(pairs: Sequence[tuple[WindowAppraisal, Figures]]) -> list[str]:
    optimal = sum(row.at_most(figures) == 0 for row, figures in pairs)
    return [
        str(len(pairs)),
        str(optimal),
        _range(
            _mean([row.at_least(figures) for row, figures in pairs]),
            _mean([row.at_most(figures) for row, figures in pairs]),
        ),
        _rounded(_mean([figures.mean_wait for _, figures in pairs])),
        show_ratio(_mean([figures.bounded_slowdown for _, figures in pairs])),
        show_percent(_mean([figures.utilisation for _, figures in pairs])),
    ]


def _mean(values: Sequence[Fraction | None]) -> Fraction | None:
    known = [value for value in values if value is not None]
    return Fraction(sum(known, Fraction(0)), len(known)) if known and len(known) == len(values) else None


def _appraisal_notes(appraisal: Appraisal) -> list[str]:
    notes = []
    if appraisal.rows:
        proven = sum(row.proven for row in appraisal.rows)
        notes.append(f"{proven} of {show_count(len(appraisal.rows), 'window')} proven")
    loads = [row.window.load for row in appraisal.rows]
    if appraisal.busy is not None and loads:
        if max(loads) < appraisal.busy:
            least = show_factor(appraisal.busy)
            notes.append(f"no window has a load of {least}: this is the busiest, with {show_ratio(loads[0])}")
        else:
            notes.append(f"loads of the windows: {show_ratio(min(loads))} to {show_ratio(max(loads))}")
    if appraisal.skipped:
        reason = "interrupted" if appraisal.interrupted else "time limit"
        notes.append(f"{appraisal.skipped} more not appraised ({reason})")
    for row in appraisal.rows:
        notes += [f"{row.window.name}: {violation}" for violation in row.window.violations[:3]]
        notes += [f"{row.window.name}: {note}" for note in row.notes]
        if row.result is not None and row.result.message and not row.proven:
            notes.append(f"{row.window.name}: {row.result.message}")
    if appraisal.violated:
        advices = dict.fromkeys(row.window.advice for row in appraisal.rows if row.window.advice)
        notes.append("; ".join(["windows with a broken rule are not compared", *advices]))
    if appraisal.log is not None:
        log = appraisal.log
        notes.append(f"log: {log.name}, {show_count(len(log.jobs), 'job')} that ran")
        notes += log_counts(skipped=log.skipped, kept=log.noted)
    return notes
