"""Public sets as sources: small instances made by hand in each format, files with checksums, published optima."""

import hashlib
import json
import shutil
import urllib.error
import urllib.request
import zipfile
from io import BytesIO

import pytest

from oas.campaigns.declaration import load_campaign
from oas.campaigns.public_sets import files
from oas.campaigns.public_sets.catalogue import load_catalogue, public_instance
from oas.campaigns.public_sets.files import FORMATS, MAX_BYTES, MAX_JOBS
from oas.cli.main import app
from oas.core.errors import InputError
from oas.solving.pipeline import solve

BINS = b"6\r\n10\r\n7\r\n6\r\n5\r\n5\r\n4\r\n3\r\n"  # bins of 10: 7 + 3, 6 + 4, 5 + 5
MACHINES = b"2\n5\n3\n3\n2\n2\n2\n"  # two machines: 3 + 3 and 2 + 2 + 2


def strip(width, items, height=99):
    """A strip of this width with items of length, height and demand, as OR-Datasets has them."""
    pieces = [{"Length": a, "Height": b, "Demand": c, "DemandMax": None, "Value": 1} for a, b, c in items]
    shape = [{"Length": width, "Height": height, "Stock": None, "Cost": 1}]
    return json.dumps({"Name": "made by hand", "Objects": shape, "Items": pieces}).encode()


PERFECT = strip(4, [(4, 1, 1), (3, 2, 1), (1, 1, 2)])  # a rectangle of 4 × 3, cut without waste
GAPPY = strip(3, [(2, 2, 2)])  # two squares of 2, one above the other: height 4, area 8
FILES = {"bins.zip": {"Set\\one.txt": BINS}, "strips.zip": {"perfect.json": PERFECT, "gappy.json": GAPPY}}
SETS = """
[[sets]]
name = "bins"
kind = "bin packing"
format = "bpplib"
instances = [{ name = "one", file = "bins", member = "Set/one.txt", lower = 3, upper = 3 }]
[[sets]]
name = "machines"
kind = "machines"
format = "pcmax"
instances = [{ name = "two", file = "machines", lower = 6, upper = 6 }]
[[sets]]
name = "perfect"
kind = "strip packing"
format = "or-datasets"
perfect = true
instances = [{ name = "cut", file = "strips", member = "perfect.json", upper = 3 }]
[[sets]]
name = "gappy"
kind = "strip packing"
format = "or-datasets"
instances = [{ name = "squares", file = "strips", member = "gappy.json", upper = 4 }]
"""
CAMPAIGN = """
name = "own"
[limits]
time = 20
[[instances]]
catalogue = "sets.toml"
sample = "{set}"
sets = ["bins", "machines", "perfect", "gappy"]
[[instances]]
catalogue = "sets.toml"
sample = "{organizations} organizations"
sets = ["bins/one"]
parameters = { organizations = 2 }
[[methods]]
exact = "auto"
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A folder with a campaign, its catalogue, and the files of the catalogue below ``downloads``."""
    monkeypatch.chdir(tmp_path)
    below = tmp_path / "downloads" / "deep"
    below.mkdir(parents=True)
    for name, members in FILES.items():
        with zipfile.ZipFile(below / name, "w") as archive:
            for member, content in members.items():
                archive.writestr(member, content)
    (below / "machines.txt").write_bytes(MACHINES)
    source = 'repository = "someone/sets"\ncommit = "0123456789012345678901234567890123456789"\n'
    tables = [
        f'[files.{path.stem}]\n{source}path = "a folder/{path.name}"\n'
        f'sha256 = "{hashlib.sha256(path.read_bytes()).hexdigest()}"\n'
        for path in sorted(below.iterdir())
    ]
    (tmp_path / "sets.toml").write_text("\n".join(tables) + SETS)
    (tmp_path / "own.toml").write_text(CAMPAIGN)
    return tmp_path


def bench(*arguments):
    return app(["bench", *arguments], standalone_mode=False)


