"""`oas appraise`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from oas.cli import options as opt
from oas.cli.output import attributes, check_target, deliver, leave, log_document
from oas.core.errors import naming

if TYPE_CHECKING:
    from oas.io.logs.logged import JobLog
    from oas.studies.appraisal import Appraisal
    from oas.studies.window_appraisal import Figures, WindowAppraisal


def _usable_folder(_param: typer.CallbackParam, path: str | None) -> str | None:
    """Refuse at once a folder that could not be made or written to."""
    if path is not None:
        check_target(str(Path(path) / "window-1.json"), "--save", makes_folder=True)
    return path


@dataclass(frozen=True)
class LogOptions:
    """How the log is read."""

    format: opt.LogFormat = None
    processors: int | None = opt.option(None, "N", "Of the cluster; otherwise what the log says, if it does.", min=1)
    strict: opt.Strict = False
    unit: opt.LogUnit = None


@dataclass(frozen=True)
class WindowOptions:
    """Which windows are appraised, and how: arguments of `oas.appraise`."""

    jobs: int = opt.option(15, "N", "In each window.", min=1)
    windows: int = opt.option(10, "N", "At most so many, one after another.", min=1)
    skip: int = opt.option(0, "N", "Pass over so many jobs first, by submission.", min=0)
    since: str | None = opt.option(None, "TIME", "Only jobs submitted then or later, in the log's time.", "--from")
    until: str | None = opt.option(None, "TIME", "Only jobs submitted before.")
    busy: str | None = opt.option(
        None, "LOAD", "Only windows of at least this load, such as 0.9, wherever they begin; else the busiest alone."
    )
    others: Literal["all", "earlier"] = Option(
        "all", help="Whose processors the window's jobs cannot have: all other jobs', or earlier ones'."
    )
    heuristic: list[str] | None = opt.option(None, "NAME", "Set this heuristic beside: FCFS, EASY, …; repeatable.")
    threshold: str = opt.option("10", "TIME", "Of the bounded slowdown: shorter jobs count as so long.")
    solver: str | None = opt.option(
        None, "NAME", "For all of it; otherwise bounds first, then CP-SAT if there.", callback=opt.found_solver
    )
    time_limit: float = opt.option(30.0, "SECONDS", "For each window.", min=0.001)
    total_limit: float | None = opt.option(None, "SECONDS", "For all windows; the rest is left.", min=0.001)
    memory_limit: opt.MemoryLimit = None
    threads: opt.Threads = opt.SolveArguments.threads
    seed: opt.Seed = opt.SolveArguments.seed

    def of(self, log: JobLog) -> dict[str, Any]:
        """Return the arguments of `oas.appraise` for a log."""
        asked = {name: value for name, value in vars(self).items() if name not in ("heuristic", "solver")}
        return {
            **asked,
            "since": _moment(log, self.since, "--from"),
            "until": _moment(log, self.until, "--until"),
            "heuristics": self.heuristic or (),
            "memory_limit": opt.memory_bytes(self.memory_limit),
            "threads": self.threads or None,
            **({"solver": self.solver} if self.solver else {}),
        }


def _moment(log: JobLog, text: str | None, option: str) -> Any:
    from oas.io.logs.log import moment_in

    with naming(option):
        return None if text is None else moment_in(log, text)


def appraise_command(
    file: Annotated[str, Argument(metavar="FILE", help="The log, plain or .gz; - for stdin.")],
    reading: LogOptions,
    asked: WindowOptions,
    save: str | None = opt.option(
        None, "FOLDER", "Also write each window there: instance, observed schedule, result.", callback=_usable_folder
    ),
    gantt: str | None = opt.picture(
        "Also draw the window furthest from its optimum, observed and best: a .png, .svg or .pdf file.", default=None
    ),
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Show how far from optimal a scheduler was: windows of its log beside the best that could have been done.

    Logs are Batsim's …_jobs.csv, SWF, or what sacct --parsable2 prints. A window is so many jobs in the order of their
    submission. Its optimum knows all of them and their running times beforehand, but starts none before its submission,
    and leaves every other job where it was. Where none is proven in time it is given as a range.

    The load of a window is the sum of running time times processors over its jobs, divided by (processors of the
    cluster times the time from the first submission to when the last of them would have ended, had none waited).

    A log that holds more processors than there are in some window breaks a rule: that window is compared with nothing,
    and the exit code is 3. Ctrl-C keeps what is finished.

    Examples
    --------
      oas appraise out_jobs.csv --processors 64
      oas appraise KTH-SP2.swf.gz --skip 2000 --windows 20 --heuristic EASY --gantt worst.png
      oas appraise KTH-SP2.swf.gz --busy 1.2 --windows 20
      sacct -aXP -o JobID,Submit,Start,End,NNodes,State -S 2026-03-01 | oas appraise - --format sacct --processors 128
    """
    from oas.io.logs.log import read_log
    from oas.show.logs import appraisal_parts
    from oas.show.progress import ProgressLine
    from oas.studies.appraisal import appraise

    log = read_log(file, reading.format, reading.unit, strict=reading.strict)
    with ProgressLine(quiet) as progress:
        appraisal = appraise(log, processors=reading.processors, on_progress=progress, **asked.of(log))
    windows = partial(_save, appraisal), save
    deliver(partial(_document, appraisal), lambda: [*appraisal_parts(appraisal)][1:], as_json, windows)
    if gantt:
        _draw(appraisal, gantt)
    results = [row.result for row in appraisal.rows]
    leave(results, interrupted=appraisal.interrupted, violated=appraisal.violated)


