"""MOSP through the whole pipeline: the optimum against brute force, and what the comparison says of it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F

import pytest

import oas
from oas.core.errors import VerificationError
from oas.core.result import ProofKind
from oas.exact.mosp.brute_force import brute_force
from oas.exact.recheck import recheck_result
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, RigidJob
from tests.problems.mosp.instances import random_instance


@pytest.mark.parametrize("seed", range(12))
def test_solve_equals_brute_force(seed: int) -> None:
    instance = random_instance(seed, max_jobs=4)
    for one in (instance, instance.with_locality(None)):
        result = oas.solve(one)
        assert result.status is oas.Status.OPTIMAL
        assert result.objective == brute_force(one)[0]
        assert recheck_result(one, result)[-1].startswith("status: optimal")


def test_no_instance_is_without_a_schedule() -> None:
    instance = two_for_one()
    claimed = replace(oas.solve(instance), status=oas.Status.INFEASIBLE, schedule=None, lower_bound=None, proof=None)
    with pytest.raises(VerificationError, match="claims infeasibility"):
        recheck_result(instance, claimed)


def test_brute_force_is_a_formulation() -> None:
    instance = two_for_one()
    result = oas.solve(instance, formulation="brute-force")
    assert result.objective == 2
    assert result.proof is not None and result.proof.kind in (ProofKind.BRUTE_FORCE, ProofKind.CERTIFICATE)


def two_for_one() -> MospInstance:
    """No cooperation: one organization owns all the work, the other one idles."""
    return MospInstance([Organization("busy", 1, [RigidJob("a", 2, 1), RigidJob("b", 2, 1)]), Organization("idle", 1)])


def test_comparison_shows_what_cooperation_brings() -> None:
    comparison = oas.compare(two_for_one())
    rows = {row.method: row for row in comparison.rows}
    assert rows["exact"].makespan == 2 and rows["local"].makespan == 4 and rows["local"].gap == 1
    assert rows["MOCCA"].guarantee is not None and rows["MOCCA"].guarantee.value == 3
    assert rows["ILBA"].ratio == F(rows["ILBA"].makespan or 0) / 2
    assert comparison.without_locality is not None and comparison.without_locality.objective == 2
    assert all(row.keeps_locality for row in rows.values() if row.method in ("exact", "local", "MOCCA", "ILBA"))
    assert not comparison.violated
    assert "guarantee" in comparison.to_frame().columns


def test_a_global_heuristic_may_break_locality_and_is_said_to() -> None:
    for seed in range(40):
        comparison = oas.compare(random_instance(seed), heuristics=["LPT", "SPT", "ILBA"], time_limit=20)
        kept = {row.method: row.keeps_locality for row in comparison.rows}
        assert kept["exact"] and kept["ILBA"] in (True, None)
        if not kept["LPT"] or not kept["SPT"]:
            break
    else:
        raise AssertionError("no instance showed it")


def test_every_row_is_at_least_the_optimum_unless_it_breaks_locality() -> None:
    for seed in range(5):
        comparison = oas.compare(random_instance(100 + seed, max_jobs=4))
        optimum = comparison.result.objective
        assert optimum is not None
        for row in comparison.rows:
            if row.keeps_locality and row.makespan is not None:
                assert row.makespan >= optimum, (seed, row)