@pytest.mark.slow
def test_fetched_planned_run_and_held_against_what_is_published(study, capsys):
    assert bench("fetch", "own.toml", "--from", "downloads") in (None, 0)
    assert capsys.readouterr().out.count("checksum verified") == 3
    shutil.rmtree("downloads/deep")
    bench("fetch", "own.toml", "--from", "downloads")
    assert capsys.readouterr().out.count("there already") == 3
    bench("run", "own.toml", "--workers", "1", "--quiet")
    bench("report", "own.toml", "-o", "page")
    text = (study / "page" / "summary.md").read_text()
    assert "Contradiction" not in text
    for sample in ("bins", "machines", "perfect"):
        assert f"| {sample} | exact | 1 | 1 | 1 | 1 |" in text
    assert "| gappy | exact | 1 | 1 |" in text
    assert "2 organizations | exact | 1 | 1 |" in text
    published = [source.published for source in load_campaign("own.toml").sources]
    assert published == [(3, 3), (6, 6), (3, 3), (None, 4), (2, None)]


def test_files_come_from_the_network_with_their_checksum(study, monkeypatch):
    catalogue = load_catalogue(study / "sets.toml")
    wanted = [catalogue.files["machines"]]
    answers = {"right": MACHINES, "wrong": MACHINES + b"\n"}
    for answer, content in answers.items():
        asked = []
        monkeypatch.setattr(urllib.request, "urlopen", lambda place, **_: asked.append(place) or BytesIO(content))  # noqa: B023
        if answer == "wrong":
            files.stored_path(study / "sets.toml", wanted[0]).unlink()
            with pytest.raises(InputError, match="its checksum is"):
                list(files.fetch(study / "sets.toml", wanted))
            assert not files.stored_path(study / "sets.toml", wanted[0]).exists()
        else:
            assert len(list(files.fetch(study / "sets.toml", wanted))) == 1
        commit = "0123456789012345678901234567890123456789"
        assert asked == [f"https://raw.githubusercontent.com/someone/sets/{commit}/a%20folder/machines.txt"]

    def fails(*_, **__):
        raise urllib.error.URLError("no network")

    monkeypatch.setattr(urllib.request, "urlopen", fails)
    with pytest.raises(InputError, match="cannot be downloaded"):
        list(files.fetch(study / "sets.toml", wanted))


def test_a_file_that_is_missing_or_changed_is_refused(study):
    with pytest.raises(InputError, match="oas bench fetch"):
        public_instance(study / "sets.toml", "machines/two")
    bench("fetch", "own.toml", "--from", "downloads")
    stored = files.stored_path(study / "sets.toml", load_catalogue(study / "sets.toml").files["machines"])
    stored.write_bytes(b"2 1 1")
    with pytest.raises(InputError, match="its checksum is"):
        public_instance(study / "sets.toml", "machines/two")


@pytest.mark.skipif(shutil.which(files.UNPACKER) is None, reason="no bsdtar here")
def test_an_archive_that_python_cannot_read_is_unpacked_by_bsdtar(study):
    archive = study / "downloads" / "deep" / "bins.zip"
    assert files._rar_member(archive, "Set\\one.txt") == BINS
    with pytest.raises(InputError, match="finds no such member"):
        files._rar_member(archive, "other.txt")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"bpplib"', '"bpp"', "no format is called bpp"),
        ('file = "bins"', 'file = "bin"', "no file is called bin"),
        ('"Set/one.txt"', '"../one.txt"', "no path in an archive"),
        ("lower = 3, upper = 3", "lower = 4, upper = 3", "contradict each other"),
        ("upper = 4", "lower = 2, upper = 4", "strip packing need not hold"),
        ('member = "perfect.json", upper = 3', 'member = "perfect.json"', "a perfect packing has a height"),
        ('kind = "machines"', 'kind = "machine"', "is no catalogue"),
    ],
)
def test_a_catalogue_that_does_not_hold_together(study, old, new, said):
    path = study / "sets.toml"
    assert path.read_text().count(old) == 1
    (study / "other.toml").write_text(path.read_text().replace(old, new))
    with pytest.raises(InputError, match=said):
        load_catalogue(study / "other.toml")


