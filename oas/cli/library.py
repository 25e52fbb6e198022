"""`oas library`: the instance library."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from oas.cli import options as opt
from oas.cli.helping import HELP_SETTINGS, add_command
from oas.cli.output import put, put_all, put_json, uninterrupted
from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.io.library_index import Entry
    from oas.io.swf import SwfLog
    from oas.library import Library

EPILOG = """\b
Examples:
  oas library list 'uni-n50-*'
  oas library show uni-n50-N5-m128-s0 --save instance.json
  oas library verify
  oas library copy mine/
  oas library update uni-n50-N5-m128-s0 result.json --by "Jane Doe" --library mine/"""

library_app = typer.Typer(
    help="Instances of both problems to cite: the best schedule and bound known of each, and their proof.",
    epilog=EPILOG,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings=HELP_SETTINGS,
)

Folder = Annotated[
    str | None,
    typer.Option("--library", metavar="DIR", help="Folder of the library; the one in this package if not given."),
]
OwnFolder = Annotated[
    str, typer.Option("--library", metavar="DIR", help="Folder of your library (`oas library copy` makes one).")
]
Names = Annotated[
    list[str] | None, typer.Argument(metavar="NAME", help="Names or patterns such as 'uni-n50-*'; all if not given.")
]
Logs = Annotated[
    list[str] | None,
    typer.Option("--log", metavar="LOG", help="A job log (SWF) that slices of it are cut out of; repeatable."),
]
By = Annotated[str, typer.Option("--by", metavar="WHO", help="Who stands for the result; kept in the library.")]


def list_command(
    names: Names = None,
    problem: Annotated[
        Literal["coallocation", "mosp"] | None, typer.Option(help="Only instances of this problem.")
    ] = None,
    standing: Annotated[
        Literal["proven", "certified", "open"] | None,
        typer.Option(help="Only those whose optimum is proven, proven without a solver's word, or whose gap is open."),
    ] = None,
    library: Folder = None,
    as_json: opt.AsJson = False,
) -> None:
    """List entries with the best makespan and lower bound known.

    Examples
    --------
      oas library list
      oas library list 'oas-16-*' 'swf-n100-*' --standing open
      oas library list --problem mosp --json
    """
    from oas.cli.library_tables import entry_table, summary
    from oas.io.library_index import plain_entry

    held = _library(library)
    entries = [
        entry
        for entry in held.select(names or ())
        if problem in (None, entry.problem) and standing in (None, *_standings(entry))
    ]
    if as_json:
        put_json([plain_entry(entry) for entry in entries])
    else:
        put_all(entry_table(entries), "", summary(held, entries))


def show_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the entry.")],
    log: Logs = None,
    save: Annotated[
        str | None, typer.Option(metavar="PATH", callback=opt.usable_file, help="Write the instance there.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="PATH", callback=opt.usable_file, help="Write the best result there."),
    ] = None,
    gantt: opt.Gantt = None,
    library: Folder = None,
    as_json: opt.AsJson = False,
) -> None:
    """Show an entry: how the instance is made, what is known of it, who found it when and how.

    The instance, the result and the picture of a slice of a job log need the log.

    Examples
    --------
      oas library show oas-8-3x4-tight-50-s0 --gantt best.png
      oas library show uni-n50-N5-m128-s0 --save instance.json --output best.json
      oas library show kth-n60-N4-j26000 --log KTH-SP2-1996-2.1-cln.swf.gz --save kth.json
    """
    from oas.cli.library_tables import facts_table, record_table
    from oas.io.library_index import plain_entry

    held = _library(library)
    entry, logs = held[name], _logs(log)
    if save or output or gantt:
        _write(held, entry, logs, save, output, gantt)
    if as_json:
        put_json(plain_entry(entry))
    else:
        put_all(facts_table(held, entry), *([record_table(entry)] if entry.records else []))


def verify_command(names: Names = None, log: Logs = None, library: Folder = None, as_json: opt.AsJson = False) -> None:
    """Check entries in exact arithmetic, without a solver. Exit code 3 if one does not hold.

    Each instance is made again and its digest compared; the schedule goes through the verifier, the bound is re-checked
    by its certificate; what rests on a solver's word is counted apart. Slices of a job log are checked if their log is
    given, for the library has none of its data.

    Examples
    --------
      oas library verify
      oas library verify 'oas-*' wc-matching
      oas library verify 'kth-*' --log KTH-SP2-1996-2.1-cln.swf.gz
    """
    from oas.library import check_entries, counted

    held, checked = _library(library), []
    for one in check_entries(held, held.select(names or ()), _logs(log)):
        checked.append(one)
        if one.fault:
            sys.stderr.write(f"{one.entry.name}: {one.fault}\n")
    for reason in sorted({one.unchecked for one in checked if one.unchecked}):
        affected = [one.entry.name for one in checked if one.unchecked == reason]
        sys.stderr.write(f"not checked: {', '.join(affected)}: {reason}\n")
    counts = counted(checked)
    if as_json:
        faults = {one.entry.name: one.fault for one in checked if one.fault}
        put_json({"edition": held.index.edition, "state": held.state, "counts": counts, "faults": faults})
    else:
        put("".join(f"{label:26} {count:>6}\n" for label, count in counts.items()))
    raise typer.Exit(3 if counts["faults"] else 0)


def update_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the entry.")],
    result: Annotated[str, typer.Argument(metavar="RESULT", help="Result file (oas-result JSON); - for stdin.")],
    library: OwnFolder,
    by: By,
    accept_claims: Annotated[
        bool,
        typer.Option("--accept-claims", help="Also take a bound that rests on a solver's word; it is kept as such."),
    ] = False,
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

    held = _library(library)
    entry, refuted = held.update(name, load_result(result), by=by, accept_claims=accept_claims, logs=_logs(log))
    _tell_refuted(name, [f"{one.solver} on {one.formulation}: {one.bound}" for one in refuted])
    put(f"{_news(entry)}\n")


def solve_command(
    library: OwnFolder,
    by: By,
    names: Names = None,
    time_limit: opt.TimeLimit = None,
    seed: opt.Seed = 0,
    memory_limit: opt.MemoryLimit = None,
    again: Annotated[bool, typer.Option("--again", help="Also entries whose optimum is proven.")] = False,
    log: Logs = None,
    quiet: opt.Quiet = False,
) -> None:
    """Run `oas solve` on entries whose gap is open, and keep whatever it adds, claims of a solver included, as such.

    Slices of job logs are left out unless their log is given. Ctrl-C ends it; what was found is kept.

    Examples
    --------
      oas library solve --library mine/ --by "Jane Doe" --time-limit 60
      oas library solve 'uni-n50-*' --library mine/ --by "Jane Doe" --time-limit 600 --seed 7
    """
    from oas.cli.progress import ProgressLine
    from oas.library import improve

    held, logs = _library(library), _logs(log)
    entries = [entry for entry in held.select(names or ()) if again or not (entry.record and entry.record.proven)]
    missing = [entry for entry in entries if entry.log_sha256 not in (None, *logs)]
    if missing:
        sys.stderr.write(f"left out, for their log is not given: {', '.join(entry.name for entry in missing)}\n")
    entries = [entry for entry in entries if entry not in missing]
    better = 0
    for number, entry in enumerate(entries, start=1):
        with ProgressLine(quiet) as progress:
            done = improve(
                held,
                entry.name,
                by=by,
                time_limit=time_limit,
                seed=seed,
                memory_limit=opt.memory_bytes(memory_limit),
                logs=logs,
                on_progress=progress,
            )
        better += bool(done.gains)
        with uninterrupted():
            _tell_refuted(entry.name, done.refuted)
            put(f"[{number} of {len(entries)}] {_news(done.entry, done.gains)}\n")
        if done.interrupted:
            raise typer.Exit(130)
    put(f"{better} of {len(entries)} entries better\n")


def copy_command(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="Where to; a new or empty folder.")],
    library: Folder = None,
) -> None:
    """Copy the library into a folder of your own, which updates can be written to.

    Examples
    --------
      oas library copy mine/
    """
    copied = _library(library).copy_to(folder)
    put(f"{len(copied.entries)} entries: {folder}\n")


def _library(folder: str | None) -> Library:
    from oas.library import Library

    return Library(folder)


def _logs(paths: Sequence[str] | None) -> dict[str, SwfLog]:
    from oas.io.swf import read_swf

    return {log.sha256: log for log in map(read_swf, paths or ())}


def _standings(entry: Entry) -> Iterator[str]:
    from oas.core.result import ProofKind

    if entry.record is not None and entry.record.proven:
        yield "proven"
        if entry.record.proof is not ProofKind.SOLVER:
            yield "certified"
    else:
        yield "open"


def _write(
    held: Library, entry: Entry, logs: dict[str, SwfLog], save: str | None, output: str | None, gantt: str | None
) -> None:
    from oas import io

    instance = held.instance(entry.name, logs)
    if save:
        io.save(instance, save)
    if not (output or gantt):
        return
    result = held.result(entry.name, logs)
    if result is None or result.schedule is None:
        raise InputError("there is no result yet", field=entry.name)
    if output:
        io.save(result, output)
    if gantt:
        from oas import plots

        figure = plots.schedule_figure(instance, result.schedule, lower_bound=result.lower_bound)
        plots.save_figure(figure, gantt)
        sys.stderr.write(f"picture written to {gantt}\n")


def _news(entry: Entry, gains: Sequence[str] | None = None) -> str:
    """One line on how an entry stands after a step, or after none."""
    from oas.cli.numbers import show_exact, show_percent

    known = entry.records[-1]
    what = ", ".join(known.gains if gains is None else gains)
    better = f"better {what}" if what else "nothing better"
    return (
        f"{entry.name}: {better}: makespan {show_exact(known.makespan)}, lower bound {show_exact(known.lower_bound)}, "
        f"gap {show_percent(known.gap)}, {known.bound_by}"
    )


def _tell_refuted(name: str, claims: Sequence[str]) -> None:
    for claim in claims:
        sys.stderr.write(f"{name}: a claim has turned out wrong, the schedule is shorter: {claim}\n")


for _name, _command in (
    ("list", list_command),
    ("show", show_command),
    ("verify", verify_command),
    ("update", update_command),
    ("solve", solve_command),
    ("copy", copy_command),
):
    add_command(library_app, _name, _command)
