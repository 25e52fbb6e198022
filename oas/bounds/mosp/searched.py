"""Bounds that a worker searches for, by refuting makespans."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from oas.bounds.lower_bound import CertifiedBound
from oas.bounds.request import search_in_worker
from oas.core.result import Bound
from oas.solvers.task import limits_of_part

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance
    from oas.solvers.outcome import CallOutcome

Found = TypeVar("Found")


@dataclass(frozen=True, kw_only=True)
class SearchedBound(CertifiedBound, Generic[Found]):
    """A certified bound that is found by refuting makespans; called to search for it.

    Attributes
    ----------
    search
        ``package.module:function`` of the worker: takes a `BoundRequest`.
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
    ) -> Found:
        """Refute makespans from `lower` on, until the bound reaches `upper` or something shorter is found.

        The certificate that the worker finds is checked again here, so a wrong solver cannot make it wrong.

        Parameters
        ----------
        lower
            A bound that is known.
        upper
            A makespan that is attained.
        heights
            Weights of the jobs, such as the configuration bound's; only some searches use them.
        seconds, memory
            Limits of the search; None for none. The certificate is checked again after that.
        on_progress
            Called with the bound as it grows.
        """
        if self.prepare is not None:
            self.prepare()
        limits = limits_of_part(seconds, memory)
        outcome = search_in_worker(self.search, instance, lower, upper, limits, on_progress, heights=tuple(heights))
        return self._found(instance, outcome)

    @abstractmethod
    def _found(self, instance: MospInstance, outcome: CallOutcome) -> Found:
        """Return what the worker's answer shows."""

    def _proven(self, instance: MospInstance, certificate: Any) -> Bound | None:
        """Return what a certificate proves; None for no certificate, or nothing."""
        proven = None if certificate is None else self.value(instance, certificate)
        return Bound(self.name, proven, certificate) if proven else None
