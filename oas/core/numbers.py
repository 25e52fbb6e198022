"""Exact numbers: what is accepted as one, how one is written, and how many are compared fast.

Numbers of Python, numpy and pandas are told by the abstract types of `numbers`, so that neither numpy nor pandas is
imported here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from math import isfinite, lcm
from numbers import Rational, Real
from typing import TYPE_CHECKING, Any, TypeVar

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

# Long enough for any measured quantity, short enough that arithmetic on hostile input stays cheap.
MAX_DIGITS = 40
MAX_EXPONENT = 40
_TOO_LONG = 10 ** (2 * MAX_DIGITS)

_NUMBER = re.compile(r"(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,6}))?", re.ASCII)
_RATIO = re.compile(r"(-?\d+)/(\d+)", re.ASCII)

_Kind = TypeVar("_Kind")

Exact = int | float | str | Decimal | Fraction | Rational
"""Values that `exact` takes; of floats only those that are whole numbers."""


def parse_fraction(text: str) -> Fraction:
    """Read a decimal such as ``0.7`` or ``6.7e5``, or a ratio such as ``37/30``, exactly.

    Raises `InputError` if `text` is neither, or has more than 40 digits on a side or an exponent beyond ±40.
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
    """Return `value` as a Fraction; it may be of Python, numpy or pandas.

    Taken are a whole number, a Fraction or any other rational, a Decimal, or text as `parse_fraction` reads it; a float
    where it is a whole number, such as 6.0. Any other is refused: it is rarely the number that was meant (0.7 as a
    float is 6305039478318694/2^53), and few, such as 2.5, are exact.

    Raises `InputError` naming `field` if `value` is of another type, not finite, or too long.
    """
    if type(value) is int and -_TOO_LONG < value < _TOO_LONG:  # at once: files hold hundreds of thousands
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
    """Return `value` as an int, if it is a whole number of at least `least`.

    It may be of any type that `exact` takes, but text: an int, 6.0, a number out of a numpy array. A bool is no number.

    Raises `InputError` if it is none, or smaller.
    """
    whole = value if type(value) is int else _whole(value)
    if whole is None:
        raise InputError("must be an integer", field=field, value=value)
    if whole < least:
        raise InputError(f"must be at least {least}", field=field, value=value)
    return whole


def _whole(value: object) -> int | None:
    """Return a number that is whole as an int; None for anything else."""
    try:
        number = _rational(value)
    except InputError:
        return None
    return int(number) if number.denominator == 1 else None


def _rational(value: object) -> Fraction:
    """Return a number of any type, but not text, as a Fraction."""
    if isinstance(value, Rational) and not isinstance(value, bool):  # an Integral is one too
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Decimal):
        return parse_fraction(format(value, "e") if value.is_finite() else str(value))
    if isinstance(value, Real) and not isinstance(value, bool):
        return _whole_float(value)
    raise InputError("not a number", value=value)


def _whole_float(value: Any) -> Fraction:
    """Return a float of any precision that is a whole number, small enough that its neighbours are too."""
    if not isfinite(value):
        raise InputError("must be a finite number", value=value)
    size = abs(value)
    if not size + 1 > size:
        raise InputError("a float of this size is not exact; give an int", value=value)
    whole = int(value)
    if value != whole:
        raise InputError(
            f'a float may be rounded; write "{value!s}" or {Fraction(str(value))!r}, or read a table of floats with'
            " from_frame(..., decimals=3)",
            value=value,
        )
    return Fraction(whole)


def identifier(value: object, field: str) -> str:
    """Return `value` if it can serve as a name: 1 to 200 printable characters without a space at either end."""
    if not isinstance(value, str):
        raise InputError("must be text", field=field, value=value)
    if not 1 <= len(value) <= 200 or not value.isprintable() or value != value.strip():
        raise InputError("must be 1 to 200 printable characters, no space at either end", field=field, value=value)
    return str.__str__(value)  # plain text, also of numpy's


def tuple_of(values: object, kind: type[_Kind], field: str, example: str) -> tuple[_Kind, ...]:
    """Return `values` as a tuple, if they are several of one type.

    `kind` is the type of each; `example`, for the error, is code that makes one of them.

    Raises `InputError` if they are something else.
    """
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"must be a list of {kind.__name__}, such as [{example}]", field=field, value=values)
    found = tuple(values)
    for index, one in enumerate(found):
        if not isinstance(one, kind):
            reason = f"must be of type {kind.__name__}, such as {example}"
            raise InputError(reason, field=f"{field}[{index}]", value=one)
    return found


def common_denominator(values: Iterable[Fraction | int], limit: int) -> int:
    """Return the least common denominator of `values`; if that is above `limit`, any number above `limit`.

    Many long denominators have a common one of millions of digits, which is not computed.
    """
    common = 1
    for value in values:
        common = lcm(common, value.denominator)
        if common > limit:
            break
    return common


def ceil_to(value: Fraction, grid: Fraction) -> Fraction:
    """Return the least multiple of `grid` that is at least `value`; `value` itself where there is no grid, 0."""
    if not grid:
        return value
    return -(-value // grid) * grid


def _limit_digits(digits: str, text: str) -> None:
    if len(digits.lstrip("-")) > MAX_DIGITS:
        raise InputError(f"more than {MAX_DIGITS} digits", value=text)


def as_float(value: Fraction | int | None) -> float:
    """Return `value` as data frames hold it: what is missing is NaN."""
    return float("nan") if value is None else float(value)


_LONGEST = 2**256  # of common denominators; beyond, arithmetic takes longer than comparing fractions does


def comparable(moments: Sequence[Fraction]) -> list[int]:
    """Return an integer for each moment; they are ordered as the moments are, and equal where those are.

    They count a common unit of the moments or, where that is too small, the distinct moments that are earlier.
    """
    unit = common_denominator(moments, _LONGEST)
    if unit == 1:
        return [moment.numerator for moment in moments]
    if unit <= _LONGEST:
        return [moment.numerator * (unit // moment.denominator) for moment in moments]
    ranks = {moment: rank for rank, moment in enumerate(sorted(set(moments)))}
    return [ranks[moment] for moment in moments]
