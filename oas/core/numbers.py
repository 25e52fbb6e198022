"""Exact numbers: conversion of input, and fast comparison of many fractions.

Numbers of numpy and pandas are recognised by the abstract types of `numbers`, so that neither is imported here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isfinite, lcm
from numbers import Rational, Real
from typing import TYPE_CHECKING, Any, TypeVar

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

# Enough for any measured quantity, and arithmetic on malicious input stays cheap.
MAX_DIGITS = 40
MAX_EXPONENT = 40
_TOO_LONG = 10 ** (2 * MAX_DIGITS)

_NUMBER = re.compile(r"(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,6}))?", re.ASCII)
_RATIO = re.compile(r"(-?\d+)/(\d+)", re.ASCII)

_Kind = TypeVar("_Kind")

Exact = int | float | str | Decimal | Fraction | Rational
"""Values that `exact` accepts; floats must be whole numbers."""


class FormattableFraction(Fraction):
    """A Fraction for which ``f"{value:.2f}"`` works in Python 3.11, as it does for Fraction from 3.12 on."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        if not spec or sys.version_info >= (3, 12):
            return super().__format__(spec)
        with localcontext() as context:
            context.prec = 50 + len(str(self.numerator))
            return format(Decimal(self.numerator) / Decimal(self.denominator), spec)

    def __repr__(self) -> str:
        return f"Fraction({self.numerator}, {self.denominator})"


def parse_fraction(text: str) -> Fraction:
    """Read a decimal such as ``0.7`` or ``6.7e5``, or a ratio such as ``37/30``, exactly.

    Raises `InputError` if `text` is neither, or if a number has more than 40 digits or an exponent beyond ±40.
    """
    if len(text) > 4 * MAX_DIGITS:
        raise InputError(f"a number of {len(text)} characters is too long", value=text)
    if match := _RATIO.fullmatch(text):
        numerator, denominator = match.groups()
        _limit_digits(numerator, text)
        _limit_digits(denominator, text)
        if int(denominator) == 0:
            raise InputError("the denominator is zero", value=text)
        return Fraction(int(numerator), int(denominator))
    if match := _NUMBER.fullmatch(text):
        sign, whole, decimals, exponent = match.groups(default="")
        _limit_digits(whole + decimals, text)
        power = int(exponent or 0)
        if abs(power) > MAX_EXPONENT:
            raise InputError(f"the exponent is beyond ±{MAX_EXPONENT}", value=text)
        digits, shift = int(sign + whole + decimals), power - len(decimals)
        return Fraction(digits * 10**shift) if shift >= 0 else Fraction(digits, 10**-shift)
    raise InputError('not a number; write a decimal such as 0.7 or a ratio such as "37/30"', value=text)


def exact(value: Exact, field: str) -> Fraction:
    """Return `value` as a Fraction.

    Accepted are integers and other rationals, Decimals, text for `parse_fraction`, and floats that are whole numbers,
    such as 6.0. Other floats are refused: they rarely are the intended number (0.7 as a float is
    6305039478318694/2^53).

    Raises `InputError` naming `field` if `value` is of another type, not finite, or too long.
    """
    if type(value) is int and -_TOO_LONG < value < _TOO_LONG:  # the common case first: files hold many of these
        return Fraction(value)
    try:
        if isinstance(value, Fraction):
            result = value
        elif isinstance(value, str):
            result = parse_fraction(value)
        else:
            result = _rational(value)
        if max(abs(result.numerator), result.denominator) >= _TOO_LONG:
            raise InputError("the number is too long", value=value)
        return result
    except InputError as error:
        error.field = error.field or field
        raise


def integer(value: object, field: str, *, least: int) -> int:
    """Return `value` as an int if it is a whole number of at least `least`.

    Accepted are the types of `exact` except text: an int, 6.0, an element of a numpy array; bools are refused.

    Raises `InputError` naming `field` if `value` is not such a number.
    """
    whole = value if type(value) is int else None
    if whole is None:
        with suppress(InputError):
            number = _rational(value)
            whole = int(number) if number.denominator == 1 else None
    if whole is None:
        raise InputError("must be an integer", field=field, value=value)
    if whole < least:
        raise InputError(f"must be at least {least}", field=field, value=value)
    return whole


