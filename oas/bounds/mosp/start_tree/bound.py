"""The bound by a tree over starts, and the schedule that its search may find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.bounds.mosp.start_tree.certificate import value
from oas.bounds.request import search_in_worker
from oas.core.result import Bound, Termination
from oas.problems.mosp.runs import ClusterRun
from oas.solvers.task import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance

NAME = "start tree"


@dataclass(frozen=True)
class StartTree:
    """The bound, the schedule found, and why the search ended.

    Attributes
    ----------
    bound
        With its certificate, which was walked again; None if nothing above the bound known was proven.
    runs
        Of a schedule shorter than the one known, as the search says; None if it found none.
    termination
        ``finished``: bound or schedule settle what was asked, or the tree grew too large; ``too_large``: the instance
        is.
    message
        For people.
    """

    bound: Bound | None
    runs: list[ClusterRun] | None
    termination: Termination
    message: str = ""


def start_tree_bound(
    instance: MospInstance,
    lower: Fraction,
    upper: Fraction,
    *,
    heights: Sequence[int] = (),
    seconds: float | None = None,
    memory: int | None = None,
    on_progress: Callable[[Fraction], None] | None = None,
) -> StartTree:
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
    found: dict[str, Any] = outcome.value if isinstance(outcome.value, dict) else {}
    certificate, starts = found.get("certificate"), found.get("starts")
    proven = None if certificate is None else value(instance, certificate)
    return StartTree(
        bound=Bound(NAME, proven, certificate) if proven else None,
        runs=None if starts is None else [ClusterRun(job, 0, start) for job, start in enumerate(starts)],
        termination=outcome.termination,
        message=outcome.message,
    )
