"""The best verified schedule, bound and claims of a solve."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from oas.core.result import Proof, ProofKind
from oas.core.schedule import Schedule
from oas.core.verifier import verify

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.result import Bound, Claim


class Evidence:
    """The best schedule, bound and claims so far; schedules must pass the verifier, and no claim may exceed a makespan.

    Attributes
    ----------
    schedule
        The shortest verified schedule; None before the first.
    bound
        The certified bound; None before it is known.
    claims
        Bounds claimed without a certificate, by a solver or a search of the toolkit.
    enumerated
        Whether every schedule was enumerated: then `schedule` is optimal.
    gap
        The search ends when the makespan is at most (1 + gap) times the bound.
    seconds
        Maximum time to verify a schedule so far; a search reserves this time for its last schedule.
    """

    def __init__(self, instance: Instance, gap: Fraction | int = 0) -> None:
        self.instance = instance
        self.gap = gap
        self.schedule: Schedule | None = None
        self.bound: Bound | None = None
        self.claims: list[Claim] = []
        self.enumerated = False
        self.seconds = 0.0

    def offer(self, schedule: Schedule, source: str, *, anyway: bool = False) -> str | None:
        """Keep `schedule` if it is feasible and the shortest so far.

        Parameters
        ----------
        schedule
            From any source. A schedule that is not shorter than the incumbent is ignored.
        source
            Name stored with the schedule.
        anyway
            Whether to verify a longer schedule too, if a violated rule is information about its source.

        Returns
        -------
        str or None
            The first violation; None if there is none, or the schedule was not verified.
        """
        shorter = self.schedule is None or schedule.makespan < self.schedule.makespan
        if not shorter and not anyway:
            return None
        began = time.monotonic()
        violations = verify(self.instance, schedule)
        self.seconds = max(self.seconds, time.monotonic() - began)
        if violations:
            return str(violations[0])
        if shorter:
            self.schedule = Schedule(schedule.placements, source)
        return None

    @property
    def makespan(self) -> Fraction | None:
        """Makespan of the best schedule, recomputed from its placements; None without a schedule."""
        return None if self.schedule is None else self.schedule.makespan

    @property
    def lower_bound(self) -> Fraction | None:
        """The best bound with any kind of proof; None before a bound is known."""
        if self.enumerated:
            return self.makespan
        return max([self.bound.value, *(claim.bound for claim in self.claims)]) if self.bound else None

    @property
    def closed(self) -> bool:
        """Whether the makespan equals the lower bound."""
        return self.makespan is not None and self.makespan == self.lower_bound

    @property
    def enough(self) -> bool:
        """Whether the makespan is within the requested gap of the lower bound."""
        if self.makespan is None or self.lower_bound is None:
            return False
        return self.makespan <= (1 + self.gap) * self.lower_bound

    def proof(self) -> Proof | None:
        """Return the proof of the lower bound, of the strongest kind that reaches it; None without a bound."""
        lowest = self.lower_bound
        if lowest is None or self.bound is None:
            return None
        claims = tuple(claim for claim in self.claims if claim.bound == lowest)
        if self.bound.value >= lowest:
            return Proof(ProofKind.CERTIFICATE, self.bound, claims)
        if self.enumerated:
            return Proof(ProofKind.BRUTE_FORCE, self.bound)
        return Proof(ProofKind.SOLVER, self.bound, claims)
