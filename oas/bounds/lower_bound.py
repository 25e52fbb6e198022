"""What a lower bound is to the pipeline, and how its claims are re-checked."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.numbers import ceil_to
from oas.core.result import Bound
from oas.problems.coallocation.instance import CoallocationInstance
from oas.problems.mosp.instance import MospInstance

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
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


@dataclass(frozen=True)
class CertifiedBound:
    """A bound that takes a search to find; its certificate is what the search leaves behind for the re-check.

    Attributes
    ----------
    name
        As results and tables show it.
    value
        ``(instance, certificate) -> Fraction``: what the certificate proves of a feasible instance, in its time unit,
        by exact arithmetic alone. It trusts nothing in the certificate, and raises `InputError` for what is none.
    """

    name: str
    value: Callable[[Any, Mapping[str, object]], Fraction]


# Where the bounds of each problem live: a module there that exports BOUND is one.
_PACKAGES = {CoallocationInstance: "oas.bounds.coallocation", MospInstance: "oas.bounds.mosp"}


def lower_bounds(problem: type = CoallocationInstance) -> tuple[LowerBound, ...]:
    """Every combinatorial bound for instances of type `problem`."""
    return tuple(bound for bound in _all_bounds(problem) if isinstance(bound, LowerBound))


@cache
def _all_bounds(problem: type) -> tuple[LowerBound | CertifiedBound, ...]:
    package = importlib.import_module(_PACKAGES[problem])
    found = []
    for module in pkgutil.iter_modules(package.__path__):
        bound = getattr(importlib.import_module(f"{package.__name__}.{module.name}"), "BOUND", None)
        if isinstance(bound, LowerBound | CertifiedBound):
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
    found = next((one for one in _all_bounds(problem) if one.name == bound.name), None)
    if found is None:
        return False
    if isinstance(found, LowerBound):
        return bound.value <= _on_grid(instance, found)
    try:
        return bound.value <= ceil_to(found.value(instance, bound.certificate), instance.scaled().tick)
    except InputError:
        return False


def _on_grid(instance: Instance, bound: LowerBound) -> Fraction:
    return ceil_to(bound.compute(instance), instance.scaled().tick)
