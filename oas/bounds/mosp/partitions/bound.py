"""The bound by partitions, and the schedule that its search may find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.bounds.mosp.partitions.certificate import value
from oas.bounds.mosp.partitions.sharing import load
from oas.bounds.request import search_in_worker
from oas.core.result import Bound, Termination
from oas.problems.mosp.runs import ClusterRun
from oas.solvers.task import Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance

NAME = "partitions"


@dataclass(frozen=True)
class Partition:
    """The bound, the schedule found, and why the search ended.

    Attributes
    ----------
    bound
        With its certificate, which was searched again; None if nothing above the bound known was proven.
    runs
        Of a schedule shorter than the one known, as the search says; None if it found none.
    termination
        ``finished``: bound or schedule settle what was asked, or the search took too many steps; ``too_large``: the
        instance is.
    message
        For people.
    """

    bound: Bound | None
    runs: list[ClusterRun] | None
    termination: Termination
    message: str = ""


def partition_bound(
    instance: MospInstance,
    lower: Fraction,
    upper: Fraction,
    *,
    seconds: float | None = None,
    memory: int | None = None,
    on_progress: Callable[[Fraction], None] | None = None,
) -> Partition:
    """Refute makespans from `lower` on, or find a schedule shorter than `upper`.

    Reservations are left out: a schedule found need not keep them.

    Parameters
    ----------
    instance
        Of clusters of one size.
    lower
        A bound that is known.
    upper
        A makespan that is attained.
    seconds, memory
        Limits of the search; None for none. What refutes a makespan is searched again after that.
    on_progress
        Called with the bound as it grows.
    """
    load()
    limits = Limits(seconds, memory)
    function = "oas.bounds.mosp.partitions.generation:find_partition"
    outcome = search_in_worker(function, instance, lower, upper, limits, on_progress)
    found: dict[str, Any] = outcome.value if isinstance(outcome.value, dict) else {}
    certificate, runs = found.get("certificate"), found.get("runs")
    proven = None if certificate is None else value(instance, certificate)
    return Partition(
        bound=Bound(NAME, proven, certificate) if proven else None,
        runs=None if runs is None else [ClusterRun(job, cluster, start) for job, (cluster, start) in enumerate(runs)],
        termination=outcome.termination,
        message=outcome.message,
    )
