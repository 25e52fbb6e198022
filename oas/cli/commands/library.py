"""`oas library`: the instance library."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

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
from oas.cli.fitted_table import facts_table
from oas.cli.output import leave, put, put_all, put_json, save_picture
from oas.cli.plain_help import add_command, command_group
from oas.core.errors import InputError
from oas.core.formats import MISSING, show_count, show_exact, show_percent, show_seconds, show_time
from oas.core.result import ProofKind
from oas.problems.registry import problem_named
from oas.show.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.io.library_index import Entry, Origin
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
    str | None, opt.option(..., "FOLDER", "Folder of the library; the one in this package if not given.", "--library")
]


def list_command(
    names: Names = None,
    problem: str | None = opt.problem_option("Only instances of this problem.", default=None),
    standing: Standing | None = Option(
        None, help="Only those with a gap, with an optimum on a solver's word, or with one checked without."
    ),
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
    name: Annotated[str, Argument(metavar="NAME", help="Name of the entry.")],
    log: Logs = None,
    save: str | None = opt.option(None, "PATH", "Write the instance there.", callback=opt.usable_json),
    output: str | None = opt.output("Write the best result there.", opt.usable_json, default=None),
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
    from oas.io.library_index import plain_entry

    held = open_library(library)
    entry, logs = held[name], read_logs(log)
    if save or output or gantt:
        _write(held, entry, logs, save, output, gantt)
    if as_json:
        put_json(plain_entry(entry))
    else:
        put_all(facts_table(_facts(held, entry)), *([record_table(entry)] if entry.records else []))


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
    leave(violated=bool(counts["faults"]))


def copy_command(
    folder: Annotated[str, Argument(metavar="FOLDER", help="Where to; a new or empty folder.")], library: Folder = None
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
        save_picture(result.plot(instance), gantt)


def entry_table(entries: Sequence[Entry]) -> Table:
    """Return a row an entry."""
    rows = []
    for entry in entries:
        known, figures = entry.record, [MISSING] * 4
        if known is not None:
            figures = [show_time(known.makespan), show_time(known.lower_bound), show_percent(known.gap)]
            figures.append(known.proof.value.replace("_", " "))
        rows.append((entry.name, str(entry.jobs), show_sizes(entry.clusters), *figures))
    headings = ("name", "jobs", "nodes", "makespan", "lower bound", "gap", "proof")
    return Table(headings, rows, side=("nodes", "proof", "jobs", "lower bound", "makespan"), names=("proof",))


def summary(library: Library, entries: Sequence[Entry]) -> str:
    """Say in a line how many of these entries are proven, and which state of the library this is."""
    known = [entry.record for entry in entries if entry.record is not None]
    proven = [record for record in known if record.proven]
    said = sum(record.proof is ProofKind.SOLVER for record in proven)
    whole = show_count(len(library.entries), "entry", "entries")
    count = whole if len(entries) == len(library.entries) else f"{len(entries)} of {whole}"
    return (
        f"{count}, {show_count(len(proven), 'optimum', 'optima')} proven ({said} on a solver's word); "
        f"edition {library.index.edition}, state {library.state[:12]}"
    )


def record_table(entry: Entry) -> Table:
    """Return a row for each step forward."""
    rows = []
    for record in entry.records:
        figures = (show_time(record.makespan), show_time(record.lower_bound))
        rows.append((record.date, record.by, ", ".join(record.gains), *figures, record.schedule_by, record.bound_by))
    headings = ("date", "by", "better", "makespan", "lower bound", "schedule by", "bound by")
    side = ("bound by", "schedule by", "by", "better")
    return Table(headings, rows, side=side, texts=side)


def show_sizes(sizes: Sequence[int]) -> str:
    """Sizes of clusters: ``3×4``, or ``128 + 204 + 131``, or how many where they are too many to name."""
    if len(set(sizes)) == 1:
        return f"{len(sizes)}×{sizes[0]}"
    return " + ".join(map(str, sizes)) if len(sizes) <= 5 else f"{sum(sizes)} in {len(sizes)}"


def _facts(library: Library, entry: Entry) -> list[tuple[str, str]]:
    facts = [
        ("name", f"{entry.name} (edition {library.index.edition}, state {library.state[:12]})"),
        ("about", entry.about),
        ("made by", _origin_text(entry.origin)),
        ("digest", entry.digest),
        ("size", f"{show_count(entry.jobs, 'job')}, {show_sizes(entry.clusters)} {problem_named(entry.problem).nodes}"),
    ]
    if entry.origin.recipe is not None:
        from oas.library.origins import recipe_of_origin

        recipe = recipe_of_origin(entry.origin)
        facts.append(("log", f"{recipe.log}, sha256 {recipe.sha256}; {recipe.acknowledgement}"))
    known = entry.record
    if known is None:
        return [*facts, ("known", "nothing yet")]
    standing = "proven optimum" if known.proven else f"gap {show_percent(known.gap)}"
    versions = ", ".join(f"{name} {version}" for name, version in known.versions.items())
    return [
        *facts,
        ("makespan", f"{show_exact(known.makespan)}, by {known.schedule_by}"),
        ("lower bound", show_exact(known.lower_bound)),
        ("standing", standing),
        ("proof", known.bound_by),
        ("last step", f"{known.date}, {known.by}, {show_seconds(known.seconds)}, seed {known.seed}; {versions}"),
    ]


def _origin_text(origin: Origin) -> str:
    free = "" if origin.locality is None else f", locality {origin.locality}"
    if origin.recipe is not None:
        from oas.library.origins import recipe_of_origin

        window = recipe_of_origin(origin).window
        return f"a slice of a job log: {show_count(window.count, 'job')} from number {window.first} on{free}"
    kind = origin.generator or f"worst-case {origin.worst_case}"
    return " ".join(["oas generate", kind, *map(_option, origin.parameters.items())]) + free


def _option(parameter: tuple[str, int | str | bool]) -> str:
    """A generator's parameter as the command line takes it; `number` is the only one without a default."""
    name, value = parameter
    if name == "number":
        return str(value)
    option = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{'' if value else 'no-'}{option}"
    return f"--{option} {value}"


for _command in (list_command, show_command, verify_command, update_command, solve_command, copy_command):
    add_command(library_app, _command.__name__.removesuffix("_command"), _command)
