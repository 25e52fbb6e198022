"""Proofs of Exact (VeriPB) as the compact steps that `oas.checker.cutting_planes` checks.

A ``pol`` line derives an inequality by an expression in reverse Polish notation, with numbers of earlier lines and
literals as operands. Lines that the contradiction does not need are left out, and inequalities are kept in registers
only until their last use. Nothing here is trusted.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from oas.core.clock import check_clock
from oas.solvers.proof_steps import UnknownStepError, factor_bytes, number_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

KEEP, ADD, ADD_LITERALS, MULTIPLY, DIVIDE, SATURATE = range(6)  # by the numbers of the checker


class _Term(NamedTuple):
    """A multiple of a literal, a row or a derived inequality."""

    factor: int
    literal: int | None  # 2v for variable v, 2v + 1 for its negation
    source: int  # number of a line, below 0 of a part of one


_Operation = _Term | tuple[int, int]  # a term to be added; or a kind, `MULTIPLY` and so on, and its factor
_Expression = _Term | list[_Operation]


class Proof:
    """A proof read from its lines: rows are numbered from 1, variables are called x1, x2, and so on."""

    def __init__(self, lines: Iterable[str], rows: int) -> None:
        self.rows = rows
        self._lines: list[str] = [""]  # by number
        self._programs: list[tuple[int, list[_Operation]]] = []  # number of a line or part, and its operations
        end = ""
        for line in lines:
            check_clock()
            kind = line.split(" ", 1)[0]
            if kind == "c":
                end = line
            elif kind in ("l", "rup", "pol"):
                self._lines.append(line)
            elif kind not in ("pseudo-Boolean", "*"):
                raise UnknownStepError(f"the proof has a line of the unknown kind {kind.strip()}")
        if not end:
            raise UnknownStepError("the proof ends without a contradiction")
        self._last = int(end.split()[1])

    def steps(self) -> bytes:
        """Return the steps that the contradiction needs, in the order of their derivation."""
        needed, derived = {self._last}, []
        for number in range(self._last, 0, -1):
            if number in needed and self._lines[number].startswith("pol "):
                check_clock()
                words = self._lines[number].split()[1:]
                needed.update(
                    int(word)
                    for word, after in zip(words, [*words[1:], ""], strict=True)
                    if word.isdigit() and after not in ("*", "d")
                )
                derived.append(number)
        if not derived:
            self._programs.append((self._last, [_Term(1, None, self._last)]))
        for number in reversed(derived):
            check_clock()
            self._programs.append((number, self._program(self._evaluated(self._lines[number].split()[1:]))))
        return self._written()

    def _evaluated(self, words: Sequence[str]) -> _Expression:
        """Return the value of an expression; the sum of two long ones makes one of them a part with its own number."""
        stack: list[_Expression] = []
        place = 0
        while place < len(words):
            word, after = words[place], words[place + 1] if place + 1 < len(words) else ""
            if word.isdigit() and after in ("*", "d"):
                factor, value = int(word), stack.pop()
                place += 1
                if after == "*" and isinstance(value, _Term):
                    stack.append(value._replace(factor=value.factor * factor))
                else:
                    stack.append([*self._program(value), (MULTIPLY if after == "*" else DIVIDE, factor)])
            elif word == "s":
                stack.append([*self._program(stack.pop()), (SATURATE, 0)])
            elif word == "+":
                other, value = stack.pop(), stack.pop()
                if isinstance(value, _Term) and isinstance(other, list):
                    value, other = other, value
                if isinstance(other, list):
                    number = -1 - len(self._programs)
                    self._programs.append((number, other))
                    other = _Term(1, None, number)
                program = self._program(value)
                program.append(other)
                stack.append(program)
            elif word != ";":
                stack.append(self._operand(word))
            place += 1
        (value,) = stack
        return value

    def _program(self, value: _Expression) -> list[_Operation]:
        return [value] if isinstance(value, _Term) else value

    def _operand(self, word: str) -> _Term:
        if word.startswith(("x", "~x")):
            negated = word[0] == "~"
            return _Term(1, 2 * (int(word.lstrip("~x")) - 1) + negated, 0)
        return _Term(1, None, int(word))

    def _written(self) -> bytes:
        """Return the bytes of all programs."""
        last_use: dict[int, int] = {}
        for place, (_, program) in enumerate(self._programs):
            last_use |= {one.source: place for one in program if isinstance(one, _Term)}
        registers: dict[int, int] = {}
        free: list[int] = []
        written = bytearray()
        for place, (number, program) in enumerate(self._programs):
            check_clock()
            terms: list[_Term] = []
            for one in program:
                if isinstance(one, _Term):
                    terms.append(one)
                    continue
                self._write_sum(terms, registers, written)
                terms = []
                kind, factor = one
                written += bytes([kind]) + (factor_bytes(factor) if kind != SATURATE else b"")
            self._write_sum(terms, registers, written)
            for source in [one for one in registers if last_use.get(one) == place]:
                free.append(registers.pop(source))
            registers[number] = free.pop() if free else len(registers)
            written += bytes([KEEP]) + number_bytes(registers[number])
        return bytes(written)

    def _write_sum(self, terms: Sequence[_Term], registers: dict[int, int], written: bytearray) -> None:
        """Write terms to be added: first inequalities, then literals, those with the same factor together."""
        literals = sorted((one.factor, one.literal) for one in terms if one.literal is not None)
        for factor, literal, source in terms:
            if literal is None:
                written += bytes([ADD]) + factor_bytes(factor) + number_bytes(self._place(source, registers))
        for factor, group in groupby(literals, itemgetter(0)):
            before, own = 0, [literal for _, literal in group]
            written += bytes([ADD_LITERALS]) + factor_bytes(factor) + number_bytes(len(own))
            for literal in own:
                written += number_bytes(literal - before)
                before = literal

    def _place(self, source: int, registers: dict[int, int]) -> int:
        """Return the number of an inequality among the sources of the checker."""
        if source in registers:
            return self.rows + registers[source]
        kind, *words = self._lines[source].split() if source > 0 else [""]
        if kind == "l":
            return int(words[0]) - 1
        raise UnknownStepError(f"the proof uses a step of the unknown kind {kind}")
