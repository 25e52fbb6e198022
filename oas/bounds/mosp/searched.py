"""Bounds that a worker searches for: it refutes one makespan after the other, and may find a schedule instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oas.bounds.lower_bound import CertifiedBound
from oas.bounds.request import claimed_bound, search_in_worker
from oas.problems.mosp.runs import ClusterRun

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    from oas.core.result import Bound, Termination
    from oas.problems.mosp.instance import MospInstance


@dataclass(frozen=True)
class Settlement:
    """The bound, the schedule found, and why the search ended.

    Attributes
    ----------
    bound
        As the search states it, with its certificate, which is not checked here; None if nothing above the known bound
        was proven.
    runs
        Of a schedule shorter than the known one, according to the search; None if it found none.
    termination
        ``finished``: bound or schedule settle the question, or the search grew too large; ``too_large``: the instance
        is, or the bound does not apply to it.
    message
        For people.
    """

    bound: Bound | None
    runs: list[ClusterRun] | None
    termination: Termination
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class SearchedBound(CertifiedBound):
    """A certified bound that is found by refuting makespans; called to search for it.

    Attributes
    ----------
    search
        ``package.module:function`` of the worker: takes a `BoundRequest` and the session, and returns an object that
        may have a ``certificate``, and ``runs`` of all jobs, each (job, cluster, start in ticks).
    prepare
        Called before each search, if given.
    """

    search: str

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
        """Refute makespans from `lower` on, until the bound reaches `upper` or something shorter is found.

        Parameters
        ----------
        lower
            A bound that is known.
        upper
            A makespan that is attained.
        heights
            Weights of the jobs, such as the configuration bound's; only some searches use them.
        seconds, memory
            Limits; None for none.
        on_progress
            Called with the bound as it grows.
        """
        outcome = search_in_worker(
            self.search,
            instance,
            lower,
            upper,
            seconds=seconds,
            memory=memory,
            on_progress=on_progress,
            heights=tuple(heights),
        )
        found = outcome.value if isinstance(outcome.value, Mapping) else {}
        runs = found.get("runs")
        return Settlement(
            claimed_bound(self.name, instance, outcome, found.get("certificate")),
            None if runs is None else [ClusterRun(*run) for run in runs],
            outcome.termination,
            outcome.message,
        )
