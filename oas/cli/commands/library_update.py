"""`oas library update` and `oas library solve`, and options that all commands of `oas library` share."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from oas.cli import options as opt
from oas.cli.output import ExitCode, leave, put, uninterrupted
from oas.core.errors import OasError
from oas.core.formats import show_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.core.result import Claim
    from oas.io.library_index import Entry
    from oas.io.logs.swf import SwfLog
    from oas.library import Library

Names = Annotated[
    list[str] | None, Argument(metavar="NAME", help="Names or patterns such as 'uni-n50-*'; all if not given.")
]
Logs = Annotated[
    list[str] | None, opt.option(..., "LOG", "A job log (SWF) that slices of it are cut out of; repeatable.", "--log")
]
Standing = Literal["open", "claimed", "certified"]


def open_library(folder: str | None) -> Library:
    """Return the library in a folder, or the one in this package."""
    from oas.library import Library

    return Library(folder)


def read_logs(paths: Sequence[str] | None) -> dict[str, SwfLog]:
    """Return job logs by their checksums."""
    from oas.io.logs.swf import read_swf

    return {log.sha256: log for log in map(read_swf, paths or ())}


@dataclass(frozen=True)
class UpdateOptions:
    """The library that is changed, and who stands for it."""

    library: Annotated[str, opt.option(..., "FOLDER", "Folder of your library (`oas library copy` makes one).")]
    by: Annotated[str, opt.option(..., "WHO", "Who stands for the result; kept in the library.")]


@dataclass(frozen=True)
class SolveLimits:
    """Limits of each solve."""

    time_limit: opt.TimeLimit = None
    seed: opt.Seed = opt.SolveArguments.seed
    memory_limit: opt.MemoryLimit = None


Repair = Annotated[
    bool,
    Option("--repair", help="Give up a bound in the library that is no longer confirmed; otherwise that is an error."),
]


def update_command(
    name: Annotated[str, Argument(metavar="NAME", help="Name of the entry.")],
    result: Annotated[str, Argument(metavar="RESULT", help="Result file (oas-result JSON); - for stdin.")],
    asked: UpdateOptions,
    accept_claims: bool = Option(
        False, "--accept-claims", help="Also take a bound that rests on a solver's word; it is kept as such."
    ),
    repair: Repair = False,
    log: Logs = None,
) -> None:
    """Take a result into a library if it holds and is better.

    It is verified without a solver. Taken is what it adds: a shorter schedule, a higher lower bound, or a stronger
    proof of the same bound; each is kept with who and when. The library in this package is not meant to be changed:
    copy it first.

    Examples
    --------
      oas library copy mine/
      oas solve instance.json --json | oas library update uni-n50-N5-m128-s0 - --by "Jane Doe" --library mine/
    """
    from oas.io import load_result

    held = open_library(asked.library)
    entry, refuted = held.update(
        name, load_result(result), by=asked.by, accept_claims=accept_claims, repair=repair, logs=read_logs(log)
    )
    _tell_refuted(name, refuted)
    put(f"{_news(entry)}\n")


def solve_command(
    asked: UpdateOptions,
    names: Names = None,
    *,
    limits: SolveLimits,
    standing: Standing = Option("open", help="Only entries that stand so; as in `oas library list`."),
    repair: Repair = False,
    log: Logs = None,
    quiet: opt.Quiet = False,
) -> None:
    """Run `oas solve` on entries, those with a gap unless told otherwise, and keep whatever it adds.

    What rests on a solver's word is kept as such; with `--standing claimed` certificates are sought in its place.
    Slices of job logs are left out unless their log is given. Ctrl-C ends it; what was found is kept. An entry that
    fails is named and passed over, and the exit code is 3 in the end.

    Examples
    --------
      oas library solve --library mine/ --by "Jane Doe" --time-limit 60
      oas library solve 'uni-n50-*' --library mine/ --by "Jane Doe" --time-limit 600 --seed 7
    """
    from oas.core.result import Termination
    from oas.exact.pipeline import solve
    from oas.library import NoGainError
    from oas.show.progress import ProgressLine

    held, logs = open_library(asked.library), read_logs(log)
    entries = [entry for entry in held.select(names or ()) if entry.standing == standing]
    missing = [entry for entry in entries if entry.log_sha256 not in (None, *logs)]
    if missing:
        sys.stderr.write(f"left out, for their log is not given: {', '.join(entry.name for entry in missing)}\n")
    entries = [entry for entry in entries if entry not in missing]
    options: dict[str, Any] = {**vars(limits), "memory_limit": opt.memory_bytes(limits.memory_limit)}
    better = failed = 0
    for number, entry in enumerate(entries, start=1):
        gains: Sequence[str] = ()
        refuted: Sequence[Claim] = ()
        try:
            with ProgressLine(quiet) as progress:
                instance = held.instance(entry.name, logs)
                result = solve(instance, on_interrupt="return", on_progress=progress, **options)
                with suppress(NoGainError):
                    found, refuted = held.update(
                        entry.name, result, by=asked.by, accept_claims=True, repair=repair, logs=logs
                    )
                    gains = found.records[-1].gains
        except OasError as error:  # one bad entry must not cost a night's work on the others
            sys.stderr.write(f"{entry.name}: {error}\n")
            failed += 1
            continue
        better += bool(gains)
        with uninterrupted() as delivery:
            _tell_refuted(entry.name, refuted)
            put(f"[{number} of {len(entries)}] {_news(held[entry.name], gains)}\n")
        if result.termination is Termination.INTERRUPTED or delivery.signals:
            raise typer.Exit(ExitCode.INTERRUPTED)
    put(f"{better} of {show_count(len(entries), 'entry', 'entries')} better{f', {failed} failed' if failed else ''}\n")
    leave(violated=bool(failed))


def _news(entry: Entry, gains: Sequence[str] | None = None) -> str:
    """One line on how an entry stands after a step, or after none."""
    from oas.core.formats import show_exact, show_percent

    known = entry.record
    if known is None:
        return f"{entry.name}: nothing found"
    what = ", ".join(known.gains if gains is None else gains)
    better = f"better {what}" if what else "nothing better"
    return (
        f"{entry.name}: {better}: makespan {show_exact(known.makespan)}, lower bound {show_exact(known.lower_bound)}, "
        f"gap {show_percent(known.gap)}, {known.bound_by}"
    )


def _tell_refuted(name: str, claims: Sequence[Claim]) -> None:
    for one in claims:
        claim = f"{one.solver} on {one.formulation}: {one.bound}"
        sys.stderr.write(f"{name}: a claim has turned out wrong, the schedule is shorter: {claim}\n")
