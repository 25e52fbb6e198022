"""Damage and forgery: each kind is found, named, and confined to its entry."""

import gzip
import hashlib
import json

import msgspec
import pytest

from benchmarks.library_update import WritableLibrary
from oas.core.errors import InputError, VerificationError
from oas.io.library_index import write_index
from oas.io.reading import MAX_PACKED_BYTES, unpack_result
from oas.library import Library, check_entries
from tests.library.libraries import changed_index, result_of, schedules, small_library, snapshot, unpacked


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    library = small_library(tmp_path_factory.mktemp("sound") / "lib")
    for name in ("grid", "uni"):
        instance = library.instance(name)
        for schedule in (schedules(instance)[0], schedules(instance)[-1]):
            library.update(name, result_of(instance, schedule), by="Jane Doe", date="2026-11-21")
    return library


@pytest.fixture
def library(sound, tmp_path):
    return sound.copy_to(tmp_path / "lib")


def faults(folder):
    library = Library(folder)
    return {one.entry.name: one.fault for one in check_entries(library, library.entries) if one.fault}


def uni(content):
    entry = content["entries"][1]
    assert entry["name"] == "uni"
    return entry


def last(content):
    return uni(content)["records"][-1]


FORGERIES = {
    "shorter makespan": (lambda one: last(one).update(makespan=1), "makespan: the index says 1, but it is"),
    "higher bound": (lambda one: last(one).update(lower_bound=84), "lower_bound: the index says 84, but it is"),
    "stronger proof": (lambda one: last(one).update(proof="brute_force"), "proof: the index says brute_force"),
    "other method": (lambda one: last(one).update(schedule_by="magic"), "schedule_by: the index says magic"),
    "growing makespans": (lambda one: uni(one)["records"][0].update(makespan=80), "must not grow"),
    "other instance": (lambda one: uni(one)["origin"]["parameters"].update(seed=6), "makes is another instance"),
    "other digest": (lambda one: uni(one).update(digest="0" * 64), "result is of another instance"),
    "locality gone": (lambda one: uni(one)["origin"].update(locality="none"), "makes is another instance"),
    "unknown generator": (
        lambda one: uni(one)["origin"].update(generator="uno"),
        "generator: unknown; did you mean uni? known: section4",
    ),
    "unknown parameter": (
        lambda one: uni(one)["origin"]["parameters"].update(size=1),
        "size: there is no such parameter",
    ),
    "bad parameter": (lambda one: uni(one)["origin"]["parameters"].update(jobs="many"), "must be an integer"),
    "number of jobs": (lambda one: uni(one).update(jobs=13), "jobs: the index says 13, but it is 12"),
    "size of clusters": (lambda one: uni(one).update(clusters=[16, 16]), "clusters: the index says"),
    "other problem": (lambda one: uni(one).update(problem="coallocation"), "problem: the index says coallocation"),
    "other result": (lambda one: uni(one).update(result="1" * 64), "cannot be read"),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forged_entry_is_found(library, what):
    change, said = FORGERIES[what]
    changed_index(library.folder, change)
    found = faults(library.folder)
    assert list(found) == ["uni"]
    assert said in found["uni"]


UNREADABLE = {
    "name twice": (lambda one: uni(one).update(name="GRID"), r"entries\[1\]\.name: the name is taken"),
    "path as name": (lambda one: uni(one).update(name="../uni"), r"entries\[1\]\.name: must be 1 to 100 letters"),
    "no origin": (lambda one: uni(one).update(origin={}), r"entries\[1\]\.origin: must be one of"),
    "two origins": (lambda one: uni(one)["origin"].update(worst_case="matching"), "must be one of"),
    "steering words": (lambda one: last(one).update(by="x\x1b]0;"), r"entries\[1\]\.records\[1\]\.by: must not hold"),
    "steering version": (lambda one: last(one)["versions"].update(highs="\x07"), "must not hold control"),
    "result without record": (lambda one: uni(one).update(records=[]), "a result needs a record"),
    "order of no slice": (lambda one: uni(one).update(order={"O1": ["J1"]}), r"entries\[1\]\.order: belongs to slices"),
    "inexact": (lambda one: last(one).update(makespan=84.5), "makespan"),
    "short digest": (lambda one: uni(one).update(digest="ab"), "digest"),
    "bad date": (lambda one: last(one).update(date="yesterday"), "date"),
    "unknown field": (lambda one: uni(one).update(colour="red"), "colour"),
    "another version": (lambda one: one.update(version=2), "version"),
    "another format": (lambda one: one.update(format="oas-result"), "oas-result"),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_an_index_that_is_none_is_refused(library, what):
    change, said = UNREADABLE[what]
    changed_index(library.folder, change)
    with pytest.raises(InputError, match=said) as caught:
        Library(library.folder)
    assert caught.value.file == str(library.folder / "index.json")


def test_an_index_that_could_not_be_read_is_not_written(library):
    before = snapshot(library.folder)
    entry = msgspec.structs.replace(library["uni"], name="UNI")
    index = msgspec.structs.replace(library.index, entries=[*library.index.entries, entry])
    with pytest.raises(InputError, match="the name is taken"):
        write_index(index, library.folder / "index.json")
    assert snapshot(library.folder) == before


def test_a_damaged_file_is_found_and_the_others_still_hold(library):
    path = library.folder / "results" / library["uni"].file
    whole = path.read_bytes()
    for damaged in (b"", whole[:-1], whole[:40] + bytes([whole[40] ^ 1]) + whole[41:]):
        path.write_bytes(damaged)
        assert list(faults(library.folder)) == ["uni"]
    path.unlink()
    assert "cannot be read" in faults(library.folder)["uni"]


def test_the_file_is_the_very_one_that_the_index_names(library):
    path = library.folder / "results" / library["uni"].file
    whole = path.read_bytes()
    for same_content in (whole + b"\0", whole[:4] + b"\1" + whole[5:]):  # a byte after the end; packed a second later
        path.write_bytes(same_content)
        assert "not the file whose checksum the index has" in faults(library.folder)["uni"]


def forge_result(library, change):
    """Change the stored result and the checksum in the index with it; return the fault found."""
    entry = library["uni"]
    old = library.folder / "results" / entry.file
    content = unpacked(old)
    change(content)
    data = gzip.compress(json.dumps(content).encode(), mtime=0)
    checksum = hashlib.sha256(data).hexdigest()
    (old.parent / f"uni.{checksum[:12]}.json.gz").write_bytes(data)
    changed_index(library.folder, lambda index: uni(index).update(result=checksum))
    return faults(library.folder)["uni"]


def shorten(content):
    """Claim that the last job ended a unit earlier, in schedule and figures alike."""
    last_job = max(content["schedule"]["placements"], key=lambda one: one["end"])
    last_job["end"] -= 1
    ends = [one["end"] for one in content["schedule"]["placements"]]
    content.update(objective=max(ends), gap=max(ends) / content["lower_bound"] - 1)


def raise_bound(content):
    content["proof"]["bound"]["value"] = content["lower_bound"] = content["objective"]
    content.update(status="optimal", gap=0.0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (shorten, "breaks"),
        (raise_bound, "is not confirmed"),
        (lambda one: one.update(instance_digest="0" * 64), "of another instance"),
        (lambda one: one["proof"].update(kind="brute_force"), "enumeration"),
        (lambda one: one.update(status="infeasible"), "claims infeasibility"),
        (lambda one: one.update(format="oas-schedule"), ""),
    ],
)
def test_a_forged_result_with_a_right_checksum_is_found(library, change, said):
    assert said in forge_result(library, change)


def test_a_bound_that_is_no_longer_confirmed_can_be_given_up(library):
    instance, sound = library.instance("uni"), library.result("uni")
    forge_result(library, raise_bound)
    broken = snapshot(library.folder)
    again = WritableLibrary(library.folder)
    with pytest.raises(VerificationError, match="is not confirmed"):
        again.update("uni", sound, by="Jane Doe")
    assert snapshot(library.folder) == broken
    again.update("uni", result_of(instance, schedules(instance)[0]), by="Jane Doe", repair=True)
    assert faults(library.folder) == {}
    assert (again["uni"].records[-1].makespan, again["uni"].records[-1].gains) == (sound.objective, ["bound"])


def test_a_schedule_that_does_not_hold_is_not_repaired(library):
    sound = library.result("uni")
    forge_result(library, shorten)
    with pytest.raises(VerificationError, match="breaks"):
        WritableLibrary(library.folder).update("uni", sound, by="Jane Doe", repair=True)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{}", "not a gzip file"),
        (gzip.compress(b'{"format": "oas-result"}', mtime=0)[:-9], "not a whole gzip file"),
        # Whole but for the checksum.
        (gzip.compress(b'{"format": "oas-result"}', mtime=0)[:-8], "not a whole gzip file"),
        (gzip.compress(bytes(MAX_PACKED_BYTES + 1), mtime=0), "more than"),
        (gzip.compress(b"{}", mtime=0), "format"),
    ],
    ids=["no gzip", "cut off", "no checksum", "too large", "no result"],
)
def test_what_is_no_packed_result_is_refused(data, said):
    with pytest.raises(InputError, match=said):
        unpack_result(data, "x.json.gz")
