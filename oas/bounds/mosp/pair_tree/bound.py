"""The bound by a tree over pairs of items, and the schedule that its search may find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.bounds.mosp.pair_tree.certificate import value
from oas.bounds.request import search_in_worker
from oas.core.result import Bound, Termination
from oas.problems.mosp.runs import ClusterRun
from oas.solvers.task import Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance

NAME = "pair tree"


@dataclass(frozen=True)
class PairTreeBound:
    """The bound, the schedule found, and why the search ended.

    Attributes
    ----------
    bound
        With its certificate, which was walked again; None if nothing above the bound known was proven.
    runs
        Of a schedule shorter than the one known, as the search says; None if it found none.
    termination
        ``finished``: bound or schedule settle what was asked, or the tree grew too large; ``too_large``: the instance
        is, or it is no bin packing.
    message
        For people.
    """

    bound: Bound | None
    runs: list[ClusterRun] | None
    termination: Termination
    message: str = ""


def pair_tree_bound(
    instance: MospInstance,
    lower: Fraction,
    upper: Fraction,
    *,
    seconds: float | None = None,
    memory: int | None = None,
    on_progress: Callable[[Fraction], None] | None = None,
) -> PairTreeBound:
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
    found: dict[str, Any] = outcome.value if isinstance(outcome.value, dict) else {}
    certificate, runs = found.get("certificate"), found.get("runs")
    proven = None if certificate is None else value(instance, certificate)
    return PairTreeBound(
        bound=Bound(NAME, proven, certificate) if proven else None,
        runs=None if runs is None else [ClusterRun(*run) for run in runs],
        termination=outcome.termination,
        message=outcome.message,
    )
