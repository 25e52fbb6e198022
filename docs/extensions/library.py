"""``.. autolibrary::``: the entries of the instance library that comes with the package, a table for each group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from tables import table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

    from oas.io.library_index import Entry

COLUMNS = {"name": 30, "jobs": 7, "nodes": 14, "makespan": 13, "lower bound": 13, "gap": 9, "proof": 12}


class AutoLibrary(SphinxDirective):
    """The best known results of all entries, as in ``oas library list``."""

    def run(self) -> list[nodes.Node]:
        """Return a line on the whole, and a section for each group of entries."""
        from oas.cli.commands.library import summary
        from oas.library import Library
        from oas.library.store import INDEX

        library = Library()
        self.env.note_dependency(str(library.folder / INDEX))
        whole = nodes.paragraph(text=f"{summary(library, library.entries)}.")
        groups = dict.fromkeys(entry.group for entry in library.entries)
        return [whole, *(_section(name, [one for one in library.entries if one.group == name]) for name in groups)]


def _section(group: str, entries: list[Entry]) -> nodes.section:
    section = nodes.section(ids=[nodes.make_id(f"library-{group}")])
    section += nodes.title(text=group)
    section += table(COLUMNS, map(_cells, entries), "library")
    return section


def _cells(entry: Entry) -> Iterator[nodes.Node | str]:
    from oas.cli.commands.library import show_sizes
    from oas.core.formats import MISSING, show_percent, show_time

    yield nodes.literal("", entry.name)
    yield from (str(entry.jobs), show_sizes(entry.clusters))
    known = entry.record
    if known is None:
        yield from [MISSING] * 4
    else:
        yield from (show_time(known.makespan), show_time(known.lower_bound), show_percent(known.gap))
        yield known.proof.value.replace("_", " ")


def setup(app: Sphinx) -> dict[str, object]:
    """Register the directive."""
    app.add_directive("autolibrary", AutoLibrary)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
