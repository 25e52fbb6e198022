"""Tampered results, in a smoke size; the long run is `python -m benchmarks.robustness.tampering`."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest

from benchmarks.robustness.tampering import specimens as made
from benchmarks.robustness.tampering.__main__ import Range
from benchmarks.robustness.tampering.checkers import Answer, Checker
from benchmarks.robustness.tampering.draft import DoesNotApplyError, Draft
from benchmarks.robustness.tampering.outcomes import Outcome, table
from benchmarks.robustness.tampering.rules import RULES, Tampered, tampered
from oas.core.result import Status
from oas.exact.recheck import recheck_result
from oas.generate import tiny
from oas.generate.mosp.tiny import random_instance
from oas.io import loads_any
from oas.library import Library

GREEDY = """
def main(arguments):
    if arguments == ["large"]:
        bytes(2 * 10**9)
    return 3
"""
CERTIFIED = ("uni-n10-N2-m32-s0", "uni-n50-N2-m128-s1", "uni-n100-N20-m128-s0", "oas-16-3x4-std-50-s0")


@pytest.fixture(scope="module")
def held():
    """Results of enumeration, functions of the instance, logs of searches, and some certificates of the library."""
    library = Library()
    found = []
    for seed in range(3):
        grid, pool = tiny(seed=seed), random_instance(seed)
        found += [*made._enumerated(grid), *made._enumerated(pool)]
        counted = found[-2]
        found += [*made._plain(grid, counted.result), *made._plain(pool, found[-1].result)]
        found += made._claiming("search log", grid, counted.result, made._logged(grid, counted.optimum, placed=True))
    for name in CERTIFIED:
        result = library.result(name)
        found += made._claiming(result.proof.bound.name, library.instance(name), result, result.proof.bound)
    assert len({one.name for one in found}) > 12
    return found


def answered(verdict, said=""):
    return {"oas": Answer(verdict, 0.1, 2**20, said)}


def test_each_rule_changes_something(held):
    """And what it makes can be drawn again."""
    used = set()
    for name, rule in RULES.items():
        for number, specimen in enumerate(held):
            draft = Draft(specimen, tuple(held), Random(number))
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
        draft = Draft(specimen, tuple(held), Random(1))
        draft.claim(specimen.optimum + draft.tick)
        result = loads_any(draft.data)
        assert result.lower_bound == specimen.optimum + draft.tick
        if result.schedule is not None:
            assert result.objective == result.lower_bound
            recheck_result(specimen.instance, replace(result, status=Status.FEASIBLE, lower_bound=None, proof=None))


def test_what_is_false_and_accepted_is_a_violation(held):
    specimen = held[0]
    draft = Draft(specimen, tuple(held), Random(1))
    draft.claim(specimen.optimum + draft.tick)
    false = Tampered(specimen, "rule", draft.data)
    assert Outcome.of(0, false, answered("refused")).violations == []
    assert "accepted above the optimum" in Outcome.of(0, false, answered("accepted")).violations[0]
    word = Outcome.of(0, false, answered("accepted", "lower bound: 7, not re-checked, solver's word"))
    assert word.word and word.violations == []
    draft.document |= {"status": "infeasible", "schedule": None, "lower_bound": None, "objective": None}
    infeasible = Tampered(specimen, "rule", draft.data)
    assert "as infeasible" in Outcome.of(0, infeasible, answered("accepted")).violations[0]
    honest = Tampered(specimen, "rule", Draft(specimen, tuple(held), Random(1)).data)
    agreeing = Outcome.of(0, honest, answered("accepted"))
    assert agreeing.violations == []
    other = Outcome(0, "rule", specimen.name, {"alone": "refused"}, {"alone": 0.1}, {"alone": 1})
    assert "disagree" in agreeing.with_more(other).violations[0]
    assert "| rule | 1 | 0 | 0 | 1 | 0 | 0 | 0.10 | 1 |" in table([agreeing], lambda one: one.rule, "rule")


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (Answer("refused", 0.1, 2**20, "oas: no"), ""),
        (Answer("refused", 5.1, 2**20, ""), "after 5.1 s"),
        (Answer("refused", 0.1, 2**30, ""), "with 1024 MiB"),
        (Answer("ended by signal 9", 0.1, 2**20, ""), "ended by signal 9"),
        (Answer("refused", 0.1, 2**20, "Traceback (most recent call last):"), "traceback"),
    ],
)
def test_the_manner_of_an_answer(answer, fault):
    assert fault in answer.fault and bool(fault) == bool(answer.fault)


def test_a_checker_is_held_to_its_memory(tmp_path):
    (tmp_path / "alone.py").write_text(GREEDY)
    checker = Checker(str(tmp_path / "alone.py"))
    try:
        assert checker._ask(("small",), fork=True).verdict == "refused"
        large = checker._ask(("large",), fork=True)
        assert large.verdict == "ended by exit code 1" and "MemoryError" in large.fault
        assert large.memory < 512 * 2**20
    finally:
        checker.close()


@pytest.mark.slow
def test_a_few_files(held, tmp_path):
    outcomes = [one for one, _ in Range(tmp_path, held, {"oas": "oas"}).shoot(7, range(30), {})]
    assert [one.violations for one in outcomes] == [[]] * 30
    verdicts = [one.verdicts["oas"] for one in outcomes]
    assert verdicts.count("refused") > 15 and "accepted" in verdicts
    line = json.loads(outcomes[0].line())
    assert Outcome(**line) == outcomes[0]
