"""Checked conversion of JSON values: objects, lists, integers, exact numbers and packed bytes.

In files a number is a JSON integer, a decimal, or a text such as ``"37/30"``; decimals arrive as `DecimalText`. In
certificates there are only integers, and texts of this form for fractions.
"""

from __future__ import annotations

import binascii
import re
import zlib
from base64 import b64decode
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

MAX_DIGITS = 40
MAX_EXPONENT = 40
LONGEST_NUMBER = 10 ** (2 * MAX_DIGITS)
MOST_NUMBER_BYTES = 8  # length of a number in a log

_DECIMAL_FORM = re.compile(r"(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,6}))?", re.ASCII)
_UNFIT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_RATIO_FORM = re.compile(r"(-?\d{1,80})/(\d{1,80})", re.ASCII)


class Refused(Exception):
    """A file or certificate is malformed or proves nothing; the message is one line: field, reason, value."""


def shown_value(value: object) -> str:
    """Return ``repr(value)``, ``5/2`` for a Fraction, cut to 60 characters."""
    try:
        text = str(value) if isinstance(value, Fraction) else repr(value)
    except (ValueError, RecursionError):  # Python does not convert integers beyond 4300 digits, also inside a list
        return f"a {type(value).__name__} too long to show"
    return text if len(text) <= 60 else text[:59] + "…"


def refused(field: str, reason: str, *value: object) -> Refused:
    """Return the error for a field; a third argument is its value."""
    place = f"{field}: " if field else ""
    got = f" (got {shown_value(value[0])})" if value else ""
    return Refused(f"{place}{reason}{got}")


class DecimalText(str):
    """The text of a JSON number with a point or an exponent, as written."""

    __slots__ = ()


def object_of(value: object, where: str) -> dict[str, Any]:
    """Return an object."""
    if type(value) is not dict:
        raise refused(where, "must be an object", value)
    return value


