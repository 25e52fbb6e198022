"""HTML pages in one file, without network, fonts or libraries: the report, and pages of other commands.

Names of instances and messages may come from untrusted sources, so all texts are escaped. Sortable tables are JSON with
every ``<`` escaped, which the page's script displays only as text. A content security policy forbids every script but
the page's own, and loading anything.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from io import StringIO
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from oas.show.tables import Table

HALF_WIDTH = 7.2
"""Width in inches of one of two figures on a line: narrower than in a file, so that both are readable."""
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_NO_SCRIPT = "This table needs JavaScript."


@dataclass(frozen=True)
class PageSection:
    """A part of a page under its own heading, which contains its fields from top to bottom."""

    name: str  # unique on the page and valid as an id
    title: str  # its heading
    notes: Sequence[str] = ()  # remarks that the reader must see first, set apart
    facts: Sequence[tuple[str, Sequence[str]]] = ()  # names with values
    table: Table | None = None  # rows with a style are marked as faults
    sortable: Mapping[str, Any] | None = None  # a table that the reader can sort and filter, as page.js reads it
    figures: Sequence[tuple[str, Figure]] = ()  # title and figure of each
    side_by_side: bool = False  # whether two figures share a line
    remarks: Sequence[str] = ()


def page(
    eyebrow: str, title: str, description: str, tiles: Sequence[tuple[str, ...]], sections: Sequence[PageSection]
) -> str:
    """Return a page: `eyebrow` above the title, a description, tiles (number, meaning, perhaps style), and sections."""
    tables = {section.name: section.sortable for section in sections if section.sortable is not None}
    policy, script = _POLICY, ""
    if tables:
        code = _own_text("page.js")
        policy += f"; script-src 'sha256-{b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"
        script = f'<script type="application/json" id="data">{embedded(tables)}</script>\n<script>{code}</script>'
    return _own_text("page.html").format(
        policy=policy,
        title=escape(title),
        eyebrow=escape(eyebrow),
        description=escape(description),
        css=_own_text("page.css"),
        tiles="".join(
            f'<div class="tile {" ".join(style)}"><b>{escape(figure)}</b><span>{escape(text)}</span></div>'
            for figure, text, *style in tiles
        ),
        links="".join(f'<a href="#{section.name}">{escape(section.title)}</a>' for section in sections),
        sections="\n".join(map(_section, sections)),
        script=script,
    )


def _own_text(name: str) -> str:
    """Return the text of a file of this package."""
    return (files("oas.campaigns.report") / name).read_text(encoding="utf-8")


def embedded(data: object) -> str:
    """Return JSON that is safe inside a script element, whatever texts it contains."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def inline_svg(name: str, figure: Figure, width: float) -> str:
    """Return `figure` at this width in inches as an SVG element without background; its ids begin with `name`."""
    drawn = StringIO()
    figure.set_size_inches(width, figure.get_figheight())
    figure.patch.set_alpha(0)
    for ax in figure.axes:
        ax.patch.set_alpha(0)
    with rc_context({"svg.hashsalt": name, "svg.fonttype": "none", "savefig.bbox": "standard"}):
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    svg = drawn.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, count=1, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    return re.sub(r'(href="#|url\(#)', rf"\g<1>{name}-", svg)


def _section(section: PageSection) -> str:
    parts = [f'<section id="{section.name}"><h2>{escape(section.title)}</h2>']
    parts += [f'<p class="note">{escape(text)}</p>' for text in section.notes]
    if section.facts:
        facts = (
            f"<dt>{escape(name)}</dt><dd>{''.join(f'<div>{escape(value)}</div>' for value in values)}</dd>"
            for name, values in section.facts
        )
        parts.append(f"<dl>{''.join(facts)}</dl>")
    if section.table is not None:
        parts.append(_table(section.table))
    if section.sortable is not None:
        parts.append(f'<div class="table"><noscript><p class="note">{_NO_SCRIPT}</p></noscript></div>')
    figures = []
    for number, (title, figure) in enumerate(section.figures):
        width = HALF_WIDTH if section.side_by_side else figure.get_figwidth()
        drawn = inline_svg(f"{section.name}-{number}", figure, width)
        figures.append(f'<figure role="img" aria-label="{escape(title)}">{drawn}</figure>')
    parts += ['<div class="plots">', *figures, "</div>"] if section.side_by_side else figures
    parts += [f'<p class="remark">{escape(text)}</p>' for text in section.remarks]
    return "\n".join([*parts, "</section>"])


def _table(table: Table) -> str:
    words = {table.titles[0], *table.names, *table.texts}
    kinds = ["" if title in words else " class=figures" for title in table.titles]

    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(f"<{tag}{kind}>{escape(text)}</{tag}>" for kind, text in zip(kinds, row, strict=True))

    head = cells("th", table.titles)
    rows = (
        f"<tr{' class=alarm' if style else ''}>{cells('td', row)}</tr>"
        for row, style in zip(table.rows, table.styles or [""] * len(table.rows), strict=True)
    )
    begin, middle, end = '<div class="scroll"><table><thead><tr>', "</tr></thead><tbody>", "</tbody></table></div>"
    return "\n".join([begin, head, middle, *rows, end])
