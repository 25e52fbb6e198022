"""The report of the test kit as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.formats import MISSING, show_count, show_ratio
from oas.show.tables import Part, Table
from oas.testing.report import Standing

if TYPE_CHECKING:
    from oas.testing.report import Report

_SIDE = ("longest call", "number", "at most", "scheduled", "optimal")


def report_text(report: Report) -> str:
    """Return the report as text: runs, comparison with the toolkit's methods, and findings."""
    return "\n".join(_aligned(part) if isinstance(part, Table) else str(part) for part in report_parts(report))


def report_parts(report: Report) -> list[Part]:
    """Return the lines and tables of the report."""
    refused = sum(bool(outcome.refusal) for outcome in report.outcomes)
    head = (
        f"{report.method.name}: {show_count(len(report.outcomes), 'instance')}, {len(report.scheduled)} scheduled,"
        f" {refused} refused, {len(report.findings)} with a finding"
    )
    parts: list[Part] = [head]
    if report.left_out:
        parts.append(f"stopped: too many calls were cut off; {show_count(report.left_out, 'instance')} left out")
    if report.scheduled:
        parts += ["", _sources(report)]
    if report.scheduled and report.compared:
        headings = ("method", "scheduled", "optimal", "mean ratio", "worst ratio")
        ranks = [[standing.method, *_figures(standing)] for standing in report.standings]
        parts += ["", "on the same instances:", Table(headings, ranks, _SIDE, ruled=False), "", *_notes(report)]
    if report.findings:
        parts += ["", *_findings(report)]
    return [*parts, "", "ok" if report.ok else "not ok"]


def _sources(report: Report) -> Table:
    """Return one row per source of instances, with ratios if makespans are compared."""
    ratios = ["optimal", "mean ratio", "worst ratio", "at most"] if report.compared else []
    rows = []
    for name in dict.fromkeys(outcome.case.source for outcome in report.outcomes):
        outcomes = [outcome for outcome in report.outcomes if outcome.case.source == name]
        pairs = [(outcome.case, outcome.schedule.makespan) for outcome in outcomes if outcome.schedule]
        most = max((outcome.ratio_at_most for outcome in outcomes if outcome.ratio_at_most is not None), default=None)
        count, *figures = _figures(Standing.of(name, pairs))
        compared = [*figures, show_ratio(most)] if report.compared else []
        longest = max(outcome.seconds for outcome in outcomes)
        rows.append([name, str(len(outcomes)), count, *compared, f"{longest:.3f} s"])
    return Table(["instances", "number", "scheduled", *ratios, "longest call"], rows, _SIDE, ruled=False)


def _figures(standing: Standing) -> list[str]:
    optimal = MISSING if standing.optimal is None else f"{100 * float(standing.optimal):.0f} %"
    return [str(standing.scheduled), optimal, show_ratio(standing.mean), show_ratio(standing.worst)]


def _notes(report: Report) -> list[str]:
    notes = ["ratio: makespan / optimum or best known makespan; at most: makespan / proven bound"]
    worst = report.worst
    if worst is not None and worst.schedule is not None:
        case = worst.case
        known = f"the optimum is {case.lower_bound}" if case.solved else f"best known makespan {case.best_known}"
        notes.append(f"worst ratio {show_ratio(worst.ratio)}: {case.name}, ends at {worst.schedule.makespan}, {known}")
    if report.method.guarantee is not None:
        applicable = [outcome for outcome in report.scheduled if outcome.guarantee is not None]
        satisfied = sum(outcome.finding is None for outcome in applicable)
        notes.append(f"guarantee: applies to {show_count(len(applicable), 'instance')}, satisfied on {satisfied}")
    return notes


def _findings(report: Report) -> list[str]:
    """Return the first finding of each cause, its smallest instance, and the number of similar findings."""
    lines = []
    for outcome, *similar in report.by_cause():
        lines.append(f"{outcome.finding} on {outcome.case.name}")
        if outcome.smallest is not None and outcome.example is not None:
            smallest, example = outcome.smallest, outcome.example
            clusters = show_count(len(smallest.cluster_sizes), smallest.problem.cluster)
            lines.append(f"    shrunk to {show_count(len(smallest.jobs), 'job')} and {clusters}: {example.message}")
        if similar:
            lines.append(f"    similar on {show_count(len(similar), 'other instance')}")
    return lines


def _aligned(table: Table) -> str:
    """Align the first column left and the others right."""
    rows = [table.headings, *table.rows]
    first, *widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join([name.ljust(first), *map(str.rjust, cells, widths)]) for name, *cells in rows)
