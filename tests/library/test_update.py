"""Updates of a library: accepted and refused results, and no loss of data."""

import fcntl
import os
import threading
from dataclasses import replace

import pytest

import oas
from benchmarks import library_update
from benchmarks.library_update import NoGainError, WritableLibrary
from oas.core.errors import InputError, VerificationError
from oas.core.result import Bound, ProofKind, Status
from oas.core.schedule import Placement, Schedule
from oas.io.library_index import Origin
from oas.library import check_entries, counted
from oas.library.origins import LogMissingError
from oas.solving.lower_bound import best_bound
from tests.library.libraries import (
    TODAY,
    claims_of,
    entry_of,
    log_in,
    result_of,
    schedules,
    slice_of,
    small_library,
    snapshot,
    unpacked,
    weak_bound,
)

BY = "Jane Doe"


@pytest.fixture
def library(tmp_path):
    return small_library(tmp_path / "lib")


def take(library, name, result, **more):
    entry, _ = library.update(name, result, by=BY, date=TODAY, **more)
    assert_sound(library)
    return entry


def assert_sound(library):
    """Check that the files agree with the library in memory and that all entries are valid."""
    again = WritableLibrary(library.folder)
    assert (again.index, again.state) == (library.index, library.state)
    assert [one.fault for one in check_entries(again, again.entries) if one.fault] == []
    stored = {path.name for path in (library.folder / "results").iterdir()}
    assert stored == {entry.file for entry in library.entries if entry.result}


def assert_refused(library, error, match, *arguments, **more):
    before = snapshot(library.folder)
    with pytest.raises(error, match=match):
        library.update(*arguments, **{"by": BY, **more})
    assert snapshot(library.folder) == before


@pytest.mark.parametrize("name", ["grid", "uni", "free"])
def test_each_step_forward_is_kept_with_who_and_when(library, name):
    instance = library.instance(name)
    known = schedules(instance)
    assert len(known) > 1
    for number, schedule in enumerate(known):
        entry = take(library, name, result_of(instance, schedule))
        record = entry.records[-1]
        assert (record.by, record.date, record.makespan) == (BY, TODAY, schedule.makespan)
        assert record.gains == (["schedule", "bound"] if number == 0 else ["schedule"])
        assert record.schedule_by == schedule.method
        assert len(entry.records) == number + 1
    stored = library.result(name)
    assert stored.schedule == known[-1]
    assert oas.verify(instance, known[-1]) == []


def test_schedule_of_one_and_bound_of_another_make_an_optimum(library):
    optimum = oas.solve(library.instance("uni"))
    assert optimum.status is Status.OPTIMAL
    instance = library.instance("uni")
    take(library, "uni", replace(optimum, schedule=schedules(instance)[0], status=Status.FEASIBLE), accept_claims=True)
    entry = take(library, "uni", result_of(instance, optimum.schedule))
    assert entry.records[-1].gains == ["schedule"]
    assert entry.records[-1].proven
    stored = library.result("uni")
    assert stored.status is Status.OPTIMAL


def test_a_stronger_proof_of_the_same_bound_is_taken(library):
    instance, best = library.instance("uni"), best_bound(library.instance("uni"))
    schedule = schedules(instance)[-1]
    claimed = result_of(instance, schedule, weak_bound(instance), claim=best.value)
    assert take(library, "uni", claimed, accept_claims=True).records[-1].proof is ProofKind.SOLVER
    entry = take(library, "uni", result_of(instance, schedule))
    assert entry.records[-1].gains == ["proof"]
    assert entry.records[-1].proof is ProofKind.CERTIFICATE
    assert "confirmed by highs" in entry.records[-1].bound_by


def test_more_certified_beneath_the_same_claim_is_taken(library):
    instance = library.instance("uni")
    schedule = schedules(instance)[-1]
    for bound in (weak_bound(instance), best_bound(instance)):
        entry = take(library, "uni", result_of(instance, schedule, bound, claim=schedule.makespan), accept_claims=True)
        assert entry.records[-1].proof is ProofKind.SOLVER
    assert entry.records[-1].gains == ["proof"]
    stored = library.result("uni")
    assert stored.proof.bound == best_bound(instance)


def test_an_enumeration_is_repeated_and_beats_a_solvers_word(tmp_path):
    origin = Origin(worst_case="locality-price", parameters={"machines": "single"})
    library = small_library(tmp_path / "lib", entry_of("wc", origin))
    instance = library.instance("wc")
    take(library, "wc", result_of(instance, schedules(instance)[-1], claim=3), accept_claims=True)
    assert library["wc"].records[-1].proof is ProofKind.SOLVER
    entry = take(library, "wc", oas.solve(instance, formulation="brute-force"))
    assert (entry.records[-1].gains, entry.records[-1].proof) == (["proof"], ProofKind.BRUTE_FORCE)


def test_a_claim_without_certificate_counts_only_if_accepted(library):
    instance, schedule = library.instance("uni"), schedules(library.instance("uni"))[-1]
    claimed = result_of(instance, schedule, claim=schedule.makespan)
    assert claimed.status is Status.OPTIMAL
    record = take(library, "uni", claimed).records[-1]
    assert (record.proof, record.lower_bound) == (ProofKind.CERTIFICATE, best_bound(instance).value)
    assert not record.proven
    assert_refused(library, NoGainError, "claimed by a solver without certificate, was not counted", "uni", claimed)
    record = take(library, "uni", claimed, accept_claims=True).records[-1]
    assert (record.proof, record.gains, record.proven) == (ProofKind.SOLVER, ["bound"], True)
    counts = counted(check_entries(library, library.select(["uni"])))
    assert (counts["bounds confirmed"], counts["bounds claimed by a solver"], counts["optima"]) == (0, 1, 1)


