import pickle
from fractions import Fraction as F
from typing import Any

import pytest

from oas.core.result import Bound, Claim, Proof, ProofKind, Result, Status, Termination
from oas.core.schedule import Placement, Schedule

SCHEDULE = Schedule([Placement("J1", 0, "7/2", {"A": [0]}), Placement("J2", 1, 3, {"A": [1]})])
CLAIMS = (Claim("HiGHS", "1.15.1", "start-indexed", F(3)), Claim("CBC", "2.10.3", "literal", F(7, 2)))


def result(**changes: Any) -> Result:
    fields: dict[str, Any] = {
        "status": Status.FEASIBLE,
        "termination": Termination.TIME_LIMIT,
        "schedule": SCHEDULE,
        "lower_bound": F(3),
        "proof": Proof(ProofKind.SOLVER, claims=CLAIMS),
        "instance_digest": "0" * 64,
    }
    return Result(**fields | changes)


def test_objective_is_the_schedules_makespan() -> None:
    assert result().objective == F(7, 2)
    assert result(schedule=None).objective is None
    assert result(schedule=Schedule([])).objective == 0


def test_gap_is_exact() -> None:
    assert result().gap == F(1, 6)
    assert result(lower_bound=F(7, 2)).gap == 0


@pytest.mark.parametrize("missing", [{"schedule": None}, {"lower_bound": None}, {"lower_bound": F(0)}])
def test_no_gap_without_both_or_above_zero(missing: dict[str, Any]) -> None:
    assert result(**missing).gap is None


def test_proofs_say_what_they_rest_on() -> None:
    bound = Bound("configuration", F(3), {"duals": ["1/2"]})
    assert str(Proof(ProofKind.CERTIFICATE, bound)) == "certificate (configuration)"
    confirmed = "certificate (configuration), confirmed by HiGHS 1.15.1 on start-indexed, CBC 2.10.3 on literal"
    assert str(Proof(ProofKind.CERTIFICATE, bound, CLAIMS)) == confirmed
    assert str(Proof(ProofKind.BRUTE_FORCE)) == "brute force"
    assert str(Proof(ProofKind.BRUTE_FORCE, claims=CLAIMS)) == "brute force"
    words = "solver's word (HiGHS 1.15.1 on start-indexed, CBC 2.10.3 on literal)"
    assert str(Proof(ProofKind.SOLVER, claims=CLAIMS)) == words


def test_results_are_values() -> None:
    assert result() == result()
    assert hash(result()) == hash(result())
    assert pickle.loads(pickle.dumps(result(seconds={"solve": 1.5}))) == result(seconds={"solve": 1.5})


def test_enums_are_their_words() -> None:
    assert [str(one) for one in Status] == ["optimal", "feasible", "infeasible", "no_solution"]
    words = ["finished", "time_limit", "interrupted", "memory_limit", "too_large", "crashed", "killed", "error"]
    assert [str(one) for one in Termination] == words