def fields_of(value: object, where: str, *required: str, optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return an object with all `required` fields; the other fields must be `optional`."""
    fields, prefix = object_of(value, where), f"{where}." if where else ""
    for name in fields:
        if name not in required and name not in optional:
            printable = name if name.isprintable() and 0 < len(name) <= 60 else ascii(name)[:60]
            raise refused(prefix + printable, "unknown field")
    for name in required:
        if name not in fields:
            raise refused(prefix + name, "is missing")
    return fields


def list_of(value: object, where: str, count: int | None = None, most: int | None = None) -> list[Any]:
    """Return a list of `count` or at most `most` entries."""
    if type(value) is not list:
        raise refused(where, "must be a list", value)
    if count is not None and len(value) != count:
        raise refused(where, f"must have {count} entries", len(value))
    if most is not None and len(value) > most:
        raise refused(where, f"must have at most {most} entries", len(value))
    return value


def rows_of(value: object, where: str, most: int | None = None) -> list[tuple[Any, str]]:
    """Return the entries of a list, at most `most`, each with its field name."""
    return [(row, f"{where}[{index}]") for index, row in enumerate(list_of(value, where, most=most))]


def check_different(names: Iterable[str], where: str, reason: str) -> None:
    """Refuse a name that occurs twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise refused(where, reason, name)
        seen.add(name)


def integer_of(value: object, where: str, least: int | None = 0, most: int | None = None) -> int:
    """Return an integer in [least, most]; truth values are refused."""
    if type(value) is not int:
        raise refused(where, "must be an integer", value)
    if least is not None and value < least:
        raise refused(where, f"must be at least {least}", value)
    if most is not None and value > most:
        raise refused(where, f"must be at most {most}", value)
    return value


def integers_of(value: object, where: str, count: int, most: int) -> list[int]:
    """Return a list of `count` integers in [0, most]."""
    return [integer_of(one, f"{where}[{at}]", 0, most) for at, one in enumerate(list_of(value, where, count))]


def number_of(
    value: object, where: str, *, least: int | None = None, above: int | None = None, most: int | None = None
) -> Fraction:
    """Return an exact number, given as an integer, a `DecimalText`, or a text with a decimal or a ratio."""
    if type(value) is int:
        number = Fraction(value)
    elif isinstance(value, str):
        number = _number_in_text(value, where)
    else:
        raise refused(where, 'must be a number or a text such as "37/30"', value)
    if max(abs(number.numerator), number.denominator) >= LONGEST_NUMBER:
        raise refused(where, "the number is too long", value)
    if least is not None and number < least:
        raise refused(where, f"must be at least {least}", number)
    if above is not None and number <= above:
        raise refused(where, f"must be above {above}", number)
    if most is not None and number > most:
        raise refused(where, f"must be at most {most}", number)
    return number


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


def text_of(value: object, where: str) -> str:
    """Return a text for people; control characters, which could affect a terminal, are refused."""
    if type(value) is not str:
        raise refused(where, "must be text", value)
    if match := _UNFIT_TEXT.search(value):
        raise refused(where, "must not hold control characters", value[match.start() :][:20])
    return value


def texts_of(value: object, where: str) -> dict[str, str]:
    """Return an object of texts."""
    return {text_of(key, where): text_of(one, where) for key, one in object_of(value, where).items()}


def name_of(value: object, where: str) -> str:
    """Return a name: 1 to 200 printable characters without a space at either end."""
    if type(value) is not str:
        raise refused(where, "must be text", value)
    if not 1 <= len(value) <= 200 or not value.isprintable() or value != value.strip():
        raise refused(where, "must be 1 to 200 printable characters, no space at either end", value)
    return value


def one_of(value: object, where: str, known: tuple[str, ...]) -> str:
    """Return a text that is one of the `known` ones."""
    if type(value) is not str or value not in known:
        raise refused(where, f"unknown value; known: {', '.join(known)}", value)
    return value


def flag_of(value: object, where: str) -> bool:
    """Return a truth value."""
    if type(value) is not bool:
        raise refused(where, "must be true or false", value)
    return value


def check_version(value: object, where: str, known: int = 1) -> None:
    """Refuse all versions of a format except the `known` one."""
    if type(value) is not int or value != known:
        raise refused(where, f"unknown value; known: {known}", value)


def unpacked_bytes(value: object, field: str, most: int) -> bytes:
    """Return at most `most` bytes from a text in base64, compressed by zlib; further bytes are not decompressed."""
    if type(value) is not str:
        raise refused(field, "must be a text", value)
    unpacker = zlib.decompressobj()
    try:
        data = unpacker.decompress(b64decode(value, validate=True), most + 1)
    except (binascii.Error, zlib.error, ValueError):
        raise refused(field, "must be zlib-compressed bytes in base64") from None
    if len(data) > most or not unpacker.eof or unpacker.unused_data:
        raise refused(field, f"must contain at most {most:,} bytes, compressed as one block")
    return data


class BadLog(Exception):
    """A log entry that is malformed or violates the rules."""


class LogReader:
    """Reader of the bytes of a log."""

    def __init__(self, log: bytes) -> None:
        self.log, self.at = log, 0

    @property
    def ended(self) -> bool:
        """Whether all bytes have been read."""
        return self.at == len(self.log)

    def byte(self) -> int:
        """Return the next byte."""
        if self.at == len(self.log):
            raise BadLog
        self.at += 1
        return self.log[self.at - 1]

    def number(self, limit: int | None = None) -> int:
        """Return the next number, which must be below `limit`.

        Numbers are stored in groups of seven bits, lowest bits first; 128 is added to all bytes except the last.
        """
        number = 0
        for digit in range(MOST_NUMBER_BYTES):
            byte = self.byte()
            number |= (byte & 127) << 7 * digit
            if byte < 128:
                if limit is not None and number >= limit:
                    raise BadLog
                return number
        raise BadLog
