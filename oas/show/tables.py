"""Texts and tables of what is found, the same in a terminal, in a notebook and in LaTeX: schedules, results, studies.

A few lines each, however large the thing is; all of it is in its fields and in `to_frame`. In HTML every text is
escaped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from oas.core.formats import MISSING, show_count, show_exact, show_percent, show_ratio, show_seconds, show_time, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.result import Result, Trace
    from oas.core.schedule import Placement, Schedule
    from oas.core.schedule_metrics import ScheduleMetrics
    from oas.studies.study import Study

MOST = 50  # rows of a table of a study in a notebook
MAX_LINES = 3  # of a list
MAX_METHODS = 12  # of a study, whose lines are its answer
MAX_RANGES = 4  # of the nodes on a cluster
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


def title(instance: Instance) -> str:
    """Return the type of an instance, and its name or the beginning of its digest."""
    return f"{type(instance).__name__} {short_name(instance)}"


def first_lines(lines: Iterable[str], count: int, most: int = MAX_LINES) -> list[str]:
    """Return the first lines of `count`, and how many more there are."""
    return [*islice(lines, most), *([f"… and {count - most:,} more"] if count > most else [])]


def text(heading: str, lines: Iterable[str]) -> str:
    """Return lines under a heading; empty ones are left out."""
    return "\n  ".join([heading, *filter(None, lines)])


def schedule_text(schedule: Schedule) -> str:
    """Return the method, the makespan and the first placements."""
    count = len(schedule.placements)
    method = f" by {schedule.method}" if schedule.method else ""
    heading = f"Schedule{method}: {show_count(count, 'job')}, makespan {show_exact(schedule.makespan)}"
    return text(heading, first_lines(map(_run, schedule.placements), count))


def placement_text(placement: Placement) -> str:
    """Return one job's run, its nodes as ranges."""
    return f"Placement {_run(placement)}"


def result_text(result: Result) -> str:
    """Return what is held, what proves it, and how it was found."""
    time = show_seconds(result.seconds["total"]) if "total" in result.seconds else ""
    schedule = result.schedule
    return text(
        f"Result: {result.status.value.replace('_', ' ')} ({result.termination.value.replace('_', ' ')})",
        [
            f"makespan {_known(result.objective)}, lower bound {_known(result.lower_bound)},"
            f" gap {show_percent(result.gap)}",
            "" if result.proof is None else f"proof: {result.proof}",
            "no schedule"
            if schedule is None
            else f"schedule by {schedule.method}, {show_count(len(schedule.placements), 'job')}",
            f"solver {result.solver}, {time}" if result.solver and time else result.solver or time,
            result.message,
        ],
    )


def trace_text(trace: Trace) -> str:
    """Return how many points there are, and the last of them."""
    points = trace.points
    last = [
        f"{show_seconds(one.seconds)}: makespan {_known(one.objective)}, lower bound {_known(one.lower_bound)}"
        for one in points[-1:]
    ]
    return text(f"Trace: {show_count(len(points), 'point')} in {show_seconds(trace.seconds)}", last)


def metrics_text(metrics: ScheduleMetrics) -> str:
    """Return the makespan, the utilisation, and mean and largest of each measure."""
    method = f" by {metrics.method}" if metrics.method else ""
    measures = (
        f"{name.replace('_', ' ')}: mean {show(metrics.mean(name))}, largest {show(metrics.largest(name))}"
        for name, show in (
            ("wait", show_time),
            ("flow", show_time),
            ("slowdown", show_ratio),
            ("bounded_slowdown", show_ratio),
        )
    )
    heading = (
        f"Metrics of a schedule{method}: {show_count(len(metrics.jobs), 'job')},"
        f" makespan {show_time(metrics.makespan)}, utilisation {show_percent(metrics.utilisation)}"
    )
    return text(heading, measures)


def _known(value: Fraction | None) -> str:
    return MISSING if value is None else show_exact(value)


