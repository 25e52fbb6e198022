"""`oas compare`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from typing import Any

from typer import Option

from oas import plots
from oas.cli import options as opt
from oas.cli.output import attributes, deliver, leave, put, save_picture, uninterrupted
from oas.core.errors import InputError, unknown_name
from oas.core.result import Status
from oas.io import save
from oas.io.files import csv_bytes, write_bytes
from oas.show.comparison import comparison_columns, comparison_parts, tables_of
from oas.show.progress import ProgressLine
from oas.show.tables import study_latex
from oas.solving.comparison import Comparison, ComparisonRow, compare


@dataclass(frozen=True)
class CompareOutput:
    """Output options."""

    gantt: opt.Gantt = None
    output: str | None = opt.output("Also write the table (if it ends in .csv) or the exact result.", opt.usable_copy)
    continuous: bool = Option(True, help="Also compute the optimum in continuous time (η = 0).")
    columns: str | None = opt.option(None, "NAMES", "Show these columns only, in this order; separated by commas.")
    as_latex: bool = Option(False, "--latex", help="Print a LaTeX table for a document that loads booktabs.")
    as_json: opt.AsJson = False
    quiet: opt.Quiet = False


def compare_command(
    file: opt.InstanceFile,
    heuristic: list[str] | None = opt.option(
        None,
        "NAME",
        "Add a heuristic: your own as package.module:function, or MOCCA(α) or MOCCA-7(α) with any α ≥ 3, such as"
        " 'MOCCA(7/2)'; repeatable.",
    ),
    only: list[str] | None = opt.option(None, "NAME", "Compare only this heuristic; repeatable. Default: all of them."),
    *,
    asked: opt.SolveArguments,
    into: CompareOutput,
) -> None:
    """Compare all heuristics with the exact optimum, and verify every schedule.

    Gaps are relative to the proven optimum or, if the optimum is not proven, to the proven lower bound; the column
    heading says which. "executed" is the same schedule executed without the slot grid. The row "optimum, η = 0" is the
    optimum in continuous time; its solve takes a tenth of the time limit, at most 30 s, and --no-continuous skips it.

    Methods with a star ignore locality. They are compared with the optimum without locality, which has its own row and
    its own tenth of the time limit. "guarantee / observed" shows the approximation ratio that a theorem guarantees on
    this instance, and the observed ratio; "≤" if the optimum is not proven, "–" if no theorem applies.

    The exit code is 3 if the schedule of a heuristic breaks a rule.

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
    columns = _columns(into.columns, comparison_columns(instance))
    # Output of a user's heuristic goes to stderr, not into the table or the JSON document.
    progress_line = ProgressLine(into.quiet or asked.solver_log == "-", unlimited=asked.time_limit is None)
    with asked.named(), progress_line as progress, redirect_stdout(sys.stderr):
        comparison = compare(
            instance,
            heuristics=only,
            extra=heuristic or (),
            on_progress=progress,
            continuous=into.continuous,
            **asked.for_solve(),
        )
    file_output = partial(_write, comparison), into.output
    if into.as_latex:
        with uninterrupted() as delivery:
            delivery.save(*file_output)
            put(study_latex(comparison, columns=columns))
    else:
        parts = partial(comparison_parts, comparison, columns)
        deliver(partial(_document, comparison), parts, into.as_json, file_output)
    if into.gantt:
        _draw(comparison, into.gantt)
    limit = comparison.continuous
    results = [comparison.result, comparison.without_locality, limit.result if limit else None]
    leave(results, violated=comparison.violated)


def _write(comparison: Comparison, path: str) -> None:
    if path.lower().endswith(".csv"):
        write_bytes(path, csv_bytes(comparison.to_frame()))
    else:
        save(comparison.result, path)


def _columns(text: str | None, known: Sequence[str]) -> list[str] | None:
    """Parse the value of --columns; None for all columns."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in known:
            raise unknown_name(name, known, "--columns", reason="there is no such column")
    return list(dict.fromkeys(names))


def _draw(comparison: Comparison, path: str) -> None:
    """Draw the exact schedule above the best heuristic one, preferably one that keeps locality."""
    result = comparison.result
    exact, *heuristics = comparison.rows
    heuristics.sort(key=lambda row: row.keeps_locality is False)  # stable: otherwise by makespan
    optimum = "optimum" if result.status is Status.OPTIMAL else exact.method
    named = [(optimum, exact), *((row.method, row) for row in heuristics)]
    schedules = dict([(name, row.schedule) for name, row in named if row.schedule is not None][:2])
    if schedules:
        bound, claimed = result.lower_bound, result.is_claimed
        figure = plots.comparison_figure(comparison.instance, schedules, lower_bound=bound, claimed=claimed)
        save_picture(figure, path)


def _document(comparison: Comparison) -> dict[str, Any]:
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
        **attributes(row, "observed", "observed_exactly", "keeps_locality", "seconds", "check_seconds"),
        "violations": [attributes(violation, "rule", "jobs", "message") for violation in row.violations],
        "note": row.note,
    }
