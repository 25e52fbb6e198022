"""`oas library` as a user types it."""

import json

import pytest

import oas
from benchmarks.library_update import WritableLibrary, main
from oas.io import load, load_result
from oas.library import Library
from tests.library.libraries import changed_index, log_in, result_of, schedules, slice_of, small_library, snapshot


@pytest.fixture
def library(run_here):
    """`oas library`."""
    return lambda *arguments: run_here("library", *arguments)


def fill(folder):
    """A library in `lib`: one entry open, one proven, one slice, one without a result."""
    log = log_in(folder)
    library = small_library(folder / "lib", slice_of(log))
    instance = library.instance("uni")
    library.update("uni", result_of(instance, schedules(instance)[0]), by="Jane Doe", date="2026-11-20")
    grid = library.instance("grid")
    library.update("grid", oas.solve(grid), by="Jane Doe", date="2026-11-20", accept_claims=True)
    slice_ = library.instance("toy-n12", {log.sha256: log})
    made = result_of(slice_, schedules(slice_)[0])
    library.update("toy-n12", made, by="Jane Doe", date="2026-11-20", logs={log.sha256: log})


def test_list(folder, library):
    shown = library("list", "--library", "lib")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert [line.split()[0] for line in shown.stdout.splitlines()[2:6]] == ["grid", "uni", "free", "toy-n12"]
    assert "4 entries, 1 optimum proven" in shown.stdout
    assert f"edition 1, state {Library(folder / 'lib').state[:12]}" in shown.stdout
    for options, names in (
        (("--standing", "open"), ["uni", "free", "toy-n12"]),
        (("--standing", "certified"), ["grid"]),
        (("--problem", "coallocation"), ["grid"]),
        (("u*", "free"), ["uni", "free"]),
    ):
        listed = json.loads(library("list", *options, "--library", "lib", "--json").stdout)
        assert [one["name"] for one in listed] == names


def test_show_and_what_it_writes(folder, library, run_here):
    shown = library("show", "uni", "--library", "lib", "--save", "i.json", "-o", "r.json", "--gantt", "g.png")
    assert shown.returncode == 0, shown.stderr
    assert "oas generate uni --jobs 12 --organizations 3 --processors 16 --seed 5" in shown.stdout
    assert "Jane Doe" in shown.stdout
    held = Library(folder / "lib")
    assert load(folder / "i.json") == held.instance("uni")
    assert load_result(folder / "r.json") == held.result("uni")
    assert (folder / "g.png").stat().st_size > 10_000
    assert run_here("verify", "i.json", "r.json").returncode == 0
    plain = json.loads(library("show", "uni", "--library", "lib", "--json").stdout)
    assert plain["records"][-1]["makespan"] == 117


def test_show_a_slice(folder, library):
    shown = library("show", "toy-n12", "--library", "lib")
    assert shown.returncode == 0
    assert "a slice of a job log: 12 jobs" in shown.stdout
    assert "Acknowledge: nobody" in shown.stdout
    refused = library("show", "toy-n12", "--library", "lib", "--save", "i.json")
    assert refused.returncode == 2
    assert "the log toy with checksum" in refused.stderr
    assert not (folder / "i.json").exists()
    written = library("show", "toy-n12", "--library", "lib", "--save", "i.json", "--log", "toy.swf")
    assert written.returncode == 0
    assert load(folder / "i.json").digest == Library(folder / "lib")["toy-n12"].digest


def test_verify(folder, library):
    shown = library("verify", "--library", "lib", "--log", "toy.swf")
    assert shown.returncode == 0
    counts = {" ".join(words[:-1]): int(words[-1]) for words in map(str.split, shown.stdout.splitlines())}
    assert (counts["entries"], counts["schedules verified"], counts["not checked"], counts["faults"]) == (4, 3, 1, 0)
    assert shown.stderr == "not checked: free: there is no result yet\n"
    without = library("verify", "toy-n12", "--library", "lib")
    assert without.returncode == 0
    assert "not checked: toy-n12: the log toy with checksum" in without.stderr
    changed_index(folder / "lib", lambda index: index["entries"][1]["records"][-1].update(makespan=1))
    forged = library("verify", "--library", "lib", "--json")
    assert forged.returncode == 3
    assert list(json.loads(forged.stdout)["faults"]) == ["uni"]
    assert "uni: uni.makespan: the index says 1, but it is 117" in forged.stderr


def test_solve_writes_results_that_are_better(folder, library, run_here):
    before = snapshot(folder / "lib")
    (folder / "better").mkdir()
    solve = ("solve", "uni", "free", "--library", "lib", "-q")
    worked = library(*solve, "-o", "better")
    assert worked.returncode == 0, worked.stderr
    assert "uni: better schedule" in worked.stdout and "free: better schedule, bound: makespan 64" in worked.stdout
    assert worked.stdout.endswith("2 of 2 entries better\n")
    assert {path.name for path in (folder / "better").iterdir()} == {"uni.json", "free.json"}
    assert library("show", "uni", "--library", "lib", "--save", "i.json").returncode == 0
    assert run_here("verify", "i.json", "better/uni.json").returncode == 0
    assert snapshot(folder / "lib") == before


def test_the_script_copies_solves_and_updates(folder, run_here, capfd):
    before = snapshot(folder / "lib")
    mine = str(folder / "mine")
    WritableLibrary(folder / "lib").copy_to(mine)
    assert run_here("library", "show", "uni", "--library", "mine", "--save", "i.json").returncode == 0
    assert run_here("solve", "i.json", "-o", "r.json", "-q").returncode == 0
    update = ["update", mine, "uni", str(folder / "r.json"), "--by", "John Roe", "--accept-claims"]
    assert main(update) == 0 and capfd.readouterr().out.startswith("uni: better schedule")
    record = Library(mine)["uni"].records[-1]
    assert (record.by, record.makespan, record.proven) == ("John Roe", 64, True)
    assert main(update) == 2 and "adds nothing" in capfd.readouterr().err
    assert main(["solve", mine, "uni", "free", "--by", "John Roe"]) == 0
    assert capfd.readouterr().out.startswith("free: better schedule, bound")  # uni is proven
    assert main(["copy", mine]) == 2 and "is not empty" in capfd.readouterr().err
    assert snapshot(folder / "lib") == before


def test_bad_input(folder, library):
    before = snapshot(folder / "lib")
    for arguments, said in (
        (("show", "unu", "--library", "lib"), "no such entry; did you mean uni?"),
        (("list", "x*", "--library", "lib"), "no such entry"),
        (("list", "--library", "nowhere"), "cannot be read"),
        (("solve", "uni", "--library", "lib", "-o", "nowhere"), "--output"),
    ):
        shown = library(*arguments)
        assert shown.returncode == 2, arguments
        assert said in shown.stderr, arguments
        assert "Traceback" not in shown.stderr
    assert snapshot(folder / "lib") == before
