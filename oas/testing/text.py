"""The report as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.formats import show_count
from oas.testing.report import Standing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.testing.report import Report

_MISSING = "–"
Rows = list[list[str]]
"""A table: its headings, then its rows."""


def report_text(report: Report) -> str:
    """Return the report: what was run, how good it is beside others, and what is wrong."""
    return "\n".join(part if isinstance(part, str) else _table(part) for part in report_parts(report))


def report_parts(report: Report) -> list[str | Rows]:
    """Return the report's lines and tables."""
    refused = sum(bool(one.refusal) for one in report.outcomes)
    head = (
        f"{report.method.name}: {show_count(len(report.outcomes), 'instance')}, {len(report.scheduled)} scheduled,"
        f" {refused} refused, {len(report.findings)} with a finding"
    )
    parts: list[str | Rows] = [head]
    if report.left_out:
        parts.append(f"stopped: too many calls were cut off; {show_count(report.left_out, 'instance')} left out")
    if report.scheduled:
        parts += ["", _sources(report)]
    if report.scheduled and report.compared:
        parts += ["", "on the same instances:", _ranks(report.standings), "", *_notes(report)]
    if report.findings:
        parts += ["", *_findings(report)]
    return [*parts, "", "ok" if report.ok else "not ok"]


def _sources(report: Report) -> Rows:
    """A row for each source of instances; without ratios where makespans are not compared."""
    ratios = ["optimal", "mean ratio", "worst ratio", "at most"] if report.compared else []
    rows = [["instances", "number", "scheduled", *ratios, "longest call"]]
    for name in dict.fromkeys(one.case.source for one in report.outcomes):
        own = [one for one in report.outcomes if one.case.source == name]
        made = [one for one in own if one.schedule is not None]
        sums = Standing.of(name, [(one.case, one.schedule.makespan) for one in made if one.schedule])
        most = max((one.ratio_at_most for one in made if one.ratio_at_most is not None), default=None)
        count, *figures = _figures(sums)
        compared = [*figures, _ratio(most)] if report.compared else []
        rows.append([name, str(len(own)), count, *compared, f"{max(one.seconds for one in own):.3f} s"])
    return rows


def _ranks(standings: Sequence[Standing]) -> Rows:
    headings = ["method", "scheduled", "optimal", "mean ratio", "worst ratio"]
    return [headings, *([one.method, *_figures(one)] for one in standings)]


def _figures(one: Standing) -> list[str]:
    optimal = _MISSING if one.optimal is None else f"{100 * float(one.optimal):.0f} %"
    return [str(one.scheduled), optimal, _ratio(one.mean), _ratio(one.worst)]


def _notes(report: Report) -> list[str]:
    notes = ["ratio: makespan / optimum, or / the shortest schedule known; at most: / the proven bound"]
    worst = report.worst
    if worst is not None and worst.schedule is not None:
        case = worst.case
        known = f"the optimum is {case.least}" if case.solved else f"{case.most} is possible"
        notes.append(f"worst ratio {_ratio(worst.ratio)}: {case.name}, ends at {worst.schedule.makespan}, {known}")
    promised = [one for one in report.scheduled if one.guarantee is not None]
    if report.method.guarantee is not None:
        kept = sum(one.finding is None for one in promised)
        notes.append(f"its guarantee speaks of {show_count(len(promised), 'instance')} and is kept on {kept}")
    return notes


def _findings(report: Report) -> list[str]:
    """A line for each sort of finding, with one instance, and how little of it shows it."""
    lines = []
    for shown, *others in report.by_sort():
        lines.append(f"{shown.finding} on {shown.case.name}")
        if shown.smallest is not None:
            lines.append(f"    still so with {_size(shown.smallest)} of it")
            lines += [f"        {line}" for line in shown.example]
        if others:
            lines.append(f"    alike on {len(others)} more")
    return lines


def _size(instance: Instance) -> str:
    clusters = show_count(len(instance.cluster_sizes), instance.problem.cluster)
    return f"{show_count(len(instance.jobs), 'job')} and {clusters}"


def _ratio(value: Fraction | None) -> str:
    return _MISSING if value is None else f"{float(value):.3f}"


def _table(rows: Rows) -> str:
    """Text left, figures right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    )
