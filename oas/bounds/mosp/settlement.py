"""What a search finds that refutes makespans and may find a schedule instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.core.result import Bound
from oas.problems.mosp.runs import ClusterRun

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction

    from oas.core.result import Termination
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


def settlement(
    name: str,
    value: Callable[[MospInstance, Mapping[str, Any]], Fraction],
    instance: MospInstance,
    outcome: CallOutcome,
) -> Settlement:
    """Return what a worker has found, its certificate checked again.

    Parameters
    ----------
    name, value
        Of the bound, and what a certificate of it proves.
    outcome
        Its value may have a ``certificate``, and ``runs`` of all jobs, each (job, cluster, start in ticks).
    """
    found: Mapping[str, Any] = outcome.value if isinstance(outcome.value, dict) else {}
    certificate, runs = found.get("certificate"), found.get("runs")
    proven = None if certificate is None else value(instance, certificate)
    return Settlement(
        bound=Bound(name, proven, certificate) if proven else None,
        runs=None if runs is None else [ClusterRun(*run) for run in runs],
        termination=outcome.termination,
        message=outcome.message,
    )
