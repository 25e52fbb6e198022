"""Tables of the instance library on stdout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from oas.cli.tables.fitted_table import FittedTable
from oas.core.formats import MISSING, show_count, show_exact, show_percent, show_seconds, show_time
from oas.core.result import ProofKind
from oas.library.origins import recipe_of_origin
from oas.problems.registry import problem_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.io.library_index import Entry, Origin
    from oas.library import Library


def entry_table(entries: Sequence[Entry]) -> Table:
    """Return a row an entry."""
    table = FittedTable("name", side=("nodes", "proof", "jobs", "lower bound", "makespan"))
    table.add_figures("jobs", "nodes", "makespan", "lower bound", "gap")
    table.add_names("proof")
    for entry in entries:
        known = entry.record
        cells = [entry.name, str(entry.jobs), show_sizes(entry.clusters)]
        if known is None:
            table.add_row(*cells, *[MISSING] * 4)
            continue
        figures = [show_time(known.makespan), show_time(known.lower_bound), show_percent(known.gap)]
        table.add_row(*cells, *figures, known.proof.value.replace("_", " "))
    return table


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


def facts_table(library: Library, entry: Entry) -> Table:
    """Return what an entry is and what is known of it."""
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in _facts(library, entry):
        table.add_row(label, Text(text))
    return table


def record_table(entry: Entry) -> Table:
    """Return a row for each step forward."""
    table = FittedTable("date", side=("bound by", "schedule by", "by", "better"))
    table.add_texts("by", "better")
    table.add_figures("makespan", "lower bound")
    table.add_texts("schedule by", "bound by")
    for record in entry.records:
        figures = (show_time(record.makespan), show_time(record.lower_bound))
        words = (record.date, record.by, ", ".join(record.gains), *figures, record.schedule_by, record.bound_by)
        table.add_row(*map(Text, words))
    return table


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
