"""Bounds that refute one makespan after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.bounds.lower_bound import CertifiedBound
from oas.bounds.request import search_in_worker
from oas.core.result import Bound, Termination
from oas.solvers.task import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance


@dataclass(frozen=True)
class Refutation:
    """The bound, and why the search for it ended.

    Attributes
    ----------
    bound
        With its certificate; the value was re-computed from it by exact pricing. None if nothing above `lower` was
        proven.
    termination
        ``finished``: it reached `upper`, or can prove no more; ``too_large``: the instance is.
    message
        For people.
    seconds
        Wall time of the search.
    """

    bound: Bound | None
    termination: Termination
    message: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class RefutingBound(CertifiedBound):
    """A certified bound that is found by refuting one makespan after the other; called to search for it.

    Attributes
    ----------
    search
        ``package.module:function`` of the worker: takes a `BoundRequest`, returns a certificate or None.
    prepare
        Called before each search, if given.
    """

    search: str
    prepare: Callable[[], None] | None = None

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
    ) -> Refutation:
        """Refute makespans from `lower` on; what the worker finds is priced again here.

        Parameters
        ----------
        lower
            A bound that is known: the search begins there.
        upper
            A makespan that is attained: the search ends where the bound reaches it.
        heights
            Weights of the jobs to begin with, such as the configuration bound's; only the two-dimensional bound uses
            them.
        seconds, memory
            Limits of the search; None for none. The weights are priced again after that.
        on_progress
            Called with the bound as it grows.
        """
        if self.prepare is not None:
            self.prepare()
        limits = Limits(seconds, memory)
        outcome = search_in_worker(self.search, instance, lower, upper, limits, on_progress, heights=tuple(heights))
        certificate: Any = outcome.value
        proven = None if certificate is None else self.value(instance, certificate)
        return Refutation(
            bound=Bound(self.name, proven, certificate) if proven else None,
            termination=outcome.termination,
            message=outcome.message,
            seconds=outcome.seconds,
        )
