"""Notebooks as pages: each is executed when the site is built, and its outputs stand in the page.

``.. gallery::`` shows the first picture of each notebook with its title and its question.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import nbclient
import nbformat
from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "notebooks"
EXECUTED = ROOT / "build" / "executed"
SOURCES = ("oas", "heuristics")
SECONDS = 600
"""For one cell."""
LONGEST = 40
"""Lines of an output that are shown."""


class NotebookParser(MystParser):
    """Executes a notebook and reads it as a page in Markdown."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Read the executed notebook."""
        super().parse("\n\n".join(_parts(executed(inputstring))), document)


class Gallery(SphinxDirective):
    """A card for each notebook."""

    def run(self) -> list[nodes.Node]:
        """Return the cards."""
        self.env.note_reread()
        cards = nodes.container(classes=["gallery"])
        for path in sorted(FOLDER.glob("*.ipynb")):
            cards += self._card(path)
        return [cards]

    def _card(self, path: Path) -> nodes.container:
        notebook = executed(path.read_text(encoding="utf-8"))
        heading, _, text = notebook.cells[0].source.partition("\n")
        title, question = heading.removeprefix("# "), text.strip().partition("\n\n")[0]
        picture = next(data for data in _outputs(notebook) if "image/png" in data)
        relative = os.path.relpath(path, Path(self.env.doc2path(self.env.docname)).parent)
        markdown = f"[![{title}]({_embedded(picture)})]({relative})\n\n**[{title}]({relative})**\n\n{question}"
        return nodes.container("", *self.parse_text_to_nodes(markdown), classes=["card"])


def executed(text: str) -> nbformat.NotebookNode:
    """Return the notebook with its outputs, kept in build/ until the notebook or the package changes."""
    key = hashlib.sha256(f"{_package()}\n{text}".encode()).hexdigest()
    path = EXECUTED / f"{key}.ipynb"
    EXECUTED.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a test may need the same notebook while the site is built
        if not path.exists():
            nbformat.write(_execute(text), path)
        return nbformat.read(path, as_version=4)


def _execute(text: str) -> nbformat.NotebookNode:
    os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")
    logging.getLogger("traitlets").setLevel(logging.WARNING)
    notebook = nbformat.reads(text, as_version=4)
    with TemporaryDirectory() as folder:  # a notebook needs no file of the repository, and leaves none behind
        client = nbclient.NotebookClient(notebook, timeout=SECONDS, resources={"metadata": {"path": folder}})
        client.execute(stderr=subprocess.DEVNULL)  # of the kernel itself: what cells print arrives otherwise
        if files := os.listdir(folder):
            raise ValueError(f"a notebook left {', '.join(files)} behind")
    return notebook


@cache
def _package() -> str:
    """Return a checksum of all that a notebook runs through."""
    found = hashlib.sha256(sys.version.encode())
    for package in SOURCES:
        for path in sorted((ROOT / package).rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()


def _parts(notebook: nbformat.NotebookNode) -> Iterator[str]:
    """Return the cells and their output as Markdown."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield cell.source
        else:
            yield f"~~~python\n{cell.source}\n~~~"
            yield from (_shown(output) for output in cell.outputs)


def _shown(output: Any) -> str:
    if output.output_type == "stream":
        return _plain(output.text)
    data = output.data
    if "image/png" in data and "text/html" not in data:
        return f"![]({_embedded(data)})"
    if "text/html" in data:
        return f'~~~{{raw}} html\n<div class="output">{data["text/html"]}</div>\n~~~'
    return "" if "application/vnd.jupyter.widget-view+json" in data else _plain(data["text/plain"])


def _plain(text: str) -> str:
    lines = text.rstrip().splitlines()
    return "\n".join(["~~~text", *lines[:LONGEST], *(["…"] if len(lines) > LONGEST else []), "~~~"])


def _outputs(notebook: nbformat.NotebookNode) -> Iterator[Any]:
    return (out.data for cell in notebook.cells for out in cell.get("outputs", ()) if "data" in out)


def _embedded(data: Any) -> str:
    return "data:image/png;base64," + "".join(data["image/png"].split())


def setup(app: Sphinx) -> dict[str, object]:
    """Read ``*.ipynb`` with the parser above."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
