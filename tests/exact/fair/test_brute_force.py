"""Brute force of fair sharing against every combination of starts, judged by the verifier alone."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import TYPE_CHECKING

import pytest

from benchmarks.agreement.fair.price import case, greedy_schedules
from oas.core.errors import InputError, TooLargeError
from oas.exact.fair.brute_force import brute_force
from oas.generate.fair.tiny import draw_tiny
from oas.problems.fair.objectives import Objective, ScheduleClass, class_violations, objective_value, open_at_horizon
from oas.problems.fair.runs import schedule_from_starts
from tests.problems.fair.instances import fair
from tests.slow import mostly_slow

if TYPE_CHECKING:
    from oas.problems.fair.instance import FairInstance

LEAST = fair((1, [(3,), (2,)]), (1, [(4, 1)]), horizon=6)


def least_cases() -> list[FairInstance]:
    """At most 4 jobs, watched until 6 at the latest."""
    found: list[FairInstance] = [LEAST]
    seed = 0
    while len(found) < 14:
        drawn = draw_tiny(Random(seed), max_organizations=2, max_jobs=2, max_processors=2, max_time=4)
        seed += 1
        if len(drawn.jobs) >= 3 and drawn.horizon >= 3 and drawn.jobs[0].release < 5:
            found.append(drawn.with_horizon(min(drawn.horizon, 5)) if len(drawn.jobs) > 3 else drawn.with_horizon(5))
    return found


def every_best(instance: FairInstance) -> dict[tuple[Objective, ScheduleClass], int]:
    """The best values over all combinations of a start or none for each job."""
    best: dict[tuple[Objective, ScheduleClass], int] = {}
    ranges = [range(-1, instance.horizon) for _ in instance.jobs]
    for starts in product(*ranges):
        try:
            schedule = schedule_from_starts(instance, starts)
        except InputError:
            continue
        for wanted in ScheduleClass:
            if class_violations(instance, schedule, wanted):
                continue
            for objective in Objective:
                if objective is Objective.MAKESPAN and open_at_horizon(instance, schedule):
                    continue
                cost = objective.sign * objective_value(instance, schedule, objective)
                best[objective, wanted] = min(cost, best.get((objective, wanted), cost))
    return {key: key[0].sign * cost for key, cost in best.items()}


@pytest.mark.parametrize("instance", mostly_slow(least_cases(), quick=least_cases()[:6]), ids=lambda _: "least")
def test_it_finds_what_trying_all_starts_finds(instance: FairInstance) -> None:
    expected = every_best(instance)
    for objective, wanted in product(Objective, ScheduleClass):
        found = brute_force(instance, objective, wanted)
        assert (None if found is None else found[0]) == expected.get((objective, wanted))


def test_by_hand() -> None:
    """The makespan is 5 with a processor kept idle, 6 without; neither ψ_sp nor flow gains by that."""
    values = {
        (objective, wanted): brute_force(LEAST, objective, wanted)[0]  # type: ignore[index]
        for objective, wanted in product(Objective, ScheduleClass)
    }
    assert values == {
        ("psi_sp", "greedy"): 36,
        ("psi_sp", "any"): 36,
        ("flow", "greedy"): 10,
        ("flow", "any"): 10,
        ("makespan", "greedy"): 6,
        ("makespan", "any"): 5,
    }
    for wanted in ScheduleClass:
        assert brute_force(LEAST.with_horizon(4), Objective.MAKESPAN, wanted) is None


@pytest.mark.parametrize("seed", range(12))
def test_no_greedy_schedule_is_better(seed: int) -> None:
    instance = case(seed)
    for objective in (Objective.STRATEGY_PROOF, Objective.FLOW):
        greedy, free = (brute_force(instance, objective, wanted) for wanted in ScheduleClass)
        assert greedy is not None and free is not None
        assert objective.sign * free[0] <= objective.sign * greedy[0]
        values = [objective_value(instance, one, objective) for one in greedy_schedules(instance)]
        assert all(objective.sign * greedy[0] <= objective.sign * value for value in values)


def test_too_many_states_are_refused() -> None:
    with pytest.raises(TooLargeError, match="more than 50 states"):
        brute_force(case(3), Objective.FLOW, ScheduleClass.ANY, limit=50)
