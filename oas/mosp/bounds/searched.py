"""Bounds that a worker process searches for by refuting makespans; it may find a schedule instead.

`SearchedBound` starts a search in the worker; `RefutingSearch` is the base class of these searches.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oas.mosp.runs import ClusterRun
from oas.solving.lower_bound import CertifiedBound, search_in_worker

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from oas.core.result import Bound, Termination
    from oas.mosp.instance import MospInstance
    from oas.solvers.isolation.protocol import Session
    from oas.solving.lower_bound import BoundRequest

UNLIMITED_SECONDS = 60.0  # assumed to be left if there is no limit


@dataclass(frozen=True)
class Settlement:
    """The outcome of a search: bound, schedule and termination reason."""

    bound: Bound | None  # with its unchecked certificate; None if nothing above the known bound was proven
    runs: list[ClusterRun] | None  # of a schedule shorter than the known one, not verified; None if none was found
    # ``finished``: bound or schedule settle the question, or the search reached its own limits; ``too_large``: the
    # instance is too large, or the bound does not apply to it.
    termination: Termination
    message: str = ""  # explains the termination


@dataclass(frozen=True, kw_only=True)
class SearchedBound(CertifiedBound):
    """A certified bound that is found by refuting makespans; calling it starts the search.

    `search`: ``package.module:function`` of the worker: takes a `BoundRequest` and the session, and returns an object
    that may have a ``certificate``, and ``runs`` of all jobs, each (job, cluster, start in ticks).
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
    ) -> Settlement:
        """Refute makespans from `lower` on, until the bound reaches `upper` or a shorter schedule is found.

        `lower`: a known lower bound. `upper`: the makespan of a known schedule. `heights`: weights of the jobs, such as
        those of the configuration bound; only some searches use them. `seconds`, `memory`: limits of time and of the
        worker's memory in bytes; None for no limit.
        """
        bound, answer, outcome = search_in_worker(
            self, self.search, instance, lower, upper, seconds=seconds, memory=memory, heights=tuple(heights)
        )
        runs = [ClusterRun(*run) for run in answer["runs"]] if "runs" in answer else None
        return Settlement(bound, runs, outcome.termination, outcome.message)


class RefutingSearch(ABC):
    """A search in the worker; results are streamed as they are found, each certificate before its bound.

    `unit`: time unit of the search in ticks. Raises `TooLargeError` if the instance is too large for the search, or the
    bound does not apply to it.

    Attributes: `lower`, `upper`: in units; the makespans from `lower` to below `upper` are still open. `found`:
    ``certificate``: of the highest makespan refuted; ``runs``: (job, cluster, start in ticks) of a schedule shorter
    than `request.upper`. Either may be missing.
    """

    def __init__(self, request: BoundRequest, session: Session, unit: int = 1) -> None:
        self.request, self.session, self.unit = request, session, unit
        self.must_stop = session.must_stop
        self.lower, self.upper = -(-request.lower // unit), -(-request.upper // unit)
        self.found: dict[str, object] = {}

    @classmethod
    def start(cls, request: BoundRequest, session: Session) -> dict[str, object]:
        """Search, and return `found`."""
        return cls(request, session).run()

    @abstractmethod
    def run(self) -> dict[str, object]:
        """Search as long as makespans are open and there is time; return `found`."""

    def is_open(self) -> bool:
        """Return whether makespans are left, no schedule has been found, and the search need not stop."""
        return "runs" not in self.found and self.lower < self.upper and not self.must_stop()

    def refute(self, makespan: int, certificate: dict[str, object]) -> None:
        """Report the certificate that no schedule ends by `makespan`, in units."""
        self.lower = makespan + 1
        self.found["certificate"] = certificate
        self.session.partial(dict(self.found))
        self.session.progress(self.lower * self.unit, None)

    def attain(self, runs: Sequence[tuple[int, int, int]]) -> None:
        """Report a schedule."""
        self.found["runs"] = list(runs)
        self.session.partial(dict(self.found))

    def seconds(self, share: float) -> float:
        """Return this share of the time that is left."""
        left = self.session.time_left()
        return share * (UNLIMITED_SECONDS if left is None else left)
