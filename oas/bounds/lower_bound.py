"""What a lower bound is to the pipeline, and how its claims are re-checked."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from oas.bounds import coallocation
from oas.core.rational import ceil_to
from oas.core.result import Bound

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from oas.core.coallocation import CoallocationInstance


@dataclass(frozen=True)
class LowerBound:
    """A combinatorial bound: a function of the instance alone, in exact arithmetic.

    Its certificate is empty: the re-check computes it again.

    Attributes
    ----------
    name
        As results and tables show it.
    compute
        ``instance -> Fraction`` in its time unit, for a feasible instance.
    """

    name: str
    compute: Callable[[CoallocationInstance], Fraction]


@cache
def lower_bounds() -> tuple[LowerBound, ...]:
    """Every bound of `oas.bounds.coallocation`: one module exporting BOUND is one bound."""
    found = []
    for module in pkgutil.iter_modules(coallocation.__path__):
        bound = getattr(importlib.import_module(f"{coallocation.__name__}.{module.name}"), "BOUND", None)
        if isinstance(bound, LowerBound):
            found.append(bound)
    return tuple(found)


def best_bound(instance: CoallocationInstance) -> Bound:
    """Return the greatest bound of a feasible instance, rounded up to its time grid; ties to the first by name."""
    bounds = [Bound(one.name, _on_grid(instance, one), certificate={}) for one in lower_bounds()]
    return max(sorted(bounds, key=lambda bound: bound.name), key=lambda bound: bound.value)


def recheck(instance: CoallocationInstance, bound: Bound) -> bool:
    """Whether exact arithmetic, without a solver, confirms that no schedule of `instance` is shorter than `bound`."""
    if bound.certificate is None:
        return False
    return any(one.name == bound.name and bound.value <= _on_grid(instance, one) for one in lower_bounds())


def _on_grid(instance: CoallocationInstance, bound: LowerBound) -> Fraction:
    return ceil_to(bound.compute(instance), instance.scaled().tick)
