"""`oas appraise` and `oas simulate`: job logs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import typer
from typer import Option

from oas import plots
from oas.cli import options as opt
from oas.cli.output import attributes, check_target, deliver, leave, log_document, put_remarks
from oas.core.errors import naming
from oas.core.formats import show_time
from oas.io import save
from oas.logs.appraisal import Appraisal, appraise
from oas.logs.csv_rows import write_jobs
from oas.logs.log import moment_in, read_log
from oas.logs.logged import JobLog
from oas.logs.simulation import Simulation, simulate
from oas.logs.tables import appraisal_parts, simulation_parts
from oas.logs.window_appraisal import WindowAppraisal
from oas.show.progress import ProgressLine


def _writable_folder(_param: typer.CallbackParam, path: str | None) -> str | None:
    if path is not None:
        check_target(str(Path(path) / "window-1.json"), "--save", makes_folder=True)
    return path


@dataclass(frozen=True)
class WindowOptions:
    """Arguments of `oas.appraise`."""

    processors: int | None = opt.option(None, "N", "Processors of the cluster. Default: as in the log.", min=1)
    jobs: int = opt.option(15, "N", "Number of jobs in each window.", min=1)
    windows: int = opt.option(10, "N", "Maximum number of consecutive windows.", min=1)
    skip: int = opt.option(0, "N", "Number of jobs to skip first, in order of submission.", min=0)
    since: str | None = opt.option(None, "TIME", "Only jobs submitted at or after this time of the log.", "--from")
    until: str | None = opt.option(None, "TIME", "Only jobs submitted before this time.")
    busy: str | None = opt.option(
        None,
        "LOAD",
        "Only windows of at least this load, such as 0.9, starting at any job; if there is none, the busiest window.",
    )
    others: Literal["all", "earlier"] = Option(
        "all", help="Jobs outside the window whose processors stay occupied: all, or only those submitted earlier."
    )
    heuristic: list[str] | None = opt.option(None, "NAME", "Also run this heuristic, such as EASY; repeatable.")
    threshold: str = opt.option("10", "TIME", "Bounded slowdown: minimum running time, in the log's unit.")
    solver: str | None = opt.option(
        None,
        "NAME",
        "Use this solver alone. Default: bounds first, then CP-SAT if it is installed.",
        callback=opt.installed_solver,
    )
    time_limit: float = opt.option(30.0, "SECONDS", "Wall-time limit for each window.", min=0.001)
    total_limit: float | None = opt.option(
        None, "SECONDS", "Wall-time limit for all windows. Default: no limit.", min=0.001
    )
    memory_limit: opt.MemoryLimit = None
    threads: opt.Threads = opt.SolveArguments.threads
    seed: opt.Seed = opt.SolveArguments.seed

    def arguments(self, log: JobLog) -> dict[str, Any]:
        return {
            **{name: value for name, value in vars(self).items() if name not in ("heuristic", "solver")},
            "since": _moment(log, self.since, "--from"),
            "until": _moment(log, self.until, "--until"),
            "heuristics": self.heuristic or (),
            "memory_limit": self.memory_limit,
            "threads": self.threads or None,
            **({"solver": self.solver} if self.solver else {}),
        }


def _moment(log: JobLog, text: str | None, option: str) -> Any:
    with naming(option):
        return None if text is None else moment_in(log, text)


def appraise_command(
    file: opt.LogFile,
    *,
    reading: opt.LogReading,
    window: WindowOptions,
    save: str | None = opt.option(
        None,
        "FOLDER",
        "Also write each window to this folder: instance, observed schedule and result.",
        callback=_writable_folder,
    ),
    gantt: str | None = opt.picture("Also draw the window furthest from its optimum, observed and best schedule"),
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Compare the schedule in a job log with the optimum, window by window.

    Accepted logs are Batsim's …_jobs.csv, SWF, and the output of sacct --parsable2. A window consists of --jobs jobs,
    consecutive in order of submission. Its optimal schedule is computed with full knowledge of these jobs and their
    running times, but no job starts before its submission and all other jobs keep their logged times. If the optimum
    is not proven within the time limit, it is shown as a range.

    The load of a window is the sum of running time times processors over its jobs, divided by the processors of the
    cluster times the period from the first submission to the time when the last job would have ended without waiting.

    If the log uses more processors than the cluster has, the schedule of that window breaks a rule: the window is
    reported without a comparison, and the exit code is 3. Ctrl-C keeps the finished windows.

    Examples
    --------
      oas appraise out_jobs.csv --processors 64
      oas appraise KTH-SP2.swf.gz --skip 2000 --windows 20 --heuristic EASY --gantt worst.png
      oas appraise KTH-SP2.swf.gz --busy 1.2 --windows 20
      SLURM_TIME_FORMAT=%s sacct -aXDP -o JobID,Submit,Start,End,ElapsedRaw,State,AllocCPUS -S 2026-03-01 > log
      oas appraise log --processors 128
    """
    log = read_log(file, **vars(reading))
    put_remarks(log.remarks)
    with ProgressLine(quiet) as progress:
        appraisal = appraise(log, on_progress=progress, **window.arguments(log))
    files = partial(_save, appraisal), save
    deliver(partial(_appraisal_document, appraisal), lambda: [*appraisal_parts(appraisal)][1:], as_json, files)
    if gantt:
        _draw(appraisal, gantt)
    results = [row.result for row in appraisal.rows]
    leave(results, interrupted=appraisal.interrupted, violated=appraisal.violated)


