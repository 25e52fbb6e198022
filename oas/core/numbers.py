"""Exact numbers: what is accepted as one, and how one is written."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

# Long enough for any measured quantity, short enough that arithmetic on hostile input stays cheap.
MAX_DIGITS = 40
MAX_EXPONENT = 40
_TOO_LONG = 10 ** (2 * MAX_DIGITS)

_NUMBER = re.compile(r"(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,6}))?", re.ASCII)
_RATIO = re.compile(r"(-?\d+)/(\d+)", re.ASCII)

Exact = int | str | Decimal | Fraction


def parse_fraction(text: str) -> Fraction:
    """Read a decimal such as ``0.7`` or ``6.7e5``, or a ratio such as ``37/30``, exactly.

    Raises
    ------
    InputError
        If `text` is neither, or has more than 40 digits on a side or an exponent beyond ±40.
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

    Parameters
    ----------
    value
        An int, Fraction, Decimal, or text as `parse_fraction` reads it. A float is refused: it is rarely the number
        that was meant (0.7 as a float is 6305039478318694/2^53).
    field
        Name of the field, for the error.

    Raises
    ------
    InputError
        If `value` is of another type, not finite, or too long.
    """
    try:
        if isinstance(value, Fraction):
            result = value
        elif isinstance(value, int) and not isinstance(value, bool):
            result = Fraction(value)
        elif isinstance(value, Decimal):
            result = parse_fraction(format(value, "e") if value.is_finite() else str(value))
        elif isinstance(value, str):
            result = parse_fraction(value)
        elif isinstance(value, float):
            raise InputError(f'a float is not exact; write "{value!r}", Decimal or Fraction', value=value)
        else:
            raise InputError("not a number", value=value)
        if max(abs(result.numerator), result.denominator) >= _TOO_LONG:
            raise InputError("the number is too long", value=value)
        return result
    except InputError as error:
        error.field = error.field or field
        raise


def integer(value: object, field: str, *, least: int) -> int:
    """Return `value` if it is an int of at least `least`; a bool is not an int here."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError("must be an integer", field=field, value=value)
    if value < least:
        raise InputError(f"must be at least {least}", field=field, value=value)
    return value


def identifier(value: object, field: str) -> str:
    """Return `value` if it can serve as a name: 1 to 200 printable characters without a space at either end."""
    if not isinstance(value, str):
        raise InputError("must be text", field=field, value=value)
    if not 1 <= len(value) <= 200 or not value.isprintable() or value != value.strip():
        raise InputError("must be 1 to 200 printable characters, no space at either end", field=field, value=value)
    return value


def format_fraction(value: Fraction) -> str:
    """Write `value` as an integer or as ``numerator/denominator``."""
    return str(value)


def common_denominator(values: Iterable[Fraction], limit: int) -> int:
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
    """Return the least multiple of `grid` that is at least `value`."""
    return -(-value // grid) * grid


def _limit_digits(digits: str, text: str) -> None:
    if len(digits.lstrip("-")) > MAX_DIGITS:
        raise InputError(f"more than {MAX_DIGITS} digits", value=text)


def as_float(value: Fraction | None) -> float:
    """Return `value` as data frames hold it: what is missing is NaN."""
    return float("nan") if value is None else float(value)
