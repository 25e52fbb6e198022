"""One instance: what is found on it, and in how many seconds."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.agreement.participants import AGREED, MISMATCH, ParticipantFinding
from benchmarks.agreement.soak import makespan, standalone
from benchmarks.agreement.soak.drawing import DRAW
from benchmarks.agreement.soak.fair import examining as fair
from oas.campaigns.identity import source_hash

if TYPE_CHECKING:
    from benchmarks.agreement.soak.asked import Asked
    from benchmarks.agreement.soak.drawing import Drawn
    from oas.core.instances import Instance


@dataclass(frozen=True)
class Examined:
    """What is found on an instance.

    Attributes
    ----------
    findings
        One for each time that a participant was asked.
    proofs
        What proves the results that the checkers were shown, by their source.
    seconds
        Wall time.
    """

    findings: tuple[ParticipantFinding, ...]
    proofs: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def differing(self) -> list[ParticipantFinding]:
        """The findings that are mismatches."""
        return [one for one in self.findings if one.verdict == MISMATCH]


def examined(instance: Instance, asked: Asked) -> Examined:
    """Hold everyone who is asked against brute force."""
    examine: Any = fair.examine if instance.problem.name == "fair" else makespan.examine
    proofs: dict[str, str] = {}
    began = time.monotonic()
    findings: list[ParticipantFinding] = []
    try:
        findings += examine(instance, asked, proofs)
    except Exception as error:  # a fault of this program must not end a run of hours, nor be lost
        findings.append(ParticipantFinding("the soak itself", MISMATCH, f"raises {type(error).__name__}: {error}"))
    return Examined(tuple(findings), proofs, time.monotonic() - began)


def row_of(drawn: Drawn, asked: Asked, found: Examined) -> dict[str, Any]:
    """Return what is kept of an instance: by verdict how often each participant had it, and what was not agreement."""
    verdicts: dict[str, dict[str, int]] = {}
    for one in found.findings:
        counts = verdicts.setdefault(one.verdict, {})
        counts[one.participant] = counts.get(one.participant, 0) + 1
    return {
        "draw": DRAW,
        "seed": drawn.seed,
        "digest": drawn.instance.digest,
        "problem": drawn.problem,
        "shape": drawn.shape,
        "full": asked.full,
        "seconds": round(found.seconds, 3),
        "verdicts": verdicts,
        "details": [[one.participant, one.verdict, one.detail] for one in found.findings if one.verdict != AGREED],
        "proofs": found.proofs,
        "source": source_hash("exact")[:12],
        "checker": standalone.fingerprint() if asked.wants("stand-alone checker") else "not asked",
    }
