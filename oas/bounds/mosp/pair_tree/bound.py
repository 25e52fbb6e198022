"""The bound by a tree over pairs of items, and the schedule that its search may find."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.mosp.pair_tree.certificate import value
from oas.bounds.mosp.settlement import Settlement, settlement
from oas.bounds.request import search_in_worker
from oas.solvers.task import Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance

NAME = "pair tree"


def pair_tree_bound(
    instance: MospInstance,
    lower: Fraction,
    upper: Fraction,
    *,
    seconds: float | None = None,
    memory: int | None = None,
    on_progress: Callable[[Fraction], None] | None = None,
) -> Settlement:
    """Pack the jobs of an instance that is bin packing by less than `upper`, or refute makespans from `lower` on.

    What the worker finds is walked again here, so a wrong solver cannot make it wrong.

    Parameters
    ----------
    instance
        With jobs of equal times, or of one processor each; see `oas.bounds.mosp.pair_tree.bins`.
    lower
        A bound that is known.
    upper
        A makespan that is attained.
    seconds, memory
        Limits of the search; None for none. The tree is walked again after that.
    on_progress
        Called with the bound as it grows.
    """
    outcome = search_in_worker(
        "oas.bounds.mosp.pair_tree.search:find_packing",
        instance,
        lower,
        upper,
        Limits(seconds, memory),
        on_progress,
    )
    return settlement(NAME, value, instance, outcome)
