"""The types of lower bounds, the bounds that each problem package exports, and the start of a search for a bound."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from oas.core.numbers import ceil_to
from oas.core.problem import problem_of
from oas.core.result import Bound
from oas.solvers.isolation.client import call
from oas.solvers.task import limits_of_part

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oas.core.instances import Instance
    from oas.core.problem import Problem
    from oas.solvers.task import CallOutcome


@dataclass(frozen=True)
class DeclaredBound:
    """A bound that a module of a problem's bounds exports.

    `name`: name in results and tables. `variants`: the `Problem.variants` for which the bound is proven; empty for the
    plain variant only.
    """

    name: str
    variants: tuple[str, ...] = field(default=(), kw_only=True)

    def holds_for(self, instance: Instance) -> bool:
        """Return whether the bound is valid for the variant of the rules that `instance` has."""
        return instance.variant in (self.variants or instance.problem.variants[:1])


@dataclass(frozen=True)
class LowerBound(DeclaredBound):
    """A combinatorial bound: a function of the instance alone, in exact arithmetic.

    Its certificate is empty: the re-check computes it again. `compute`: ``instance -> Fraction`` in the instance's time
    unit, for a feasible instance.
    """

    compute: Callable[[Any], Fraction]


@dataclass(frozen=True)
class CertifiedBound(DeclaredBound):
    """A bound found by a search, which returns a certificate for the re-check.

    `value`: ``(instance, certificate) -> Fraction``: the bound that the certificate proves for a feasible instance, in
    its time unit, by exact arithmetic and without trusting the certificate; raises `InputError` for an invalid one.
    None for the certificates that `oas.checker` supports.
    """

    value: Callable[[Any, Mapping[str, object]], Fraction] | None = None


def lower_bounds(problem: object) -> tuple[LowerBound, ...]:
    """Return every combinatorial bound for `problem`, which may also be a type of instances or an instance."""
    return tuple(bound for bound in all_bounds(problem_of(problem)) if isinstance(bound, LowerBound))


@cache
def all_bounds(problem: Problem) -> tuple[LowerBound | CertifiedBound, ...]:
    """Return every bound that a module of the problem's bounds exports as ``BOUND`` or in ``BOUNDS``."""
    package = problem.part("bounds")
    bounds: list[LowerBound | CertifiedBound] = []
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        exported = (*getattr(module, "BOUNDS", ()), getattr(module, "BOUND", None))
        bounds += [bound for bound in exported if isinstance(bound, LowerBound | CertifiedBound)]
    return tuple(bounds)


def best_bound(instance: Instance, over: Callable[[], bool] = lambda: False) -> Bound:
    """Return the greatest bound of a feasible instance, rounded up to its time grid; ties to the first by name.

    Once `over` is true, only those computed so far count, at least one.
    """
    bounds: list[Bound] = []
    for bound in lower_bounds(instance):
        if bounds and over():
            break
        if bound.holds_for(instance):
            bounds.append(Bound(bound.name, on_grid(instance, bound), certificate={}))
    if not bounds:
        return Bound("none", Fraction(0))
    return max(sorted(bounds, key=lambda bound: bound.name), key=lambda bound: bound.value)


def on_grid(instance: Instance, bound: LowerBound) -> Fraction:
    """Return a combinatorial bound, rounded up to the time grid of `instance`."""
    return ceil_to(bound.compute(instance), instance.scaled().tick)


@dataclass(frozen=True)
class BoundRequest:
    """A request to search for a certified bound."""

    instance: Any  # of the problem that the bound is for
    lower: int  # a known bound, in ticks: the search refutes makespans from here on
    upper: int  # a feasible makespan, in ticks: the search stops once the bound reaches it
    heights: tuple[int, ...] = ()  # two-dimensional bound: initial weights of the jobs; none if empty
    alternatives: int = 0  # configuration bound of co-allocation: the number of further weights of the root to look for

    @property
    def scaled(self) -> Any:
        """The instance in ticks."""
        return self.instance.scaled()


def search_in_worker(
    declared: CertifiedBound,
    function: str,
    instance: Any,
    lower: Fraction,
    upper: Fraction,
    *,
    seconds: float | None,
    memory: int | None,
    **hints: Any,
) -> tuple[Bound | None, Any, CallOutcome]:
    """Search for a certified bound in the worker process; return the greatest one, the whole answer and the outcome.

    The bound and its certificate, the entry ``certificate`` of the answer, are unchecked; None if there is no bound. A
    search sends each certificate before it reports the bound.

    `function`: ``package.module:function`` of the worker, called with a `BoundRequest` and the `Session` of the call.
    `lower`, `upper`: as in `BoundRequest`, but in the time unit of `instance`. `seconds`, `memory`: limits of the
    search; None for no limit. `hints`: the other fields of `BoundRequest`.
    """
    scaled = instance.scaled()
    request = BoundRequest(instance, -(-lower // scaled.tick), -(-upper // scaled.tick), **hints)
    outcome = call(function, request, limits_of_part(seconds, memory))
    answer: Any = outcome.value or {}
    if outcome.bound is None or "certificate" not in answer:
        return None, answer, outcome
    return Bound(declared.name, scaled.to_time(int(outcome.bound)), answer["certificate"]), answer, outcome
