"""The one error of the stand-alone checker, and how it shows a value."""

from __future__ import annotations

from fractions import Fraction


class Refused(Exception):
    """What is read is malformed, or proves nothing; the message is one line: field, reason, value."""


def shown_value(value: object, limit: int = 60) -> str:
    """Return ``repr(value)``, of a Fraction 5/2, cut to `limit` characters; a huge integer makes no huge text."""
    if type(value) is int and value.bit_length() > 400:
        return f"an integer of {value.bit_length()} bits"
    try:
        text = str(value) if isinstance(value, Fraction) else repr(value)
    except (ValueError, RecursionError):  # Python writes out no integer beyond 4300 digits, not inside a list either
        return f"a {type(value).__name__} too long to show"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def refused(field: str, reason: str, *value: object) -> Refused:
    """Return the error for a field; with a third argument, the value that was found there."""
    place = f"{field}: " if field else ""
    got = f" (got {shown_value(value[0])})" if value else ""
    return Refused(f"{place}{reason}{got}")
