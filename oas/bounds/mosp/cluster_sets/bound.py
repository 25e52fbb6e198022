"""The bound of an instance by cluster sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.mosp.cluster_sets.certificate import value
from oas.bounds.mosp.cluster_sets.pricing import load
from oas.bounds.mosp.refutation import Refutation, refute
from oas.solvers.task import Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance

NAME = "cluster sets"


def cluster_sets_bound(
    instance: MospInstance,
    lower: Fraction,
    upper: Fraction,
    *,
    seconds: float | None = None,
    memory: int | None = None,
    on_progress: Callable[[Fraction], None] | None = None,
) -> Refutation:
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
    load()
    function = "oas.bounds.mosp.cluster_sets.generation:find_weights"
    return refute(NAME, function, value, instance, lower, upper, Limits(seconds, memory), on_progress)
