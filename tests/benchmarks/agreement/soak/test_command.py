"""The soak on a few seeds: everyone agrees, a run goes on where one ended, and who is wrong is found out."""

from __future__ import annotations

import json
from fractions import Fraction as F
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.agreement.participants import AGREED, MISMATCH, TIME_LIMIT, ParticipantFinding
from benchmarks.agreement.soak import checking, command, makespan, standalone
from benchmarks.agreement.soak.asked import Asked, attempts
from benchmarks.agreement.soak.command import main
from benchmarks.agreement.soak.drawing import drawn
from benchmarks.agreement.soak.examining import examined
from benchmarks.agreement.soak.fair import examining as fair
from benchmarks.agreement.soak.journal import NAME, Journal, rows_in
from heuristics.method import Method
from oas.bounds.lower_bound import LowerBound, lower_bounds
from oas.core.errors import InputError
from oas.core.schedule import Placement, Schedule
from oas.exact.bound_check import recheck
from oas.io import load

if TYPE_CHECKING:
    from pathlib import Path


CHEAP = ["--without", "/", "--without", "search", "--without", "pipeline", "--without", "stand-alone"]
NEVER_FULL = ["--every", "1000000000"]


def test_everyone_agrees_and_a_run_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    without = ["--without", "stand-alone", "--without", "search"]  # which take longest; the slow test has both
    run = partial(main, [*NEVER_FULL, *without, "--out", str(tmp_path), "--instances", "5"])
    assert run() == 0
    rows = rows_in(tmp_path / NAME)
    assert [row["seed"] for row in rows] == [0, 1, 2, 3, 4]
    assert [row["problem"] for row in rows] == ["coallocation", "mosp", "fair", "coallocation", "mosp"]
    for row in rows:
        assert row["digest"] == drawn(row["seed"]).instance.digest
        assert MISMATCH not in row["verdicts"]
        assert sum("/" in who for verdict in row["verdicts"].values() for who in verdict) == 1
    agreed = rows[1]["verdicts"]["agreed"]
    assert {"brute force", "local", "area bound", "pipeline", "re-check of the pipeline: result"} <= set(agreed)
    with (tmp_path / NAME).open("ab") as file:
        file.write(b'{"draw":1,"seed":5,"dig')  # as a kill leaves it
    assert run() == 0
    assert (tmp_path / NAME).read_bytes().count(b"\n") == 5
    assert (
        main([*NEVER_FULL, *CHEAP, "--out", str(tmp_path), "--instances", "2", "--seed", "5", "--problem", "mosp"]) == 0
    )
    assert [row["seed"] for row in rows_in(tmp_path / NAME)] == [0, 1, 2, 3, 4, 6, 9]
    shown = capsys.readouterr().out
    assert "7 instances, 7 of them distinct, seeds 0 to 9 (coallocation 2, mosp 4, fair 1)" in shown
    assert "Differences: 0" in shown and (tmp_path / command.SUMMARY).read_text() in shown


@pytest.mark.slow
def test_every_solver_and_the_stand_alone_checker_agree(tmp_path: Path) -> None:
    options = ["--every", "1", "--search-seconds", "3", "--out", str(tmp_path)]
    assert main([*options, "--instances", "3", "--seed", "11"]) == 0
    for row in rows_in(tmp_path / NAME):
        assert row["full"] and MISMATCH not in row["verdicts"]
        runs = [who for who in row["verdicts"]["agreed"] if "/" in who]
        assert sum("/highs" in one for one in runs) >= 6 and any("/cbc" in one for one in runs)
        if row["problem"] != "fair":
            assert any(one.startswith("stand-alone checker of the pipeline") for one in row["verdicts"]["agreed"])


def test_a_bound_too_high_is_found_and_shrunk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wrong = LowerBound("wrong", lambda one: sum((job.time for job in one.jobs), F(0)))
    known = {wrong.name: lambda one, bound: bound.value <= wrong.compute(one)}
    monkeypatch.setattr(makespan, "recheck", lambda one, bound: known.get(bound.name, recheck)(one, bound))
    monkeypatch.setattr(makespan, "lower_bounds", lambda one: (*lower_bounds(one), wrong))
    options = [*CHEAP, "--out", str(tmp_path)]
    assert main([*options, "--seed", "16", "--instances", "1", "--problem", "mosp"]) == 1
    [row] = rows_in(tmp_path / NAME)
    [[participant, _, detail]] = [one for one in row["details"] if one[1] == MISMATCH]
    assert participant == "wrong bound" and "above the optimum" in detail
    [name] = row["files"]
    smallest: Any = load(tmp_path / name)
    assert len(smallest.jobs) == 2 and {(job.time, job.processors) for job in smallest.jobs} == {(1, 1)}
    assert smallest.node_count == 2 and not smallest.reserved
    note = (tmp_path / name).with_suffix(".txt").read_text()
    assert note.startswith("participant: wrong bound (it did so again") and "seed: 16, mosp, " in note
    assert main([*options, "--file", str(tmp_path / name)]) == 1