@pytest.mark.parametrize("height", [2, 4])
def test_a_published_height_that_does_not_match_the_area(study, height):
    text = (study / "sets.toml").read_text().replace('perfect.json", upper = 3', f'perfect.json", upper = {height}')
    (study / "other.toml").write_text(text)
    shutil.copytree(study / "downloads" / "deep", study / "plain")
    list(files.fetch(study / "other.toml", load_catalogue(study / "other.toml").files.values(), study / "plain"))
    with pytest.raises(InputError, match="does not match the area"):
        public_instance(study / "other.toml", "perfect/cut")


@pytest.mark.parametrize(
    ("form", "content", "processors", "jobs"),
    [
        ("bpplib", BINS, 10, ((1, 7), (1, 6), (1, 5), (1, 5), (1, 4), (1, 3))),
        ("pcmax", MACHINES, 2, ((3, 1), (3, 1), (2, 1), (2, 1), (2, 1))),
        ("or-datasets", PERFECT, 4, ((1, 4), (2, 3), (1, 1), (1, 1))),
        ("or-datasets", GAPPY, 3, ((2, 2), (2, 2))),
        ("or-datasets-heightwise", strip(99, [(5, 3, 1), (2, 1, 2)], height=3), 3, ((5, 3), (2, 1), (2, 1))),
    ],
)
def test_formats(form, content, processors, jobs):
    read = FORMATS[form](content)
    assert (read.processors, read.jobs) == (processors, jobs)


def test_organizations_get_jobs_in_turn(study):
    bench("fetch", "own.toml", "--from", "downloads")
    instance = public_instance(study / "sets.toml", "bins/one", 4)
    assert [[job.processors for job in owner.jobs] for owner in instance.organizations] == [[7, 4], [6, 3], [5], [5]]
    assert {owner.processors for owner in instance.organizations} == {10}
    assert instance.locality == 1
    assert len(public_instance(study / "sets.toml", "bins/one", 50).organizations) == 6  # none without a job
    alone = public_instance(study / "sets.toml", "gappy/squares")
    assert alone.locality is None
    assert solve(alone, time_limit=20).objective == 4


@pytest.mark.parametrize(
    ("form", "content", "said"),
    [
        ("bpplib", b"", "two counts and a number"),
        ("bpplib", b"2 10 5", "2 items are announced, 1 are there"),
        ("bpplib", b"2 10 5 11", r"larger than the 10 that it must fit into \(got 11\)"),
        ("bpplib", b"2 10 5 0", "must be an integer above 0"),
        ("bpplib", b"2 10 5 2.5", "must be an integer above 0"),
        ("bpplib", b"2 10 5 " + b"9" * 5000, "must be an integer above 0"),
        ("bpplib", "2 10 5 ٥".encode(), "must be an integer above 0"),
        ("bpplib", b"999999999999 10 5", f"number of items: must be from 1 to {MAX_JOBS}"),
        ("pcmax", b"1" * (MAX_BYTES + 1), "larger than 8000000 bytes"),
        ("or-datasets", b"[" * 100_000, "not as OR-Datasets has it"),
        ("or-datasets", b"\xff\xfe", "not as OR-Datasets has it"),
        ("or-datasets", b'{"Objects":[],"Items":[]}', "Objects"),
        ("or-datasets", strip(4, [(5, 1, 1)]), "larger than the 4"),
        ("or-datasets", strip(4, [(1, 1, MAX_JOBS)] * 2), "number of items: must be from 1"),
        ("or-datasets", json.dumps({"Objects": [{"Length": 4.5, "Height": 1}], "Items": []}).encode(), "Length"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(form, content, said):
    with pytest.raises(InputError, match=said) as caught:
        FORMATS[form](content)
    assert len(str(caught.value)) < 300
