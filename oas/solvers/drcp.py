"""Proofs of Pumpkin (DRCP) as the compact clauses that `oas.checker.proof_log` checks.

A DRCP proof derives *nogoods*, sets of atoms such as [s3 >= 10] that do not hold together, each by inferences in the
order of their use. The checker finds the premises of an inference itself, so the job whose start an inference bounds
is enough. Nogoods that the refutation does not need are left out. Nothing here is trusted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oas.core.clock import check_clock
from oas.solvers.proof_steps import UnknownStepError, number_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

COMPARISONS = (">=", "<=", "==", "!=")  # by the numbers of the checker
_CONTRARY = {">=": ("<=", -1), "<=": (">=", 1), "==": ("!=", 0), "!=": ("==", 0)}
_PUSHES = ("time_table", "linear_bounds")


class _Atom(NamedTuple):
    job: int
    comparison: str
    value: int

    def contrary(self) -> _Atom:
        comparison, change = _CONTRARY[self.comparison]
        return _Atom(self.job, comparison, self.value + change)


class _Inference(NamedTuple):
    premises: list[int]
    conclusion: int | None  # None for a contradiction
    label: str
    tag: int  # of a constraint or nogood


class _Nogood(NamedTuple):
    atoms: list[int]
    hints: list[int]  # inferences


class Proof:
    """A proof read from its lines, in which starts are called s0, s1, and so on."""

    def __init__(self, lines: Iterable[str], jobs: int) -> None:
        self.jobs = jobs
        self._atoms: dict[int, _Atom] = {}
        self._inferences: dict[int, str] = {}  # their lines
        self._nogoods: dict[int, _Nogood] = {}
        self._clauses: dict[int, int] = {}  # number of the clause that each nogood has become
        line = ""
        for line in lines:
            check_clock()
            kind, number, text = line.split(" ", 2) if line[1:2] == " " and line[0] != "c" else (line[:1], "0", "")
            if kind == "a":
                variable, comparison, value = text.strip("[]\n").split()
                self._atoms[int(number)] = _Atom(int(variable[1:]), comparison, int(value))
            elif kind == "i":
                if not text.endswith("l:initial_domain\n"):
                    self._inferences[int(number)] = text
            elif kind == "n":
                atoms, hints = f" {text}".split(" 0 ")
                self._nogoods[int(number)] = _Nogood(*([int(word) for word in part.split()] for part in (atoms, hints)))
            elif kind != "c":
                raise UnknownStepError(f"the proof has a line of the unknown kind {kind}")
        last = list(self._nogoods.values())[-1:]
        if line != "c UNSAT\n" or not last or last[0].atoms:
            raise UnknownStepError("the proof ends without a contradiction")

    def steps(self) -> bytes:
        """Return the clauses that the contradiction needs, in the order of their derivation."""
        numbers = list(self._nogoods)
        needed = {numbers[-1]}
        for number in reversed(numbers):
            if number in needed:
                check_clock()
                inferences = map(self._inference, self._nogoods[number].hints)
                needed.update(one.tag for one in inferences if one is not None and one.label == "nogood")
        written = bytearray()
        for number in numbers:
            if number in needed:
                check_clock()
                self._write(self._nogoods[number], written)
                self._clauses[number] = len(self._clauses)
        return bytes(written)

    def _atom(self, number: int) -> _Atom:
        return self._atoms[number] if number > 0 else self._atoms[-number].contrary()

    def _inference(self, number: int) -> _Inference | None:
        """Return an inference; None for one that states a domain."""
        if number not in self._inferences:
            return None
        *words, tag, label = self._inferences[number].split()
        end = words.index("0")
        conclusion = int(words[end + 1]) if len(words) > end + 1 else None
        return _Inference([int(word) for word in words[:end]], conclusion, label[2:], int(tag[2:]))

    def _write(self, nogood: _Nogood, written: bytearray) -> None:
        """Append the clause of a nogood.

        A push repeats the one before without effect, unless a start is excluded to which the first has led. Pumpkin may
        list an inference with the premise [s3 == 86] before one of the bounds that it follows from; all are repeated
        then.
        """
        inferences = [one for one in map(self._inference, nogood.hints) if one is not None]
        conclusions = [one.conclusion for one in inferences if one.conclusion is not None]
        excludes = any(self._atom(number).comparison == "!=" for number in (*nogood.atoms, *conclusions))
        equals = any(self._atom(number).comparison == "==" for one in inferences for number in one.premises)
        hints: list[int] = []
        for inference in inferences:
            hints += [hint for hint in self._hints(inference) if excludes or hint not in hints[-1:]]
        hints *= 2 if equals else 1
        atoms = [self._atom(number) for number in nogood.atoms]
        atoms = [atom for atom in atoms if atom.value > 0 or atom.comparison != ">="]  # no start is below 0
        written += number_bytes(len(atoms))
        for job, comparison, value in atoms:
            written += number_bytes(4 * job + COMPARISONS.index(comparison)) + number_bytes(value)
        written += number_bytes(len(hints)) + b"".join(map(number_bytes, hints))

    def _hints(self, inference: _Inference) -> list[int]:
        """Return the use of a clause, or the push of a start."""
        if inference.label == "nogood":
            return [2 * self.jobs + len(self._clauses) - 1 - self._clauses[inference.tag]]
        if inference.label not in _PUSHES:
            raise UnknownStepError(f"the proof has a step with the unknown label {inference.label}")
        if inference.conclusion is None:  # all starts are excluded of each job of the premises, or of some job
            jobs = {self._atom(number).job for number in inference.premises} or range(self.jobs)
            return [2 * job for job in sorted(jobs)]
        conclusion = self._atom(inference.conclusion)
        if conclusion.comparison not in COMPARISONS[:2]:
            raise UnknownStepError("the proof excludes a start by a constraint")
        return [2 * conclusion.job + COMPARISONS.index(conclusion.comparison)]
