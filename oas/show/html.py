"""Pieces of HTML for notebooks: small tables, every text escaped."""

from __future__ import annotations

from html import escape
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oas.core.instances import Instance

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
