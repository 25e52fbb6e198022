"""Instances with which a wrong optimum was reported."""

from fractions import Fraction
from pathlib import Path

import pytest

import oas
from oas.core.result import Status

CASES = Path(__file__).parent / "cases"
INSTANCE = oas.load(CASES / "refuted_by_cpsat_915.json").with_slot(0)
SCHEDULE = oas.io.load_schedule(CASES / "refuted_by_cpsat_915_schedule.json")


def test_the_schedule_that_cpsat_915_refuted_is_feasible():
    assert oas.verify(INSTANCE, SCHEDULE) == [] and SCHEDULE.makespan == Fraction("141.55")


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_no_bound_and_no_claim_exceeds_the_schedule_that_cpsat_915_refuted(threads):
    result = oas.solve(INSTANCE, threads=threads, time_limit=8)
    assert result.lower_bound <= SCHEDULE.makespan <= result.objective
    assert all(claim.bound <= SCHEDULE.makespan for claim in result.proof.claims)
    assert (result.status is Status.OPTIMAL) == (result.lower_bound == result.objective)
