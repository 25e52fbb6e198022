"""Attacks on proofs without certificates: the simple bounds of co-allocation, and the checker's enumerations."""

from __future__ import annotations

from fractions import Fraction as F
from typing import TYPE_CHECKING

from benchmarks.robustness.invented.targets import Attempt, draw_target
from oas.checker.answers import StatedBound
from oas.checker.brute_force import coallocation_schedule_before
from oas.checker.coallocation_rules import check_coallocation_schedule
from oas.checker.effort import Effort
from oas.checker.reading import Refused
from oas.checker.recheck import SIMPLE_BOUNDS, confirm

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from benchmarks.robustness.invented.targets import Target

HAIR = F(1, 10**9)
NAMES = [name for problem, name in SIMPLE_BOUNDS if problem == "coallocation"]


def attack_simple(draw: Random, _steps: int) -> Iterator[Attempt]:
    """All simple bounds, also where links slow jobs down, rounded up to the grid as `confirm` does."""
    target = draw_target(draw, slows=draw.random() < 0.2, crowded=False)
    optimum = target.optimum(target.all)
    assert optimum is not None
    for name in NAMES:
        above = is_confirmed(target, name, optimum + HAIR)
        yield Attempt(True, is_confirmed(target, name, optimum), f"{name}: {target.document}" if above else "")


def is_confirmed(target: Target, name: str, value: F) -> bool:
    """Return whether the checker confirms a bound without certificate."""
    try:
        confirm(target.own, StatedBound(name, value, {}))
    except Refused:
        return False
    return True


def attack_enumeration(draw: Random, _steps: int) -> Iterator[Attempt]:
    """Nothing ends before the optimum, and before later moments the optimum is found."""
    target = draw_target(draw, slows=draw.random() < 0.5)
    optimum = target.optimum(target.all)
    assert optimum is not None
    for above in (F(0), HAIR, F(draw.randint(1, 4))):
        found = coallocation_schedule_before(target.own, optimum + above, Effort())
        if found is not None:
            check_coallocation_schedule(target.own, found)
        makespan = None if found is None else max(one.end for one in found)
        fault = f"{makespan} before {optimum + above}, optimum {optimum}: {target.document}"
        yield Attempt(found is None, not above, "" if makespan == (optimum if above else None) else fault)
