"""The filter box above long tables of the site."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.browser
SCRIPT = (Path(__file__).parents[2] / "docs/static/tables.js").read_text(encoding="utf-8")


def section(title, words):
    rows = "".join(f"<tr><td>{word}</td><td>any</td></tr>" for word in words)
    head = "<thead><tr><th>name</th><th>text</th></tr></thead>"
    return f"<section><h2>{title}</h2><table class=docutils>{head}<tbody>{rows}</tbody></table></section>"


def test_tables_with_the_same_headings_are_filtered_together(visit, tmp_path):
    page = tmp_path / "page.html"
    tables = section("A", [f"a{number}" for number in range(15)]) + section("B", [f"b{number}" for number in range(15)])
    body = f"<article>{tables}<section>{section('C', ['short']).replace('text', 'other')}</section></article>"
    page.write_text(f"<!doctype html><body>{body}<script>{SCRIPT}</script>", encoding="utf-8")
    tab = visit(page)
    assert tab.locator("input").count() == 1
    tab.keyboard.press("Tab")
    tab.keyboard.type("ANY b1")
    assert tab.locator("output").inner_text() == "6 of 30 rows"
    assert tab.locator("tbody tr:visible").count() == 7  # one of them in the short table
    assert not tab.get_by_role("heading", name="A").is_visible()
    tab.locator("input").fill("")
    assert tab.locator("tbody tr:visible").count() == 31
