"""The checks: the source of the instances and the examination of each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.soak import drawing, fair, guarantees, list_orders, list_theorems, makespan, strategies
from benchmarks.soak.drawing import Drawn
from benchmarks.soak.results import check, proof_name
from oas.core.result import Status
from oas.library import Library, LogMissingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.soak.findings import Asked, Finding
    from oas.core.instances import Instance


class Check(NamedTuple):
    """A check: ``seed -> instance`` or None, and ``(instance, asked) -> findings``."""

    draw: Callable[[int], Drawn | None]
    examine: Callable[[Any, Asked], Iterator[Finding]]


def _compare_with_optimum(instance: Any, asked: Asked) -> Iterator[Finding]:
    part: Any = fair if instance.problem.name == "fair" else makespan
    yield from part.examine(instance, asked)


def _draw_entry(seed: int) -> Drawn | None:
    """Return the library entry of this number, with its proof as the shape; None without its log or a result."""
    library = Library()
    entry = library.entries[seed % len(library.entries)]
    try:
        instance, result = library.instance(entry.name), library.result(entry.name)
    except LogMissingError:
        return None
    return None if result is None else Drawn(seed, instance.problem.name, proof_name(result), instance)


def _examine_entry(instance: Instance, asked: Asked) -> Iterator[Finding]:
    """Yield the checkers' findings on the result of a library entry and on false variants of it."""
    library = Library()
    result = library.result(library.entries[asked.number % len(library.entries)].name)
    assert result is not None
    optimum = result.objective if result.status is Status.OPTIMAL else None
    yield from check(proof_name(result), instance, result, optimum, replace(asked, full=True))


CHECKS = {
    "optima": Check(drawing.drawn, _compare_with_optimum),
    "guarantees": Check(guarantees.draw, guarantees.examine),
    "list-orders": Check(list_theorems.draw, list_orders.examine),
    "strategies": Check(strategies.draw, strategies.examine),
    "library": Check(_draw_entry, _examine_entry),
}
