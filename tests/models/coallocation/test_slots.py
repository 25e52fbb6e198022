"""The slots model: the optimum of brute force by two solvers, warm starts that satisfy every row, answers read."""

from __future__ import annotations

from fractions import Fraction as F
from functools import cache

import pytest
from pyomo.repn import generate_standard_repn

import oas
from oas.core.errors import InputError, SolverError, TooLargeError
from oas.core.result import Status
from oas.core.verifier import verify
from oas.exact.coallocation.saturated.brute_force import brute_force
from oas.generate.coallocation.saturated import saturated
from oas.models.coallocation import slots
from oas.models.coallocation.slots import FORMULATION, prepare, read, start_values, ticks_of
from oas.models.coallocation.slots_model import build
from oas.models.registry import check_takes, default_formulation
from oas.problems.coallocation.problem import COALLOCATION
from oas.problems.coallocation.progress import StartedRun, schedule_from_starts, starts_from_schedule
from oas.solvers.isolation.client import run
from oas.solvers.outcome import integer_bound
from oas.solvers.task import Limits, Settings, Task
from tests.models.coallocation.test_phases import worst_row
from tests.problems.coallocation.grids import four_jobs, slowed
from tests.slow import mostly_slow

SOLVERS = ("highs", "cbc")
QUICK = range(12)


@cache
def solved_instance(seed):
    """A tiny instance with narrow links and slots, its optimum by brute force, and a schedule that has it."""
    threshold = (None, "1/2", 1)[seed % 3]
    instance = saturated(seed=seed, jobs=3, slot=1, threshold=threshold)
    return instance, *brute_force(instance)


@pytest.mark.parametrize("seed", mostly_slow(range(24), quick=QUICK))
def test_two_solvers_find_the_optimum_of_brute_force(seed):
    instance, optimum, schedule = solved_instance(seed)
    for solver in SOLVERS:
        spec = prepare(instance, instance.scaled(), int(optimum) + 2, 0)
        start = start_values(spec, starts_from_schedule(instance, schedule))
        assert start is not None
        task = Task(FORMULATION.builder, spec, start if seed % 2 else None)
        outcome = run(task, Settings(solver, integer_objective=True), Limits(120))
        found = schedule_from_starts(instance, read(spec, outcome.values))
        assert not verify(instance, found)
        assert found.makespan == optimum == ticks_of(spec, integer_bound(outcome.bound))


@pytest.mark.parametrize("seed", QUICK)
def test_a_schedule_satisfies_every_row(seed):
    instance, optimum, schedule = solved_instance(seed)
    for horizon, bound in ((int(optimum), 0), (int(optimum) + 3, int(optimum) - 1)):
        spec = prepare(instance, instance.scaled(), horizon, bound)
        values = start_values(spec, starts_from_schedule(instance, schedule))
        missed, objective = worst_row(build, spec, values)
        assert missed < 1e-9 and ticks_of(spec, round(objective)) == optimum
    too_short = prepare(instance, instance.scaled(), int(optimum) - 1, 0)
    assert start_values(too_short, starts_from_schedule(instance, schedule)) is None


def test_slots_in_which_nothing_runs_are_left_out():
    instance, optimum, schedule = solved_instance(1)
    spec = prepare(instance, instance.scaled(), int(optimum) + 5, 0)
    runs = [StartedRun(one.job, one.start + 5, one.allocation) for one in starts_from_schedule(instance, schedule)]
    assert start_values(spec, runs) == start_values(spec, starts_from_schedule(instance, schedule))


def configurations_of_one(spec):
    """By job, a configuration in which it runs alone."""
    return {one.members[0][0]: index for index, one in enumerate(spec.configurations) if len(one.members) == 1}


def test_a_job_that_runs_for_longer_than_it_needs_ends_in_time():
    instance = slowed(1)
    spec = prepare(instance, instance.scaled(), 30, 0)
    alone = configurations_of_one(spec)
    values = {("runs", (slot, alone[slot // 10])): 1.0 for slot in range(30)}
    schedule = schedule_from_starts(instance, read(spec, values))
    assert [one.start for one in schedule.placements] == [0, 10, 20] and not verify(instance, schedule)
    assert max(one.end - one.start for one in schedule.placements) < 10


@pytest.mark.parametrize(
    ("order", "message"),
    [((0, 1), "does not run job w"), ((0, 1, 0, 2), "breaks the run of job u"), ((0, 0, 1), "does not run job w")],
)
def test_nonsense_is_an_error(order, message):
    instance = slowed(1)
    spec = prepare(instance, instance.scaled(), 30, 0)
    alone = configurations_of_one(spec)
    with pytest.raises(SolverError, match=message):
        read(spec, {("runs", (slot, alone[job])): 1.0 for slot, job in enumerate(order)})
    with pytest.raises(SolverError, match="two configurations in step 3"):
        read(spec, {("runs", (3, 0)): 1.0, ("runs", (3, 1)): 1.0})


def test_who_takes_what():
    assert default_formulation(COALLOCATION, instance=four_jobs("slowdown", slot=2)).name == "slots"
    with pytest.raises(InputError, match="formulation: does not take this instance: it is for slots"):
        check_takes(FORMULATION, four_jobs("slowdown"))
    fair = four_jobs({"policy": "slowdown", "sharing": "max-min"}, slot=2)
    with pytest.raises(InputError, match="the formulation slots does not implement it"):
        check_takes(FORMULATION, fair)
    with pytest.raises(InputError, match=r"none for these solvers under slowdown, max-min .*phases: it is for cont"):
        default_formulation(COALLOCATION, instance=fair)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_optimum_is_claimed_where_bound_and_schedule_meet(solver):
    result = oas.solve(slowed(1), solver=solver)
    assert (result.status, result.objective) == (Status.OPTIMAL, brute_force(slowed(1))[0])


def test_too_large_is_said_by_name(monkeypatch):
    instance = slowed(1)
    count = len(prepare(instance, instance.scaled(), 30, 0).configurations)
    monkeypatch.setattr(slots, "MAX_VARIABLES", 30 * count - 1)
    with pytest.raises(TooLargeError, match=f"the slots model would have {30 * count:,} variables"):
        prepare(instance, instance.scaled(), 30, 0)


def test_progress_is_counted_in_integers_where_they_are_small():
    instance = slowed(1)
    spec = prepare(instance, instance.scaled(), 6, 0)
    for row in build(spec).progress.values():
        assert all(F(value).denominator == 1 for value in generate_standard_repn(row.body).linear_coefs)
