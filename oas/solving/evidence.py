"""The best verified schedule, bound and claims of a solve."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from oas.core.formats import show_exact
from oas.core.result import Proof, ProofKind, Status, confirmed_bound
from oas.core.schedule import Schedule
from oas.core.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.result import Bound, Claim, Result


class Evidence:
    """The best schedule, bound and claims so far: the only place that accepts or refuses them.

    Schedules must pass the verifier. A claim counts once a different run claims the same bound. A solver whose claim
    exceeds the makespan of a verified schedule is *exposed*: none of its claims counts, now or later.

    Attributes
    ----------
    schedule
        The shortest verified schedule; None before the first.
    bound
        The certified bound; None before it is known.
    weaker
        The bounds that it has replaced, in the order of their values.
    confirmed
        The best bound whose certificate has been checked; None before the first.
    claims
        Bounds claimed without a certificate, by a solver or a search of the toolkit; confirmed or not.
    exposed
        The solvers that claimed something false, with the contradiction in words.
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
        self.weaker: list[Bound] = []
        self.confirmed: Bound | None = None
        self.claims: list[Claim] = []
        self.exposed: dict[str, str] = {}
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
            for claim in self.claims:
                if claim.bound > self.schedule.makespan:
                    self._contradict(claim)
        return None

    def raise_bound(self, bound: Bound) -> None:
        """Keep a certified bound if it is the best."""
        assert self.bound is not None
        if bound.value > self.bound.value:
            self.weaker.append(self.bound)
            self.bound = bound

    def withdraw_bound(self) -> None:
        """Replace the bound, whose certificate is not confirmed, by the best one that is, or that has another name."""
        assert self.bound is not None
        refused = self.bound.name
        while self.bound.name == refused and self.bound is not self.confirmed:
            self.bound = self.weaker.pop()

    def claim(self, claim: Claim) -> None:
        """Record a claim, in place of an earlier one of the same run, unless its solver is exposed."""
        if self.makespan is not None and claim.bound > self.makespan:
            self._contradict(claim)
        elif claim.solver not in self.exposed:
            self.claims = [one for one in self.claims if one.source != claim.source or one.bound > claim.bound]
            self.claims.append(claim)

    def expose(self, solver: str, reason: str) -> None:
        """Drop all claims of a solver, now and later; `reason` is a sentence about the contradiction."""
        self.exposed.setdefault(solver, f"{reason}; no claim of {solver} counts")
        self.claims = [claim for claim in self.claims if claim.solver not in self.exposed]

    def _contradict(self, claim: Claim) -> None:
        assert self.makespan is not None
        bound, makespan = show_exact(claim.bound), show_exact(self.makespan)
        self.expose(claim.solver, f"{claim} claims the bound {bound}, but a schedule ends at {makespan}")

    @property
    def makespan(self) -> Fraction | None:
        """Makespan of the best schedule, recomputed from its placements; None without a schedule."""
        return None if self.schedule is None else self.schedule.makespan

    @property
    def lower_bound(self) -> Fraction | None:
        """The best bound that is certified, follows from enumeration, or is claimed by two runs; None before any."""
        if self.enumerated:
            return self.makespan
        known = (None if self.bound is None else self.bound.value, confirmed_bound(self.claims))
        return max((value for value in known if value is not None), default=None)

    @property
    def claimed_bound(self) -> Fraction | None:
        """The best bound, claims without confirmation included; None before a bound is known."""
        known = (self.lower_bound, *(claim.bound for claim in self.claims))
        return max((value for value in known if value is not None), default=None)

    @property
    def settled(self) -> bool:
        """Whether the makespan is within the gap of a bound, perhaps of a claim without confirmation."""
        return self._is_within_gap(self.claimed_bound)

    @property
    def closed(self) -> bool:
        """Whether the makespan equals the lower bound."""
        return self.makespan is not None and self.makespan == self.lower_bound

    @property
    def enough(self) -> bool:
        """Whether the makespan is within the requested gap of the lower bound."""
        return self._is_within_gap(self.lower_bound)

    def _is_within_gap(self, bound: Fraction | None) -> bool:
        return self.makespan is not None and bound is not None and self.makespan <= (1 + self.gap) * bound

    def proof(self) -> Proof | None:
        """Return the proof of the lower bound, of the strongest kind that reaches it; None without a bound."""
        lowest = self.lower_bound
        if lowest is None:
            return Proof(ProofKind.SOLVER, claims=tuple(self.claims)) if self.claims else None
        return proof_of(lowest, self.bound, self.claims, enumerated=self.enumerated)


def proof_of(lowest: Fraction, bound: Bound | None, claims: Iterable[Claim], *, enumerated: bool) -> Proof:
    """Return the strongest proof of the lower bound `lowest`, with all claims that reach it."""
    kept = tuple(claim for claim in claims if claim.bound >= lowest)
    if bound is not None and bound.value >= lowest:
        return Proof(ProofKind.CERTIFICATE, bound, kept)
    if enumerated:
        return Proof(ProofKind.BRUTE_FORCE, bound)
    return Proof(ProofKind.SOLVER, bound, kept)


def without_claims(result: Result, reason: str = "") -> Result:
    """Return `result` without claims that lack a certificate; `reason` is added to its message."""
    proof, lowest, status = result.proof, result.lower_bound, result.status
    if proof is not None:
        proof = replace(proof, claims=())
        if proof.kind is ProofKind.SOLVER:
            certified = proof.bound is not None and proof.bound.certificate is not None
            proof = Proof(ProofKind.CERTIFICATE, proof.bound) if certified else None
            lowest = None if proof is None else proof.lowest
            status = Status.FEASIBLE if status is Status.OPTIMAL else status
    message = "; ".join(text for text in (result.message, reason) if text)
    return replace(result, proof=proof, lower_bound=lowest, status=status, message=message)
