"""The search by windows as a parallel stage, for a schedule just shorter than the best."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from oas.bounds.coallocation.configurations.packing import Packing
from oas.exact.coallocation.chronological.search import Verdict
from oas.exact.coallocation.windows import WindowsSearch
from oas.exact.parallel import ParallelStage
from oas.solvers.isolation.client import call
from oas.solvers.task import limits_of_part

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.bounds.coallocation.configurations import Weights
    from oas.exact.coallocation.search import CoallocationExactSearch
    from oas.problems.coallocation.allocations import Run
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.solvers.isolation.protocol import Session
    from oas.solvers.outcome import CallOutcome

DECISIONS = 100_000  # between two looks at the clock


class Request(NamedTuple):
    """The arguments of a `WindowsSearch` in the worker."""

    instance: CoallocationInstance
    duals: Sequence[Weights]
    horizon: int


class Answer(NamedTuple):
    """What it has found.

    Attributes
    ----------
    runs
        Of a schedule; empty if there is none.
    refuted
        Whether no schedule ends by the horizon.
    certificate
        Of the refutation; None if it would be too long.
    """

    runs: list[Run]
    refuted: bool
    certificate: dict[str, object] | None


class WindowsStage(ParallelStage):
    """The stage; `memory` is what its worker may hold, in bytes."""

    name = "windows"

    def __init__(self, search: CoallocationExactSearch) -> None:
        self.memory: int | None = None
        self._search = search
        self._horizon = 0
        self._undecided = 0  # the horizon for which the search has ended without an answer

    def begin(self) -> Callable[[], CallOutcome] | None:
        """Start from the best schedule."""
        search = self._search
        self._horizon = search.upper - 1
        if search.evidence.enough or self._horizon == self._undecided:
            return None
        request = Request(search.instance, search.duals, self._horizon)
        function = f"{search_windows.__module__}:{search_windows.__name__}"
        return partial(call, function, request, limits_of_part(search.seconds_of_stage(), self.memory))

    def is_outdated(self, bound: float | None) -> bool:
        """Return whether there is a shorter schedule, or nothing left to do."""
        del bound
        return self._search.upper - 1 != self._horizon or self._search.evidence.enough

    def take(self, answer: CallOutcome) -> bool:
        """Keep a schedule or a refutation; return whether it is a schedule."""
        found = answer.value
        if isinstance(found, Answer) and found.refuted:
            self._search.keep_refutation(WindowsSearch.name, found.certificate, self._horizon + 1)
        elif isinstance(found, Answer) and found.runs:
            self._search.offer(found.runs, f"{self.name} search")
            return True
        else:
            self._undecided = self._horizon
        return False


def search_windows(request: Request, session: Session) -> Answer:
    """Search in the worker, until the time is up."""
    scaled = request.instance.scaled()
    search = WindowsSearch(scaled, request.duals, request.horizon, Packing(scaled))
    verdict = Verdict.UNDECIDED
    while verdict is Verdict.UNDECIDED and not search.stuck and not session.time_is_up:
        verdict = search.go_on(DECISIONS)
    refuted = verdict is Verdict.REFUTED
    return Answer(search.runs(), refuted, search.certificate() if refuted else None)