def test_a_claim_that_a_schedule_refutes_goes_and_is_told(library):
    instance = library.instance("uni")
    *_, longer, shorter = schedules(instance)
    take(library, "uni", result_of(instance, longer, claim=longer.makespan), accept_claims=True)
    entry, refuted = library.update("uni", result_of(instance, shorter), by=BY)
    assert refuted == claims_of(longer.makespan)
    assert (entry.records[-1].makespan, entry.records[-1].lower_bound) == (shorter.makespan, best_bound(instance).value)
    assert entry.records[-1].gains == ["schedule"]
    assert_sound(library)


@pytest.mark.parametrize("worse", [False, True])
def test_what_is_no_better_is_refused(library, worse):
    instance = library.instance("grid")
    *_, longer, shorter = schedules(instance)
    take(library, "grid", result_of(instance, shorter))
    assert_refused(
        library, NoGainError, "adds nothing: its makespan is", "grid", result_of(instance, longer if worse else shorter)
    )


def test_another_instances_result_is_refused(library):
    other = library.instance("free")
    assert_refused(library, InputError, "of another instance", "uni", result_of(other, schedules(other)[-1]))


def test_an_infeasible_schedule_is_refused(library):
    instance = library.instance("uni")
    schedule = schedules(instance)[-1]
    moved = [Placement(one.job, 0, one.duration, one.nodes) for one in schedule.placements]
    assert_refused(
        library, VerificationError, r"breaks \d+ rule", "uni", result_of(instance, Schedule(moved, schedule.method))
    )


def test_a_forged_bound_is_refused(library):
    instance, schedule = library.instance("uni"), schedules(library.instance("uni"))[-1]
    best = best_bound(instance)
    for name in (best.name, "no such bound"):
        forged = Bound(name, best.value + 1, {})
        assert_refused(library, VerificationError, "is not confirmed", "uni", result_of(instance, schedule, forged))
    impossible = result_of(instance, schedule, claim=schedule.makespan + 1)
    assert_refused(library, VerificationError, "above the feasible makespan", "uni", impossible, accept_claims=True)


@pytest.mark.parametrize("by", ["", "  ", "Jane\x1b[2J"])
def test_someone_must_stand_for_it(library, by):
    instance = library.instance("uni")
    assert_refused(library, InputError, "by", "uni", result_of(instance, schedules(instance)[0]), by=by)


def test_a_damaged_library_takes_nothing(library):
    instance = library.instance("uni")
    longer, *_, shorter = schedules(instance)
    entry = take(library, "uni", result_of(instance, longer))
    (library.folder / "results" / entry.file).write_bytes(b"")
    assert_refused(library, InputError, "damaged: not the file", "uni", result_of(instance, shorter))


@pytest.mark.parametrize("moment", ["write_bytes", "write_index"])
def test_broken_off_while_writing_the_library_is_as_before(library, moment, monkeypatch):
    instance = library.instance("uni")
    longer, *_, shorter = schedules(instance)
    take(library, "uni", result_of(instance, longer))
    before = library.index

    def breaks(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(library_update, moment, breaks)
        with pytest.raises(KeyboardInterrupt):
            library.update("uni", result_of(instance, shorter), by=BY)
    again = WritableLibrary(library.folder)
    assert again.index == before
    assert counted(check_entries(again, again.entries))["faults"] == 0
    # A file that no index came to name does not stand in the way.
    assert again.update("uni", result_of(instance, shorter), by=BY)[0].records[-1].gains == ["schedule"]


def test_updates_of_others_are_not_lost(library):
    stale = WritableLibrary(library.folder)
    instance, grid = library.instance("uni"), library.instance("grid")
    take(library, "uni", result_of(instance, schedules(instance)[-1]))
    take(stale, "grid", result_of(grid, schedules(grid)[-1]))
    assert [bool(entry.records) for entry in WritableLibrary(library.folder).entries] == [True, True, False]
    assert_refused(stale, NoGainError, "adds nothing", "uni", result_of(instance, schedules(instance)[0]))


def test_one_updates_at_a_time(library):
    instance = library.instance("uni")
    result = result_of(instance, schedules(instance)[-1])
    handle = os.open(library.folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        thread = threading.Thread(target=library.update, args=("uni", result), kwargs={"by": BY})
        thread.start()
        thread.join(0.3)
        assert thread.is_alive()
        assert not WritableLibrary(library.folder)["uni"].records
    finally:
        os.close(handle)
    thread.join(60)
    assert WritableLibrary(library.folder)["uni"].records


def test_a_slice_of_a_log_is_kept_without_its_times(tmp_path):
    log = log_in(tmp_path)
    logs = {log.sha256: log}
    library = small_library(tmp_path / "lib", slice_of(log))
    instance = library.instance("toy-n12", logs)
    known = schedules(instance)
    result = result_of(instance, known[0])
    assert_refused(library, LogMissingError, "the log toy with checksum", "toy-n12", result)
    library.update("toy-n12", result, by=BY, logs=logs)
    entry, _ = library.update("toy-n12", result_of(instance, known[-1]), by=BY, logs=logs)
    assert unpacked(library.folder / "results" / entry.file)["schedule"] is None
    index = (library.folder / "index.json").read_text(encoding="utf-8")
    assert "placements" not in index
    kept = library.result("toy-n12", logs)
    assert kept.schedule.makespan == entry.records[-1].makespan <= known[-1].makespan
    assert oas.verify(instance, kept.schedule) == []
    assert counted(check_entries(library, library.select(["toy-n12"]), logs))["schedules verified"] == 1
    without = counted(check_entries(library, library.select(["toy-n12"])))
    assert (without["not checked"], without["faults"], without["schedules verified"]) == (1, 0, 0)
