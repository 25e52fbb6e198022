"""The bound of an instance by cluster sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.bounds.mosp.cluster_sets.certificate import value
from oas.bounds.mosp.cluster_sets.pricing import load
from oas.bounds.mosp.cluster_sets.search import Search
from oas.core.result import Bound, Termination
from oas.solvers.client import call
from oas.solvers.task import Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from oas.core.mosp import MospInstance
    from oas.solvers.outcome import Progress

NAME = "cluster sets"


@dataclass(frozen=True)
class ClusterSetsBound:
    """The bound, and why the search for it ended.

    Attributes
    ----------
    bound
        With its certificate; the value was re-computed from it by exact pricing. None if nothing above `lower` was
        proven.
    termination
        ``finished``: it reached `upper`, or gave up on a makespan; ``too_large``: jobs, or processors times ticks.
    message
        For people.
    seconds
        Wall time of the search.
    """

    bound: Bound | None
    termination: Termination
    message: str = ""
    seconds: float = 0.0


def cluster_sets_bound(
    instance: MospInstance,
    lower: Fraction,
    upper: Fraction,
    *,
    seconds: float | None = None,
    memory: int | None = None,
    on_progress: Callable[[Fraction], None] | None = None,
) -> ClusterSetsBound:
    """Refute makespans from `lower` on by the sets of jobs that single clusters can run (see `certificate`).

    Strong where a cluster runs some ten jobs or fewer; where it runs many more, there are too many sets.

    Parameters
    ----------
    lower
        A bound that is known: the search begins there.
    upper
        A makespan that is attained: the search ends where the bound reaches it.
    seconds, memory
        Limits of the search; None for none. The weights are priced again after that.
    on_progress
        Called with the bound as it grows.
    """
    scaled = instance.scaled()

    def report(progress: Progress) -> None:
        if on_progress is not None and progress.bound is not None:
            on_progress(scaled.to_time(int(progress.bound)))

    load()
    outcome = call(
        "oas.bounds.mosp.cluster_sets.generation:find_weights",
        Search(scaled, -(-lower // scaled.tick), -(-upper // scaled.tick)),
        Limits(seconds, memory),
        report,
    )
    certificate: Any = outcome.value
    proven = None if certificate is None else value(instance, certificate)
    return ClusterSetsBound(
        bound=Bound(NAME, proven, certificate) if proven else None,
        termination=outcome.termination,
        message=outcome.message,
        seconds=outcome.seconds,
    )