def test_a_heuristic_that_ends_too_soon_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def rash(instance: Any, *, seed: int = 0) -> Schedule:
        nodes = {one.id: [0] for one in instance.clusters[:1]}
        return Schedule([Placement(job.id, F(0), job.base_time, nodes) for job in instance.jobs], "rash")

    instance = drawn(5).instance
    monkeypatch.setattr(makespan, "own_methods", lambda *_: (Method("rash", rash, "", problem=instance.problem),))
    [found] = examined(instance, Asked(5, only="rash")).differing
    assert found.participant == "rash"


def test_a_wrong_optimum_is_seen_in_fair_sharing(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*given: Any) -> tuple[int, Schedule] | None:
        found = true(*given)
        return None if found is None else (found[0] - 1, found[1])

    true = fair.brute_force
    monkeypatch.setattr(fair, "brute_force", wrong)
    found = examined(drawn(2).instance, Asked(2, without=("/",))).differing
    assert {one.participant for one in found} >= {"brute force", "pipeline"}


def test_checkers_that_are_wrong_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    one, asked = drawn(1).instance, Asked(1, full=True, without=("/", "search"))
    script = tmp_path / "checker.py"
    script.write_text("")
    monkeypatch.setattr(checking, "recheck_result", lambda *_: [])
    monkeypatch.setattr(standalone, "checker", lambda: script)
    false = {"the pipeline: bound a tick too high", "the pipeline: said to be infeasible"}
    found = {finding.participant for finding in examined(one, asked).differing}
    assert found == {f"{who} of {what}" for who in ("re-check", "stand-alone checker") for what in false}
    script.write_text("raise SystemExit(3)")
    found = {finding.participant for finding in examined(one, asked).differing}
    assert "stand-alone checker of the pipeline: result" in found


def test_who_leaves_an_instance_open_does_not_differ() -> None:
    found = examined(drawn(1).instance, Asked(1, search_seconds=1e-6, without=("/", "stand-alone"))).findings
    assert {one.verdict for one in found if one.participant == makespan.SEARCH} == {TIME_LIMIT}
    assert MISMATCH not in {one.verdict for one in found}


def test_a_fault_of_the_soak_itself_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(makespan, "runs", lambda _: [][0])
    [found] = examined(drawn(1).instance, Asked(1, without=("search", "pipeline"))).differing
    assert (found.participant, found.detail) == ("the soak itself", "raises IndexError: list index out of range")


@pytest.mark.parametrize(("deaths", "verdict"), [(0, AGREED), (2, AGREED), (3, MISMATCH)])
def test_a_solver_that_dies_is_asked_again(deaths: int, verdict: str) -> None:
    said = iter([ParticipantFinding("x", MISMATCH, "crashed: died of SIGSEGV")] * deaths)
    found = list(attempts("x", lambda: next(said, ParticipantFinding("x", AGREED))))
    assert found[-1].verdict == verdict and found[-1].participant == "x"
    assert [one.participant for one in found[:-1]] == ["died and was asked again: x"] * min(deaths, 2)


def test_an_interrupt_ends_it_with_what_is_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupted(seed: int, *given: Any) -> dict[str, Any]:
        if seed == 7:
            raise KeyboardInterrupt
        return examine(seed, *given)

    examine = command.examine_seed
    monkeypatch.setattr(command, "examine_seed", interrupted)
    assert main([*CHEAP, "--seed", "5", "--out", str(tmp_path)]) == 0
    assert [row["seed"] for row in rows_in(tmp_path / NAME)] == [5, 6]
    assert "; interrupted." in (tmp_path / command.SUMMARY).read_text()


def test_one_process_writes_and_damage_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Journal(tmp_path):
        assert main(["--out", str(tmp_path), "--instances", "1"]) == 2
        assert "another soak writes it" in capsys.readouterr().err
    (tmp_path / NAME).write_text('{"seed": 1}\n')
    with pytest.raises(InputError, match="line 1, draw"):
        Journal(tmp_path)
    assert main([*CHEAP, "--out", str(tmp_path / "other"), "--instances", "1"]) == 0
    file = tmp_path / "other" / NAME
    file.write_text(json.dumps({**json.loads(file.read_text()), "draw": 0}) + "\n")
    assert main([*CHEAP, "--out", str(tmp_path / "other"), "--instances", "2"]) == 2