def _save(appraisal: Appraisal, path: str) -> None:
    """Write the files of each window, for `oas verify` and `oas plot`."""
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
    """Draw the observed and the best schedule of the window furthest from its optimum; outline its costliest job."""
    rows = [row for row in appraisal.rows if row.observed is not None and row.best is not None]
    if not rows:
        sys.stderr.write("no window to draw\n")
        return
    row = max(rows, key=lambda row: row.observed.makespan / row.best.makespan)  # type: ignore[union-attr]
    assert row.window.instance is not None and row.observed is not None and row.best is not None
    best = "optimum" if row.proven else "best"
    schedules = {f"observed, {row.window.name}": row.observed.schedule, best: row.best.schedule}
    bound, claimed = (None, False) if row.result is None else (row.result.lower_bound, row.result.is_claimed)
    outlined = _costliest(row)
    figure = plots.comparison_figure(
        row.window.instance, schedules, lower_bound=bound, claimed=claimed, outlined=outlined, crop=True
    )
    plots.save_figure(figure, path)
    for text in (*outlined.values(), f"picture of {row.window.name} written to {path}"):
        sys.stderr.write(f"{text}\n")


def _costliest(row: WindowAppraisal) -> dict[str, str]:
    """Return the job with the greatest effect on the window's makespan, and a sentence about it."""
    job = row.costliest
    if job is None:
        return {}
    ends = f"ends {show_time(job.alone)} after all others" if job.alone else "is among the last to end"
    best = "optimum" if row.proven else "best schedule"
    later = f", starts {show_time(job.delay)} later than in the {best}" if job.delay > 0 else ""
    return {job.job: f"job {job.job} costs most: {ends}{later}"}


def _appraisal_document(appraisal: Appraisal) -> dict[str, Any]:
    log = appraisal.log
    assert log is not None
    return {
        "log": log_document(log, len(log.jobs)),
        "windows": [_window_document(row) for row in appraisal.rows],
        "left": appraisal.skipped,
        "interrupted": appraisal.interrupted,
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
        "seconds": result.solve_seconds if result else None,
        "schedules": [
            {
                **attributes(figures, "method", "makespan"),
                "above_optimum_least": row.at_least(figures),
                "above_optimum_most": row.at_most(figures),
                **attributes(figures, "mean_wait", "bounded_slowdown", "utilisation"),
            }
            for figures in row.schedules
        ],
        "notes": row.notes,
    }


@dataclass(frozen=True)
class SimulationOptions:
    """Arguments of `oas.simulate` about the simulation."""

    reservations: str | None = opt.option(
        None,
        "FILE",
        "CSV file with columns start,end,processors; times in seconds of the log.",
    )
    processors: int | None = opt.option(None, "N", "Processors of the machine. Default: as in the log.", min=1)
    at_once: bool = Option(False, "--at-once", help="Off-line: submit all jobs together with the first.")
    threshold: str = opt.option("10", "SECONDS", "Bounded slowdown: minimum running time in seconds.")


def simulate_command(
    log: opt.LogFile,
    policy: list[str] | None = opt.option(
        None,
        "NAME",
        "EASY, conservative, FCFS-strict, or list scheduling: FCFS, SJF, BJF, SPT, LPT; repeatable. Default: EASY.",
    ),
    *,
    simulated: SimulationOptions,
    reading: opt.StreamOptions,
    output: str | None = opt.output("Also write a CSV file with one row per policy and job.", opt.usable_csv),
    as_json: opt.AsJson = False,
) -> None:
    """Simulate queueing policies on a job log, around reservations: waits, slowdowns, utilisation.

    Accepted logs are SWF, Batsim's …_jobs.csv and workloads (JSON), and the output of sacct --parsable2. A policy
    learns of each job and its running time, which is that of the log, when the job is submitted. A job starts only if
    it can run to its end without overlapping a reservation. A million jobs take seconds.

    Every schedule is verified: each job runs once, for its time, not before its submission, and no more processors are
    used than exist. The property of each policy is verified too. Conservative backfilling: no job is delayed by a later
    one. EASY: the first job of the queue is not delayed. List scheduling: no waiting job fits into idle processors.
    FCFS-strict: jobs start in order of submission. The exit code is 3 if a rule or a property is violated.

    The output file has the columns id, submit, start, end, processors, owner, wait, policy.

    Examples
    --------
      oas simulate KTH-SP2.swf.gz --policy EASY --policy conservative
      oas simulate KTH-SP2.swf.gz --policy EASY --reservations maintenance.csv -o jobs.csv
      oas simulate out_jobs.csv --processors 64 --policy FCFS --at-once --json
    """
    simulation = simulate(log, policy or ["EASY"], **vars(simulated), **vars(reading))
    put_remarks(simulation.stream.remarks)
    jobs_file = partial(write_jobs, streams={row.policy: row.stream for row in simulation.rows}), output
    deliver(partial(_simulation_document, simulation), lambda: [*simulation_parts(simulation)][1:], as_json, jobs_file)
    leave(violated=simulation.violated)


def _simulation_document(simulation: Simulation) -> dict[str, Any]:
    stream = simulation.stream
    return {
        "log": log_document(stream, len(stream)),
        "processors": simulation.processors,
        "reservations": len(simulation.reservations),
        "threshold": simulation.threshold,
        "policies": [
            {
                **attributes(row, "policy", "makespan", "utilisation"),
                "wait": vars(row.wait),
                "bounded_slowdown": vars(row.bounded_slowdown),
                "violations": row.violations,
            }
            for row in simulation.rows
        ],
    }