def _save(appraisal: Appraisal, path: str) -> None:
    """Write what each window is and what was found, as `oas verify` and `oas plot` read it."""
    from oas.io import save

    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    for number, row in enumerate(appraisal.rows, start=1):
        window = row.window
        if window.instance is not None and window.schedule is not None:
            save(window.instance, folder / f"window-{number}.json")
            save(window.schedule, folder / f"window-{number}-observed.json", instance=window.instance)
        if row.result is not None:
            save(row.result, folder / f"window-{number}-result.json")


def _draw(appraisal: Appraisal, path: str) -> None:
    """Observed and best schedule of the window that is furthest from its optimum, its costliest job outlined."""
    from oas import plots

    rows = [row for row in appraisal.rows if row.observed is not None and row.best is not None]
    if not rows:
        sys.stderr.write("no window to draw\n")
        return
    row = max(rows, key=lambda one: one.observed.makespan / one.best.makespan)  # type: ignore[union-attr]
    assert row.window.instance is not None and row.observed is not None and row.best is not None
    best = "optimum" if row.proven else "best"
    shown = {f"observed, {row.window.name}": row.observed.schedule, best: row.best.schedule}
    bound = row.result.lower_bound if row.result else None
    said = _costliest(row)
    figure = plots.comparison_figure(row.window.instance, shown, lower_bound=bound, outlined=said, crop=True)
    plots.save_figure(figure, path)
    for text in (*said.values(), f"picture of {row.window.name} written to {path}"):
        sys.stderr.write(f"{text}\n")


def _costliest(row: WindowAppraisal) -> dict[str, str]:
    """Return the job that costs the window most, and what is said of it."""
    from oas.core.formats import show_time

    found = row.costliest
    if found is None:
        return {}
    ends = f"ends {show_time(found.alone)} after all others" if found.alone else "is among the last to end"
    best = "optimum" if row.proven else "best schedule"
    later = f", starts {show_time(found.delay)} later than in the {best}" if found.delay > 0 else ""
    return {found.job: f"job {found.job} costs most: {ends}{later}"}


def _document(appraisal: Appraisal) -> dict[str, Any]:
    log = appraisal.log
    assert log is not None
    return {
        "log": log_document(log, len(log.jobs)),
        "windows": [_window_document(row) for row in appraisal.rows],
        **attributes(appraisal, "left", "interrupted"),
    }


def _window_document(row: WindowAppraisal) -> dict[str, Any]:
    window, result = row.window, row.result
    return {
        "window": window.name,
        **attributes(window, "jobs", "load"),
        "origin": str(window.origin),
        "instance": None if window.instance is None else window.instance.digest,
        "violations": window.violations,
        **{name: getattr(result, name, None) for name in ("status", "termination", "lower_bound", "proof")},
        "seconds": result.seconds.get("total") if result else None,
        "schedules": [_figures_document(row, one) for one in row.schedules],
        "notes": row.notes,
    }


def _figures_document(row: WindowAppraisal, one: Figures) -> dict[str, Any]:
    return {
        **attributes(one, "method", "makespan"),
        "above_optimum_least": row.at_least(one),
        "above_optimum_most": row.at_most(one),
        **attributes(one, "mean_wait", "bounded_slowdown", "utilisation"),
    }
