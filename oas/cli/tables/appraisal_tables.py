"""The tables of `oas appraise`."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from rich.text import Text

from oas.cli.tables.fitted_table import FittedTable
from oas.cli.tables.tables import log_counts
from oas.core.formats import MISSING, show_count, show_factor, show_percent, show_ratio, show_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from oas.studies.appraisal import Appraisal
    from oas.studies.window_appraisal import Figures, WindowAppraisal


def window_table(appraisal: Appraisal) -> Table:
    """Return a row a window: what was observed, and the best."""
    table = FittedTable(
        "window",
        side=("jobs", "utilisation / best", "proof", "bounded slowdown / best", "mean wait / best", "makespan"),
    )
    table.add_figures("jobs", "makespan", "optimum", "above\noptimum")
    table.add_figures("mean wait\n/ best", "bounded slow-\ndown / best", "utilisation\n/ best")
    table.add_names("proof")
    for row in appraisal.rows:
        table.add_row(*(Text(cell) for cell in _cells(row)), style=None if row.observed else "red")
    return table


def _cells(row: WindowAppraisal) -> list[str]:
    observed, best = row.observed, row.best
    first = [row.window.name, str(row.window.jobs), show_time(Fraction(row.window.makespan))]
    if observed is None or best is None:
        return [*first, *[MISSING] * 5, "a rule is broken"]
    return [
        *first,
        _optimum(row),
        _range(row.at_least(observed), row.at_most(observed)),
        f"{_rounded(observed.mean_wait)} / {_rounded(best.mean_wait)}",
        f"{_two(observed.bounded_slowdown)} / {_two(best.bounded_slowdown)}",
        f"{show_percent(observed.utilisation)} / {show_percent(best.utilisation)}",
        row.result.proof.kind.value.replace("_", " ") if row.result and row.result.proof else MISSING,
    ]


def _optimum(row: WindowAppraisal) -> str:
    """The optimum, or between what it lies."""
    best = None if row.best is None else row.best.makespan
    if row.proven:
        return show_time(best)
    return f"{show_time(row.result.lower_bound if row.result else None)} to {show_time(best)}"


def _range(least: Fraction | None, most: Fraction | None) -> str:
    if least == most or most is None:
        return show_percent(least)
    return f"{show_percent(least).removesuffix(' %')} to {show_percent(most)}"


def _rounded(value: Fraction | None) -> str:
    """A mean time, to the unit from 100 on."""
    return show_time(Fraction(round(value)) if value is not None and value >= 100 else value)


def _two(value: Fraction | None) -> str:
    return MISSING if value is None else f"{float(value):,.2f}"


def summary_table(appraisal: Appraisal) -> Table:
    """Return a row a method: means over the windows that it has a schedule of."""
    table = FittedTable("method", side=("windows", "utilisation", "bounded slowdown", "mean wait"))
    table.add_figures("windows", "optimal", "above\noptimum", "mean wait", "bounded\nslowdown", "utilisation")
    for name, pairs in _by_method(appraisal).items():
        table.add_row(*(Text(cell) for cell in [name, *_means(pairs)]))
    return table


def _by_method(appraisal: Appraisal) -> dict[str, list[tuple[WindowAppraisal, Figures]]]:
    found: dict[str, list[tuple[WindowAppraisal, Figures]]] = {}
    for row in appraisal.rows:
        for figures in row.schedules:
            found.setdefault(figures.method, []).append((row, figures))
    return found


def _means(pairs: Sequence[tuple[WindowAppraisal, Figures]]) -> list[str]:
    optimal = sum(row.at_most(figures) == 0 for row, figures in pairs)
    return [
        str(len(pairs)),
        str(optimal),
        _range(_mean([row.at_least(one) for row, one in pairs]), _mean([row.at_most(one) for row, one in pairs])),
        _rounded(_mean([one.mean_wait for _, one in pairs])),
        show_ratio(_mean([one.bounded_slowdown for _, one in pairs])),
        show_percent(_mean([one.utilisation for _, one in pairs])),
    ]


def _mean(values: Sequence[Fraction | None]) -> Fraction | None:
    known = [value for value in values if value is not None]
    return Fraction(sum(known, Fraction(0)), len(known)) if known and len(known) == len(values) else None


def notes(appraisal: Appraisal) -> list[str]:
    """Return the lines beneath the tables."""
    found = []
    if appraisal.rows:
        proven = sum(row.proven for row in appraisal.rows)
        found.append(f"{proven} of {show_count(len(appraisal.rows), 'window')} proven")
    found += _loads(appraisal)
    if appraisal.left:
        why = "interrupted" if appraisal.interrupted else "for want of time"
        found.append(f"{appraisal.left} more not looked at ({why})")
    for row in appraisal.rows:
        found += [f"{row.window.name}: {violation}" for violation in row.window.violations[:3]]
        found += [f"{row.window.name}: {note}" for note in row.notes]
        if row.result is not None and row.result.message and not row.proven:
            found.append(f"{row.window.name}: {row.result.message}")
    if appraisal.violated:
        found.append(
            "where a rule is broken nothing is compared; if the log's number of processors is wrong, --processors"
        )
    if appraisal.log is not None:
        log = appraisal.log
        found.append(f"log: {log.name}, {show_count(len(log.jobs), 'job')} that ran")
        found += log_counts(skipped=log.skipped, kept=log.noted)
    return found


def _loads(appraisal: Appraisal) -> list[str]:
    """How busy the windows are, where a load was asked for."""
    least, loads = appraisal.busy, [row.window.load for row in appraisal.rows]
    if least is None or not loads:
        return []
    if max(loads) < least:
        return [f"no window has a load of {show_factor(least)}: this is the busiest, with {show_ratio(loads[0])}"]
    return [f"loads of the windows: {show_ratio(min(loads))} to {show_ratio(max(loads))}"]
