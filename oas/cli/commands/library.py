"""`oas library`: the instance library."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from oas.cli import options as opt
from oas.cli.commands.library_update import (
    Logs,
    Names,
    Standing,
    open_library,
    read_logs,
    solve_command,
    update_command,
)
from oas.cli.output import ExitCode, put, put_all, put_json
from oas.cli.plain_help import add_command, command_group
from oas.core.errors import InputError
from oas.core.formats import show_count

if TYPE_CHECKING:
    from oas.io.library_index import Entry
    from oas.io.logs.swf import SwfLog
    from oas.library import Library

EPILOG = """\b
Examples:
  oas library list 'uni-n50-*'
  oas library show uni-n50-N5-m128-s0 --save instance.json
  oas library verify
  oas library copy mine/
  oas library update uni-n50-N5-m128-s0 result.json --by "Jane Doe" --library mine/"""

library_app = command_group(
    EPILOG, help="Instances of both problems to cite: the best schedule and bound known of each, and their proof."
)

Folder = Annotated[
    str | None,
    typer.Option("--library", metavar="FOLDER", help="Folder of the library; the one in this package if not given."),
]


def list_command(
    names: Names = None,
    problem: Annotated[
        str | None,
        opt.problem_option("Only instances of this problem."),
    ] = None,
    standing: Annotated[
        Standing | None,
        typer.Option(help="Only those with a gap, with an optimum on a solver's word, or with one checked without."),
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
    from oas.cli.tables.library_tables import entry_table, summary
    from oas.io.library_index import plain_entry

    held = open_library(library)
    entries = [
        entry
        for entry in held.select(names or ())
        if problem in (None, entry.problem) and standing in (None, entry.standing)
    ]
    if as_json:
        put_json([plain_entry(entry) for entry in entries])
    else:
        put_all(entry_table(entries), "", summary(held, entries))


def show_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the entry.")],
    log: Logs = None,
    save: Annotated[
        str | None, typer.Option(metavar="PATH", callback=opt.usable_json, help="Write the instance there.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="PATH", callback=opt.usable_json, help="Write the best result there."),
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
    from oas.cli.tables.library_tables import facts_table, record_table
    from oas.io.library_index import plain_entry

    held = open_library(library)
    entry, logs = held[name], read_logs(log)
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

    held, checked = open_library(library), []
    for one in check_entries(held, held.select(names or ()), read_logs(log)):
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
    raise typer.Exit(ExitCode.VIOLATION if counts["faults"] else ExitCode.DONE)


def copy_command(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="Where to; a new or empty folder.")],
    library: Folder = None,
) -> None:
    """Copy the library into a folder of your own, which updates can be written to.

    Examples
    --------
      oas library copy mine/
    """
    copied = open_library(library).copy_to(folder)
    put(f"{show_count(len(copied.entries), 'entry', 'entries')}: {folder}\n")


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


for _name, _command in (
    ("list", list_command),
    ("show", show_command),
    ("verify", verify_command),
    ("update", update_command),
    ("solve", solve_command),
    ("copy", copy_command),
):
    add_command(library_app, _name, _command)
