"""`oas library update` and `oas library solve`, and options shared by all commands of `oas library`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Literal

import typer
from typer import Argument, Option

from oas.cli import options as opt
from oas.cli.output import ExitCode, leave, put, uninterrupted
from oas.core.errors import OasError
from oas.core.formats import show_count, show_exact, show_percent
from oas.core.result import Claim, Termination
from oas.io import load_result
from oas.io.library_index import Entry
from oas.library import Library, NoGainError
from oas.logs.swf import SwfLog, read_swf
from oas.show.progress import ProgressLine
from oas.solving.pipeline import solve

Names = Annotated[
    list[str] | None, Argument(metavar="NAME", help="Names or patterns such as 'uni-n50-*'. Default: all.")
]
Logs = Annotated[list[str] | None, opt.option(..., "LOG", "Job log (SWF) that entries are slices of; repeatable.")]
Standing = Literal["open", "claimed", "certified"]


def read_logs(paths: Sequence[str] | None) -> dict[str, SwfLog]:
    """Read job logs; the keys are their checksums."""
    return {log.sha256: log for log in map(read_swf, paths or ())}


@dataclass(frozen=True)
class UpdateOptions:
    """The library to update, and the contributor."""

    library: Annotated[str, opt.option(..., "FOLDER", "Folder of your library, created by `oas library copy`.")]
    by: Annotated[str, opt.option(..., "WHO", "Name of the contributor, recorded in the library.")]


Repair = Annotated[
    bool,
    Option("--repair", help="Remove a recorded bound that is no longer confirmed, instead of reporting an error."),
]


def update_command(
    name: Annotated[str, Argument(metavar="NAME", help="Name of the entry.")],
    result: Annotated[str, Argument(metavar="RESULT", help="Result file (oas-result JSON); - for stdin.")],
    target: UpdateOptions,
    accept_claims: bool = Option(False, "--accept-claims", help="Also record bounds claimed without a certificate."),
    repair: Repair = False,
    log: Logs = None,
) -> None:
    """Record a result in a library if it is verified and better.

    The result is verified without a solver. Improvements are recorded with contributor and date: a shorter schedule, a
    higher lower bound, or a stronger proof of the same bound. Do not change the library in this package; copy it first.

    Examples
    --------
      oas library copy mine/
      oas solve instance.json --json | oas library update uni-n50-N5-m128-s0 - --by "Jane Doe" --library mine/
    """
    entry, refuted = Library(target.library).update(
        name, load_result(result), by=target.by, accept_claims=accept_claims, repair=repair, logs=read_logs(log)
    )
    _report_refuted(name, refuted)
    put(f"{_report(entry, entry.records[-1].gains if entry.records else ())}\n")


def solve_command(
    target: UpdateOptions,
    names: Names = None,
    *,
    time_limit: opt.TimeLimit = None,
    seed: opt.Seed = opt.SolveArguments.seed,
    memory_limit: opt.MemoryLimit = None,
    standing: Standing = Option("open", help="Solve only entries with this standing, as in `oas library list`."),
    repair: Repair = False,
    log: Logs = None,
    quiet: opt.Quiet = False,
) -> None:
    """Run `oas solve` on entries (default: those with a gap) and record every improvement.

    Bounds claimed by a solver are recorded as claims; `--standing claimed` seeks certificates for them. Slices of job
    logs are left out unless their log is given. Ctrl-C keeps the improvements so far. An entry that fails is reported
    and skipped, and the final exit code is 3.

    Examples
    --------
      oas library solve --library mine/ --by "Jane Doe" --time-limit 60
      oas library solve 'uni-n50-*' --library mine/ --by "Jane Doe" --time-limit 600 --seed 7
    """
    library, logs = Library(target.library), read_logs(log)
    entries = [entry for entry in library.select(names or ()) if entry.standing == standing]
    missing = [entry for entry in entries if entry.log_sha256 not in (None, *logs)]
    if missing:
        sys.stderr.write(f"left out because --log is missing: {', '.join(entry.name for entry in missing)}\n")
    entries = [entry for entry in entries if entry not in missing]
    better = failed = 0
    for number, entry in enumerate(entries, start=1):
        gains: Sequence[str] = ()
        refuted: Sequence[Claim] = ()
        try:
            with ProgressLine(quiet) as progress:
                instance = library.instance(entry.name, logs)
                result = solve(
                    instance,
                    time_limit=time_limit,
                    seed=seed,
                    memory_limit=memory_limit,
                    on_interrupt="return",
                    on_progress=progress,
                )
                with suppress(NoGainError):
                    updated, refuted = library.update(
                        entry.name, result, by=target.by, accept_claims=True, repair=repair, logs=logs
                    )
                    gains = updated.records[-1].gains
        except OasError as error:  # the other entries must still be solved
            sys.stderr.write(f"{entry.name}: {error}\n")
            failed += 1
            continue
        better += bool(gains)
        with uninterrupted() as delivery:
            _report_refuted(entry.name, refuted)
            put(f"[{number} of {len(entries)}] {_report(library[entry.name], gains)}\n")
        if result.termination is Termination.INTERRUPTED or delivery.signals:
            raise typer.Exit(ExitCode.INTERRUPTED)
    put(f"{better} of {show_count(len(entries), 'entry', 'entries')} better{f', {failed} failed' if failed else ''}\n")
    leave(violated=bool(failed))


def _report(entry: Entry, gains: Sequence[str]) -> str:
    """Return a line with the gains of a solve and the current figures of the entry."""
    record = entry.record
    if record is None:
        return f"{entry.name}: no schedule found"
    better = f"better {', '.join(gains)}" if gains else "no improvement"
    return (
        f"{entry.name}: {better}: makespan {show_exact(record.makespan)}, lower bound"
        f" {show_exact(record.lower_bound)}, gap {show_percent(record.gap)}, {record.bound_by}"
    )


def _report_refuted(name: str, claims: Sequence[Claim]) -> None:
    for claim in claims:
        bound = f"{claim.bound} of {claim.solver} on {claim.formulation}"
        sys.stderr.write(f"{name}: wrong bound claimed by a solver, the schedule is shorter: {bound}\n")
