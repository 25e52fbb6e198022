"""The soak test on a few seeds: everything agrees, a run continues where one stopped, and faults are found."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction as F
from functools import partial
from typing import Any

import pytest

from benchmarks.common import Journal
from benchmarks.soak import fair, makespan, models, results
from benchmarks.soak.__main__ import main
from benchmarks.soak.checks import CHECKS
from benchmarks.soak.drawing import KINDS, drawn
from benchmarks.soak.findings import AGREED, MISMATCH, Asked, Finding, attempts, examined
from benchmarks.soak.rows import NAME, SUMMARY
from oas.core.result import Termination
from oas.core.schedule import Placement, Schedule
from oas.io import load
from oas.solving.lower_bound import LowerBound, lower_bounds
from oas.solving.method import Method
from oas.solving.model_run import Decision
from oas.solving.parts import exact_parts
from oas.solving.recheck import recheck

CHEAP = ["--without", "/", "--without", "search", "--without", "pipeline", "--without", "stand-alone"]
NEVER_FULL = ["--every", "1000000000"]


def rows_in(path: Any) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def differing(number: int, asked: Asked) -> set[str]:
    found = examined(CHECKS["optima"].examine, drawn(number).instance, asked)
    return {one.participant for one in found if one.verdict == MISMATCH}


def test_every_shape_is_drawn_again_and_small_enough_to_enumerate() -> None:
    for kind, (problem, shapes, _) in enumerate(KINDS):
        for turn, shape in enumerate(shapes):
            one = drawn(len(KINDS) * turn + kind)
            assert (one.problem, one.shape) == (problem, shape) and one == drawn(one.seed)
            assert len(one.instance.jobs) <= 12
    allocations = [exact_parts(drawn(seed).instance).unplaceable(drawn(seed).instance) for seed in range(0, 400, 5)]
    assert 1 <= sum(map(bool, allocations)) <= 20


@pytest.mark.slow
def test_all_agree_and_a_run_continues(tmp_path: Any, capsys: Any) -> None:
    without = ["--without", "stand-alone", "--without", "search"]  # which take longest; the slow test has both
    run = partial(main, [*NEVER_FULL, *without, "--output", str(tmp_path), "--instances", "5"])
    assert run() == 0
    rows = rows_in(tmp_path / NAME)
    assert [row["problem"] for row in rows] == ["coallocation", "mosp", "fair", "coallocation", "mosp"]
    for row in rows:
        assert row["digest"] == drawn(row["seed"]).instance.digest
        assert sum("/" in participant for participant in row["verdicts"]) == 1
    participants = {"brute force", "local", "area bound", "pipeline", "re-check of the pipeline: result"}
    assert participants <= set(rows[1]["verdicts"])
    with (tmp_path / NAME).open("ab") as file:
        file.write(b'{"draw":2,"seed":5,"dig')  # as a kill leaves it
    assert run() == 0
    assert (tmp_path / NAME).read_bytes().count(b"\n") == 5
    more = ["--output", str(tmp_path), "--instances", "2", "--seed", "5", "--problem", "mosp"]
    assert main([*NEVER_FULL, *CHEAP, *more]) == 0
    assert [row["seed"] for row in rows_in(tmp_path / NAME)] == [0, 1, 2, 3, 4, 6, 9]
    shown = capsys.readouterr().out
    assert "## optima, mosp: 4 instances, seeds 1 to 9" in shown
    assert "Differences: 0" in shown and (tmp_path / SUMMARY).read_text() in shown


@pytest.mark.slow
def test_every_solver_and_the_stand_alone_checker_agree(tmp_path: Any) -> None:
    options = ["--every", "1", "--search-seconds", "3", "--output", str(tmp_path)]
    assert main([*options, "--instances", "3", "--seed", "11"]) == 0
    for row in rows_in(tmp_path / NAME):
        runs = [participant for participant in row["verdicts"] if "/" in participant]
        assert row["full"]
        assert sum("/highs" in one for one in runs) >= 6 and any("/cbc" in one for one in runs)
        checked = any(one.startswith("stand-alone checker of the pipeline") for one in row["verdicts"])
        assert checked or row["problem"] == "fair"


def test_a_bound_too_high_is_found_and_written(monkeypatch: Any, tmp_path: Any) -> None:
    wrong = LowerBound("wrong", lambda one: sum((job.time for job in one.jobs), F(0)))
    known = {wrong.name: lambda one, bound: bound.value <= wrong.compute(one)}
    monkeypatch.setattr(makespan, "recheck", lambda one, bound: known.get(bound.name, recheck)(one, bound))
    monkeypatch.setattr(makespan, "lower_bounds", lambda one: (*lower_bounds(one), wrong))
    options = [*CHEAP, "--output", str(tmp_path)]
    assert main([*options, "--seed", "16", "--instances", "1", "--problem", "mosp"]) == 1
    [row] = rows_in(tmp_path / NAME)
    [[participant, _, detail]] = [one for one in row["details"] if one[1] == MISMATCH]
    assert participant == "wrong bound" and "above the makespan" in detail
    [name] = row["files"]
    assert load(tmp_path / name).digest == row["digest"]
    assert main([*options, "--file", str(tmp_path / name)]) == 1


def test_a_heuristic_below_the_optimum_or_above_its_guarantee_is_found(monkeypatch: Any) -> None:
    def rash(instance: Any, *, seed: int = 0) -> Schedule:
        nodes = {one.id: [0] for one in instance.clusters[:1]}
        return Schedule([Placement(job.id, F(0), job.base_time, nodes) for job in instance.jobs], "rash")

    instance = drawn(5).instance
    monkeypatch.setattr(makespan, "toolkit_methods", lambda *_: (Method("rash", rash, "", problem=instance.problem),))
    assert differing(5, Asked(5, without=("search", "pipeline", "/"))) >= {"rash"}


def test_wrong_optima_are_found(monkeypatch: Any) -> None:
    def wrong(*given: Any) -> Any:
        found = true(*given)
        return None if found is None else (found[0] - 1, found[1])

    true = fair.brute_force
    monkeypatch.setattr(fair, "brute_force", wrong)
    assert differing(2, Asked(2, without=("/",))) >= {"brute force", "pipeline"}
    parts = exact_parts(drawn(1).instance)
    lower = replace(parts, brute_force=lambda one: (parts.brute_force(one)[0] - F(1, 2), parts.brute_force(one)[1]))
    monkeypatch.setattr(makespan, "exact_parts", lambda _: lower)
    assert differing(1, Asked(1, without=("stand-alone", "search"))) >= {"brute force", "pipeline"}


def test_wrong_checkers_are_found(monkeypatch: Any, tmp_path: Any) -> None:
    asked = Asked(1, full=True, without=("/", "search"))
    script = tmp_path / "checker.py"
    script.write_text("")
    monkeypatch.setattr(results, "recheck_result", lambda *_: [])
    monkeypatch.setattr(results, "checker", lambda: script)
    false = {"the pipeline: bound a tick too high", "the pipeline: said to be infeasible"}
    assert differing(1, asked) == {f"{who} of {what}" for who in ("re-check", "stand-alone checker") for what in false}
    script.write_text("raise SystemExit(3)")
    assert "stand-alone checker of the pipeline: result" in differing(1, asked)


@pytest.mark.parametrize(("refuted", "runs", "wrong"), [(True, None, 2), (False, ["run"], 1), (False, None, 0)])
def test_a_false_decision_is_found(monkeypatch: Any, refuted: bool, runs: Any, wrong: int) -> None:
    monkeypatch.setattr(models, "decide", lambda *_: Decision(refuted, runs, Termination.FINISHED))
    optimum = exact_parts(drawn(1).instance).brute_force(drawn(1).instance)[0]
    found = list(models.decisions(drawn(1).instance, optimum, Asked(1, full=True)))
    assert len(found) == 3 and sum(one.verdict == MISMATCH for one in found) == wrong


@pytest.mark.parametrize(("deaths", "verdict"), [(0, AGREED), (2, AGREED), (3, MISMATCH)])
def test_a_solver_that_dies_is_asked_again(deaths: int, verdict: str) -> None:
    answers = iter([Finding("x", MISMATCH, "crashed: died of SIGSEGV")] * deaths)
    found = list(attempts("x", lambda: next(answers, Finding("x", AGREED))))
    assert found[-1].verdict == verdict and found[-1].participant == "x"
    assert [one.participant for one in found[:-1]] == ["died and was asked again: x"] * min(deaths, 2)


def test_one_process_writes_and_damage_is_named(tmp_path: Any, capsys: Any) -> None:
    with Journal(tmp_path / NAME):
        assert main(["--output", str(tmp_path), "--instances", "1"]) == 2
        assert "another process writes it" in capsys.readouterr().err
    other = ["--output", str(tmp_path / "other")]
    assert main([*CHEAP, *other, "--instances", "1"]) == 0
    file = tmp_path / "other" / NAME
    file.write_text(json.dumps({**json.loads(file.read_text()), "draw": 0}) + "\n")
    assert main([*CHEAP, *other, "--instances", "2"]) == 2


def test_the_results_of_the_library_are_confirmed() -> None:
    check = CHECKS["library"]
    one = check.draw(0)
    assert one is not None
    found = examined(check.examine, one.instance, Asked(0))
    assert {finding.verdict for finding in found} == {AGREED} and len(found) == 6
