"""The page: its texts, its data, and the schedules that it holds; a page without script."""

import hashlib
import json
import re
from base64 import b64encode
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import pytest

from oas.campaigns.report.page import PageSection, embedded, still_page
from oas.campaigns.report.page_data import RESERVED, labels, pack_schedule, pack_schedules
from oas.campaigns.report.writing import write
from oas.core.errors import InputError
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.core.schedule import Placement, Schedule
from oas.io.reading import loads
from oas.mosp.instance import MospInstance
from oas.mosp.runs import local_schedule
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
    assert data["instances"][0]["name"] == HOSTILE
    assert data["description"] == HOSTILE
    assert HOSTILE in data["instances"][0]["jobs"]


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


def made_still():
    rows = [(EVIL, "1", "x"), ("two", "2", EVIL)]
    table = Table((EVIL, "b", "c"), rows, texts=("c",), styles=("", "red"))
    sections = [
        PageSection("one", EVIL, [EVIL], table, remarks=[EVIL]),
        PageSection("two", "Two", figures=[(EVIL, figure()), ("b", figure())]),
    ]
    return still_page(EVIL, EVIL, EVIL, [(EVIL, EVIL)], sections)


def test_hostile_names_stay_texts_without_script():
    page = Elements(made_still())
    assert not [tag for tag, _ in page.found if tag == "script"]
    assert "".join(page.texts.values()).count(EVIL) >= 9
    assert {attrs.get("aria-label") for tag, attrs in page.found if tag == "figure"} == {EVIL, "b"}


def test_without_script_nothing_is_loaded_and_ids_are_unique():
    page = made_still()
    elements = Elements(page).found
    assert "default-src 'none'" in page and not re.search(r"(src|href)=\"(?!#|data:)", page)
    ids = [attrs["id"] for _, attrs in elements if "id" in attrs]
    assert len(ids) == len(set(ids)) and {"one", "two"} <= set(ids)
    assert [attrs["href"] for tag, attrs in elements if tag == "a"] == ["#one", "#two"]


def unpacked(instance, packed):
    """Job -> start, end, nodes by cluster, from the rectangles."""
    names = [one.id for one in getattr(instance, "clusters", None) or instance.organizations]
    found = {}
    flat = packed["boxes"]
    for at in range(0, len(flat), 6):
        job, cluster, first, count, start, length = flat[at : at + 6]
        if job == RESERVED:
            continue
        key = (Fraction(start, packed["per"]), Fraction(start + length, packed["per"]))
        times, nodes = found.setdefault(instance.jobs[job].id, (key, {}))
        assert times == key
        nodes.setdefault(names[cluster], set()).update(range(first, first + count))
    return found


def test_every_stored_schedule_comes_back(made, runs_of, tmp_path):
    runs = runs_of()
    with made.ledger(tmp_path / "l.sqlite") as ledger:
        packed, left = pack_schedules(runs, ledger)
    assert left == 0
    assert len(packed) == sum(one.objective is not None for one in made.records)
    instances = {digest: loads(document) for digest, _, _, document in made.documents}
    by_key = {one.key: one for one in made.records}
    for place, one in packed.items():
        record = by_key[runs.runs[place].record.key]
        schedule = record.unpacked().schedule
        expected = {
            run.job: ((run.start, run.end), {name: set(nodes) for name, nodes in run.nodes.items()})
            for run in schedule.placements
        }
        assert unpacked(instances[record.digest], one) == expected


def test_rationals_and_reservations():
    jobs = [RigidJob("a", "37/30", 2), RigidJob("b", "1/4", 1)]
    instance = MospInstance([Organization("O", 3, jobs, [Reservation(1, 2, 1)])])
    schedule = local_schedule(instance)
    packed = pack_schedule(instance, schedule)
    assert packed["per"] == 60
    assert unpacked(instance, packed)["a"][0] == (0, Fraction(37, 30))
    assert packed["boxes"].count(RESERVED) == 1


def test_what_javascript_cannot_hold_is_rounded_and_says_so():
    instance = MospInstance([Organization("O", 1, [RigidJob("a", Fraction(1, 3**40), 1)])])
    packed = pack_schedule(instance, Schedule([Placement("a", 0, Fraction(1, 3**40), {"O": [0]})]))
    assert "per" not in packed
    assert packed["boxes"] == [0, 0, 0, 1, 0.0, float(Fraction(1, 3**40))]


def test_the_cap_keeps_the_best_of_every_instance(made, runs_of, tmp_path):
    runs = runs_of()
    room = 24 * sum(len(instance.jobs) for instance in runs.instances.values())
    with made.ledger(tmp_path / "l.sqlite") as ledger:
        packed, left = pack_schedules(runs, ledger, most=room)
    kept = [runs.runs[place] for place in packed]
    assert len(kept) == len(runs.instances)
    assert {run.order.digest for run in kept} == set(runs.instances)
    assert all(run.record.kind == "exact" for run in kept)
    assert left == sum(run.objective is not None for run in runs.runs) - len(kept)


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
    with made.ledger(tmp_path / "l.sqlite") as ledger:
        monkeypatch.setattr("oas.io.decoding.MAX_VALUES", 10)
        packed, left = pack_schedules(runs, ledger)
    assert packed == {} and left == sum(run.objective is not None for run in runs.runs)
