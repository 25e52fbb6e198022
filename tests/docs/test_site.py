"""The documentation site: built strictly, without a network, and readable without one."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import typer

import oas
from oas.cli.main import app
from oas.io import schema
from oas.library import Library

ROOT = Path(__file__).parents[2]
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}


class Page(HTMLParser):
    """Anchors of a page, what it points to, what a browser loads with it."""

    def __init__(self, path):
        super().__init__()
        self.anchors = set()
        self.targets = []
        self.loaded = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.targets.append(given["href"])
        if tag in LOADED and given.get(LOADED[tag]):
            self.loaded.append(given[LOADED[tag]])


@pytest.mark.slow
def test_site(tmp_path):
    """One test, so that parallel workers do not each build the site."""
    site = tmp_path / "site"
    build = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs", "-d", tmp_path / "trees", ".", site],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=3600,  # for a machine that is busy with other tests
        check=False,
    )
    assert build.returncode == 0, build.stderr
    pages = {path: Page(path) for path in site.rglob("*.html")}
    assert site / "docs/index.html" in pages
    broken = [
        f"{path.relative_to(site)}: {target}" for path, page in pages.items() for target in lost(page, path, pages)
    ]
    assert not broken
    loads_from_elsewhere(site, pages)
    holds_what_is_generated(site)
    is_easy_to_enter(text_of(site / "docs/index.html"))
    documented = set().union(*(page.anchors for path, page in pages.items() if path.parent.name == "api"))
    missing = [name for name in oas.__all__ if not documented & {f"oas.{name}", f"module-oas.{name}"}]
    assert not missing


def holds_what_is_generated(site):
    """Pages made when the site is built: commands, keys of files, entries of the library, executed notebooks."""
    commands = text_of(site / "docs/command-reference.html")
    for path, command in every_command(typer.main.get_command(app), "oas"):
        assert f">{path}<" in commands, path
        options = [option for one in command.params for option in one.opts if option.startswith("--")]
        assert all(f">{option}" in commands.replace(", ", ">") for option in options if option != "--help"), path
    keys = text_of(site / "docs/file-reference.html")
    for kind in ("instance", "schedule", "result", "model"):
        for definition in schema(kind)["$defs"].values():
            assert all(f">{key}<" in keys for key in definition.get("properties", ()))
    entries = text_of(site / "docs/library-entries.html")
    assert all(f">{entry.name}<" in entries for entry in Library().entries)
    gallery = text_of(site / "docs/gallery.html")
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        page = text_of(site / "notebooks" / f"{notebook.stem}.html")
        assert page.count("data:image/png") >= 2, notebook.stem
        assert f"notebooks/{notebook.stem}.html" in gallery


def is_easy_to_enter(landing):
    """Three cards, a sidebar of at most 20 entries in the order of Diátaxis, and filters for long tables."""
    assert landing.count('<div class="card">') == 3
    assert landing.count('class="toctree-l1') <= 20
    captions = re.findall(r'class="caption-text">([^<]+)', landing)
    assert captions == ["Learn", "Do", "Look up", "Understand"]
    assert "_static/tables.js" in landing


def text_of(path):
    """The page without the marks around single words of code."""
    return path.read_text(encoding="utf-8").replace('<span class="pre">', "").replace("</span>", "")


def every_command(command, path):
    """Commands that can be run, with their paths, down through the groups."""
    if not hasattr(command, "commands"):
        return [(path, command)]
    children = [(name, command.get_command(None, name)) for name in command.commands]
    return [found for name, child in children for found in every_command(child, f"{path} {name}")]


def lost(page, path, pages):
    """Targets within the site that are not there, page or place in it."""
    for target in page.targets + page.loaded:
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not file.exists() or (
            parts.fragment and file in pages and unquote(parts.fragment) not in pages[file].anchors
        ):
            yield target


def loads_from_elsewhere(site, pages):
    for path, page in pages.items():
        sources = [urlsplit(source) for source in page.loaded if not source.startswith("data:")]
        assert not [source for source in sources if source.scheme or source.netloc], path
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert "@import" not in text and "url(http" not in text and "url(//" not in text, sheet
