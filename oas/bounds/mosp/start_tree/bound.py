"""The bound by a tree over starts, and the schedule that its search may find."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.mosp.settlement import Settlement, settlement
from oas.bounds.mosp.start_tree.certificate import value
from oas.bounds.request import search_in_worker
from oas.solvers.task import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance

NAME = "start tree"


def start_tree_bound(
    instance: MospInstance,
    lower: Fraction,
    upper: Fraction,
    *,
    heights: Sequence[int] = (),
    seconds: float | None = None,
    memory: int | None = None,
    on_progress: Callable[[Fraction], None] | None = None,
) -> Settlement:
    """Refute makespans from `lower` on, or find a schedule shorter than `upper`; what the worker finds is walked again.

    Parameters
    ----------
    instance
        Of one organization.
    lower
        A bound that is known.
    upper
        A makespan that is attained.
    heights
        Weights of the jobs, such as the configuration bound's.
    seconds, memory
        Limits of the search; None for none. The tree is walked again after that.
    on_progress
        Called with the bound as it grows.
    """
    outcome = search_in_worker(
        "oas.bounds.mosp.start_tree.search:find_tree",
        instance,
        lower,
        upper,
        Limits(seconds, memory),
        on_progress,
        heights=tuple(heights),
    )
    return settlement(NAME, value, instance, outcome)
