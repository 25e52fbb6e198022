"""Texts and tables for terminals, notebooks and LaTeX: schedules, results and studies.

Each display has a bounded number of lines; the complete data is in the fields and in `to_frame`. HTML is escaped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from oas.core.formats import (
    MISSING,
    call_by_path,
    show_count,
    show_exact,
    show_percent,
    show_ratio,
    show_seconds,
    show_time,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.result import Result, Trace
    from oas.core.schedule import Placement, Schedule
    from oas.core.schedule_metrics import ScheduleMetrics
    from oas.solving.study import Interval, Study

MAX_STUDY_ROWS = 50  # rows of a study's table in a notebook
MAX_LINES = 3  # lines of a list
MAX_METHODS = 12  # lines of a study
MAX_RANGES = 4  # ranges of node numbers on a cluster
MAX_ROWS = 10  # rows of other tables in a notebook
_MAX_CELL = 80  # characters of a cell

_LEFT, _RIGHT = ' style="text-align:left"', ' style="text-align:right"'


def short_name(instance: Instance) -> str:
    """Return the name of an instance; 12 characters of its digest if it has no name."""
    return instance.name or instance.digest[:12]


def fragment(title: str, *parts: str) -> str:
    """Return HTML parts under a title, which is escaped."""
    return "\n".join([f"<div><strong>{escape(title)}</strong>", *filter(None, parts), "</div>"])


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], count: int, most: int = MAX_ROWS) -> str:
    """Return an HTML table of the first `most` of `count` rows; columns after the first are right-aligned.

    `rows` may be lazy: only the displayed rows are read.
    """
    body = [f"<tr>{_cells('td', row)}</tr>" for row in islice(rows, most)]
    more = [] if count <= most else [remark(f"… and {count - most:,} more")]
    return "\n".join(
        [f"<table><thead><tr>{_cells('th', headings)}</tr></thead>", "<tbody>", *body, "</tbody></table>", *more],
    )


def remark(text: str) -> str:
    """Return a line of text as HTML."""
    return f"<div>{escape(text)}</div>"


def _cells(tag: str, texts: Iterable[str]) -> str:
    cells = []
    for column, text in enumerate(texts):
        short = text if len(text) <= _MAX_CELL else f"{text[: _MAX_CELL - 1]}…"
        cells.append(f"<{tag}{_RIGHT if column else _LEFT}>{escape(short)}</{tag}>")
    return "".join(cells)


def first_lines(lines: Iterable[str], count: int, most: int = MAX_LINES) -> list[str]:
    """Return the first `most` of `count` lines, and a line with the number of the others."""
    return [*islice(lines, most), *([f"… and {count - most:,} more"] if count > most else [])]


def text(heading: str, lines: Iterable[str]) -> str:
    """Return indented lines under a heading, without the empty ones."""
    return "\n  ".join([heading, *filter(None, lines)])


def sized_text(instance: Instance, size: str, lines: Iterable[str]) -> str:
    """Return type, name and size of an instance, and the first of `lines`, one per cluster."""
    return text(
        f"{type(instance).__name__} {short_name(instance)}: {size}", first_lines(lines, len(instance.cluster_sizes))
    )


def schedule_text(schedule: Schedule) -> str:
    """Return method, makespan and the first placements."""
    count = len(schedule.placements)
    method = f" by {schedule.method}" if schedule.method else ""
    heading = f"Schedule{method}: {show_count(count, 'job')}, makespan {show_exact(schedule.makespan)}"
    return text(heading, first_lines(map(_run, schedule.placements), count))


def placement_text(placement: Placement) -> str:
    """Return the time and the node ranges of a job."""
    return f"Placement {_run(placement)}"


def result_text(result: Result) -> str:
    """Return makespan, bound, proof, method and solver."""
    time = "" if result.solve_seconds is None else show_seconds(result.solve_seconds)
    schedule = "no schedule"
    if result.schedule is not None:
        schedule = f"schedule by {result.schedule.method}, {show_count(len(result.schedule.placements), 'job')}"
    return text(
        f"Result: {_status(result)}",
        [
            f"makespan {_exact(result.objective)}, lower bound {_exact(result.lower_bound)},"
            f" gap {show_percent(result.gap)}",
            "" if result.proof is None else f"proof: {result.proof}",
            result.unconfirmed and f"not counted: the bound {result.unconfirmed}",
            schedule,
            f"solver {result.solver}, {time}" if result.solver and time else result.solver or time,
            f"second opinions {show_seconds(result.check_seconds)}" if result.check_seconds else "",
            result.message,
        ],
    )


def _status(result: Result) -> str:
    return f"{result.status.value.replace('_', ' ')} ({result.termination.value.replace('_', ' ')})"


def trace_text(trace: Trace) -> str:
    """Return the number of points and the last one."""
    points = trace.points
    last = [
        f"{show_seconds(point.seconds)}: makespan {_exact(point.objective)}, lower bound {_exact(point.lower_bound)}"
        for point in points[-1:]
    ]
    return text(f"Trace: {show_count(len(points), 'point')} in {show_seconds(trace.seconds)}", last)


def metrics_text(metrics: ScheduleMetrics) -> str:
    """Return makespan, utilisation, and mean and maximum of each measure."""
    method = f" by {metrics.method}" if metrics.method else ""
    formats = {"wait": show_time, "flow": show_time, "slowdown": show_ratio, "bounded_slowdown": show_ratio}
    measures = (
        f"{name.replace('_', ' ')}: mean {show(metrics.mean(name))}, largest {show(metrics.largest(name))}"
        for name, show in formats.items()
    )
    heading = (
        f"Metrics of a schedule{method}: {show_count(len(metrics.jobs), 'job')},"
        f" makespan {show_time(metrics.makespan)}, utilisation {show_percent(metrics.utilisation)}"
    )
    return text(heading, measures)


def _exact(value: Fraction | None) -> str:
    return MISSING if value is None else show_exact(value)


def show_interval(interval: Interval | None, show: Callable[[Fraction | None], str] = show_time) -> str:
    """Return an interval as text; a dash if there is none."""
    return MISSING if interval is None else show_between(interval.low, interval.high, show)


def show_between(low: Fraction, high: Fraction, show: Callable[[Fraction | None], str] = show_time) -> str:
    """Return the ends of an interval as text, or one number if both look the same."""
    first, last = show(low), show(high)
    return first if first == last else f"{first} to {last}"


def _run(placement: Placement) -> str:
    nodes = [f"{name} {_node_ranges(placement.ranges(name))}" for name in islice(placement.nodes, MAX_RANGES)]
    if len(placement.nodes) > MAX_RANGES:
        nodes.append(f"… and {len(placement.nodes) - MAX_RANGES:,} clusters more")
    times = f"[{show_time(placement.start)}, {show_time(placement.end)})"
    return f"{placement.job}: {times} on {', '.join(nodes) or 'no node'}"


def _node_ranges(ranges: Sequence[range]) -> str:
    """Return the first ranges of node numbers: 0–3, 5."""
    texts = [f"{nodes[0]}" if len(nodes) == 1 else f"{nodes[0]}–{nodes[-1]}" for nodes in ranges[:MAX_RANGES]]
    return ", ".join([*texts, "…"] if len(ranges) > MAX_RANGES else texts)


def schedule_html(schedule: Schedule) -> str:
    """Return a table of the first placements, and a Gantt chart."""
    from oas.show.pictures import inline_gantt

    placements = (
        (run.job, show_time(run.start), show_time(run.end), f"{run.tasks:,}", _first_names(list(run.nodes)))
        for run in schedule.placements
    )
    count = len(schedule.placements)
    return fragment(
        f"{schedule.method or 'schedule'}: {count:,} jobs, makespan {show_time(schedule.makespan)}",
        table(("job", "start", "end", "nodes", "clusters"), placements, count),
        inline_gantt(None, schedule),
        remark("schedule.plot(instance) also shows idle nodes") if count else "",
    )


def result_html(result: Result) -> str:
    """Return a table of makespan, bound and proof, and a Gantt chart."""
    from oas.show.pictures import inline_gantt

    schedule = result.schedule
    pairs = [
        ("makespan", _exact(result.objective)),
        ("lower bound", _exact(result.lower_bound)),
        ("gap", show_percent(result.gap)),
        ("proof", "" if result.proof is None else str(result.proof)),
        ("not counted", result.unconfirmed),
        ("schedule by", "" if schedule is None else schedule.method),
        ("time", "" if result.solve_seconds is None else show_seconds(result.solve_seconds)),
        ("second opinions", show_seconds(result.check_seconds) if result.check_seconds else ""),
        ("note", result.message),
    ]
    chart = "" if schedule is None else inline_gantt(result.instance, schedule, result.lower_bound)
    return fragment(_status(result), _facts([pair for pair in pairs if pair[1]]), chart)


def _facts(pairs: Iterable[tuple[str, str]]) -> str:
    rows = (f"<tr><th{_LEFT}>{escape(name)}</th><td{_LEFT}>{escape(value)}</td></tr>" for name, value in pairs)
    return "\n".join(("<table>", *rows, "</table>"))


def _first_names(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")


@dataclass(frozen=True)
class Table:
    """Headings and rows of text; the first cell of a row is its name, the others are figures by default.

    Headings may contain line breaks, which apply in terminals only. `side`, `names` and `texts` refer to columns by
    their headings in one line.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    side: Sequence[str] = ()  # columns that may be left out for lack of width, least important first
    names: Collection[str] = ()  # columns of words that are never wrapped
    texts: Collection[str] = ()  # columns of words that are wrapped
    styles: Sequence[str] = ()  # style of each row: ``bold``, ``red``, or empty
    ruled: bool = True  # whether a line separates headings and rows

    @property
    def titles(self) -> list[str]:
        return [one_line(heading) for heading in self.headings]

    def only(self, titles: Iterable[str]) -> Table:
        """Return a table of these columns, in this order; none of them may be left out for lack of width."""
        places = [self.titles.index(title) for title in titles]
        rows = [[row[place] for place in places] for row in self.rows]
        return replace(self, headings=[self.headings[place] for place in places], rows=rows, side=())

    def without(self, *titles: str) -> Table:
        return replace(self.only(title for title in self.titles if title not in titles), side=self.side)

    def lines(self) -> list[str]:
        """Return one line per row: its name, and the status and non-empty cells of columns that are never left out."""
        columns = [title for title in self.titles if title not in self.side or title == "status"]
        lines = []
        for name, *cells in self.only(columns).rows:
            pairs = zip(columns[1:], cells, strict=True)
            texts = [f"{title} {cell}" for title, cell in pairs if cell not in ("", MISSING)]
            lines.append(f"{name}: {', '.join(texts)}")
        return lines


