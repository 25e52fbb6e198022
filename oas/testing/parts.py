"""The part of a problem that the test kit uses: instances to test heuristics on, and smaller ones made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from fractions import Fraction

    from heuristics.method import Method
    from oas.core.instances import Instance
    from oas.core.problem import Problem
    from oas.core.schedule import Schedule
    from oas.testing.report import Finding
    from oas.testing.running import Observation

    Call = Callable[[Instance, int], Observation]
    """One call of the method under test, by instance and seed."""
    Check = Callable[[Method, Call, Any, Schedule, int], Finding | None]


def _no_gallery(_method: Method) -> Iterator[tuple[Any, Sequence[Fraction]]]:
    return iter(())


@dataclass(frozen=True)
class KitParts:
    """The functions of one problem that the test kit uses."""

    tiny: Callable[[int], Any]  # ``seed -> instance`` with every feature of the problem, small enough for brute force
    medium: Callable[[int], Any]  # ``seed -> instance`` of a published set-up, too large for brute force
    # ``instance -> functions`` that each make one with a cluster or a job less; they may raise `InputError`
    smaller: Callable[[Any], Iterable[Callable[[], Any]]]
    # ``method -> pairs`` of a worst case and the makespans that it states as possible
    gallery: Callable[[Method], Iterable[tuple[Any, Sequence[Fraction]]]] = _no_gallery
    # what else a method of the problem must not do: ``(method, call, instance, schedule, seed) -> finding`` or None.
    # Each gets the verified schedule of a call, and may make more calls. The first finding counts.
    checks: tuple[Check, ...] = ()
    template: str = ""  # of ``oas new-heuristic``: the file in `oas/testing/template`; empty if there is none


def kit_parts(problem: Problem) -> KitParts:
    """Return the parts of `problem`; `InputError` if it has none."""
    found: KitParts = problem.part("testing")
    return found


def without_one(items: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield the items without each of them in turn."""
    for gone in range(len(items)):
        yield [*items[:gone], *items[gone + 1 :]]


def shrunk_name(instance: Instance) -> str:
    """Return the name of an instance that others were made smaller from."""
    name = instance.name or "an instance"
    return name if name.endswith(", shrunk") else f"{name}, shrunk"
