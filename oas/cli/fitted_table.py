"""Tables in a terminal: they keep to its width by leaving columns out, never by wrapping names or figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len
from rich.table import Table as RichTable
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console, ConsoleOptions, RenderResult

    from oas.show.tables import Table

GAP = 2  # blanks between columns
LEAST_NAME = 8  # characters that are left of a name which has to be cut
LEAST_TEXT = 20  # characters a line that a column of text is given before other columns make room for it


class FittedTable:
    """A table without lines but a rule beneath its headings, with the names of its rows in the first column.

    Where the width does not suffice, columns are left out, in the order of the table's `side`, and a line beneath says
    which. A name is cut only where no column is left to leave out.
    """

    def __init__(self, table: Table) -> None:
        self.table = table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render the table in the width there is."""
        titles, width = self.table.titles, options.max_width
        kept = list(titles)
        for title in (one for one in self.table.side if one in kept):
            widths = _widths(self.table.only(kept))
            if sum(widths) + GAP * (len(widths) - 1) <= width:
                break
            kept.remove(title)
        yield _drawn(self.table.only(kept), width)
        if left_out := [title for title in titles if title not in kept]:
            yield Text(f"not shown for lack of width: {', '.join(left_out)}", "dim")


def _drawn(table: Table, width: int) -> RichTable:
    """Return a table whose first column is as wide as the others allow."""
    ruled = table.ruled
    drawn = RichTable(box=box.SIMPLE_HEAD if ruled else None, show_edge=False, pad_edge=False, header_style="bold")
    drawn.collapse_padding = ruled
    drawn.padding = (0, 1) if ruled else (0, GAP, 0, 0)
    others = _widths(table)[1:]
    most = max(LEAST_NAME, width - sum(others) - GAP * len(others))
    for place, (heading, title) in enumerate(zip(table.headings, table.titles, strict=True)):
        wrapped = title in table.texts
        figures = place > 0 and not wrapped and title not in table.names
        drawn.add_column(
            heading,
            justify="right" if figures else "left",
            no_wrap=not wrapped,
            overflow="fold" if wrapped else "ellipsis",
            max_width=None if place else most,
        )
    for place, row in enumerate(table.rows):
        drawn.add_row(*map(Text, row), style=table.styles[place] if table.styles else None)
    return drawn


def _widths(table: Table) -> list[int]:
    """Return how many characters each column takes without a name or figure cut."""
    found = []
    for place, (heading, title) in enumerate(zip(table.headings, table.titles, strict=True)):
        lines = [line for cell in (heading, *(row[place] for row in table.rows)) for line in cell.splitlines()]
        widest = max(map(cell_len, lines), default=0)
        found.append(min(widest, LEAST_TEXT) if title in table.texts else widest)
    return found


def facts_table(facts: Iterable[tuple[str, str]]) -> RichTable:
    """Return a table of names and what is known of each."""
    table = RichTable(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in facts:
        table.add_row(label, Text(text))
    return table
