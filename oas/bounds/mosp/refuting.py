"""The base of all searches in the worker that refute one makespan after the other, or find a schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.bounds.request import BoundRequest
    from oas.solvers.isolation.session import Session

UNLIMITED_SECONDS = 60.0  # counted as left where there is no limit


class RefutingSearch:
    """A search; what it finds is streamed immediately, the certificate before the bound.

    Parameters
    ----------
    unit
        Ticks in which the search counts time.

    Attributes
    ----------
    lower, upper
        In units: the makespans from `lower` to below `upper` are open.
    found
        ``certificate``: of the highest makespan refuted; ``runs``: (job, cluster, start in ticks) of a schedule shorter
        than `request.upper`. Either may be missing.
    """

    def __init__(self, request: BoundRequest, session: Session, unit: int = 1) -> None:
        self.request, self.session, self.unit = request, session, unit
        self.lower, self.upper = -(-request.lower // unit), -(-request.upper // unit)
        self.found: dict[str, object] = {}

    def refute(self, makespan: int, certificate: dict[str, object]) -> None:
        """Hand over the certificate that no schedule ends by `makespan`, in units."""
        self.lower = makespan + 1
        self.found["certificate"] = certificate
        self.session.partial(dict(self.found))
        self.session.progress(self.lower * self.unit, None)

    def attain(self, runs: Sequence[tuple[int, int, int]]) -> None:
        """Hand over a schedule."""
        self.found["runs"] = list(runs)
        self.session.partial(dict(self.found))

    def must_stop(self) -> bool:
        """Return whether the time is up, or the user has asked to stop."""
        return self.session.stop.requested or self.session.time_is_up

    def seconds(self, share: float) -> float:
        """Return this share of the time that is left."""
        left = self.session.time_left()
        return share * (UNLIMITED_SECONDS if left is None else left)
