"""Bounds whose search refutes makespans, and may find a schedule instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.bounds.lower_bound import CertifiedBound
from oas.bounds.request import search_in_worker
from oas.core.result import Bound
from oas.problems.mosp.runs import ClusterRun
from oas.solvers.task import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from fractions import Fraction

    from oas.core.result import Termination
    from oas.problems.mosp.instance import MospInstance


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
class SettlingBound(CertifiedBound):
    """A certified bound that is found by refuting makespans, or a schedule that is found instead; called to search.

    Attributes
    ----------
    search
        ``package.module:function`` of the worker: takes a `BoundRequest`, returns an object that may have a
        ``certificate``, and ``runs`` of all jobs, each (job, cluster, start in ticks).
    prepare
        Called before each search, if given.
    """

    search: str
    prepare: Callable[[], None] | None = None

    def __call__(
        self,
        instance: MospInstance,
        lower: Fraction,
        upper: Fraction,
        *,
        heights: Sequence[int] = (),
        seconds: float | None = None,
        memory: int | None = None,
        on_progress: Callable[[Fraction], None] | None = None,
    ) -> Settlement:
        """Refute makespans from `lower` on, or find a schedule shorter than `upper`.

        The certificate that the worker finds is checked again here, so a wrong solver cannot make it wrong.

        Parameters
        ----------
        lower
            A bound that is known.
        upper
            A makespan that is attained.
        heights
            Weights of the jobs, such as the configuration bound's; only the tree over starts uses them.
        seconds, memory
            Limits of the search; None for none. The certificate is checked again after that.
        on_progress
            Called with the bound as it grows.
        """
        if self.prepare is not None:
            self.prepare()
        limits = Limits(seconds, memory)
        outcome = search_in_worker(self.search, instance, lower, upper, limits, on_progress, heights=tuple(heights))
        found: Mapping[str, Any] = outcome.value if isinstance(outcome.value, dict) else {}
        certificate, runs = found.get("certificate"), found.get("runs")
        proven = None if certificate is None else self.value(instance, certificate)
        return Settlement(
            bound=Bound(self.name, proven, certificate) if proven else None,
            runs=None if runs is None else [ClusterRun(*run) for run in runs],
            termination=outcome.termination,
            message=outcome.message,
        )
