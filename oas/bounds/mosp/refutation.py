"""Bounds that refute one makespan after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oas.bounds.mosp.searched import SearchedBound

if TYPE_CHECKING:
    from oas.core.result import Bound, Termination
    from oas.problems.mosp.instance import MospInstance
    from oas.solvers.outcome import CallOutcome


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
class RefutingBound(SearchedBound[Refutation]):
    """A bound that is found by refuting one makespan after the other; the worker returns a certificate or None."""

    def _found(self, instance: MospInstance, outcome: CallOutcome) -> Refutation:
        return Refutation(
            bound=self._proven(instance, outcome.value),
            termination=outcome.termination,
            message=outcome.message,
            seconds=outcome.seconds,
        )
