"""A result for tampering: its document, with claims that stay consistent with the rest of it."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from benchmarks.robustness.documents import DoesNotApplyError
from oas.core.verifier import verify
from oas.io import dumps, loads_any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from benchmarks.robustness.tampering.specimens import Specimen

PACKED = ("codes", "seen", "log")  # compressed logs in certificates


@dataclass
class Draft:
    """A result that a rule may change."""

    specimen: Specimen  # the honest result
    others: Sequence[Specimen]  # all specimens, whose proofs may be used
    random: Random  # the source of all choices
    document: dict[str, Any] = field(init=False)  # the result's document
    raw: bytes | None = None  # written instead of the document, if not None

    def __post_init__(self) -> None:
        self.document = json.loads(dumps(self.specimen.result))

    @property
    def data(self) -> bytes:
        """Content of the file."""
        return json.dumps(self.document).encode() if self.raw is None else self.raw

    @property
    def bound(self) -> dict[str, Any]:
        """The proven bound with its certificate."""
        proof = self.document["proof"]
        if proof is None or proof["bound"] is None:
            raise DoesNotApplyError
        bound: dict[str, Any] = proof["bound"]
        return bound

    @property
    def certificate(self) -> dict[str, Any]:
        """The certificate, which is not empty."""
        certificate: dict[str, Any] = self.bound["certificate"]
        if not certificate:
            raise DoesNotApplyError
        return certificate

    @property
    def placements(self) -> list[dict[str, Any]]:
        """The placements of the schedule; raises DoesNotApplyError without any."""
        if self.document["schedule"] is None or not self.document["schedule"]["placements"]:
            raise DoesNotApplyError
        placements: list[dict[str, Any]] = self.document["schedule"]["placements"]
        return placements

    @property
    def tick(self) -> Fraction:
        """Tick of the instance; 1/1000 if its times are on no grid, as on shared links without slots."""
        tick: Fraction = self.specimen.instance.scaled().tick
        return tick or Fraction(1, 1000)

    def with_field(self, name: str) -> dict[str, Any]:
        """Return the certificate; raises DoesNotApplyError if it lacks this field."""
        if name not in self.certificate:
            raise DoesNotApplyError
        return self.certificate

    def packed_field(self) -> str:
        """Return the name of a random compressed log in the certificate; raises DoesNotApplyError without any."""
        names = [name for name in PACKED if name in self.certificate]
        if names:
            return self.random.choice(names)
        raise DoesNotApplyError

    def claim(self, value: Fraction) -> None:
        """Claim this lower bound consistently, usually with a schedule of this makespan if one is found."""
        document = self.document
        document["lower_bound"] = str(value)
        if document["proof"] is not None and document["proof"]["bound"] is not None:
            bound, certificate = self.bound, self.bound["certificate"]
            if isinstance(certificate, dict) and type(certificate.get("makespan")) is int:
                steps = (value - (self.specimen.result.lower_bound or 0)) / self.tick
                certificate["makespan"] += max(-certificate["makespan"], int(steps))
            bound["value"] = str(value)
        document["schedule"] = stretched = self._stretched(value) if self.random.random() < 0.8 else None
        document["objective"] = str(value) if stretched else None
        document["gap"] = 0.0 if stretched else None
        document["status"] = "optimal" if stretched else "no_solution"

    def raise_claim(self) -> None:
        """Claim a bound above the optimum, usually by one tick, consistently in all places."""
        ticks = self.random.choice((1, 1, 1, 1, 2, 1000))
        self.claim(max(self.specimen.optimum, self.specimen.result.lower_bound or Fraction(0)) + ticks * self.tick)

    def maybe_raise(self) -> None:
        """Leave the claim as it is, or raise it."""
        if self.random.random() < 0.6:
            self.raise_claim()

    def claim_schedule(self) -> None:
        """Update the values that follow from the placements, so that the file stays consistent."""
        document = self.document
        ends = (Fraction(str(one["end"])) for one in document["schedule"]["placements"])
        makespan = max(ends, default=Fraction(0))
        lower = None if document["lower_bound"] is None else Fraction(str(document["lower_bound"]))
        if lower is not None and lower > makespan:  # a shorter schedule contradicts the bound: it is lowered too
            lower = makespan
            document["lower_bound"] = str(makespan)
        document["objective"] = str(makespan)
        document["gap"] = None if not lower else float(makespan / lower - 1)
        document["status"] = "optimal" if lower == makespan else "feasible"
        document["schedule"]["certificate"] = None

    def _stretched(self, makespan: Fraction) -> dict[str, Any] | None:
        """Return a valid schedule of this makespan: the last job later, or all of them; None if there is none."""
        result = self.specimen.result
        if result.schedule is None or result.objective is None or makespan < result.objective:
            return None
        original: dict[str, Any] = json.loads(dumps(result))["schedule"]
        if makespan == result.objective:
            return original
        ends = [Fraction(str(one["end"])) for one in original["placements"]]
        last = [[index] for index, end in enumerate(ends) if end == result.objective]
        for moved in (*last, range(len(ends))):
            body = deepcopy(original)
            body["certificate"] = None
            for index in moved:
                shift(body["placements"][index], makespan - result.objective)
            text = json.dumps({"format": "oas-schedule", "version": 1, **body}).encode()
            if not verify(self.specimen.instance, loads_any(text)):  # type: ignore[arg-type]
                return body
        return None


def shift(placement: dict[str, Any], by: Fraction) -> None:
    """Move a placement in time."""
    for name in ("start", "end"):
        placement[name] = str(Fraction(str(placement[name])) + by)
