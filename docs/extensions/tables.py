"""Tables made by the other extensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def table(columns: Mapping[str, int], rows: Iterable[Iterable[nodes.Node | str]], name: str) -> nodes.table:
    """Return a table of the class `name`; `columns` are headings with relative widths."""
    group = nodes.tgroup(cols=len(columns))
    group += [nodes.colspec(colwidth=width) for width in columns.values()]
    group += nodes.thead("", _row(columns))
    group += nodes.tbody("", *map(_row, rows))
    return nodes.table("", group, classes=[name])


def _row(cells: Iterable[nodes.Node | str]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", _paragraph(cell)) for cell in cells))


def _paragraph(cell: nodes.Node | str) -> nodes.Node:
    if isinstance(cell, nodes.paragraph):
        return cell
    return nodes.paragraph("", "", nodes.Text(cell) if isinstance(cell, str) else cell)
