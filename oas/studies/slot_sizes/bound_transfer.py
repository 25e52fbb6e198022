"""Transfer of bounds between slot sizes: schedules as upper bounds, lower bounds where a theorem allows it.

- Any schedule run again on another grid (`oas.problems.coallocation.metrics.executed`) is a schedule there.
- A schedule on grid η is one on η/k for every whole k: its starts are on the finer grid, and no job holds its nodes for
  longer. So the optimum at η/k is at most that at η, and a lower bound at η/k, rounded up to the grid, holds at η.
- In the same way the continuous bound holds at every η.

Where these contradict one another, some bound is wrong and nothing is returned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oas.core.errors import SolverError
from oas.core.numbers import ceil_to
from oas.core.verifier import check
from oas.problems.coallocation.metrics import executed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance


@dataclass(frozen=True)
class Held:
    """The best that is known at one slot size; `bound_from` is the slot size whose bound it is."""

    schedule: Schedule
    lower_bound: Fraction
    bound_from: Fraction


def carry_over(instance: CoallocationInstance, results: Mapping[Fraction, Result]) -> dict[Fraction, Held]:
    """Return for each slot size the best schedule and the best bound that all results together give.

    Parameters
    ----------
    instance
        At any slot size.
    results
        By slot size, each with a verified schedule and a lower bound.

    Raises
    ------
    SolverError
        If a bound is above a schedule.
    """
    held = {slot: _best(instance, slot, results) for slot in results}
    for slot, one in held.items():
        if one.lower_bound > one.schedule.makespan:
            raise SolverError(
                f"the bound proven at η = {one.bound_from} says that no schedule at η = {slot} ends before "
                f"{one.lower_bound}, but one ends at {one.schedule.makespan}"
            )
    return held


def _best(instance: CoallocationInstance, slot: Fraction, results: Mapping[Fraction, Result]) -> Held:
    own = results[slot]
    assert own.schedule is not None and own.lower_bound is not None
    on_this_grid = instance.with_slot(slot)
    schedule, bound, source = own.schedule, own.lower_bound, slot
    for other, result in results.items():
        assert result.schedule is not None and result.lower_bound is not None
        again = executed(instance, result.schedule, slot)
        if again.makespan < schedule.makespan:
            schedule = check(on_this_grid, again, f"the schedule of η = {other} run at η = {slot}")
        if slot and (other == 0 or slot % other == 0):
            carried = ceil_to(result.lower_bound, slot)
            if carried > bound:
                bound, source = carried, other
    return Held(schedule, bound, source)
