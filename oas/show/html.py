"""Pieces of HTML for notebooks, every text escaped: small tables, and schedules and results with a Gantt chart."""

from __future__ import annotations

from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from oas.core.formats import MISSING, show_exact, show_percent, show_seconds, show_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.core.schedule import Schedule

MAX_ROWS = 10
_LONGEST = 80  # letters of a cell
_DIGEST = 12  # letters that tell instances apart

_LEFT, _RIGHT = ' style="text-align:left"', ' style="text-align:right"'


def short_name(instance: Instance) -> str:
    """Return the name of `instance`; the beginning of its digest if it has none."""
    return instance.name or instance.digest[:_DIGEST]


def fragment(title: str, *parts: str) -> str:
    """Return `parts`, which are HTML, under `title`, which is text."""
    return "\n".join([f"<div><strong>{escape(title)}</strong>", *filter(None, parts), "</div>"])


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Return a table of names and what stands for each; pairs without a text are left out."""
    lines = (
        f"<tr><th{_LEFT}>{escape(name)}</th><td{_LEFT}>{escape(value)}</td></tr>" for name, value in pairs if value
    )
    return "\n".join(["<table>", *lines, "</table>"])


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], count: int, most: int = MAX_ROWS) -> str:
    """Return a table of the first `most` of `count` rows, and how many more there are; figures but the first column.

    No more rows are asked of `rows` than are shown.
    """
    head = "".join(_cell("th", heading, index) for index, heading in enumerate(headings))
    lines = [
        f"<tr>{''.join(_cell('td', text, index) for index, text in enumerate(row))}</tr>" for row in islice(rows, most)
    ]
    more = [] if count <= most else [remark(f"… and {count - most:,} more")]
    return "\n".join(
        [f"<table><thead><tr>{head}</tr></thead>", "<tbody>", *lines, "</tbody></table>", *more],
    )


def remark(text: str) -> str:
    """Return a line of text."""
    return f"<div>{escape(text)}</div>"


def _cell(tag: str, text: str, column: int) -> str:
    shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return f"<{tag}{_RIGHT if column else _LEFT}>{escape(shown)}</{tag}>"


def schedule_html(schedule: Schedule) -> str:
    """Return a table of the first placements, and a Gantt chart."""
    from oas.show.svg import inline_gantt

    placements = (
        (one.job, show_time(one.start), show_time(one.end), f"{one.tasks:,}", _clusters(list(one.nodes)))
        for one in schedule.placements
    )
    count = len(schedule.placements)
    return fragment(
        f"{schedule.method or 'schedule'}: {count:,} jobs, makespan {show_time(schedule.makespan)}",
        table(("job", "start", "end", "nodes", "clusters"), placements, count),
        inline_gantt(None, schedule),
        remark("schedule.plot(instance) shows the nodes that it leaves idle, too") if count else "",
    )


def result_html(result: Result) -> str:
    """Return what is held and what proves it, and a Gantt chart: of the instance's clusters where that is known."""
    from oas.show.svg import inline_gantt

    return fragment(
        f"{result.status.value.replace('_', ' ')} ({result.termination.value.replace('_', ' ')})",
        facts(_result_facts(result)),
        "" if result.schedule is None else inline_gantt(result.instance, result.schedule, result.lower_bound),
    )


def _result_facts(result: Result) -> list[tuple[str, str]]:
    return [
        ("makespan", MISSING if result.objective is None else show_exact(result.objective)),
        ("lower bound", MISSING if result.lower_bound is None else show_exact(result.lower_bound)),
        ("gap", show_percent(result.gap)),
        ("proof", "" if result.proof is None else str(result.proof)),
        ("schedule by", "" if result.schedule is None else result.schedule.method),
        ("time", show_seconds(result.seconds["total"]) if "total" in result.seconds else ""),
        ("note", result.message),
    ]


def _clusters(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
