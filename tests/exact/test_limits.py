"""A limit holds wherever the time goes: while a model is prepared, built, loaded or solved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from heuristics.registry import find_method, own_methods
from oas.core.result import Status, Termination
from oas.core.verifier import verify
from oas.exact.pipeline import solve
from oas.generate.coallocation.section4 import section4

# Comparing its 100,000 allocations with one another takes minutes.
LONG_TO_PREPARE = section4(seed=0, jobs=64, clusters=3, nodes=80, bandwidth="std", slot_percent="25")
# Few allocations, but 3.5 million coefficients: Pyomo needs a minute to build them.
LONG_TO_BUILD = section4(seed=0, jobs=12, clusters=3, nodes=4, bandwidth="std", slot_percent="5")
# What may pass beyond the limit: the grace, and what a busy machine makes of it. Without a limit it is minutes.
SLACK = 60


def start_of(instance):
    """One heuristic's schedule, so that a busy machine does not spend the limit on the others."""
    made = dict.fromkeys(method.name for method in own_methods(instance.problem))
    return made | {"FCFS": find_method("FCFS", instance.problem)(instance)}


@pytest.mark.parametrize(
    ("instance", "asked", "message"),
    [
        pytest.param(
            LONG_TO_PREPARE,
            {"formulation": "start-indexed"},
            "the start-indexed model was not ready in time",
            id="prepare-highs",
        ),
        pytest.param(
            LONG_TO_PREPARE,
            {"solver": "cbc"},
            "the start-indexed model was not ready in time",
            id="prepare-cbc",
            marks=pytest.mark.slow,
        ),
        pytest.param(LONG_TO_BUILD, {"formulation": "start-indexed"}, "", id="build-highs", marks=pytest.mark.slow),
        pytest.param(LONG_TO_PREPARE, {"solver": "cpsat"}, "", id="cpsat", marks=pytest.mark.slow),
    ],
)
def test_the_time_limit_counts_from_the_first_moment(instance, asked, message) -> None:
    result = solve(instance, time_limit=3, schedules=start_of(instance), **asked)
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.TIME_LIMIT)
    assert message in result.message
    assert result.schedule is not None and verify(instance, result.schedule) == []
    assert result.lower_bound is not None and result.lower_bound < result.objective
    assert result.seconds["total"] < 3 + SLACK


def test_preparing_keeps_the_memory_limit_too() -> None:
    result = solve(LONG_TO_PREPARE, formulation="start-indexed", memory_limit=2**20, time_limit=60)
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.MEMORY_LIMIT)
    assert result.schedule is not None and result.seconds["total"] < 60


@pytest.mark.slow
def test_a_check_that_cannot_be_prepared_in_time_confirms_nothing_and_spoils_nothing() -> None:
    # Every job needs more than half of the nodes: any order is optimal, but the model lists thousands of allocations.
    wide = tuple(replace(job, tasks=121, bandwidth=0) for job in LONG_TO_PREPARE.jobs)
    instance = replace(LONG_TO_PREPARE, jobs=wide)
    result = solve(instance, time_limit=3, check=("highs:start-indexed",))
    assert result.status is Status.OPTIMAL and result.proof is not None and result.proof.claims == ()
    assert "did not confirm the optimum (time_limit)" in result.message
