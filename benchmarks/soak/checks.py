"""The checks: where their instances come from, and what they find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.soak import drawing, fair, guarantees, list_orders, makespan, results, strategies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.soak.drawing import Drawn
    from benchmarks.soak.findings import Asked, Finding


class Check(NamedTuple):
    """A check: ``seed -> instance``, None for no instance, and ``(instance, asked) -> findings``."""

    draw: Callable[[int], Drawn | None]
    examine: Callable[[Any, Asked], Iterator[Finding]]


def _compare_with_optimum(instance: Any, asked: Asked) -> Iterator[Finding]:
    part: Any = fair if instance.problem.name == "fair" else makespan
    yield from part.examine(instance, asked)


CHECKS = {
    "optima": Check(drawing.drawn, _compare_with_optimum),
    "guarantees": Check(guarantees.draw, guarantees.examine),
    "list-orders": Check(list_orders.draw, list_orders.examine),
    "strategies": Check(strategies.draw, strategies.examine),
    "library": Check(results.draw_entry, results.examine_entry),
}
