"""What the pages show is what happens."""

import doctest
import re
from pathlib import Path

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from benchmarks.measurements.growth_chart import PICTURE, growth_figure, table
from oas.plots import save_figure
from tests.documents import arguments_of, blocks_of, check_picture, check_shown
from tests.slow import mostly_slow

ROOT = Path(__file__).parents[2]
OURS = "executed by tests/docs/test_pages.py"
EXIT_CODE = re.compile(r"; exit code (\d+)$")
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [page for page in DOCS if any(block.note.startswith(OURS) for block in blocks_of(page))]
REFERENCE = sorted(page for page in (ROOT / "docs/api").glob("*.rst") if ">>> " in page.read_text(encoding="utf-8"))
DRAWN_ELSEWHERE = {
    "demo.png": "README's first command, tests/test_readme.py",
    "proof-rate-growth.png": "benchmarks/measurements/growth_chart.py, see below",
}
# The gallery draws more than all others.
LONG = ("gallery", "how-it-proves", "models", "python")
QUICK = [
    page for page in PAGES if page.stem not in LONG and not any(block.kind == "console" for block in blocks_of(page))
]


def pictures_of(page):
    """The pictures that a page shows and draws."""
    shown = re.findall(r"\]\(([^):]+\.png)\)", page.read_text(encoding="utf-8"))
    return [picture for picture in shown if Path(picture).name not in DRAWN_ELSEWHERE]


def name_of(page):
    return str(page.relative_to(ROOT / "docs").with_suffix(""))


@pytest.mark.parametrize("page", mostly_slow(PAGES, quick=QUICK), ids=name_of)
def test_examples(page, tmp_path, monkeypatch, in_this_process):
    """The blocks of a page, one after the other in one folder: files are written, sessions share their names."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("COLUMNS", "130")
    names = {}
    for block in blocks_of(page):
        if not block.note.startswith(OURS):
            continue
        ends = EXIT_CODE.search(block.note)
        file = EXIT_CODE.sub("", block.note).removeprefix(OURS).removeprefix(": ")
        if file:
            Path(file).write_text(block.text, encoding="utf-8")
        elif block.kind == "python":
            example = doctest.DocTestParser().get_doctest(block.text, names, page.stem, page.name, 0)
            assert example.examples
            assert doctest.DocTestRunner().run(example, clear_globs=False).failed == 0
            names = example.globs
        else:
            assert block.kind == "console"
            for command, *shown in block.commands:
                check_shown(in_this_process(*arguments_of(command)), shown, int(ends[1]) if ends else 0)
    for picture in pictures_of(page):
        assert Path(picture).is_file(), f"no example draws {picture}"
        check_picture(Path(picture), page.parent / picture)


def test_every_picture_is_compared():
    compared = {(page.parent / picture).resolve() for page in PAGES for picture in pictures_of(page)}
    stored = {picture for picture in (ROOT / "docs").rglob("*.png") if picture.name not in DRAWN_ELSEWHERE}
    assert compared == stored


def test_the_growth_chart_is_that_of_its_table(tmp_path):
    save_figure(growth_figure(table()), tmp_path / "growth.png")
    check_picture(tmp_path / "growth.png", PICTURE)


def test_a_picture_with_another_content_is_refused(tmp_path):
    stored = ROOT / "docs/pictures/ledger.png"
    check_picture(stored, stored)
    with Image.open(stored) as picture:
        metadata = PngInfo()
        metadata.add_text("Software", picture.info["Software"])
        picture.paste("white", (700, 80, 1100, 110))  # one line of text
        picture.save(tmp_path / "ledger.png", pnginfo=metadata)
    with pytest.raises(AssertionError, match=r"ledger\.png is not what its code draws"):
        check_picture(tmp_path / "ledger.png", stored)


@pytest.mark.parametrize("page", REFERENCE, ids=lambda page: page.stem)
def test_examples_of_the_reference(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert outcome.attempted > 0 and outcome.failed == 0


@pytest.mark.parametrize("page", DOCS, ids=name_of)
def test_no_example_goes_unexecuted(page):
    for note, kind, text in blocks_of(page):
        if kind in ("python", "console", "json", "toml"):
            assert note.startswith("executed by tests/"), text[:200]
