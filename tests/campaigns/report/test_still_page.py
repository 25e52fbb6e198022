"""The page without script: whole, self-contained, and deaf to what names try."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from oas.campaigns.report.still_page import PageSection, PageTable, still_page
from oas.plots.axes import new_figure

EVIL = '<script>alert(1)</script>"&'


class Elements(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.found, self.texts = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)


def figure():
    made = new_figure(2)
    made.subplots().plot([0, 1], [0, 1])
    return made


def made():
    table = PageTable((EVIL, "b", "c"), [(EVIL, "1", "x"), ("two", "2", EVIL)], words=(0, 2), alarms=(1,))
    sections = [
        PageSection("one", EVIL, [EVIL], table, remarks=[EVIL]),
        PageSection("two", "Two", figures=[(EVIL, figure()), ("b", figure())]),
    ]
    return still_page(EVIL, EVIL, EVIL, [(EVIL, EVIL)], sections)


def test_hostile_names_stay_texts():
    page = Elements(made())
    assert not [tag for tag, _ in page.found if tag == "script"]
    assert page.texts.count(EVIL) >= 9
    assert {attrs.get("aria-label") for tag, attrs in page.found if tag == "figure"} == {EVIL, "b"}


def test_nothing_is_loaded_and_ids_are_unique():
    page = made()
    elements = Elements(page).found
    assert "default-src 'none'" in page and not re.search(r"(src|href)=\"(?!#|data:)", page)
    ids = [attrs["id"] for _, attrs in elements if "id" in attrs]
    assert len(ids) == len(set(ids)) and {"one", "two"} <= set(ids)
    assert [attrs["href"] for tag, attrs in elements if tag == "a"] == ["#one", "#two"]


def test_figures_stand_right_words_left_and_alarms_are_marked():
    elements = Elements(made()).found
    cells = [(tag, attrs.get("class")) for tag, attrs in elements if tag in ("th", "td", "tr")]
    row = [("td", None), ("td", "figures"), ("td", None)]
    head = [("th", None), ("th", "figures"), ("th", None)]
    assert cells == [("tr", None), *head, ("tr", None), *row, ("tr", "alarm"), *row]
