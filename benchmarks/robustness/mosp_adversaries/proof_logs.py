"""Proof logs that an adversary makes without a solver: cases, and clauses as general as the checker accepts."""

from __future__ import annotations

import zlib
from base64 import b64encode
from typing import TYPE_CHECKING

from oas.checker.effort import Effort
from oas.checker.proof_log import AT_LEAST, AT_MOST, IS, IS_NOT, Atom, Bounds, Derivation
from oas.solvers.drcp import number_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from oas.checker.proof_log import Axis

MOST_CLAUSES = 150


def packed(steps: bytes) -> str:
    """Return steps as a certificate has them."""
    return b64encode(zlib.compress(steps)).decode()


def changed_steps(draw: Random, steps: bytes) -> bytes:
    """Return steps, in one case of two with one to three bytes changed, left out, added or exchanged."""
    held = bytearray(steps)
    for _ in range(draw.choice((0, 0, 0, 1, 2, 3))):
        at, other = draw.randrange(len(held)), draw.randrange(len(held))
        kind = draw.randrange(4)
        if kind == 0:
            held[at] = draw.choice((held[at] ^ 1, (held[at] + 1) % 128, draw.randrange(256)))
        elif kind == 1 and len(held) > 1:
            del held[at]
        elif kind == 2:
            held.insert(at, held[other])
        else:
            held[at], held[other] = held[other], held[at]
    return bytes(held)


def written(clause: Sequence[Atom], hints: Sequence[int]) -> bytes:
    """Return one clause and its hints as a proof log has them."""
    atoms = b"".join(number_bytes(4 * job + comparison) + number_bytes(moment) for job, comparison, moment in clause)
    return number_bytes(len(clause)) + atoms + number_bytes(len(hints)) + b"".join(map(number_bytes, hints))


class LogWriter:
    """A search over the starts of an axis that uses the checker's own rules, in a random order."""

    def __init__(self, axis: Axis, draw: Random) -> None:
        self.axis, self.draw = axis, draw
        self.derivation = Derivation(axis, Effort(10**12))
        self.steps = b""

    def refutes(self, assumed: Sequence[Atom] = ()) -> bool:
        """Try to derive a clause of atoms that are assumed; return False at a schedule, or after too many clauses."""
        bounds, hints = self.consequences(assumed)
        if hints is None:
            free = [job for job in range(len(self.axis.jobs)) if bounds.low[job] < bounds.high[job]]
            if not free or len(self.derivation.clauses) > MOST_CLAUSES:
                return False
            case = self.case(self.draw.choice(free), bounds)
            if not all(self.refutes((*assumed, one)) for one in (case, case.contrary())):
                return False
            _, hints = self.consequences(assumed)
            if hints is None:
                return False
        clause = list(assumed)
        for atom in self.draw.sample(clause, len(clause)):
            fewer = [one for one in clause if one is not atom]
            if self.draw.random() < 0.8 and self.derivation.follows(fewer, hints):
                clause = fewer
        self.steps += written(clause, hints)
        self.derivation.clauses.append(clause)
        return True

    def case(self, job: int, bounds: Bounds) -> Atom:
        """Return an atom about a job that neither holds nor fails."""
        low, high = bounds.low[job], bounds.high[job]
        comparison = self.draw.choice((AT_LEAST, AT_LEAST, AT_MOST, IS, IS_NOT))
        moment = self.draw.randint(low + (comparison == AT_LEAST), high - (comparison == AT_MOST))
        return Atom(job, comparison, moment)

    def consequences(self, assumed: Sequence[Atom]) -> tuple[Bounds, list[int] | None]:
        """Apply all rules until nothing changes; return the hints if there is a contradiction, otherwise None."""
        bounds, hints = Bounds(self.axis), []
        if any([bounds.add(atom) for atom in assumed]):
            return bounds, []
        pushes, clauses = 2 * len(self.axis.jobs), self.derivation.clauses
        before = None
        while before != (bounds.low, bounds.high, len(bounds.excluded)):
            before = list(bounds.low), list(bounds.high), len(bounds.excluded)
            for hint in self.draw.sample(range(pushes + len(clauses)), pushes + len(clauses)):
                known = [*bounds.low, *bounds.high], len(bounds.excluded)
                if hint < pushes:
                    contradiction = bounds.add(bounds.push(hint // 2, upper=hint % 2 == 1))
                else:
                    contradiction = self.derivation.resolve(clauses[pushes - 1 - hint], bounds)
                if contradiction or known != ([*bounds.low, *bounds.high], len(bounds.excluded)):
                    hints.append(hint)
                if contradiction:
                    return bounds, hints
        return bounds, None
