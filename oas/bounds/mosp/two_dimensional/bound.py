"""The two-dimensional bound of an instance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.mosp.refutation import Refutation, refute
from oas.bounds.mosp.two_dimensional.certificate import value
from oas.solvers.task import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance

NAME = "two-dimensional"


def two_dimensional_bound(
    instance: MospInstance,
    lower: Fraction,
    upper: Fraction,
    *,
    heights: Sequence[int] = (),
    seconds: float | None = None,
    memory: int | None = None,
    on_progress: Callable[[Fraction], None] | None = None,
) -> Refutation:
    """Refute makespans from `lower` on by weights in both dimensions (see `certificate`).

    Parameters
    ----------
    lower
        A bound that is known: the search begins there.
    upper
        A makespan that is attained: the search ends where the bound reaches it.
    heights
        Weights of the jobs to begin with, such as the configuration bound's.
    seconds, memory
        Limits of the search; None for none. The weights are priced again after that.
    on_progress
        Called with the bound as it grows.
    """
    function = "oas.bounds.mosp.two_dimensional.alternation:find_scales"
    limits = Limits(seconds, memory)
    return refute(NAME, function, value, instance, lower, upper, limits, on_progress, tuple(heights))
