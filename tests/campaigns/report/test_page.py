"""The page: its texts, its data, and the schedules that it holds; a page without script."""

import hashlib
import json
import re
from base64 import b64encode
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from oas.campaigns.report import sections
from oas.campaigns.report.page import PageSection, embedded
from oas.campaigns.report.page import page as page_of
from oas.campaigns.report.sections import labels, schedule_charts
from oas.campaigns.report.writing import write
from oas.core.errors import InputError
from oas.io.reading import loads
from oas.plots.axes import new_figure
from oas.show.tables import Table
from tests.campaigns.report.campaigns import HOSTILE, hostile


class Elements(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.found, self.texts, self._inside = [], {}, None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self._inside = dict(attrs).get("id") or tag

    def handle_data(self, data):
        self.texts[self._inside] = self.texts.get(self._inside, "") + data

    def handle_endtag(self, tag):
        self._inside = None


@pytest.fixture(scope="module")
def written(made, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    with made.ledger(folder / "l.sqlite") as ledger:
        return write(made.campaign, made.orders, ledger, folder / "out")


@pytest.fixture(scope="module")
def page(written):
    return written[0].read_text()


@pytest.mark.slow
def test_nothing_is_loaded_from_anywhere(page):
    for tag, attributes in Elements(page).found:
        assert tag not in ("iframe", "object", "embed", "img", "base", "form")
        for name in ("src", "action", "data", "srcset"):
            assert name not in attributes, (tag, attributes)
        if tag == "link":
            assert attributes["href"] == "data:,"
        for name in ("href", "xlink:href"):
            assert attributes.get(name, "#").startswith(("#", "data:,"))
    css = page[page.index("<style>") : page.index("</style>")]
    assert "@import" not in css
    assert "@font-face" not in css
    assert set(re.findall(r"https?://[^\"'\s<]+", page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }


@pytest.mark.slow
def test_only_its_own_script_may_run(page):
    (policy,) = [
        attributes["content"]
        for tag, attributes in Elements(page).found
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    script = page[page.rindex("<script>") + len("<script>") : page.rindex("</script>")]
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert page.count("<script") == page.count("</script>") == 2


@pytest.mark.parametrize("text", [HOSTILE, "<!--<script>", "]]>", "\u2028\x00", "&lt;", '"', "\ud800"])
def test_data_come_back_as_they_were(text):
    found = embedded({"a": text})
    assert not re.search(r"[<>&\u2028]", found)
    assert json.loads(found) == {"a": text}


def test_hostile_names_stay_texts(tmp_path):
    made = hostile(tmp_path)
    with made.ledger(tmp_path / "l.sqlite") as ledger:
        paths = write(replace(made.campaign, description=HOSTILE), made.orders, ledger, tmp_path / "out")
    page = paths[0].read_text()
    elements = Elements(page)
    assert page.count("</script>") == 2
    assert not [tag for tag, attributes in elements.found if tag == "img" or "onerror" in attributes]
    data = json.loads(elements.texts["data"])
    assert data["runs"]["columns"][0]["choices"] == [HOSTILE]
    assert elements.texts["p"].count(HOSTILE) == 1  # the description
    assert HOSTILE in {attributes.get("aria-label") for tag, attributes in elements.found if tag == "figure"}


@pytest.mark.slow
def test_written_files(made, written, tmp_path):
    with made.ledger(tmp_path / "l.sqlite") as ledger:
        again = write(made.campaign, made.orders, ledger, tmp_path / "deep" / "again")
    paths = written
    assert [path.name for path in paths[:4]] == ["index.html", "summary.md", "summary.tex", "runs.csv"]
    assert {path.name for path in paths} == {path.name for path in paths[0].parent.iterdir()}
    assert {path.suffix for path in paths[4:]} == {".svg", ".png"}
    assert [path.read_bytes() for path in paths] == [path.read_bytes() for path in again]


@pytest.mark.slow
def test_the_csv_is_exact(made, written):
    import pandas

    frame = pandas.read_csv(written[3], dtype={"objective": str}).set_index("key")
    for record in made.records:
        stored = frame.loc[record.key, "objective"]
        assert (None if pandas.isna(stored) else stored) == record.objective
    assert frame["gap"].dropna().ge(0).all()


def test_an_empty_ledger_makes_a_report(made, tmp_path):
    with made.ledger(tmp_path / "l.sqlite", []) as ledger:
        paths = write(made.campaign, made.orders, ledger, tmp_path / "out")
    assert len(paths) == 4
    assert f"{len(made.orders)} of {len(made.orders)} runs are missing" in paths[1].read_text()


def test_a_folder_that_is_a_file_is_refused(made, tmp_path):
    (tmp_path / "out").write_text("")
    with made.ledger(tmp_path / "l.sqlite") as ledger, pytest.raises(InputError, match="out"):
        write(made.campaign, made.orders, ledger, tmp_path / "out")


EVIL = '<script>alert(1)</script>"&'


def figure():
    made = new_figure(2)
    made.subplots().plot([0, 1], [0, 1])
    return made


def plain_page():
    rows = [(EVIL, "1", "x"), ("two", "2", EVIL)]
    table = Table((EVIL, "b", "c"), rows, texts=("c",), styles=("", "red"))
    sections = [
        PageSection("one", EVIL, [EVIL], table=table, remarks=[EVIL]),
        PageSection("two", "Two", figures=[(EVIL, figure()), ("b", figure())]),
    ]
    return page_of(EVIL, EVIL, EVIL, [(EVIL, EVIL)], sections)


def test_hostile_names_stay_texts_without_script():
    page = Elements(plain_page())
    assert not [tag for tag, _ in page.found if tag == "script"]
    assert "".join(page.texts.values()).count(EVIL) >= 9
    assert {attrs.get("aria-label") for tag, attrs in page.found if tag == "figure"} == {EVIL, "b"}


def test_without_script_nothing_is_loaded_and_ids_are_unique():
    page = plain_page()
    elements = Elements(page).found
    assert "default-src 'none'" in page and not re.search(r"(src|href)=\"(?!#|data:)", page)
    ids = [attrs["id"] for _, attrs in elements if "id" in attrs]
    assert len(ids) == len(set(ids)) and {"one", "two"} <= set(ids)
    assert [attrs["href"] for tag, attrs in elements if tag == "a"] == ["#one", "#two"]


def drawn(made, runs, tmp_path):
    """Titles of the charts of schedules, and the titles inside each."""
    with made.ledger(tmp_path / "l.sqlite") as ledger:
        charts = list(schedule_charts(runs, ledger, labels(runs.instances)))
    return {title: [ax.get_title(loc="left") for ax in figure.axes] for title, figure in charts}


def test_the_best_exact_and_the_best_heuristic_schedule_of_each_instance_are_drawn(made, runs_of, tmp_path):
    runs = runs_of()
    charts = drawn(made, runs, tmp_path)
    assert list(charts) == list(labels(runs.instances).values())
    for digest, title in labels(runs.instances).items():
        own = [run for run in runs.runs if run.order.digest == digest and run.objective and run.record.kind != "exact"]
        best = min(run.objective for run in own if run.with_locality is None)
        above, below = charts[title]
        assert above == "highs"
        assert below in {run.order.method.label for run in own if run.objective == best}


def test_large_campaigns_have_charts_of_some_instances_of_each_sample(made, runs_of, tmp_path, monkeypatch):
    monkeypatch.setattr(sections, "MOST_CHARTS", 2)
    orders = [replace(one, origin=replace(one.origin, sample=one.problem)) for one in made.orders]
    names = list(drawn(made, runs_of(orders=orders), tmp_path))
    assert [name.partition(",")[0].partition(" ")[0] for name in names] == ["uni", "tiny"]
    monkeypatch.setattr(sections, "MOST_JOBS", 0)
    (tmp_path / "none").mkdir()
    assert not drawn(made, runs_of(), tmp_path / "none")


def test_names_that_are_the_same_are_told_apart(made):
    instances = {digest: loads(document) for digest, _, _, document in made.documents}
    found = labels(instances)
    assert len(set(found.values())) == len(found)
    assert any(name.endswith("· without locality") for name in found.values())
    identical = {"aaaaaaaa1": next(iter(instances.values())), "bbbbbbbb2": next(iter(instances.values()))}
    assert [name[-8:] for name in labels(identical).values()] == ["aaaaaaaa", "bbbbbbbb"]


def test_schedules_larger_than_what_is_read_are_left_out(made, runs_of, tmp_path, monkeypatch):
    """Ledgers may hold them: many wide jobs on processors that are not next to each other."""
    runs = runs_of()
    monkeypatch.setattr("oas.io.decoding.MAX_VALUES", 10)
    assert not drawn(made, runs, tmp_path)
