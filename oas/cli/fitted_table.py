"""Tables fitted to the width of a terminal: columns are left out, but names and figures are never wrapped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich import box
from rich.cells import cell_len
from rich.table import Table as RichTable
from rich.text import Text

from oas.show.tables import Table

GAP = 2  # blanks between columns
MIN_NAME = 8  # characters that remain of a shortened row name
MIN_TEXT = 20  # width that a column of text keeps before other columns are left out


def fitted(table: Table, width: int) -> Iterator[RichTable | Text]:
    """Yield the table in at most `width` characters, and a line that lists the omitted columns, if any.

    Columns are left out in the order of the table's `side`. Row names are shortened only if no further column can be
    left out.
    """
    titles = table.titles
    shown = list(titles)
    for title in (name for name in table.side if name in titles):
        widths = _widths(table.only(shown))
        if sum(widths) + GAP * (len(widths) - 1) <= width:
            break
        shown.remove(title)
    yield _rich_table(table.only(shown), width)
    if omitted := [title for title in titles if title not in shown]:
        yield Text(f"not shown for lack of width: {', '.join(omitted)}", "dim")


def _rich_table(table: Table, width: int) -> RichTable:
    """Convert a table; its first column gets the width that the others leave."""
    rich_table = RichTable(
        box=box.SIMPLE_HEAD if table.ruled else None, show_edge=False, pad_edge=False, header_style="bold"
    )
    rich_table.collapse_padding = table.ruled
    rich_table.padding = (0, 1) if table.ruled else (0, GAP, 0, 0)
    widths = _widths(table)[1:]
    name_width = max(MIN_NAME, width - sum(widths) - GAP * len(widths))
    for column, (heading, title) in enumerate(zip(table.headings, table.titles, strict=True)):
        wrapped = title in table.texts
        figures = column > 0 and not wrapped and title not in table.names
        rich_table.add_column(
            heading,
            justify="right" if figures else "left",
            no_wrap=not wrapped,
            overflow="fold" if wrapped else "ellipsis",
            max_width=None if column else name_width,
        )
    for index, row in enumerate(table.rows):
        rich_table.add_row(*map(Text, row), style=table.styles[index] if table.styles else None)
    return rich_table


def _widths(table: Table) -> list[int]:
    """Return the width that each column needs so that no name or figure is shortened."""
    widths = []
    for column, (heading, title) in enumerate(zip(table.headings, table.titles, strict=True)):
        lines = [line for cell in (heading, *(row[column] for row in table.rows)) for line in cell.splitlines()]
        widest = max(map(cell_len, lines), default=0)
        widths.append(min(widest, MIN_TEXT) if title in table.texts else widest)
    return widths


def facts_table(facts: Iterable[tuple[str, str]]) -> RichTable:
    """Return a table of labels and texts without headings."""
    table = RichTable(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in facts:
        table.add_row(label, Text(text))
    return table
