"""`oas library solve`, and options shared by all commands of `oas library`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer
from typer import Argument, Option

from oas import io
from oas.cli import options as opt
from oas.cli.output import ExitCode, check_target, leave, put, uninterrupted
from oas.core.errors import OasError
from oas.core.formats import show_count, show_exact, show_percent
from oas.core.result import Result, Termination
from oas.library import Library, gains_of
from oas.logs.swf import SwfLog, read_swf
from oas.show.progress import ProgressLine
from oas.solving.pipeline import solve

Names = Annotated[
    list[str] | None, Argument(metavar="NAME", help="Names or patterns such as 'uni-n50-*'. Default: all.")
]
Logs = Annotated[list[str] | None, opt.option(..., "LOG", "Job log (SWF) that entries are slices of; repeatable.")]
Standing = Literal["open", "claimed", "certified"]
Folder = Annotated[
    str | None, opt.option(..., "FOLDER", "Folder of the library. Default: in this package.", "--library")
]


def read_logs(paths: Sequence[str] | None) -> dict[str, SwfLog]:
    """Read job logs; the keys are their checksums."""
    return {log.sha256: log for log in map(read_swf, paths or ())}


def _writable_folder(_param: typer.CallbackParam, path: str | None) -> str | None:
    if path is not None:
        check_target(str(Path(path) / "result.json"), "--output")
    return path


def solve_command(
    names: Names = None,
    *,
    time_limit: opt.TimeLimit = None,
    seed: opt.Seed = opt.SolveArguments.seed,
    memory_limit: opt.MemoryLimit = None,
    standing: Standing = Option("open", help="Solve only entries with this standing, as in `oas library list`."),
    log: Logs = None,
    library: Folder = None,
    output: str | None = opt.option(
        None,
        "FOLDER",
        "Also write better results to this folder, as NAME.json.",
        "--output",
        "-o",
        callback=_writable_folder,
    ),
    quiet: opt.Quiet = False,
) -> None:
    """Run `oas solve` on entries (default: those with a gap) and compare the results with the best known ones.

    A result is better if it has a shorter schedule, a higher lower bound, or a stronger proof of the same bound. Slices
    of job logs are left out unless their log is given. Ctrl-C ends the command after the current entry. An entry that
    fails is reported and skipped, and the final exit code is 3.

    Examples
    --------
      oas library solve --time-limit 60
      oas library solve 'uni-n50-*' --time-limit 600 --seed 7 --output better/
    """
    opened, logs = Library(library), read_logs(log)
    entries = [entry for entry in opened.select(names or ()) if entry.standing == standing]
    missing = [entry for entry in entries if entry.log_sha256 not in (None, *logs)]
    if missing:
        sys.stderr.write(f"left out because --log is missing: {', '.join(entry.name for entry in missing)}\n")
    entries = [entry for entry in entries if entry not in missing]
    better = failed = 0
    for number, entry in enumerate(entries, start=1):
        try:
            with ProgressLine(quiet) as progress:
                result = solve(
                    opened.instance(entry.name, logs),
                    time_limit=time_limit,
                    seed=seed,
                    memory_limit=memory_limit,
                    on_interrupt="return",
                    on_progress=progress,
                )
        except OasError as error:  # the other entries must still be solved
            sys.stderr.write(f"{entry.name}: {error}\n")
            failed += 1
            continue
        gains = gains_of(entry.record, result)
        better += bool(gains)
        with uninterrupted() as delivery:
            if gains and output is not None:
                io.save(result, Path(output) / f"{entry.name}.json")
            put(f"[{number} of {len(entries)}] {entry.name}: {_report(result, gains)}\n")
        if result.termination is Termination.INTERRUPTED or delivery.signals:
            raise typer.Exit(ExitCode.INTERRUPTED)
    put(f"{better} of {show_count(len(entries), 'entry', 'entries')} better{f', {failed} failed' if failed else ''}\n")
    leave(violated=bool(failed))


def _report(result: Result, gains: Sequence[str]) -> str:
    """Return a line with the gains and figures of a result."""
    if result.objective is None or result.lower_bound is None:
        return "no schedule found" if result.objective is None else "no bound found"
    better = f"better {', '.join(gains)}" if gains else "no improvement"
    figures = f"makespan {show_exact(result.objective)}, lower bound {show_exact(result.lower_bound)}"
    return f"{better}: {figures}, gap {show_percent(result.gap)}, {result.proof}"
