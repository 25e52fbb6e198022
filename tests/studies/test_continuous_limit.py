"""Bound and optimum at η = 0 beside a slotted schedule: the chain of inequalities, the clock, Ctrl-C."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F

import pytest

import oas
from oas.core.errors import SolverError
from oas.core.result import Status, Termination
from oas.exact.coallocation.brute_force import brute_force
from oas.exact.recheck import recheck_result
from oas.generate.coallocation.tiny import tiny
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.metrics import executed
from oas.studies import continuous_limit
from oas.studies.continuous_limit import solve_with_limit
from tests.slow import every_fourth_quick


def one_node(*times, slot=1):
    """Serial jobs on one node."""
    jobs = [Job(f"J{index}", 1, time) for index, time in enumerate(times)]
    return CoallocationInstance([Cluster("A", [NodeGroup(1, 1)], 0)], jobs, slot=slot)


def slotted(seed):
    """A tiny feasible instance on a grid of its own."""
    instance = tiny(seed=seed)
    return instance if instance.slot else instance.with_slot(F(1, 2) + F(seed % 5, 3))


@pytest.mark.parametrize("seed", every_fourth_quick(range(30)))
def test_bound_optimum_executed_and_slotted_are_in_this_order(seed):
    instance = slotted(seed)
    result, limit = solve_with_limit(instance)
    optimum, _ = brute_force(instance.with_slot(0))
    assert result.status is Status.OPTIMAL and result.objective == brute_force(instance)[0]
    assert limit.lower_bound <= optimum <= limit.executed <= limit.slotted == result.objective
    assert limit.executed == executed(instance, result.schedule).makespan
    assert limit.slots * instance.slot == limit.slotted
    # Instances of this size are never left open.
    assert limit.proven and limit.best == limit.lower_bound == optimum
    assert recheck_result(instance.with_slot(0), limit.result)


def test_a_grid_that_wastes_most_of_each_slot():
    # 7/5 and 3/5 take 2 slots and 1; one after another without a grid they take 2.
    _, limit = solve_with_limit(one_node("7/5", "3/5"))
    assert (limit.slots, limit.slotted, limit.executed, limit.lower_bound, limit.proven) == (3, 3, 2, 2, True)


def test_a_bound_that_the_execution_meets_proves_it(monkeypatch):
    # The search at η = 0 finds nothing better than 3, but the execution takes 2, and so does the bound.
    instance = one_node("7/5", "3/5")
    longer = oas.solve(one_node("7/5", "3/5")).schedule
    solve = continuous_limit.solve

    def worse(asked, **options):
        found = solve(asked, **options)
        return found if asked.slot else replace(found, schedule=longer, status=Status.FEASIBLE)

    monkeypatch.setattr(continuous_limit, "solve", worse)
    _, limit = solve_with_limit(instance)
    assert limit.result.objective == 3 and limit.best == limit.executed == 2 and limit.proven


def test_a_bound_above_an_execution_is_no_bound(monkeypatch):
    solve = continuous_limit.solve

    def lying(asked, **options):
        found = solve(asked, **options)
        return found if asked.slot else replace(found, lower_bound=F(5, 2))

    monkeypatch.setattr(continuous_limit, "solve", lying)
    with pytest.raises(SolverError, match="the bound 5/2 at η = 0 is above an executed schedule: 2"):
        solve_with_limit(one_node("7/5", "3/5"))


@pytest.fixture
def asked(monkeypatch):
    """What each solve was asked for."""
    solve, calls = continuous_limit.solve, []

    def record(instance, **options):
        calls.append((getattr(instance, "slot", None), options))
        return solve(instance, **options)

    monkeypatch.setattr(continuous_limit, "solve", record)
    return calls


def test_times_too_fine_to_be_counted_at_eta_0():
    primes = (100003, 100019, 100043, 100049)
    result, limit = solve_with_limit(one_node(*(1 + F(1, prime) for prime in primes), slot=2))
    assert result.status is Status.OPTIMAL and result.objective == 8 and limit is None


@pytest.mark.parametrize("when", [1, 0], ids=["slotted", "continuous"])
def test_ctrl_c_keeps_what_there_is(monkeypatch, when):
    solve, calls = continuous_limit.solve, []

    def interrupted(instance, **options):
        calls.append(instance.slot)
        found = solve(instance, **options)
        return replace(found, termination=Termination.INTERRUPTED) if instance.slot == when else found

    monkeypatch.setattr(continuous_limit, "solve", interrupted)
    result, limit = solve_with_limit(one_node("7/5", "3/5"))
    assert result.objective == 3
    assert calls == ([1] if when else [1, 0])
    assert limit is None if when else limit.result.termination is Termination.INTERRUPTED