def _rational(value: object) -> Fraction:
    """Return a number of any type except text as a Fraction."""
    if isinstance(value, Rational) and not isinstance(value, bool):  # includes Integral
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Decimal):
        return parse_fraction(format(value, "e") if value.is_finite() else str(value))
    if not isinstance(value, Real) or isinstance(value, bool):
        raise InputError("not a number", value=value)
    number: Any = value  # a float of any precision: must be whole, and small enough that adding 1 changes it
    if not isfinite(number):
        raise InputError("must be a finite number", value=value)
    if not abs(number) + 1 > abs(number):
        raise InputError("a float of this size is not exact; give an int", value=value)
    if number != int(number):
        written = f'write "{number!s}" or {Fraction(str(number))!r}'
        reason = f"a float may be rounded; {written}, or read a table of floats with from_frame(..., decimals=3)"
        raise InputError(reason, value=value)
    return Fraction(int(number))


def identifier(value: object, field: str) -> str:
    """Return `value` if it is a valid name: 1 to 200 printable characters without a space at either end."""
    if not isinstance(value, str):
        raise InputError("must be text", field=field, value=value)
    if not 1 <= len(value) <= 200 or not value.isprintable() or value != value.strip():
        raise InputError("must be 1 to 200 printable characters, no space at either end", field=field, value=value)
    return str.__str__(value)  # also converts numpy's text


def tuple_of(values: object, kind: type[_Kind], field: str, example: str) -> tuple[_Kind, ...]:
    """Return `values` as a tuple of objects of type `kind`.

    Raises `InputError` if `values` is no iterable of these; its message shows `example`, code that creates one.
    """
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"must be a list of {kind.__name__}, such as [{example}]", field=field, value=values)
    items = tuple(values)
    for index, item in enumerate(items):
        if not isinstance(item, kind):
            reason = f"must be of type {kind.__name__}, such as {example}"
            raise InputError(reason, field=f"{field}[{index}]", value=item)
    return items


def is_less(one: Fraction, other: Fraction) -> bool:
    """Return whether `one` is less than `other`; faster than the operator of fractions."""
    return one.numerator * other.denominator < other.numerator * one.denominator


def common_denominator(values: Iterable[Fraction | int], limit: int) -> int:
    """Return the least common denominator of `values`, or some number above `limit` if it exceeds `limit`.

    The common denominator of many long fractions can have millions of digits; it is not computed to the end.
    """
    common = 1
    for value in values:
        common = lcm(common, value.denominator)
        if common > limit:
            break
    return common


def ceil_to(value: Fraction, grid: Fraction) -> Fraction:
    """Return the least multiple of `grid` that is at least `value`; `value` itself if `grid` is 0."""
    if not grid:
        return value
    return -(-value // grid) * grid


def _limit_digits(digits: str, text: str) -> None:
    if len(digits.lstrip("-")) > MAX_DIGITS:
        raise InputError(f"more than {MAX_DIGITS} digits", value=text)


def as_float(value: Fraction | int | None) -> float:
    """Return `value` as a float for data frames, NaN for None."""
    return float("nan") if value is None else float(value)


_MAX_DENOMINATOR = 2**256  # with larger common denominators, integer arithmetic is slower than comparing fractions


def comparable(moments: Sequence[Fraction | int]) -> list[int]:
    """Return an integer for each moment; integers compare like the moments.

    They are multiples of a common unit or, if that is too small, ranks among the distinct moments.
    """
    unit = common_denominator(moments, _MAX_DENOMINATOR)
    if unit == 1:
        return [moment.numerator for moment in moments]
    if unit <= _MAX_DENOMINATOR:
        return [moment.numerator * (unit // moment.denominator) for moment in moments]
    ranks = {moment: rank for rank, moment in enumerate(sorted(set(moments)))}
    return [ranks[moment] for moment in moments]
