"""Solving with given nodes: the four jobs of which one should start where nothing ends."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

import oas
from oas.core.errors import InputError
from oas.core.result import Status, Termination
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.exact.coallocation.saturated.brute_force import brute_force
from oas.exact.recheck import recheck_result
from oas.exact.start import heuristic_schedules
from oas.generate.coallocation.saturated import saturated
from tests.problems.coallocation.grids import four_jobs

PLACES = {"A": {"P": 0, "Q": 0}, "B": {"P": 0, "R": 0}, "C": {"Q": 1, "S": 0}, "D": {"R": 1, "S": 1}}


def plan(places=PLACES, times=None):
    """The nodes of each job, at times that do not matter."""
    placements = []
    for place, (job, own) in enumerate(places.items()):
        start, end = (times or {}).get(job, (30 * place, 30 * place + 1))
        placements.append(Placement(job, F(start), F(end), {name: [number] for name, number in own.items()}))
    return Schedule(placements)


def fill(folder):
    """The four jobs under both policies, and the plan of their nodes."""
    for name, saturation in (("grid", "forbid"), ("slow", "slowdown")):
        oas.save(four_jobs(saturation), folder / f"{name}.json")
    oas.save(plan(), folder / "plan.json", instance=four_jobs("slowdown"))


def nodes_of(schedule):
    return {one.job: {name: list(own) for name, own in one.nodes.items()} for one in schedule.placements}


@pytest.mark.parametrize("solver", ["auto", "highs", "cbc"])
@pytest.mark.parametrize(
    ("saturation", "optimum"),
    [
        ("slowdown", F(64, 3)),
        ({"policy": "slowdown", "sharing": "max-min"}, F(64, 3)),
        ({"policy": "slowdown", "threshold": 1}, F(22)),  # what forbid allows
    ],
)
def test_the_four_jobs(solver, saturation, optimum):
    instance = four_jobs(saturation)
    result = oas.solve(instance, solver=solver, placements=plan())
    assert (result.status, result.termination, result.objective) == (Status.FEASIBLE, Termination.FINISHED, optimum)
    assert not verify(instance, result.schedule) and nodes_of(result.schedule) == nodes_of(plan())
    # On other nodes there is a schedule of 20: the bound stays one for all, and is re-checked.
    assert result.lower_bound <= 20
    assert f"on the nodes given, no schedule is shorter than {str(float(optimum))[:4]}" in message_in_decimals(result)
    assert recheck_result(instance, result)


def message_in_decimals(result):
    """The message with the bound rounded up, as its margin was taken off."""
    head, _, tail = result.message.partition("shorter than ")
    number = F(tail.split(" ")[0])
    return f"{head}shorter than {float(number) + 1e-3:.6f}"


@pytest.mark.parametrize("seed", range(3))
def test_against_brute_force(seed):
    instance = saturated(seed=seed, jobs=3, slot=seed % 2)
    made = max((one for _, one in heuristic_schedules(instance)), key=lambda one: one.makespan)
    optimum, _ = brute_force(instance, placements={one.job: one.nodes for one in made.placements})
    result = oas.solve(instance, placements=made)
    assert result.objective == optimum and nodes_of(result.schedule) == nodes_of(made)
    assert result.lower_bound <= brute_force(instance)[0]


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ({**PLACES, "B": {"P": 1, "R": 0}}, "placements: the plan gives no nodes that will do: .*node 1 of cluster P"),
        ({**PLACES, "B": {"P": 0}}, "placements: the plan gives no nodes that will do: .*holds 1 distinct"),
        ({**PLACES, "B": {"X": 0, "R": 0}}, "placements: the plan gives no nodes that will do: .*cluster X"),
        ({name: PLACES[name] for name in "ABC"}, "placements: the plan gives no nodes that will do: .*D"),
    ],
)
def test_nodes_that_will_not_do(places, said):
    with pytest.raises(InputError, match=said):
        oas.solve(four_jobs("slowdown"), placements=plan(places))


def test_links_that_carry_no_job_there():
    instance = four_jobs("slowdown", bandwidth=(0, 1, 1, 9))
    with pytest.raises(InputError, match=r"placements: .*the link of cluster P is asked for more"):
        oas.solve(instance, placements=plan())
