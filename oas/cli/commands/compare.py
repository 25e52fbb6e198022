"""`oas compare`."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import typer
from typer import Option

from oas.cli import options as opt
from oas.cli.output import ExitCode, attributes, deliver, exit_code, put, save_picture, uninterrupted
from oas.core.errors import InputError, unknown_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.studies.comparison import Comparison, ComparisonRow


@dataclass(frozen=True)
class MethodOptions:
    """The heuristics that are compared."""

    heuristic: list[str] | None = opt.option(
        None,
        "NAME",
        "Add your own, package.module:function, or MOCCA(α) and MOCCA-7(α) at any cut α ≥ 3, such as"
        " 'MOCCA(7/2)'; repeatable.",
    )
    only: list[str] | None = opt.option(None, "NAME", "Compare these heuristics instead of all; repeatable.")


@dataclass(frozen=True)
class CompareOutput:
    """What is shown and written."""

    gantt: opt.Gantt = None
    output: str | None = opt.output(
        "Also write the exact result there, or the table if the name ends in .csv.", opt.usable_copy, default=None
    )
    continuous: bool = Option(True, help="Whether to solve η = 0 too, for comparison.")
    columns: str | None = opt.option(
        None, "NAMES", "Only these columns, in this order: headings in one line, with commas between."
    )
    as_latex: bool = Option(False, "--latex", help="Print a LaTeX table instead, for a document that uses booktabs.")
    as_json: opt.AsJson = False
    quiet: opt.Quiet = False


def compare_command(
    file: opt.InstanceFile, methods: MethodOptions, asked: opt.SolveArguments, into: CompareOutput
) -> None:
    """Show the exact optimum beside every heuristic, each verified.

    The gap is to the proven optimum; if none is proven, to the proven bound, and the column says so. "executed" is the
    same schedule run without the slot grid; the row "optimum, η = 0" is the optimum in continuous time, found within
    the time limit (a tenth of it is kept for that, 30 s at most); --no-continuous skips it. Exit code 3 if a
    heuristic's schedule broke a rule.

    Methods with a star ignore locality; their gap is to the optimum without locality, which has a row too and the same
    part of the time limit. "guarantee / observed" is the ratio to the optimum that a theorem promises on this instance,
    and the ratio found; "≤" if the optimum is not proven, "–" if no theorem applies.

    Examples
    --------
      oas compare grid.json
      oas compare grid.json --heuristic mypackage.mymodule:my_heuristic
      oas compare organizations.json --heuristic 'MOCCA(7/2)' --gantt organizations.png
      oas compare grid.json --only FCFS --only FPFS --time-limit 30 --gantt grid.png
      oas compare grid.json --latex --columns 'method, makespan, above' > table.tex
    """
    if into.as_json and into.as_latex:
        raise InputError("give one of --json and --latex")
    instance = opt.load_instance(file, asked.slot)
    from oas.show.comparison import comparison_columns, comparison_parts

    chosen = _chosen_columns(into.columns, comparison_columns(instance))
    from oas.show.progress import ProgressLine
    from oas.studies.comparison import compare

    # A heuristic of the user's own may print what it likes: not into our table or JSON.
    following = ProgressLine(into.quiet, unlimited=asked.time_limit is None)
    with asked.named(), following as progress, redirect_stdout(sys.stderr):
        comparison = compare(
            instance,
            heuristics=methods.only,
            extra=methods.heuristic or (),
            on_progress=progress,
            continuous=into.continuous,
            **asked.for_solve(),
        )
    written = partial(_write, comparison), into.output
    if into.as_latex:
        with uninterrupted() as delivery:
            delivery.save(*written)
            put(_latex(comparison, chosen))
    else:
        deliver(partial(_document, comparison), partial(comparison_parts, comparison, chosen), into.as_json, written)
    if into.gantt:
        _draw(comparison, into.gantt)
    free, limit = comparison.without_locality, comparison.continuous
    others = [one for one in (free, limit.result if limit else None) if one is not None]
    code = next(filter(None, map(exit_code, [comparison.result, *others])), ExitCode.DONE)
    raise typer.Exit(ExitCode.VIOLATION if comparison.violated and code == ExitCode.DONE else code)


def _write(comparison: Comparison, path: str) -> None:
    from oas.io import save
    from oas.io.files import csv_bytes, write_bytes

    if path.lower().endswith(".csv"):
        write_bytes(path, csv_bytes(comparison.to_frame()))
    else:
        save(comparison.result, path)


def _chosen_columns(text: str | None, known: Sequence[str]) -> list[str] | None:
    """Return the columns that --columns names; None for all."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in known:
            raise unknown_name(name, known, "--columns", reason="there is no such column")
    return list(dict.fromkeys(names))


def _latex(comparison: Comparison, columns: Sequence[str] | None) -> str:
    """Return the table for a document in LaTeX, with the notes beneath it as comments."""
    from oas.campaigns.report.tables import Table, to_latex
    from oas.show.comparison import comparison_notes, comparison_table, facts_of, title_of

    title, table = title_of(comparison.instance), comparison_table(comparison, columns)
    notes = [*facts_of(comparison.instance), *comparison_notes(comparison)]
    return to_latex(title, notes, [Table(title, table.titles, table.rows)])


def _draw(comparison: Comparison, path: str) -> None:
    """Exact and best heuristic schedule above one another; one that breaks locality only where none keeps it."""
    from oas import plots
    from oas.core.result import Status

    result = comparison.result
    exact, *others = comparison.rows
    others.sort(key=lambda row: row.keeps_locality is False)  # otherwise they stay as they are, by makespan
    optimum = "optimum" if result.status is Status.OPTIMAL else exact.method
    named = [(optimum, exact), *((row.method, row) for row in others)]
    shown = dict([(name, row.schedule) for name, row in named if row.schedule is not None][:2])
    if shown:
        save_picture(plots.comparison_figure(comparison.instance, shown, lower_bound=result.lower_bound), path)


def _document(comparison: Comparison) -> dict[str, Any]:
    from oas.show.comparison import tables_of

    limit = comparison.continuous
    return {
        "instance": comparison.instance.digest,
        **tables_of(comparison.instance).document(comparison.instance),
        "rows": [_row_document(row) for row in comparison.rows],
        "continuous": None
        if limit is None
        else attributes(limit, "slots", "slotted", "executed", "lower_bound", "best", "proven", "result"),
        **attributes(comparison, "without_locality", "result"),
    }


def _row_document(row: ComparisonRow) -> dict[str, Any]:
    guarantee = row.guarantee
    return {
        **attributes(row, "method", "makespan", "executed", "compaction", "executed_compaction", "gap"),
        **attributes(row, "ignores_locality", "ratio"),
        "guarantee": None if guarantee is None else guarantee.value,
        "hypothesis": None if guarantee is None else guarantee.hypothesis,
        **attributes(row, "observed", "observed_exactly", "keeps_locality", "seconds"),
        "violations": [attributes(one, "rule", "jobs", "message") for one in row.violations],
        "note": row.note,
    }
