"""`oas appraise`."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from oas.cli import options as opt
from oas.cli.output import ExitCode, check_target, exit_code, put_all, put_json, uninterrupted
from oas.cli.solve_arguments import SolveArguments
from oas.core.errors import naming

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.io.logs.logged import JobLog
    from oas.studies.appraisal import Appraisal
    from oas.studies.window_appraisal import Figures, WindowAppraisal

Others = Literal["all", "earlier"]


def _usable_folder(_param: typer.CallbackParam, path: str | None) -> str | None:
    """Refuse at once a folder that could not be made or written to."""
    if path is not None:
        check_target(str(Path(path) / "window-1.json"), "--save", makes_folder=True)
    return path


def appraise_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The log, plain or .gz; - for stdin.")],
    format: opt.LogFormat = None,
    processors: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Of the cluster; otherwise what the log says, if it does.")
    ] = None,
    strict: opt.Strict = False,
    unit: opt.LogUnit = None,
    jobs: Annotated[int, typer.Option(metavar="N", min=1, help="In each window.")] = 15,
    windows: Annotated[int, typer.Option(metavar="N", min=1, help="At most so many, one after another.")] = 10,
    skip: Annotated[int, typer.Option(metavar="N", min=0, help="Pass over so many jobs first, by submission.")] = 0,
    since: Annotated[
        str | None, typer.Option("--from", metavar="TIME", help="Only jobs submitted then or later, in the log's time.")
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Only jobs submitted before.")] = None,
    busy: Annotated[
        str | None,
        typer.Option(
            metavar="LOAD",
            help="Only windows of at least this load, such as 0.9, wherever they begin; else the busiest alone.",
        ),
    ] = None,
    others: Annotated[
        Others, typer.Option(help="Whose processors the window's jobs cannot have: all other jobs', or earlier ones'.")
    ] = "all",
    heuristic: Annotated[
        list[str] | None,
        typer.Option("--heuristic", metavar="NAME", help="Set this heuristic beside: FCFS, EASY, …; repeatable."),
    ] = None,
    threshold: Annotated[
        str, typer.Option(metavar="TIME", help="Of the bounded slowdown: shorter jobs count as so long.")
    ] = "10",
    solver: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            callback=opt.found_solver,
            help="For all of it; otherwise bounds first, then CP-SAT if there.",
        ),
    ] = None,
    time_limit: Annotated[float, typer.Option(metavar="SECONDS", min=0.001, help="For each window.")] = 30.0,
    total_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", min=0.001, help="For all windows; the rest is left.")
    ] = None,
    memory_limit: opt.MemoryLimit = None,
    threads: opt.Threads = SolveArguments.threads,
    seed: opt.Seed = SolveArguments.seed,
    save: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            callback=_usable_folder,
            help="Also write each window there: instance, observed schedule, result.",
        ),
    ] = None,
    gantt: Annotated[
        str | None,
        typer.Option(
            metavar="PICTURE",
            callback=opt.usable_picture,
            help="Also draw the window furthest from its optimum, observed and best: a .png, .svg or .pdf file.",
        ),
    ] = None,
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
    from oas.io.logs.logs import read_log
    from oas.show.progress import ProgressLine
    from oas.studies.appraisal import appraise

    log = read_log(file, format, unit, strict=strict)
    more: dict[str, Any] = {"solver": solver} if solver else {}
    with ProgressLine(quiet) as progress:
        appraisal = appraise(
            log,
            processors=processors,
            jobs=jobs,
            windows=windows,
            skip=skip,
            since=_moment(log, since, "--from"),
            until=_moment(log, until, "--until"),
            busy=busy,
            others=others,
            heuristics=heuristic or (),
            threshold=threshold,
            time_limit=time_limit,
            total_limit=total_limit,
            memory_limit=opt.memory_bytes(memory_limit),
            threads=threads or None,
            seed=seed,
            on_progress=progress,
            **more,
        )
    with uninterrupted() as delivery:
        delivery.save(partial(_save, appraisal), save)
        if as_json:
            put_json(_document(appraisal))
        else:
            _print(appraisal)
    if gantt:
        _draw(appraisal, gantt)
    raise typer.Exit(_code(appraisal))


def _moment(log: JobLog, text: str | None, option: str) -> Any:
    from oas.io.logs.logs import moment_in

    with naming(option):
        return None if text is None else moment_in(log, text)


def _code(appraisal: Appraisal) -> ExitCode:
    if appraisal.interrupted:
        return ExitCode.INTERRUPTED
    codes = [exit_code(row.result) for row in appraisal.rows if row.result is not None]
    worst = max(codes, default=ExitCode.DONE)
    return ExitCode.VIOLATION if appraisal.violated and worst == ExitCode.DONE else worst


def _print(appraisal: Appraisal) -> None:
    from oas.cli.tables.appraisal_tables import notes, summary_table, window_table

    tables = [window_table(appraisal)]
    if len(appraisal.rows) > 1 or any(row.heuristics for row in appraisal.rows):
        tables.append(summary_table(appraisal))
    for table in tables:
        put_all(table, "")
    put_all(*notes(appraisal))


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
        "log": {
            "name": log.name,
            "sha256": log.sha256,
            "format": log.format,
            "acknowledgement": log.acknowledgement,
            "jobs": len(log.jobs),
            "skipped": dict(log.skipped),
            "noted": dict(log.noted),
        },
        "windows": [_window_document(row) for row in appraisal.rows],
        "left": appraisal.left,
        "interrupted": appraisal.interrupted,
    }


def _window_document(row: WindowAppraisal) -> dict[str, Any]:
    window, result = row.window, row.result
    return {
        "window": window.name,
        "jobs": window.jobs,
        "load": str(window.load),
        "origin": str(window.origin),
        "instance": None if window.instance is None else window.instance.digest,
        "violations": [{"rule": one.rule, "message": one.message} for one in window.violations],
        "status": None if result is None else result.status.value,
        "termination": None if result is None else result.termination.value,
        "lower_bound": _text(result.lower_bound if result else None),
        "proof": str(result.proof) if result and result.proof else None,
        "seconds": result.seconds.get("total") if result else None,
        "schedules": [_figures_document(row, one) for one in row.schedules],
        "notes": list(row.notes),
    }


def _figures_document(row: WindowAppraisal, one: Figures) -> dict[str, Any]:
    return {
        "method": one.method,
        "makespan": str(one.makespan),
        "above_optimum_least": _text(row.at_least(one)),
        "above_optimum_most": _text(row.at_most(one)),
        "mean_wait": str(one.mean_wait),
        "bounded_slowdown": str(one.bounded_slowdown),
        "utilisation": str(one.utilisation),
    }


def _text(value: Fraction | None) -> str | None:
    return None if value is None else str(value)
