"""Proofs of Pumpkin (DRCP) as the compact clauses that `oas.checker.proof_log` checks.

A DRCP proof derives *nogoods*, sets of atoms such as [s3 >= 10] that do not hold together, each by inferences in the
order of their use. The checker finds the premises of an inference itself, so the job whose start an inference bounds
is enough. Nogoods that the refutation does not need are left out. Nothing here is trusted.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from typing import TYPE_CHECKING, NamedTuple

from oas.core.clock import check_clock

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_CONTRARY = {">=": ("<=", -1), "<=": (">=", 1), "==": ("!=", 0), "!=": ("==", 0)}
COMPARISONS = (">=", "<=", "==", "!=")  # by the numbers of the checker
_SIDES = {">=": 0, "<=": 1}
_PUSHES = ("time_table", "linear_bounds", "linear")


class UnknownStepError(Exception):
    """A proof has a step that cannot be translated."""


class _Atom(NamedTuple):
    job: int  # -1 for a fixed start
    comparison: str
    value: int

    def contrary(self) -> _Atom:
        comparison, change = _CONTRARY[self.comparison]
        return _Atom(self.job, comparison, self.value + change)


class _Inference(NamedTuple):
    premises: list[int]
    conclusion: int | None
    tag: int
    label: str


class _Nogood(NamedTuple):
    atoms: list[int]
    hints: list[int]


class Proof:
    """A proof read from its lines: atoms, inferences and nogoods by number."""

    def __init__(self, lines: Iterable[str], jobs: int) -> None:
        self.jobs = jobs  # starts are called s0, s1, …
        self._atoms: dict[int, _Atom] = {}
        self._inferences: dict[int, _Inference] = {}
        self._nogoods: dict[int, _Nogood] = {}
        self._clauses: dict[int, int] = {}  # number of the clause that each nogood has become
        concluded = False
        for line in lines:
            check_clock()
            kind, *words = line.split()
            if kind == "a":
                self._read_atom(*words)
            elif kind == "i":
                self._read_inference(words)
            elif kind == "n":
                numbers = [int(word) for word in words]
                end = numbers.index(0)
                self._nogoods[numbers[0]] = _Nogood(numbers[1:end], numbers[end + 1 :])
            elif kind == "c":
                concluded = words == ["UNSAT"]
            else:
                raise UnknownStepError(f"the proof has a line of the unknown kind {kind}")
        if not (concluded and self._nogoods and not list(self._nogoods.values())[-1].atoms):
            raise UnknownStepError("the proof ends without a contradiction")

    def _read_atom(self, number: str, variable: str, comparison: str, value: str) -> None:
        job = int(variable[2:]) if variable.startswith("[s") else -1
        self._atoms[int(number)] = _Atom(job, comparison, int(value.rstrip("]")))

    def _read_inference(self, words: list[str]) -> None:
        marked = {word[0]: word[2:] for word in words if word[1:2] == ":"}
        numbers = [int(word) for word in words if word[1:2] != ":"]
        end = numbers.index(0)
        conclusion = numbers[end + 1] if len(numbers) > end + 1 else None
        self._inferences[numbers[0]] = _Inference(
            numbers[1:end], conclusion, int(marked.get("c", 0)), marked.get("l", "")
        )

    def _atom(self, number: int) -> _Atom:
        return self._atoms[number] if number > 0 else self._atoms[-number].contrary()

    def _used(self, hint: int) -> int | None:
        """Return the nogood that a hint uses, directly or by an inference; None if it uses none."""
        if hint in self._nogoods:
            return hint
        inference = self._inferences[hint]
        return inference.tag if inference.label == "nogood" else None

    def steps(self) -> bytes:
        """Return the clauses that the contradiction needs, in the order of their derivation."""
        numbers = list(self._nogoods)
        needed = {numbers[-1]}
        for number in reversed(numbers):
            if number in needed:
                needed.update(used for hint in self._nogoods[number].hints if (used := self._used(hint)) is not None)
        written = bytearray()
        for number in numbers:
            check_clock()
            if number in needed:
                self._write(number, written)
        return bytes(written)

    def packed(self) -> str:
        """Return the steps as a text: base64 of the bytes, compressed by zlib."""
        return b64encode(zlib.compress(self.steps(), 9)).decode()

    def _write(self, number: int, written: bytearray) -> None:
        """Append the clause of a nogood."""
        nogood = self._nogoods[number]
        atoms = [atom for atom in map(self._atom, nogood.atoms) if atom.job >= 0]
        conclusions = (one.conclusion for hint in nogood.hints if (one := self._inferences.get(hint)) is not None)
        used = map(self._atom, (*nogood.atoms, *(one for one in conclusions if one is not None)))
        hints = self._hints(nogood.hints, excludes=any(atom.comparison == "!=" for atom in used))
        self._clauses[number] = len(self._clauses)
        atoms = [atom for atom in atoms if atom.value > 0 or atom.comparison != ">="]  # no start is below 0
        written += _number(len(atoms))
        for job, comparison, value in atoms:
            written += _number(4 * job + COMPARISONS.index(comparison)) + _number(value)
        written += _number(len(hints)) + b"".join(map(_number, hints))

    def _hints(self, hints: Sequence[int], *, excludes: bool) -> list[int]:
        """Return the hints of a clause: pushes and used clauses.

        A push repeats the one before without effect, unless a start is excluded to which the first has led.
        """
        codes: list[int] = []
        for hint in hints:
            used = self._used(hint)
            if used is not None:
                own = [2 * self.jobs + len(self._clauses) - 1 - self._clauses[used]]
            else:
                own = self._pushes(self._inferences[hint])
            codes += own if excludes else [code for code in own if code not in codes[-1:]]
        return codes

    def _pushes(self, inference: _Inference) -> list[int]:
        if inference.label == "initial_domain":
            return []
        if inference.label not in _PUSHES:
            raise UnknownStepError(f"the proof has a step with the unknown label {inference.label}")
        conclusion = None if inference.conclusion is None else self._atom(inference.conclusion)
        if conclusion is not None and conclusion.job >= 0:
            if conclusion.comparison not in _SIDES:
                raise UnknownStepError("the proof excludes a start by a constraint")
            return [2 * conclusion.job + _SIDES[conclusion.comparison]]
        # A contradiction: every start of some job of the premises is excluded.
        jobs = {atom.job for atom in map(self._atom, inference.premises) if atom.job >= 0}
        return [2 * job for job in sorted(jobs)]


def _number(value: int) -> bytes:
    """Return a number in groups of seven bits, lowest bits first; 128 is added to all bytes except the last."""
    groups = bytearray()
    while value >= 128:
        groups.append(value & 127 | 128)
        value >>= 7
    groups.append(value)
    return bytes(groups)
