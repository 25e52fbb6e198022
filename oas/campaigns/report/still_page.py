"""A page without script in the look of the report: tiles, tables and figures, all in one file that loads nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from oas.campaigns.report.page import inline_svg, own_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{css}</style>
</head>
<body>
<header>
<p class="eyebrow">{eyebrow}</p>
<h1>{title}</h1>
<p class="description">{description}</p>
<div class="tiles">{tiles}</div>
<nav>{links}</nav>
</header>
<main>
{sections}
</main>
</body>
</html>
"""
# Figures are larger than in the report, which shows two side by side; headings are no buttons.
_CSS = """
figure svg { max-width: 1100px; }
.remark + .remark { margin-top: 2px; }
thead th { padding: 6px 8px; white-space: pre-line; }
th.figures { text-align: right; }
tr.alarm td { color: var(--alarm); }
"""


@dataclass(frozen=True)
class PageTable:
    """A table: names in the first column, figures or words in the others.

    Attributes
    ----------
    headings
        Of the columns.
    rows
        Their cells, as text.
    words
        Places of columns of words, which stand left; the others stand right.
    alarms
        Places of rows about something that is wrong.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: Sequence[int] = (0,)
    alarms: Sequence[int] = ()


@dataclass(frozen=True)
class PageSection:
    """A part of a page under its own heading: notes, then a table, then figures, then remarks.

    Attributes
    ----------
    name
        Unique on the page and fit for an id.
    title
        Its heading.
    notes
        Remark that the reader must see first; set apart.
    table
        A table, if there is one.
    figures
        Title and figure of each.
    remarks
        Beneath all.
    """

    name: str
    title: str
    notes: Sequence[str] = ()
    table: PageTable | None = None
    figures: Sequence[tuple[str, Figure]] = field(default=())
    remarks: Sequence[str] = ()


def still_page(
    eyebrow: str, title: str, description: str, tiles: Sequence[tuple[str, str]], sections: Sequence[PageSection]
) -> str:
    """Return the page.

    Parameters
    ----------
    eyebrow
        Kind of page.
    title, description
        Subject of the page.
    tiles
        The main figures with their meaning.
    sections
        In their order.
    """
    return _PAGE.format(
        title=escape(title),
        eyebrow=escape(eyebrow),
        description=escape(description),
        css=own_text("page.css") + _CSS,
        tiles="".join(
            f'<div class="tile"><b>{escape(one)}</b><span>{escape(what)}</span></div>' for one, what in tiles
        ),
        links="".join(f'<a href="#{one.name}">{escape(one.title)}</a>' for one in sections),
        sections="\n".join(map(_section, sections)),
    )


def _section(section: PageSection) -> str:
    figures = []
    for number, (title, figure) in enumerate(section.figures):
        drawn = inline_svg(f"{section.name}-{number}", figure, figure.get_figwidth())
        figures.append(f'<figure role="img" aria-label="{escape(title)}">{drawn}</figure>')
    return "\n".join(
        [
            f'<section id="{section.name}"><h2>{escape(section.title)}</h2>',
            *(f'<p class="note">{escape(text)}</p>' for text in section.notes),
            *([] if section.table is None else [_table(section.table)]),
            *figures,
            *(f'<p class="remark">{escape(text)}</p>' for text in section.remarks),
            "</section>",
        ]
    )


def _table(table: PageTable) -> str:
    def cell(tag: str, text: str, column: int) -> str:
        return f"<{tag}{'' if column in table.words else ' class=figures'}>{escape(text)}</{tag}>"

    head = "".join(cell("th", heading, column) for column, heading in enumerate(table.headings))
    rows = (
        f"<tr{' class=alarm' if place in table.alarms else ''}>"
        + "".join(cell("td", text, column) for column, text in enumerate(row))
        + "</tr>"
        for place, row in enumerate(table.rows)
    )
    return "\n".join(
        ['<div class="scroll"><table><thead><tr>', head, "</tr></thead><tbody>", *rows, "</tbody></table></div>"]
    )
