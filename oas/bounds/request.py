"""The request for a certified bound, whose search runs in the worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.core.result import Bound
from oas.solvers.isolation.client import call
from oas.solvers.task import limits_of_part

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.bounds.lower_bound import CertifiedBound
    from oas.solvers.task import CallOutcome


@dataclass(frozen=True)
class BoundRequest:
    """A request to search for a certified bound."""

    instance: Any  # of the problem that the bound is for
    lower: int  # a bound that is known, in ticks: makespans are refuted from here on
    upper: int  # a makespan that is attained, in ticks: the search stops once the bound reaches it
    heights: tuple[int, ...] = ()  # two-dimensional bound: weights of the jobs to begin with; none if empty
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
