"""Bounds whose search refutes makespans, and may find a schedule instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.bounds.mosp.searched import SearchedBound
from oas.problems.mosp.runs import ClusterRun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.core.result import Bound, Termination
    from oas.problems.mosp.instance import MospInstance
    from oas.solvers.outcome import CallOutcome


@dataclass(frozen=True)
class Settlement:
    """The bound, the schedule found, and why the search ended.

    Attributes
    ----------
    bound
        With its certificate, which was checked again; None if nothing above the bound known was proven.
    runs
        Of a schedule shorter than the one known, as the search says; None if it found none.
    termination
        ``finished``: bound or schedule settle what was asked, or the search grew too large; ``too_large``: the instance
        is, or it is none for this bound.
    message
        For people.
    """

    bound: Bound | None
    runs: list[ClusterRun] | None
    termination: Termination
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class SettlingBound(SearchedBound[Settlement]):
    """A bound that is found by refuting makespans, or a schedule that is found instead.

    The worker returns an object that may have a ``certificate``, and ``runs`` of all jobs, each (job, cluster, start in
    ticks).
    """

    def _found(self, instance: MospInstance, outcome: CallOutcome) -> Settlement:
        found: Mapping[str, Any] = outcome.value if isinstance(outcome.value, dict) else {}
        runs = found.get("runs")
        return Settlement(
            bound=self._proven(instance, found.get("certificate")),
            runs=None if runs is None else [ClusterRun(*run) for run in runs],
            termination=outcome.termination,
            message=outcome.message,
        )