@dataclass(frozen=True)
class Facts:
    """Labels and texts, one pair in each line."""

    pairs: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Gantt:
    """A Gantt chart, for notebooks; in terminals, only the result of a solve has one, as text."""

    instance: Instance
    schedule: Schedule
    lower_bound: Fraction | None = None


Part = str | Table | Facts | Gantt
"""A line of text, a table, facts or a chart; the first part of a study is its title."""


def one_line(heading: str) -> str:
    """Return a heading without line breaks."""
    return " ".join(heading.replace("-\n", "").split())


def study_text(study: Study) -> str:
    """Return the title of a study, the lines before its first table, and the lines of this table."""
    heading, *parts = call_by_path(study.DISPLAY, study)
    lines: list[str] = []
    for part in parts:
        if isinstance(part, Table):
            lines += part.lines()
            break
        lines += [part] if isinstance(part, str) and part else []
    return text(f"{type(study).__name__} of {heading}", first_lines(lines, len(lines), MAX_METHODS))


def study_latex(study: Study, **options: object) -> str:
    """See `Study.to_latex`; `options` are those of the function that yields the parts."""
    from oas.show import text_tables

    heading, *parts = call_by_path(study.DISPLAY, study, **options)
    first = next(part for part in parts if isinstance(part, Table))
    remarks = [part for part in parts if isinstance(part, str) and part]
    return text_tables.to_latex(heading, remarks, [text_tables.Table(heading, first.titles, first.rows)])


def study_html(study: Study) -> str:
    """Return all parts of a study as HTML."""
    heading, *parts = call_by_path(study.DISPLAY, study)
    return fragment(heading, *map(_html, parts))


def _html(part: Part) -> str:
    if isinstance(part, Table):
        return table(part.titles, part.rows, len(part.rows), MAX_STUDY_ROWS)
    if isinstance(part, Facts):
        return _facts(part.pairs)
    if isinstance(part, str):
        return remark(part) if part else ""
    from oas.show.pictures import inline_gantt

    return inline_gantt(part.instance, part.schedule, part.lower_bound)


def log_counts(**counts: Mapping[str, int]) -> list[str]:
    """Return one line per category of jobs of a log, such as ``skipped``, with the number of jobs by reason."""
    return [
        f"log: {category}: {'; '.join(f'{reason}: {number:,}' for reason, number in numbers.items())}"
        for category, numbers in counts.items()
        if numbers
    ]
