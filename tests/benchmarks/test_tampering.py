"""Tampered results, in a smoke size; the long run is `python -m benchmarks.robustness.tampering`."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, replace
from random import Random

import pytest

import oas
from benchmarks.robustness.documents import DoesNotApplyError
from benchmarks.robustness.tampering import specimens as made
from benchmarks.robustness.tampering.__main__ import Outcome, judge, main, run, table
from benchmarks.robustness.tampering.checkers import Answer, ask, programs
from benchmarks.robustness.tampering.draft import Draft
from benchmarks.robustness.tampering.rules import RULES, Tampered, tampered
from benchmarks.soak.poor_schedules import poor
from benchmarks.soak.solving import search_from
from oas.core.result import Status
from oas.generate import reservations, tiny
from oas.io import dumps, loads_any
from oas.library import Library
from oas.solving.recheck import recheck_result

CERTIFIED = ("uni-n10-N2-m32-s0", "uni-n50-N2-m128-s1", "uni-n100-N20-m128-s0", "oas-16-3x4-std-50-s0")


@pytest.fixture(scope="module")
def held():
    """Results of enumeration, of searches with their logs, and some of the library."""
    library, found = Library(), list(made._enumerated(3))
    small, reserved = tiny(seed=203, jobs=6, nodes=8), reservations(seed=1, jobs=7, processors=8)
    solved = oas.solve(small)
    for bound in made._logged(small, solved.objective):
        found += made._claiming(small, solved, bound)
    evidence, _ = search_from(reserved, poor(reserved), 60)
    found += made._claiming(reserved, oas.solve(reserved), evidence.bound)
    for name in CERTIFIED:
        result = library.result(name)
        found += made._claiming(library.instance(name), result, result.proof.bound)
    assert len({one.name for one in found}) >= 6  # which ones depends on what a busy machine solves in time
    return found


def answered(verdict, output=""):
    return {"oas verify": Answer(verdict, 0.1, 2**20, output)}


@pytest.mark.slow
def test_each_rule_changes_something_and_files_are_drawn_again(held):
    used = set()
    for name, rule in RULES.items():
        for number, specimen in enumerate(held):
            draft = Draft(specimen, held, Random(number))
            before = draft.data
            try:
                rule(draft)
            except DoesNotApplyError:
                continue
            if draft.data != before:
                used.add(name)
                break
    assert used == RULES.keys()
    assert tampered(held, 0, 5) == tampered(held, 0, 5) != tampered(held, 0, 6)


def test_a_claim_is_raised_without_a_contradiction(held):
    """All of the file agrees, and the schedule keeps the rules; only the bound is not proven."""
    for specimen in held:
        draft = Draft(specimen, held, Random(1))
        draft.claim(specimen.optimum + draft.tick)
        result = loads_any(draft.data)
        assert result.lower_bound == specimen.optimum + draft.tick
        if result.schedule is not None:
            assert result.objective == result.lower_bound
            recheck_result(specimen.instance, replace(result, status=Status.FEASIBLE, lower_bound=None, proof=None))


def test_a_false_file_that_is_accepted_is_a_violation(held):
    specimen = held[0]
    draft = Draft(specimen, held, Random(1))
    draft.claim(specimen.optimum + draft.tick)
    false = Tampered(specimen, "rule", draft.data)
    assert judge(0, false, answered("refused")).violations == []
    assert "accepted above the optimum" in judge(0, false, answered("accepted")).violations[0]
    claimed = judge(0, false, answered("accepted", "lower bound: 7, not re-checked, claimed by a solver"))
    assert claimed.claimed and claimed.violations == []
    draft.document |= {"status": "infeasible", "schedule": None, "lower_bound": None, "objective": None}
    assert "as infeasible" in judge(0, Tampered(specimen, "rule", draft.data), answered("accepted")).violations[0]
    honest = Tampered(specimen, "rule", Draft(specimen, held, Random(1)).data)
    agreeing = judge(0, honest, answered("accepted"))
    assert agreeing.violations == []
    both = {**answered("accepted"), "stand-alone": Answer("refused", 0.1, 1, "")}
    assert "disagree" in judge(0, honest, both).violations[0]
    assert "| rule | 1 | 0 | 0 | 1 | 0 | 0 | 0.10 |" in table([agreeing], "rule")


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (Answer("refused", 0.1, 2**20, "oas: no"), ""),
        (Answer("refused", 5.1, 2**20, ""), "after 5.1 s"),
        (Answer("ended by signal 9", 0.1, 2**20, ""), "ended by signal 9"),
        (Answer("refused", 0.1, 2**20, "Traceback (most recent call last):"), "traceback"),
        (Answer("refused", 0.1, 2**20, "MemoryError"), "out of memory"),
    ],
)
def test_the_manner_of_an_answer(answer, fault):
    assert fault in answer.fault and bool(fault) == bool(answer.fault)


def test_a_checker_has_limited_memory():
    greedy = ask((lambda: bytes(2 * 10**9), ("greedy",), 5.0), ())
    assert greedy.verdict == "ended by exit code 1" and "MemoryError" in greedy.fault
    slow = ask((lambda: time.sleep(0.05), ("slow",), 5.0), ())
    assert slow.verdict == "accepted" and slow.fault == ""


@pytest.mark.slow
def test_a_few_files(held, tmp_path, capsys):
    outcomes = [one for one, _ in run(tmp_path, held, programs(), 7, range(30))]
    assert [one.violations for one in outcomes] == [[]] * 30
    verdicts = [one.verdicts["oas verify"] for one in outcomes]
    assert verdicts.count("refused") > 15 and "accepted" in verdicts
    assert Outcome(**json.loads(json.dumps(asdict(outcomes[0])))) == outcomes[0]
    made.keep_in(tmp_path / "honest.json", held)
    kept = made.specimens_in(tmp_path / "honest.json")
    assert [dumps(one.result) for one in kept] == [dumps(one.result) for one in held]
    for _ in range(2):  # the second run has nothing left to do
        assert main(["--count", "3", "--folder", str(tmp_path)]) == 0
        assert "3 files; 0 with violations" in capsys.readouterr().out
