"""From bytes to a typed document, or to an `InputError` that names the place and the value."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import msgspec

from oas.core.errors import InputError, LargerThanReadError, unknown_name
from oas.core.numbers import MAX_DIGITS, exact
from oas.io.diagnostics import (
    explain_invalid,
    explain_malformed,
    explain_nesting,
    line_and_column,
    refuse_repeated_keys,
)
from oas.io.documents import Document, InstanceHeading, ResultDocument, ScheduleDocument
from oas.io.files import unpacked
from oas.problems.registry import problem_named, problem_names

MAX_BYTES = 64 * 2**20
# A JSON text has no more values than commas and opening brackets: counting these first bounds all that follows.
MAX_VALUES = 1_000_000

# A ratio as files written here may hold it: `exact` allows twice the digits of what `parse_fraction` reads.
_LONG_RATIO = re.compile(rf"-?\d{{1,{2 * MAX_DIGITS}}}/\d{{1,{2 * MAX_DIGITS}}}", re.ASCII)


class Decimal(str):
    """The text of a JSON number with a point or an exponent, kept as written."""

    __slots__ = ()


def decode(data: bytes, limit: int = MAX_BYTES) -> Document:
    """Return the document in `data`, which may be gzipped, and of which at most `limit` bytes are unpacked.

    Raises `InputError` if it is too large, a broken gzip file or not JSON in UTF-8, has a key twice, or is not shaped
    as one of the formats.
    """
    data = unpacked(data, limit)
    text = _text(data)
    try:
        first = _FORMATS.decode(data)
        document = instance_decoder(first.problem).decode(data) if isinstance(first, InstanceHeading) else first
        refuse_repeated_keys(text)
    except msgspec.ValidationError as error:
        raise explain_invalid(error, text) from error
    except msgspec.DecodeError as error:
        raise explain_malformed(error, data, text) from error
    except RecursionError as error:
        raise explain_nesting(data) from error
    return document


def has_too_many_values(data: bytes) -> bool:
    """Tell whether JSON may have more values than are read."""
    return data.count(b",") + data.count(b"[") + data.count(b"{") > MAX_VALUES


def _text(data: bytes) -> str:
    if not data.strip(b" \t\r\n"):
        raise InputError("the file is empty")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("starts with the byte-order mark of UTF-16; save it as UTF-8", value=data[:2])
    if has_too_many_values(data):
        raise LargerThanReadError(f"more than {MAX_VALUES} values")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        place = line_and_column(data, error.start)
        raise InputError("not UTF-8", field=place, value=data[error.start : error.start + 4]) from error


def _number(kind: type, value: object) -> Fraction:
    """Read a number field: any JSON number, or text with a decimal or a ratio."""
    if kind is not Fraction:
        raise NotImplementedError
    if type(value) is int:
        return exact(value, "")
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise InputError('must be a number or a text such as "37/30"', value=value)
    if isinstance(value, str) and _LONG_RATIO.fullmatch(value):
        numerator, denominator = map(int, value.split("/"))
        if denominator:
            return exact(Fraction(numerator, denominator), "")
    return exact(value, "")


def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind, dec_hook=_number, float_hook=Decimal)


_FORMATS: msgspec.json.Decoder[InstanceHeading | ScheduleDocument | ResultDocument] = _decoder(
    InstanceHeading | ScheduleDocument | ResultDocument
)


def instance_decoder(problem: str) -> msgspec.json.Decoder[Any]:
    """Return what decodes instances of the problem of this name; raises `InputError` if there is no such problem."""
    if problem not in problem_names():
        raise unknown_name(problem, problem_names(), "problem", reason="unknown value")
    return _decoder(problem_named(problem).part("document").document)
