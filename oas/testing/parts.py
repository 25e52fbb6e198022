"""Test-kit parts of co-allocation and MOSP: instances to test heuristics on; `oas.testing.fair` has the third."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from oas.coallocation.generate.section4 import section4
from oas.coallocation.generate.tiny import draw_tiny as draw_coallocation
from oas.coallocation.generate.tiny import tiny
from oas.mosp.generate.section7 import uni
from oas.mosp.generate.tiny import draw_tiny as draw_mosp
from oas.mosp.generate.tiny import random_instance
from oas.mosp.generate.worst_cases import Quantity, worst_cases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from fractions import Fraction
    from random import Random

    from oas.coallocation.instance import CoallocationInstance
    from oas.core.instances import Instance
    from oas.core.problem import Problem
    from oas.core.schedule import Schedule
    from oas.mosp.instance import MospInstance
    from oas.solving.method import Method
    from oas.testing.report import Finding
    from oas.testing.running import Observation

    Call = Callable[[Instance, int], Observation]
    """A call of the method under test with an instance and a seed."""
    Check = Callable[[Method, Call, Any, Schedule, int], Finding | None]


@dataclass(frozen=True)
class KitParts:
    """Functions and data of a problem for the test kit."""

    draw: Callable[[Random], Any]  # an instance with every feature of the problem, which Hypothesis shrinks
    tiny: Callable[[int], Any]  # ``seed -> instance`` with every feature, small enough for brute force
    medium: Callable[[int], Any]  # ``seed -> instance`` of a published set-up, too large for brute force
    # ``method -> pairs`` of a worst case and the makespans that it states as feasible
    gallery: Callable[[Method], Iterable[tuple[Any, Sequence[Fraction]]]] = lambda _: ()
    # ``(method, call, instance, schedule, seed) -> finding`` or None: checks of a verified schedule, which may make
    # further calls; the first finding counts
    checks: tuple[Check, ...] = ()
    template: str = ""  # file in `oas/testing/template` for ``oas new-heuristic``; empty if there is none


def kit_parts(problem: Problem) -> KitParts:
    """Return the parts of `problem`; raise `InputError` if it has none."""
    return problem.part("testing")


def coallocation_medium(seed: int) -> CoallocationInstance:
    """Return 16 jobs of section 4's set-up, with varying links and slot sizes."""
    return section4(seed=seed, jobs=16, bandwidth="tight" if seed % 2 else "std", slot_percent=25 * (seed % 3))


COALLOCATION = KitParts(
    partial(draw_coallocation, max_jobs=8, max_nodes=12),
    lambda seed: tiny(seed=seed),
    coallocation_medium,
    template="coallocation.py.txt",
)


def mosp_gallery(method: Method) -> Iterator[tuple[MospInstance, list[Fraction]]]:
    """Yield the papers' worst cases with their true optima.

    Cases without local schedules are left out for methods that respect locality, which may require them.
    """
    # A method that ignores locality can reach the optimum without it.
    about = (Quantity.OPTIMUM,) if method.respects_locality else (Quantity.OPTIMUM, Quantity.FREE_OPTIMUM)
    for case in worst_cases():
        values = {claim.about: claim.true for claim in case.claims()}
        instance = case.function()
        if instance.local is not None or not method.respects_locality:
            yield instance, [values[quantity] for quantity in about if quantity in values]


def mosp_medium(seed: int) -> MospInstance:
    """Return 30 jobs of section 7.2's set-up on four clusters."""
    return uni(seed=seed, jobs=30, organizations=4, processors=16, pareto=2 if seed % 2 else None)


MOSP = KitParts(
    partial(draw_mosp, max_jobs=10, max_processors=8),
    random_instance,
    mosp_medium,
    mosp_gallery,
    template="mosp.py.txt",
)
