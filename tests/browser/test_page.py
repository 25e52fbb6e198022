"""The page in a browser: every control does what it says, and the tables show what the ledger holds."""

from fractions import Fraction

import pytest

from tests.campaigns.report.campaigns import HOSTILE

pytestmark = pytest.mark.browser

METHODS, RUNS = "#methods .table", "#runs .table"


def column(page, table, title, at=0):
    """The texts of a column, as they stand."""
    titles = page.locator(f"{table} thead tr:last-child th").all_inner_texts()
    place = [index for index, one in enumerate(titles) if one.strip() == title][at]
    return page.locator(f"{table} tbody tr td:nth-child({place + 1})").all_inner_texts()


def click_heading(page, table, title, at=0):
    page.locator(f"{table} thead tr:last-child th button").get_by_text(title, exact=True).nth(at).click()


def numbers(texts):
    return [None if text == "–" else float(text.strip("≤< %s").replace(",", "").strip()) for text in texts]


def test_it_opens_from_a_file_without_a_network(small, visit):
    made, path = small
    page = visit(path)
    assert page.title() == page.locator("h1").inner_text() == "small"
    assert page.locator(".description").inner_text() == made.campaign.description
    assert page.locator(".tile b").first.inner_text() == str(len(made.records))
    assert page.locator(f"{RUNS} tbody tr").count() == len(made.records)
    assert page.locator("figure svg").count() >= 6
    assert page.locator("#facts dd").count() >= 8
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_click_on_a_heading_sorts_and_another_turns_it_round(small, visit):
    page = visit(small[1])
    click_heading(page, RUNS, "makespan")
    up = numbers(column(page, RUNS, "makespan"))
    known = [number for number in up if number is not None]
    assert known == sorted(known)
    assert None in up
    assert up[len(known) :] == [None] * (len(up) - len(known))
    click_heading(page, RUNS, "makespan")
    down = numbers(column(page, RUNS, "makespan"))
    assert down[: len(known)] == known[::-1]
    assert down[len(known) :] == up[len(known) :]
    assert page.locator(f"{RUNS} th[aria-sort=descending]").inner_text().strip() == "makespan"
    click_heading(page, RUNS, "method")
    names = column(page, RUNS, "method")
    assert names == sorted(names, key=str.lower)
    assert page.locator(f"{RUNS} th[aria-sort]").count() == 1


def test_gaps_are_those_of_the_ledger(small, visit):
    made, path = small
    page = visit(path)
    optima = {one.digest: Fraction(one.objective) for one in made.records if one.kind == "exact"}
    shown = column(page, RUNS, "gap")
    for record, text in zip(made.records, shown, strict=True):
        if record.method == "ILBA":
            gap = Fraction(record.objective) / optima[record.digest] - 1
            assert text == ("0 %" if gap == 0 else f"{100 * float(gap):.2f} %")


def test_words_and_choices_filter(small, visit):
    made, path = small
    page = visit(path)
    words = page.locator(f"{RUNS} input")
    words.fill("lpt TINY")
    assert column(page, RUNS, "method") == ["LPT", "LPT"]
    assert page.locator(f"{RUNS} .count").inner_text() == f"2 of {len(made.records)} rows"
    words.fill("no such words")
    assert page.locator(f"{RUNS} tbody tr").count() == 0
    words.fill("")
    page.locator(f"{RUNS} select[data-column=method]").select_option(label="ILBA")
    page.locator(f"{RUNS} select[data-column=problem]").select_option(label="Organizations")
    expected = sum(one.method == "ILBA" for one in made.records) // 2  # the other half is without locality
    assert column(page, RUNS, "method") == ["ILBA"] * expected
    page.locator(f"{METHODS} select[data-column=kind]").select_option(label="exact")
    assert set(column(page, METHODS, "method")) == {"highs"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(small, visit, scheme):
    page = visit(small[1], color_scheme=scheme)
    parts = "getComputedStyle(document.querySelector('{}')).{}.match(/\\d+/g).slice(0, 3).map(Number)"
    ground = sum(page.evaluate(parts.format("body", "backgroundColor")))
    ink = sum(page.evaluate(parts.format("body", "color")))
    assert (ground > 600 > 200 > ink) if scheme == "light" else (ground < 200 < 600 < ink)
    inverted = page.evaluate("getComputedStyle(document.querySelector('figure svg')).filter")
    assert ("invert" in inverted) == (scheme == "dark")


def test_hostile_names_are_shown_and_do_nothing(wicked, visit):
    made, path = wicked
    page = visit(path)
    assert page.locator("img").count() == 0
    assert page.locator(f"{RUNS} tbody tr").count() == len(made.records)
    assert {cell.get_attribute("title") for cell in page.locator(f"{RUNS} tbody td:first-child").all()} == {HOSTILE}
    assert page.locator("#schedules figure").get_attribute("aria-label") == HOSTILE
    page.locator(f"{RUNS} input").fill("<i>highs")
    assert column(page, RUNS, "method") == ["</script><i>highs"]


def test_on_a_telephone_plots_fit_and_methods_stay_in_sight(small, visit):
    _, path = small
    page = visit(path)
    page.set_viewport_size({"width": 420, "height": 800})
    widths = page.locator("figure svg").evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")
    assert widths and max(widths) <= 420
    page.locator(METHODS).scroll_into_view_if_needed()
    scroll = page.locator(f"{METHODS} .scroll")
    scroll.evaluate("one => one.scrollLeft = 300")
    assert scroll.evaluate("one => one.scrollLeft") > 0  # the table is wider than the screen
    left = scroll.bounding_box()["x"]
    for cell in page.locator(f"{METHODS} .strong").all():
        assert abs(cell.bounding_box()["x"] - left) <= 2
    runs = page.locator(f"{RUNS} .scroll")
    runs.scroll_into_view_if_needed()
    right = runs.evaluate("one => one.getBoundingClientRect().right")
    head = page.locator(f"{RUNS} th.strong").bounding_box()
    assert head["x"] + head["width"] <= right + 1  # in sight before the table is scrolled
    runs.evaluate("one => one.scrollTop = 137")
    assert page.locator(f"{RUNS} th.strong").evaluate(
        "(one, at) => one.contains(document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2))", head
    ), "rows hide the heading"
    assert "linear-gradient" in scroll.evaluate("one => getComputedStyle(one).backgroundImage")
