"""The request for a certified bound: its search and the re-check of its certificate, both in the worker."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oas.core.formats import show_exact
from oas.core.result import Termination
from oas.solvers.isolation.client import call
from oas.solvers.task import Limits, limits_of_part

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.solvers.outcome import CallOutcome, Progress

# Part of a search's time that is kept for the re-check: this share of a short one, fewer of a long one.
RESERVED_SHARE, RESERVED_SECONDS, LONG_SHARE = 0.3, 1.0, 0.05
LEAST_SECONDS = 0.1  # for a re-check, even if the search has used up its time
INTERRUPTED_SECONDS = 0.4  # for the re-check after Ctrl-C
UNCHECKED = "is not used: it was not checked again in time"


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
        Configuration bound of co-allocation: the number of further weights of the root to look for.
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
    """Search for a certified bound in the worker.

    Parameters
    ----------
    function
        ``package.module:function`` of the worker, called with a `BoundRequest` and the
        `oas.solvers.isolation.session.Session`. Nothing that it returns is trusted.
    lower, upper
        As in `BoundRequest`, but in the time unit of `instance`.
    limits
        Limits of the search, from `search_limits`.
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


def search_limits(seconds: float | None, memory: int | None) -> Limits:
    """Return the limits of a search that leaves some of its `seconds` to the re-check of its result."""
    if seconds is None:
        return limits_of_part(None, memory)
    reserve = min(RESERVED_SHARE * seconds, RESERVED_SECONDS + LONG_SHARE * seconds)
    return Limits(seconds - reserve, memory, reserve / 2)


def check_in_worker(
    function: str, payload: object, searched: CallOutcome, seconds: float | None, memory: int | None
) -> CallOutcome:
    """Check the result of a search again, in the worker, which is killed when the time is up.

    A certificate is checked by other code than the search, in exact arithmetic. It runs in the worker only because
    checking may take as long as searching, and compiled code cannot be interrupted otherwise.

    Parameters
    ----------
    function
        ``package.module:function``, called with `payload` and the session.
    payload
        The result of the search and the instance.
    searched
        The outcome of the search.
    seconds, memory
        Limits of search and re-check together; None for no limit. The result of an interrupted search is checked for at
        most `INTERRUPTED_SECONDS`, and not at all if the worker was killed, because starting it again takes as long.
    """
    left = None if seconds is None else max(LEAST_SECONDS, seconds - searched.seconds)
    if searched.termination is Termination.INTERRUPTED:
        if searched.message:
            return replace(searched, value=None)
        left = INTERRUPTED_SECONDS
    checked = call(function, payload, Limits(left, memory, grace=0))
    if searched.termination is Termination.INTERRUPTED:
        return replace(checked, termination=searched.termination)
    return checked


def unchecked(name: str, searched: CallOutcome, proven: Fraction, instance: Any) -> str:
    """Return a note that a search has claimed a greater bound than was checked again; empty if it has not."""
    claimed = Fraction(0) if searched.bound is None else instance.scaled().to_time(int(searched.bound))
    if claimed <= proven:
        return ""
    return f"the bound {show_exact(claimed)} ({name}) {UNCHECKED}"
