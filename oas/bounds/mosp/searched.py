"""Bounds that a worker searches for: it refutes one makespan after the other, and may find a schedule instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oas.bounds.lower_bound import CertifiedBound
from oas.bounds.request import check_in_worker, search_in_worker, search_limits, unchecked
from oas.core.problem import find_place
from oas.core.result import Bound, Termination
from oas.problems.mosp.runs import ClusterRun

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.problems.mosp.instance import MospInstance
    from oas.solvers.isolation.session import Session


@dataclass(frozen=True)
class Settlement:
    """The bound, the schedule found, and why the search ended.

    Attributes
    ----------
    bound
        With its certificate, which was checked again; None if nothing above the known bound was proven.
    runs
        Of a schedule shorter than the known one, according to the search; None if it found none.
    termination
        ``finished``: bound or schedule settle the question, or the search grew too large; ``too_large``: the instance
        is, or the bound does not apply to it.
    message
        For people.
    note
        Says which bound is not used, because its certificate was not checked again in time.
    """

    bound: Bound | None
    runs: list[ClusterRun] | None
    termination: Termination
    message: str = ""
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class SearchedBound(CertifiedBound):
    """A certified bound that is found by refuting makespans; called to search for it.

    Attributes
    ----------
    search
        ``package.module:function`` of the worker: takes a `BoundRequest` and the session, and returns an object that
        may have a ``certificate``, and ``runs`` of all jobs, each (job, cluster, start in ticks).
    prepare
        Called before each search, if given.
    """

    search: str

    def __call__(
        self,
        instance: MospInstance,
        lower: Fraction,
        upper: Fraction,
        *,
        heights: Sequence[int] = (),
        seconds: float | None = None,
        memory: int | None = None,
        on_progress: Callable[[Fraction], None] | None = None,
    ) -> Settlement:
        """Refute makespans from `lower` on, until the bound reaches `upper` or something shorter is found.

        The certificate is checked again apart from the search, so a wrong solver cannot make it wrong.

        Parameters
        ----------
        lower
            A bound that is known.
        upper
            A makespan that is attained.
        heights
            Weights of the jobs, such as the configuration bound's; only some searches use them.
        seconds, memory
            Limits of search and re-check; None for none.
        on_progress
            Called with the bound as it grows.
        """
        limits = search_limits(seconds, memory)
        outcome = search_in_worker(self.search, instance, lower, upper, limits, on_progress, heights=tuple(heights))
        found = outcome.value if isinstance(outcome.value, Mapping) else {}
        runs, certificate = found.get("runs"), found.get("certificate")
        bound, termination, note = None, outcome.termination, ""
        if certificate is not None:
            place = f"{self.value.__module__}:{self.value.__qualname__}"
            given = (place, instance, certificate)
            checked = check_in_worker(f"{__name__}:check", given, outcome, seconds, memory)
            proven: Any = checked.value
            bound = Bound(self.name, proven, certificate) if proven else None
            note = unchecked(self.name, outcome, proven or Fraction(0), instance)
            if checked.termination is Termination.INTERRUPTED:
                termination = checked.termination
        return Settlement(
            bound, None if runs is None else [ClusterRun(*run) for run in runs], termination, outcome.message, note
        )


def check(given: tuple[str, MospInstance, Mapping[str, object]], _: Session) -> Fraction:
    """Return the lower bound that a certificate proves (in the worker), by the `value` function at a place."""
    place, instance, certificate = given
    return find_place(place)(instance, certificate)
