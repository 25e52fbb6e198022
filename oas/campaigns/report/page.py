"""HTML pages in one file, without network, fonts or libraries: the report, and one without script for other commands.

Names of instances and messages may come from untrusted sources. The report contains them as JSON with every ``<``
escaped and displays them only as text; the other page escapes them. A content security policy forbids every script but
the page's own, and loading anything.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from io import StringIO
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from oas.show.tables import Table

_INLINE_WIDTH = 7.2  # inches: narrower than in a file, so that two figures side by side are readable
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def render(data: Mapping[str, Any], figures: Mapping[str, tuple[str, Figure]]) -> str:
    """Return the page for the data of `oas.campaigns.report.page_data.page_data`.

    `figures` maps names, which are unique on the page and valid as ids, to titles and figures.
    """
    script = own_text("page.js")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    plots = "\n".join(
        f'<figure role="img" aria-label="{escape(title)}">{inline_svg(name, figure)}</figure>'
        for name, (title, figure) in figures.items()
    )
    return (own_text("head.html") + own_text("page.html")).format(
        policy=f"{_POLICY}; script-src 'sha256-{digest}'",
        eyebrow="Campaign",
        title=escape(data["name"]),
        description=escape(data["description"]),
        css=own_text("page.css"),
        plots_link='<a href="#plots">Plots</a>' if figures else "",
        plots=f'<section id="plots"><h2>Plots</h2><div class="plots">{plots}</div></section>' if figures else "",
        data=embedded(data),
        script=script,
    )


def own_text(name: str) -> str:
    """Return the text of a file of this package."""
    return (files("oas.campaigns.report") / name).read_text(encoding="utf-8")


def embedded(data: object) -> str:
    """Return JSON that is safe inside a script element, whatever texts it contains."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def inline_svg(name: str, figure: Figure, width: float = _INLINE_WIDTH) -> str:
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


@dataclass(frozen=True)
class PageSection:
    """A part of a page under its own heading: notes, then a table, then figures, then remarks."""

    name: str  # unique on the page and valid as an id
    title: str  # its heading
    notes: Sequence[str] = ()  # remarks that the reader must see first, set apart
    table: Table | None = None  # rows with a style are marked as faults
    figures: Sequence[tuple[str, Figure]] = field(default=())  # title and figure of each
    remarks: Sequence[str] = ()  # below everything else


def still_page(
    eyebrow: str, title: str, description: str, tiles: Sequence[tuple[str, str]], sections: Sequence[PageSection]
) -> str:
    """Return a page without script: `eyebrow` above the title, a description, tiles (number, meaning), and sections."""
    return (own_text("head.html") + own_text("still.html")).format(
        policy=_POLICY,
        title=escape(title),
        eyebrow=escape(eyebrow),
        description=escape(description),
        css=own_text("page.css") + own_text("still.css"),
        tiles="".join(
            f'<div class="tile"><b>{escape(figure)}</b><span>{escape(text)}</span></div>' for figure, text in tiles
        ),
        links="".join(f'<a href="#{section.name}">{escape(section.title)}</a>' for section in sections),
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
