"""Cutting planes: inequalities over 0-1 variables, each derived from earlier ones, until one has no solution.

`docs/proof-log.md` proves that `CuttingPlanes.refutes` returns True only if no 0-1 values satisfy all rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from oas.checker.effort import Effort
from oas.checker.reading import BadLog, LogReader

MAX_REGISTERS = 100_000
MAX_BITS = 512  # of a number in an inequality that is kept or multiplied
FACTOR_BITS = 56  # of the first of the two numbers that make a factor
TERM_STEPS = 15  # of `Effort`, for a coefficient in memory

Inequality = tuple[dict[int, int], int]
"""Coefficients by variable, none of them 0; and a number that the sum of coefficients times variables is at least."""

KEEP, ADD, ADD_LITERALS, MULTIPLY, DIVIDE, SATURATE = range(6)


class CuttingPlanes:
    """Inequalities that follow from `rows`: one that is being derived, at first 0 ≥ 0, and those in registers."""

    def __init__(self, rows: Sequence[Inequality], variables: int, effort: Effort) -> None:
        self.rows, self.variables, self.effort = rows, variables, effort
        self.registers: dict[int, Inequality] = {}
        self.size = self.largest_size = 0  # number of terms in all registers, now and at most
        self.terms: dict[int, int] = {}
        self.least = 0

    def refutes(self, steps: bytes) -> bool:
        """Return whether the steps are valid, and no 0-1 values satisfy the inequality that they keep last.

        A step begins with its kind: `KEEP` register, `ADD` factor source, where sources are rows and then registers,
        `ADD_LITERALS` factor count and the distances of ascending literals, `MULTIPLY` or `DIVIDE` factor, `SATURATE`.
        A factor is two numbers, f and g for f + 2^56·g. Literal 2v is variable v, and literal 2v + 1 is 1 − v.
        """
        reader, contradiction = LogReader(steps), False
        try:
            while not reader.ended:
                kind = reader.number(SATURATE + 1)
                contradiction = False
                if kind == KEEP:
                    contradiction = self.keep(reader.number(MAX_REGISTERS))
                elif kind == SATURATE:
                    self.saturate()
                else:
                    factor = reader.number() | reader.number() << FACTOR_BITS
                    if factor == 0:
                        raise BadLog
                    if kind == ADD:
                        self.add(factor, reader.number(len(self.rows) + MAX_REGISTERS))
                    elif kind == ADD_LITERALS:
                        literal = 0
                        for _ in range(reader.number(len(steps))):
                            literal += reader.number()
                            self.add_literal(factor, literal)
                    elif kind == MULTIPLY:
                        self.multiply(factor)
                    else:
                        self.divide(factor)
        except BadLog:
            return False
        return contradiction

    def keep(self, register: int) -> bool:
        """Move the inequality to a register, and return whether no 0-1 values satisfy it."""
        terms = {variable: term for variable, term in self.terms.items() if term}
        self._check_bits()
        replaced = self.registers.get(register)
        self.size += len(terms) - (-10 if replaced is None else len(replaced[0]))
        if self.size > self.largest_size:
            self.effort.hold(TERM_STEPS * (self.size - self.largest_size))
            self.largest_size = self.size
        self.registers[register] = terms, self.least
        self.terms = {}
        least, self.least = self.least, 0
        return sum([term for term in terms.values() if term > 0]) < least

    def add(self, factor: int, source: int) -> None:
        """Add a positive multiple of a row, or of an inequality in a register."""
        if source < len(self.rows):
            terms, least = self.rows[source]
        elif source - len(self.rows) in self.registers:
            terms, least = self.registers[source - len(self.rows)]
        else:
            raise BadLog
        self.effort.spend(20 + 2 * len(terms))
        own = self.terms
        for variable, term in terms.items():
            own[variable] = own.get(variable, 0) + factor * term
        self.least += factor * least

    def add_literal(self, factor: int, literal: int) -> None:
        """Add a positive multiple of v ≥ 0, or of −v ≥ −1, for a variable v."""
        variable, negated = divmod(literal, 2)
        if variable >= self.variables:
            raise BadLog
        self.effort.spend(10)
        self.terms[variable] = self.terms.get(variable, 0) + (-factor if negated else factor)
        if negated:
            self.least -= factor

    def multiply(self, factor: int) -> None:
        """Multiply the inequality by a positive number."""
        self._check_bits()
        self.terms = {variable: factor * term for variable, term in self.terms.items()}
        self.least *= factor

    def divide(self, divisor: int) -> None:
        """Divide the inequality, written with literals that have positive coefficients, and round up all numbers."""
        degree = self._degree()
        self.terms = {
            variable: -(-term // divisor) if term > 0 else term // divisor
            for variable, term in self.terms.items()
            if term
        }
        self._set_degree(-(-degree // divisor))

    def saturate(self) -> None:
        """Reduce coefficients above the degree to it, in the same form."""
        degree = self._degree()
        most = max(degree, 0)
        self.terms = {variable: max(-most, min(most, term)) for variable, term in self.terms.items() if term}
        self._set_degree(degree)

    def _degree(self) -> int:
        """Return the number on the right if each term with a negative coefficient −a is written as a·(1 − v)."""
        self.effort.spend(20 + 5 * len(self.terms))
        return self.least - sum([term for term in self.terms.values() if term < 0])

    def _set_degree(self, degree: int) -> None:
        self.least = degree + sum([term for term in self.terms.values() if term < 0])

    def _check_bits(self) -> None:
        """Raise `BadLog` if a number is too long for quick steps."""
        self.effort.spend(20 + 5 * len(self.terms))
        numbers = self.terms.values()
        if max(self.least, -self.least, *numbers, *[-term for term in numbers], 0).bit_length() > MAX_BITS:
            raise BadLog
