"""Tables of text, the same in a terminal, in a notebook and in LaTeX, and the parts in which studies are shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from oas.core.formats import MISSING, shown
from oas.show.views import fragment, remark, study_lines
from oas.show.views import table as html_table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.studies.study import Study

MOST = 50  # rows of a table in a notebook


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
        return html_table(self.titles, self.rows, len(self.rows), MOST)

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
    title, *parts = shown(study.DISPLAY, study)
    lines: list[str] = []
    for part in parts:
        if isinstance(part, Table):
            lines += part.lines()
            break
        lines += [part] if isinstance(part, str) and part else []
    return study_lines(f"{type(study).__name__} of {title}", lines)


def study_html(study: Study) -> str:
    """Return all parts of a study for a notebook."""
    title, *parts = shown(study.DISPLAY, study)
    return fragment(title, *map(_html, parts))


def _html(part: Part) -> str:
    if isinstance(part, Table):
        return part.html()
    if isinstance(part, str):
        return remark(part) if part else ""
    from oas.show.pictures import inline_gantt

    return inline_gantt(part.instance, part.schedule, part.lower_bound)
