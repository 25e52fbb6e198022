"""Appraisal of a scheduler: windows of its log, each compared with the best schedule of the same jobs.

The optimum assumes complete information: all jobs of the window and their actual running times are known in advance. It
is restricted by the release dates (no job starts before its submission) and by the processors that other jobs occupied
(`oas.logs.windows`). An on-line scheduler cannot be expected to reach it; the distance is an upper limit on the
possible improvement of the makespan.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.formats import attributes
from oas.core.registry import MOSP
from oas.core.result import Termination
from oas.core.schedule import Schedule
from oas.core.verifier import verify
from oas.logs.log import Log, read_log
from oas.logs.logged import JobLog
from oas.logs.window_appraisal import WindowAppraisal, appraise_window
from oas.logs.windows import OBSERVED, Window, choose, cluster_size, least_load, load_of, window_of
from oas.mosp.instance import MospInstance
from oas.solving.methods import as_method, find_method
from oas.solving.options import Options
from oas.solving.study import Study, StudyClock, frame_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    import pandas

    from oas.core.numbers import Exact
    from oas.io.files import Source
    from oas.logs.logged import Time
    from oas.logs.windows import Others
    from oas.solving.method import Method, Scheduler
    from oas.solving.progress import SolveProgress


@dataclass(frozen=True, repr=False)
class Appraisal(Study):
    """The result of an appraisal."""

    DISPLAY = "oas.logs.tables:appraisal_parts"

    rows: tuple[WindowAppraisal, ...]  #: one per window, in the order of the log
    log: JobLog | None = None  #: the log; None for an instance and a schedule
    skipped: int = 0  #: number of windows that were skipped because of the time limit or Ctrl-C
    interrupted: bool = False  #: whether Ctrl-C ended the appraisal. The last row may then be unfinished.
    #: the required minimum load. If no window of the log has it, the only row is the busiest window.
    busy: Fraction | None = None

    @property
    def violated(self) -> bool:
        """Whether some observed schedule breaks a rule."""
        return any(row.window.violations for row in self.rows)

    def to_frame(self) -> pandas.DataFrame:
        """Return one row for each window and schedule (``observed``, ``best``, heuristics); numbers as floats.

        Columns: window, jobs, load, method, makespan, lower_bound, above_optimum_least and above_optimum_most (ratios
        − 1), mean_wait, bounded_slowdown, utilisation, proven, proof.
        """
        return frame_of(
            {
                "window": row.window.name,
                **attributes(row.window, "jobs", "load"),
                **attributes(figures, "method", "makespan"),
                "lower_bound": None if row.result is None else row.result.lower_bound,
                "above_optimum_least": row.at_least(figures),
                "above_optimum_most": row.at_most(figures),
                **attributes(figures, "mean_wait", "bounded_slowdown", "utilisation"),
                "proven": row.proven,
                "proof": str((row.result and row.result.proof) or ""),
            }
            for row in self.rows
            for figures in row.schedules
        )


def appraise(
    source: Source | Log | JobLog | tuple[MospInstance, Schedule],
    *,
    processors: int | None = None,
    jobs: int = 15,
    windows: int = 10,
    skip: int = 0,
    since: Time | None = None,
    until: Time | None = None,
    busy: Exact | None = None,
    others: Others = "all",
    heuristics: Sequence[str | Method | Scheduler] = (),
    threshold: Exact = 10,
    time_limit: float | None = 30.0,
    total_limit: float | None = None,
    on_progress: Callable[[SolveProgress], None] | None = None,
    **solve_options: Any,
) -> Appraisal:
    """Compare the observed schedules of windows of a log with the best possible ones.

    Ctrl-C keeps the finished windows.

    Parameters
    ----------
    source
        A log (`oas.logs.read`), the path of one, or an instance and a schedule of it.
    processors
        Number of processors of the cluster; None for the number in the log.
    jobs, windows, skip, since, until
        Selection of windows: jobs per window, number of consecutive windows, and range (`oas.logs.windows.choose`).
    busy
        Only windows of at least this load, beginning at any job. The load is Σ running time × processors of the jobs /
        (processors × the time from the first submission to the last end if no job had waited). If there is none, only
        the busiest window.
    others
        Jobs whose processors are not available to the window: ``all`` others or only ``earlier`` ones.
    heuristics
        Names, methods or functions for the comparison.
    threshold
        Threshold of the bounded slowdown, in the time unit of the log.
    time_limit, total_limit
        Seconds for each window and for all windows; the remaining windows are skipped. None: no limit.
    on_progress
        As `oas.solve` takes it; the stage names the window.
    **solve_options
        As `oas.solve` takes them. Unless a solver is named, CP-SAT, if it is installed, solves the windows that the
        bounds leave open.

    Raises
    ------
    InputError
        Naming file, field and value.
    """
    options = {"time_limit": time_limit, **solve_options}
    Options(**options, problem=MOSP)
    methods = [
        find_method(heuristic, MospInstance)
        if isinstance(heuristic, str)
        else as_method(getattr(heuristic, "__name__", repr(heuristic)), heuristic)
        for heuristic in heuristics
    ]
    log: JobLog | None = None
    least = None if busy is None else least_load(busy)
    if isinstance(source, tuple):
        count, selected = 1, iter([_window_of_schedule(*source)])
    else:
        log = source.ran if isinstance(source, Log) else source if isinstance(source, JobLog) else read_log(source)
        cluster_size(log, processors)
        places = choose(
            log, jobs=jobs, windows=windows, skip=skip, since=since, until=until, busy=least, processors=processors
        )
        count, selected = len(places), (window_of(log, place, processors, others) for place in places)
    clock = StudyClock(total_limit)
    rows: list[WindowAppraisal] = []
    with clock.interruptible():
        for number, window in enumerate(selected, start=1):
            left = clock.left
            if left == 0:
                break
            limit = min((seconds for seconds in (time_limit, left) if seconds is not None), default=None)
            report = on_progress and partial(_report_numbered, on_progress, f"{number}/{count}")
            rows.append(appraise_window(window, methods, threshold, limit, on_progress=report, **solve_options))
            result = rows[-1].result
            if result is not None and result.termination is Termination.INTERRUPTED:
                raise KeyboardInterrupt
    return Appraisal(tuple(rows), log, count - len(rows), clock.interrupted, least)


def _window_of_schedule(instance: MospInstance, schedule: Schedule) -> Window:
    """Return an instance and its schedule as a window."""
    if not (getattr(instance, "problem", None) is MOSP and isinstance(schedule, Schedule)):
        raise InputError("must be a log, or an instance of organizations and a schedule of it", field="source")
    violations = tuple(verify(instance, schedule))
    name = instance.name or OBSERVED
    load = load_of(((job.release, job.time, job.processors) for job in instance.jobs), instance.node_count)
    return Window(name, len(instance.jobs), 0, schedule.makespan, load, instance, schedule, violations)


def _report_numbered(report: Callable[[SolveProgress], None], number: str, progress: SolveProgress) -> None:
    """Report with the number of the window before the stage."""
    report(replace(progress, stage=f"{number} {progress.stage}"))
