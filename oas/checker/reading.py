"""Reading what `json.load` gives: objects of known fields, lists, integers and exact numbers, each checked.

In files a number is a JSON integer, a decimal, or a text such as ``"37/30"``; decimals arrive as `DecimalText`. In
certificates there are integers only, and texts of this form where a Fraction is meant.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from oas.checker.errors import refused

MAX_DIGITS = 40
MAX_EXPONENT = 40
LONGEST_NUMBER = 10 ** (2 * MAX_DIGITS)

_DECIMAL_FORM = re.compile(r"(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,6}))?", re.ASCII)
_RATIO_FORM = re.compile(r"(-?\d{1,80})/(\d{1,80})", re.ASCII)


class DecimalText(str):
    """The text of a JSON number with a point or an exponent, as written."""

    __slots__ = ()


def fields_of(value: object, where: str, *required: str, optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return an object that has all `required` fields, and no others but `optional` ones."""
    if type(value) is not dict:
        raise refused(where, "must be an object", value)
    for name in value:
        if name not in required and name not in optional:
            raise refused(f"{where}.{shown_key(name)}" if where else shown_key(name), "unknown field")
    for name in required:
        if name not in value:
            raise refused(f"{where}.{name}" if where else name, "is missing")
    return value


def shown_key(name: str) -> str:
    """Return a key as an error may show it: short, and without control characters."""
    return name if name.isprintable() and 0 < len(name) <= 60 else ascii(name)[:60]


def list_of(value: object, where: str, count: int | None = None, most: int | None = None) -> list[Any]:
    """Return a list, of `count` entries or at most `most`."""
    if type(value) is not list:
        raise refused(where, "must be a list", value)
    if count is not None and len(value) != count:
        raise refused(where, f"must have {count} entries", len(value))
    if most is not None and len(value) > most:
        raise refused(where, f"must have at most {most} entries", len(value))
    return value


def integer_of(value: object, where: str, least: int | None = 0, most: int | None = None) -> int:
    """Return an integer (a truth value is none) in [least, most]."""
    if type(value) is not int:
        raise refused(where, "must be an integer", value)
    if least is not None and value < least:
        raise refused(where, f"must be at least {least}", value)
    if most is not None and value > most:
        raise refused(where, f"must be at most {most}", value)
    return value


def number_of(value: object, where: str) -> Fraction:
    """Return an exact number: an integer, a `DecimalText`, or a text that holds a decimal or a ratio."""
    if type(value) is int:
        found = Fraction(value)
    elif isinstance(value, str):
        found = _number_in_text(value, where)
    else:
        raise refused(where, 'must be a number or a text such as "37/30"', value)
    if max(abs(found.numerator), found.denominator) >= LONGEST_NUMBER:
        raise refused(where, "the number is too long", value)
    return found


def _number_in_text(text: str, where: str) -> Fraction:
    if match := _RATIO_FORM.fullmatch(text):
        numerator, denominator = map(int, match.groups())
        if not denominator:
            raise refused(where, "the denominator is zero", text)
        return Fraction(numerator, denominator)
    match = _DECIMAL_FORM.fullmatch(text) if len(text) <= 4 * MAX_DIGITS else None
    if match is None:
        raise refused(where, 'not a number; write a decimal such as 0.7 or a ratio such as "37/30"', text)
    sign, whole, decimals, exponent = match.groups(default="")
    power = int(exponent or 0)
    if len(whole + decimals) > MAX_DIGITS or abs(power) > MAX_EXPONENT:
        raise refused(where, f"more than {MAX_DIGITS} digits, or an exponent beyond ±{MAX_EXPONENT}", text)
    digits, shift = int(sign + whole + decimals), power - len(decimals)
    return Fraction(digits * 10**shift) if shift >= 0 else Fraction(digits, 10**-shift)


def name_of(value: object, where: str) -> str:
    """Return a name: 1 to 200 printable characters without a space at either end."""
    if type(value) is not str:
        raise refused(where, "must be text", value)
    if not 1 <= len(value) <= 200 or not value.isprintable() or value != value.strip():
        raise refused(where, "must be 1 to 200 printable characters, no space at either end", value)
    return value