def _run(one: Placement) -> str:
    nodes = ", ".join(
        [f"{name} {_shown_ranges(one.ranges(name))}" for name in islice(one.nodes, MAX_RANGES)]
        + ([f"… and {len(one.nodes) - MAX_RANGES:,} clusters more"] if len(one.nodes) > MAX_RANGES else [])
    )
    return f"{one.job}: [{show_time(one.start)}, {show_time(one.end)}) on {nodes or 'no node'}"


def _shown_ranges(ranges: Sequence[range]) -> str:
    """Return the first ranges of node numbers: 0–3, 5."""
    shown = [f"{one[0]}" if len(one) == 1 else f"{one[0]}–{one[-1]}" for one in ranges[:MAX_RANGES]]
    return ", ".join([*shown, "…"] if len(ranges) > MAX_RANGES else shown)


def schedule_html(schedule: Schedule) -> str:
    """Return a table of the first placements, and a Gantt chart."""
    from oas.show.pictures import inline_gantt

    placements = (
        (one.job, show_time(one.start), show_time(one.end), f"{one.tasks:,}", _first_names(list(one.nodes)))
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
    from oas.show.pictures import inline_gantt

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


def _first_names(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")


@dataclass(frozen=True)
class Table:
    """Cells of text under headings, a name first in each row; columns hold figures unless they are said to hold words.

    Headings break at line breaks where a terminal is narrow; elsewhere, and where columns are named, they are one line.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    side: Sequence[str] = ()  # columns that may be left out for lack of width, the least important first
    names: Collection[str] = ()  # columns of words that are never wrapped
    texts: Collection[str] = ()  # columns of words that are wrapped
    styles: Sequence[str] = ()  # of each row: ``bold``, ``red``, or empty
    ruled: bool = True  # whether a line stands beneath the headings

    @property
    def titles(self) -> list[str]:
        """The headings, each in one line."""
        return [one_line(heading) for heading in self.headings]

    def only(self, titles: Iterable[str]) -> Table:
        """Return the columns of these titles, in this order; all of them stay whatever the width."""
        places = [self.titles.index(title) for title in titles]
        rows = [[row[place] for place in places] for row in self.rows]
        return replace(self, headings=[self.headings[place] for place in places], rows=rows, side=())

    def without(self, *titles: str) -> Table:
        """Return the table without the columns of these titles."""
        return replace(self.only(one for one in self.titles if one not in titles), side=self.side)

    def html(self) -> str:
        """Return the table for a notebook."""
        return table(self.titles, self.rows, len(self.rows), MOST)

    def lines(self) -> list[str]:
        """Return a line a row: its name, and what is known in the columns that are never left out; and its status."""
        columns = [title for title in self.titles if title not in self.side or title == "status"]
        lines = []
        for name, *cells in self.only(columns).rows:
            pairs = zip(columns[1:], cells, strict=True)
            lines.append(
                f"{name}: {', '.join(f'{title} {cell}' for title, cell in pairs if cell not in ('', MISSING))}"
            )
        return lines


@dataclass(frozen=True)
class Gantt:
    """A Gantt chart, which notebooks show."""

    instance: Instance
    schedule: Schedule
    lower_bound: Fraction | None = None


Part = str | Table | Gantt
"""A line of text, a table or a chart. The first part of a study is its title."""


def one_line(heading: str) -> str:
    """Return a heading in one line."""
    return " ".join(heading.replace("-\n", "").split())


def study_text(study: Study) -> str:
    """Return the title of a study, the lines before its first table, and those of the table."""
    heading, *parts = shown(study.DISPLAY, study)
    lines: list[str] = []
    for part in parts:
        if isinstance(part, Table):
            lines += part.lines()
            break
        lines += [part] if isinstance(part, str) and part else []
    return text(f"{type(study).__name__} of {heading}", first_lines(lines, len(lines), MAX_METHODS))


def study_html(study: Study) -> str:
    """Return all parts of a study for a notebook."""
    heading, *parts = shown(study.DISPLAY, study)
    return fragment(heading, *map(_html, parts))


def _html(part: Part) -> str:
    if isinstance(part, Table):
        return part.html()
    if isinstance(part, str):
        return remark(part) if part else ""
    from oas.show.pictures import inline_gantt

    return inline_gantt(part.instance, part.schedule, part.lower_bound)
