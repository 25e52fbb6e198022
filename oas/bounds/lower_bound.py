"""What a lower bound is to the pipeline, and how its claims are re-checked."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from oas.core.coallocation import CoallocationInstance
from oas.core.mosp import MospInstance
from oas.core.rational import ceil_to
from oas.core.result import Bound

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from oas.core.instances import Instance


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
    compute: Callable[[Any], Fraction]


# Where the bounds of each problem live: a module there that exports BOUND is one.
_PACKAGES = {CoallocationInstance: "oas.bounds.coallocation", MospInstance: "oas.bounds.mosp"}


@cache
def lower_bounds(problem: type = CoallocationInstance) -> tuple[LowerBound, ...]:
    """Every bound for instances of type `problem`."""
    package = importlib.import_module(_PACKAGES[problem])
    found = []
    for module in pkgutil.iter_modules(package.__path__):
        bound = getattr(importlib.import_module(f"{package.__name__}.{module.name}"), "BOUND", None)
        if isinstance(bound, LowerBound):
            found.append(bound)
    return tuple(found)


def best_bound(instance: Instance) -> Bound:
    """Return the greatest bound of a feasible instance, rounded up to its time grid; ties to the first by name."""
    problem: type = type(instance)
    bounds = [Bound(one.name, _on_grid(instance, one), certificate={}) for one in lower_bounds(problem)]
    return max(sorted(bounds, key=lambda bound: bound.name), key=lambda bound: bound.value)


def recheck(instance: Instance, bound: Bound) -> bool:
    """Whether exact arithmetic, without a solver, confirms that no schedule of `instance` is shorter than `bound`."""
    if bound.certificate is None:
        return False
    problem: type = type(instance)
    bounds = lower_bounds(problem)
    return any(one.name == bound.name and bound.value <= _on_grid(instance, one) for one in bounds)


def _on_grid(instance: Instance, bound: LowerBound) -> Fraction:
    return ceil_to(bound.compute(instance), instance.scaled().tick)
