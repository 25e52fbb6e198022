"""The request for a certified bound, and the call of its search in the worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.solvers.isolation.client import call

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from oas.solvers.outcome import CallOutcome, Progress
    from oas.solvers.task import Limits


@dataclass(frozen=True)
class BoundRequest:
    """A request to search for a certified bound.

    Attributes
    ----------
    instance
        Of the problem that the bound is for.
    lower
        A bound that is known, in ticks: makespans are refuted from here on.
    upper
        A makespan that is attained, in ticks: the search stops once the bound reaches it.
    heights
        Two-dimensional bound: weights of the jobs to begin with; none if empty.
    alternatives
        Configuration bound of co-allocation: so many other weights of the root are to be looked for.
    """

    instance: Any
    lower: int
    upper: int
    heights: tuple[int, ...] = ()
    alternatives: int = 0

    @property
    def scaled(self) -> Any:
        """The instance in ticks."""
        return self.instance.scaled()


def search_in_worker(
    function: str,
    instance: Any,
    lower: Fraction,
    upper: Fraction,
    limits: Limits,
    on_progress: Callable[[Fraction], None] | None,
    **hints: Any,
) -> CallOutcome:
    """Let the worker search for a certified bound.

    Parameters
    ----------
    function
        ``package.module:function`` of the worker, called with a `BoundRequest` and the
        `oas.solvers.isolation.session.Session`. Nothing that it returns is trusted.
    lower, upper
        As in `BoundRequest`, but in the time unit of `instance`.
    limits
        Of the search.
    on_progress
        Called with the bound as it grows, in the time unit of `instance`.
    **hints
        The other fields of `BoundRequest`.
    """
    scaled = instance.scaled()

    def report(progress: Progress) -> None:
        if on_progress is not None and progress.bound is not None:
            on_progress(scaled.to_time(int(progress.bound)))

    request = BoundRequest(instance, -(-lower // scaled.tick), -(-upper // scaled.tick), **hints)
    return call(function, request, limits, report)
