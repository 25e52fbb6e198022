"""The bound by a tree over pairs of jobs, and the schedule that its search may find."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.mosp.partitions.sharing import load as load_partitions
from oas.bounds.mosp.set_tree.certificate import value
from oas.bounds.mosp.set_tree.packing import load
from oas.bounds.mosp.settlement import Settlement, settlement
from oas.bounds.request import search_in_worker
from oas.solvers.task import Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance

NAME = "set tree"


def set_tree_bound(
    instance: MospInstance,
    lower: Fraction,
    upper: Fraction,
    *,
    seconds: float | None = None,
    memory: int | None = None,
    on_progress: Callable[[Fraction], None] | None = None,
) -> Settlement:
    """Refute makespans from `lower` on, or find a schedule shorter than `upper`.

    Reservations are left out, and where jobs have releases locality is too: a schedule found need not keep them.

    Parameters
    ----------
    instance
        Of clusters of one size.
    lower
        A bound that is known.
    upper
        A makespan that is attained.
    seconds, memory
        Limits of the search; None for none. The tree is walked again after that.
    on_progress
        Called with the bound as it grows.
    """
    load()
    load_partitions()
    function = "oas.bounds.mosp.set_tree.search:find_tree"
    outcome = search_in_worker(function, instance, lower, upper, Limits(seconds, memory), on_progress)
    return settlement(NAME, value, instance, outcome)
