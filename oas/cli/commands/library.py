"""`oas library list`, `show` and `verify`: the instance library."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

from typer import Argument, Option

from oas import io
from oas.cli import options as opt
from oas.cli.commands.library_solve import Folder, Logs, Names, Standing, read_logs, solve_command
from oas.cli.output import leave, put, put_all, put_json, save_picture
from oas.cli.plain_help import add_command, command_group
from oas.core.errors import InputError
from oas.core.formats import MISSING, show_count, show_exact, show_percent, show_seconds, show_time
from oas.core.registry import problem_named
from oas.core.result import ProofKind
from oas.io.library_index import Entry, Origin, plain_entry
from oas.library import Library, check_entries, counted
from oas.library.origins import recipe_of_origin
from oas.logs.swf import SwfLog
from oas.show.tables import Facts, Table

EPILOG = """\b
Examples:
  oas library list 'uni-n50-*'
  oas library show uni-n50-N5-m128-s0 --save instance.json
  oas library verify
  oas library solve 'uni-n50-*' --time-limit 600"""

library_app = command_group(EPILOG)


def list_command(
    names: Names = None,
    problem: str | None = opt.problem_option("List only instances of this problem.", default=None),
    standing: Standing | None = Option(
        None,
        help="List only entries that are open (with a gap), claimed (by a solver alone) or certified.",
    ),
    library: Folder = None,
    as_json: opt.AsJson = False,
) -> None:
    """List entries with their best known makespan and lower bound.

    Examples
    --------
      oas library list
      oas library list 'oas-16-*' 'swf-n100-*' --standing open
      oas library list --problem mosp --json
    """
    opened = Library(library)
    entries = [
        entry
        for entry in opened.select(names or ())
        if problem in (None, entry.problem) and standing in (None, entry.standing)
    ]
    if as_json:
        put_json([plain_entry(entry) for entry in entries])
    else:
        put_all(entry_table(entries), "", summary(opened, entries))


def show_command(
    name: Annotated[str, Argument(metavar="NAME", help="Name of the entry.")],
    log: Logs = None,
    save: str | None = opt.option(None, "PATH", "Also write the instance to this file.", callback=opt.usable_json),
    output: str | None = opt.output("Also write the best result to this file.", opt.usable_json),
    gantt: opt.Gantt = None,
    library: Folder = None,
    as_json: opt.AsJson = False,
) -> None:
    """Show an entry: origin of the instance, best known schedule and bound, and their history.

    For a slice of a job log, --save, --output and --gantt require the log.

    Examples
    --------
      oas library show oas-8-3x4-tight-50-s0 --gantt best.png
      oas library show uni-n50-N5-m128-s0 --save instance.json --output best.json
      oas library show kth-n60-N4-j26000 --log KTH-SP2-1996-2.1-cln.swf.gz --save kth.json
    """
    opened = Library(library)
    entry = opened[name]
    if save or output or gantt:
        _write(opened, entry, read_logs(log), save, output, gantt)
    if as_json:
        put_json(plain_entry(entry))
    else:
        put_all(Facts(_facts(opened, entry)), *([record_table(entry)] if entry.records else []))


def verify_command(names: Names = None, log: Logs = None, library: Folder = None, as_json: opt.AsJson = False) -> None:
    """Check entries in exact arithmetic, without a solver. Exit code 3 if one does not hold.

    Each instance is generated again and its digest compared; the schedule is verified, and the bound is checked by its
    certificate. Bounds claimed by a solver without a certificate are counted separately. Slices of a job log are
    checked only if the log is given, because the library contains no log data.

    Examples
    --------
      oas library verify
      oas library verify 'oas-*' wc-matching
      oas library verify 'kth-*' --log KTH-SP2-1996-2.1-cln.swf.gz
    """
    opened, outcomes = Library(library), []
    for outcome in check_entries(opened, opened.select(names or ()), read_logs(log)):
        outcomes.append(outcome)
        if outcome.fault:
            sys.stderr.write(f"{outcome.entry.name}: {outcome.fault}\n")
    for reason in sorted({outcome.unchecked for outcome in outcomes if outcome.unchecked}):
        affected = [outcome.entry.name for outcome in outcomes if outcome.unchecked == reason]
        sys.stderr.write(f"not checked: {', '.join(affected)}: {reason}\n")
    counts = counted(outcomes)
    if as_json:
        faults = {outcome.entry.name: outcome.fault for outcome in outcomes if outcome.fault}
        put_json({"edition": opened.index.edition, "state": opened.state, "counts": counts, "faults": faults})
    else:
        put("".join(f"{label:26} {count:>6}\n" for label, count in counts.items()))
    leave(violated=bool(counts["faults"]))


def _write(
    library: Library, entry: Entry, logs: dict[str, SwfLog], save: str | None, output: str | None, gantt: str | None
) -> None:
    instance = library.instance(entry.name, logs)
    if save:
        io.save(instance, save)
    if not (output or gantt):
        return
    result = library.result(entry.name, logs)
    if result is None or result.schedule is None:
        raise InputError("there is no result yet", field=entry.name)
    if output:
        io.save(result, output)
    if gantt:
        save_picture(result.plot(instance), gantt)


def entry_table(entries: Sequence[Entry]) -> Table:
    """Return one row per entry."""
    rows = []
    for entry in entries:
        record, figures = entry.record, [MISSING] * 4
        if record is not None:
            figures = [show_time(record.makespan), show_time(record.lower_bound), show_percent(record.gap)]
            figures.append(record.proof.value.replace("_", " "))
        rows.append((entry.name, str(entry.jobs), show_sizes(entry.clusters), *figures))
    headings = ("name", "jobs", "nodes", "makespan", "lower bound", "gap", "proof")
    return Table(headings, rows, side=("nodes", "proof", "jobs", "lower bound", "makespan"), names=("proof",))


def summary(library: Library, entries: Sequence[Entry]) -> str:
    """Return a line with the number of entries and proven optima, and the state of the library."""
    records = [entry.record for entry in entries if entry.record is not None]
    proven = [record for record in records if record.proven]
    claimed = sum(record.proof is ProofKind.SOLVER for record in proven)
    total = show_count(len(library.entries), "entry", "entries")
    count = total if len(entries) == len(library.entries) else f"{len(entries)} of {total}"
    return (
        f"{count}, {show_count(len(proven), 'optimum', 'optima')} proven ({claimed} claimed by a solver alone); "
        f"edition {library.index.edition}, state {library.state[:12]}"
    )


def record_table(entry: Entry) -> Table:
    """Return one row per improvement of an entry."""
    rows = []
    for record in entry.records:
        figures = (show_time(record.makespan), show_time(record.lower_bound))
        rows.append((record.date, record.by, ", ".join(record.gains), *figures, record.schedule_by, record.bound_by))
    headings = ("date", "by", "better", "makespan", "lower bound", "schedule by", "bound by")
    side = ("bound by", "schedule by", "by", "better")
    return Table(headings, rows, side=side, texts=side)


def show_sizes(sizes: Sequence[int]) -> str:
    """Return the sizes of clusters: ``3×4``, ``128 + 204 + 131``, or total and number if there are more than five."""
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
        recipe = recipe_of_origin(entry.origin)
        facts.append(("log", f"{recipe.log}, sha256 {recipe.sha256}; {recipe.acknowledgement}"))
    record = entry.record
    if record is None:
        return [*facts, ("known", "no result yet")]
    standing = "proven optimum" if record.proven else f"gap {show_percent(record.gap)}"
    versions = ", ".join(f"{name} {version}" for name, version in record.versions.items())
    return [
        *facts,
        ("makespan", f"{show_exact(record.makespan)}, by {record.schedule_by}"),
        ("lower bound", show_exact(record.lower_bound)),
        ("standing", standing),
        ("proof", record.bound_by),
        ("last step", f"{record.date}, {record.by}, {show_seconds(record.seconds)}, seed {record.seed}; {versions}"),
    ]


def _origin_text(origin: Origin) -> str:
    locality = "" if origin.locality is None else f", locality {origin.locality}"
    if origin.recipe is not None:
        window = recipe_of_origin(origin).window
        return f"a slice of a job log: {show_count(window.count, 'job')} from number {window.first} on{locality}"
    kind = origin.generator or f"worst-case {origin.worst_case}"
    return " ".join(["oas generate", kind, *map(_option, origin.parameters.items())]) + locality


def _option(parameter: tuple[str, int | str | bool]) -> str:
    """Return a generator's parameter as typed on the command line; only `number` is an argument."""
    name, value = parameter
    if name == "number":
        return str(value)
    option = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{'' if value else 'no-'}{option}"
    return f"--{option} {value}"


for _command in (list_command, show_command, verify_command, solve_command):
    add_command(library_app, _command.__name__.removesuffix("_command"), _command)
