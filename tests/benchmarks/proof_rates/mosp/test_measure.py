"""What is measured is what happened: times, limits, bounds and what was confirmed."""

from __future__ import annotations

from fractions import Fraction as F

import msgspec
import pytest

from benchmarks.proof_rates.mosp import __main__ as command
from benchmarks.proof_rates.mosp import measure
from benchmarks.proof_rates.mosp.plans import Cell
from benchmarks.proof_rates.shared.answers import Answer, Own, solve_by_rival, solve_timed
from benchmarks.proof_rates.shared.facts import facts
from benchmarks.proof_rates.shared.plans import Case
from oas.bounds.lower_bound import best_bound
from oas.bounds.mosp.longest_job import BOUND as LONGEST_JOB
from oas.core.result import Bound
from oas.exact.evidence import Evidence
from oas.exact.pipeline import solve
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import local_schedule
from oas.problems.rigid import Organization, RigidJob
from tests.benchmarks.proof_rates.coallocation.rows import answer
from tests.benchmarks.proof_rates.mosp.rows import row

# Two of these jobs run one after another; the longest takes 3.
INSTANCE = MospInstance([Organization("O", 2, [RigidJob(f"J{n}", 3, 1) for n in range(3)])], None, "HF")
CELL = Cell(organizations=2, jobs=5, seconds=20.0)


def start() -> Evidence:
    evidence = Evidence(INSTANCE)
    assert evidence.offer(local_schedule(INSTANCE), "local") is None
    evidence.bound = Bound(LONGEST_JOB.name, LONGEST_JOB.compute(INSTANCE), {})
    return evidence


def test_the_time_of_a_solve_is_all_that_it_took() -> None:
    own = solve_timed(solve, INSTANCE, 60.0)
    assert own.result is not None
    assert own.answer.seconds == own.result.seconds["total"] >= max(own.result.seconds.values())
    assert own.answer.proven


def test_what_cp_sat_proves_beyond_the_bound_it_was_given_counts() -> None:
    found, version = solve_by_rival(start(), "cumulative", 60.0)
    assert (found.lower, found.upper, found.proven) == (6, 6, True)
    assert version


def test_a_bound_of_cp_sat_does_not_fall_below_the_one_it_was_given() -> None:
    found, _ = solve_by_rival(start(), "cumulative", 1e-9)
    assert (found.lower, found.upper, found.proven) == (3, 6, False)


def test_what_has_no_certificate_is_not_confirmed() -> None:
    own = Own(answer(None, None, termination="error"), None, [])
    found = facts(Case("uni", CELL, 0), INSTANCE, own, answer(6, 6), "", best_bound(INSTANCE))
    assert not found["rechecked"]
    assert "not confirmed" in found["mismatch"]


@pytest.mark.parametrize(("took", "allowed"), [(0.25, 1.0), (7.5, 7.5), (33.0, 20.0)])
def test_cp_sat_has_the_time_that_the_solve_took(took: float, allowed: float, monkeypatch: pytest.MonkeyPatch) -> None:
    given = []

    def rival(_evidence: Evidence, _formulation: str, seconds: float) -> tuple[Answer, str]:
        given.append(seconds)
        return answer(1, 99), "0"

    monkeypatch.setattr(measure, "solve_by_rival", rival)
    monkeypatch.setattr(measure, "solve_timed", lambda *_: Own(answer(1, 99, took), None, []))
    monkeypatch.setattr(measure, "best_bound", lambda _: Bound("longest job", F(1), {}))
    measure.measure(Case("uni", CELL, 0))
    assert given == [allowed]


def test_rows_that_contradict_each_other_are_said_and_fail(tmp_path, capsys) -> None:
    kept = row(Cell(), plan="locality", own=answer(40, 40))
    free = row(Cell(locality=None), plan="locality", own=answer(43, 43), rival=answer(43, 43))
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in (kept, free)))
    assert command.main(["--rows", str(path)]) == 1
    assert "MISMATCH" in capsys.readouterr().err
