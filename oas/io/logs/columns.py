"""Rows of text files with named columns: each value is read exactly, or refused with its line and column."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.numbers import identifier, parse_fraction
from oas.io.logs.lines import TextLimits, numbered_lines, readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from oas.io.logs.logged import Time

MOST = 10**15  # beyond any time or number of processors that a cluster has seen


@dataclass(frozen=True)
class Row:
    """A line of values.

    Attributes
    ----------
    line
        Its number in the file, from 1.
    values
        By column.
    """

    line: int
    values: Mapping[str, str]

    def place(self, column: str) -> str:
        """Return the name of a value in error messages."""
        return f"line {self.line}, {column}"

    def refusal(self, reason: str, column: str) -> InputError:
        """Return the error that a value of this row is not right."""
        return InputError(reason, field=self.place(column), value=self.values[column])

    def name(self, column: str) -> str:
        """Return a value that serves as a name."""
        return identifier(self.values[column], self.place(column))

    def time(self, column: str) -> Time:
        """Return a time from 0 on, exactly; an int where it is whole."""
        try:
            value = parse_fraction(self.values[column])
        except InputError as error:
            raise self.refusal("must be a decimal number", column) from error
        if not 0 <= value < MOST:
            raise self.refusal(f"must be from 0 on and below {MOST}", column)
        return value.numerator if value.denominator == 1 else value

    def count(self, column: str) -> int:
        """Return a whole number from 0 on."""
        text = self.values[column]
        if not (text.isascii() and text.isdigit()) or len(text) > len(str(MOST)) - 1:
            raise self.refusal("must be a whole number from 0 on, in at most 15 digits", column)
        return int(text)


def rows(
    data: bytes,
    split: Callable[[str], list[str]],
    required: Iterable[str],
    limits: TextLimits | None = None,
) -> Iterator[Row]:
    """Yield the rows of a file whose first line that is not empty names the columns.

    Parameters
    ----------
    data
        UTF-8, plain or gzipped.
    split
        What makes values of a line; a ValueError of it is the line's fault.
    required
        Columns that there must be.

    Raises
    ------
    InputError
        Naming line, column and value: not UTF-8, columns missing or named twice, too few or too many values.
    """
    names: list[str] = []
    for number, line in numbered_lines(data, limits or TextLimits()):
        if not line.strip():
            continue
        values = _values(line, number, split)
        if not names:
            names = [value.strip() for value in values]
            _check_names(names, number, required)
            continue
        if len(values) != len(names):
            reason = f"must have {len(names)} values, as the heading has columns, not {len(values)}"
            raise InputError(reason, field=f"line {number}", value=readable(line))
        yield Row(number, dict(zip(names, (value.strip() for value in values), strict=True)))
    if not names:
        raise InputError("the file is empty")


def _values(line: bytes, number: int, split: Callable[[str], list[str]]) -> list[str]:
    try:
        text = line.decode()
        return split(text)
    except UnicodeDecodeError as error:
        raise InputError("not UTF-8", field=f"line {number}", value=readable(line)) from error
    except ValueError as error:
        raise InputError(str(error), field=f"line {number}", value=readable(line)) from error


def _check_names(names: list[str], number: int, required: Iterable[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError("the column is named twice", field=f"line {number}", value=name)
    missing = [name for name in required if name not in names]
    if missing:
        raise InputError(f"has no column {' nor '.join(missing)}", field=f"line {number}", value=", ".join(names))


def resolution(text: str) -> Fraction:
    """Return the unit in the last place of a decimal number as it is written: 1/100 for ``3.20``, 1000 for ``1e3``."""
    mantissa, _, exponent = text.lower().partition("e")
    power = int(exponent or 0) - len(mantissa.partition(".")[2])
    return Fraction(10**power) if power >= 0 else Fraction(1, 10**-power)
