"""A table that keeps to the width of the terminal by leaving columns out, never by wrapping names or figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len
from rich.table import Column, Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console, ConsoleOptions, RenderResult

GAP = 2  # blanks between columns
LEAST_NAME = 8  # characters that are left of a name which has to be cut
LEAST_TEXT = 20  # characters a line that a column of text is given before other columns make room for it


class FittedTable(Table):
    """A table without lines but a rule beneath its headings, with the names of its rows in the first column.

    Where the width does not suffice, columns are left out, those of the headings `side` in this order, and a line
    beneath says which. A name is cut only where no column is left to leave out.
    """

    def __init__(self, first: str, side: Sequence[str] = (), *, ruled: bool = True) -> None:
        super().__init__(box=box.SIMPLE_HEAD if ruled else None, show_edge=False, pad_edge=False, header_style="bold")
        self.collapse_padding = ruled
        self.padding = (0, 1) if ruled else (0, GAP, 0, 0)
        self.side = tuple(side)
        self.add_column(first, no_wrap=True)

    def add_figures(self, *headings: str) -> None:
        """Add columns of figures, which stand right."""
        for heading in headings:
            self.add_column(heading, justify="right", no_wrap=True)

    def add_names(self, *headings: str) -> None:
        """Add columns of words, which are never wrapped."""
        for heading in headings:
            self.add_column(heading, no_wrap=True)

    def add_texts(self, *headings: str) -> None:
        """Add columns of text, which is wrapped."""
        for heading in headings:
            self.add_column(heading, overflow="fold")

    @property
    def headings(self) -> list[str]:
        """The columns' headings, each in one line."""
        return [one_line(column.header) for column in self.columns]

    @property
    def cells(self) -> list[list[str]]:
        """The cells by rows, as text."""
        return [[str(cell) for cell in row] for row in zip(*(column.cells for column in self.columns), strict=True)]

    def only(self, headings: Iterable[str]) -> FittedTable:
        """Return a table of the columns of these headings, in this order; all of them stay whatever the width."""
        by_heading = dict(zip(self.headings, self.columns, strict=True))
        chosen = [by_heading[heading] for heading in headings]
        table = FittedTable("", ruled=self.box is not None)
        table.columns.clear()
        for one in chosen:
            table.add_column(one.header, justify=one.justify, no_wrap=one.no_wrap, overflow=one.overflow)
        for own, row in zip(self.rows, zip(*(one.cells for one in chosen), strict=True), strict=True):
            table.add_row(*row, style=own.style)
        return table

    def fitted(self, width: int) -> tuple[FittedTable, list[str]]:
        """Return the table as it stands in so many characters, and the headings of what is left out."""
        kept = list(self.headings)
        for heading in (one for one in self.side if one in kept):
            if self.only(kept).least_width <= width:
                break
            kept.remove(heading)
        table = self.only(kept)
        first, *others = table.columns
        first.max_width = max(LEAST_NAME, width - sum(_width(column) + GAP for column in others))
        return table, [heading for heading in self.headings if heading not in kept]

    @property
    def least_width(self) -> int:
        """How many characters the table takes without a name or figure cut."""
        return sum(map(_width, self.columns)) + GAP * (len(self.columns) - 1)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render the table in the width there is."""
        table, left_out = self.fitted(options.max_width)
        yield from Table.__rich_console__(table, console, options)
        if left_out:
            yield Text(f"not shown for lack of width: {', '.join(left_out)}", "dim")


def one_line(heading: object) -> str:
    """Return a heading in one line."""
    return " ".join(str(heading).replace("-\n", "").split())


def _width(column: Column) -> int:
    lines = [line for cell in (column.header, *column.cells) for line in str(cell).splitlines()]
    widest = max(map(cell_len, lines), default=0)
    return widest if column.no_wrap else min(widest, LEAST_TEXT)
