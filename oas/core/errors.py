"""Errors for users: each message names the fault and its place, so that no traceback is needed."""

from __future__ import annotations

import re
from contextlib import contextmanager
from difflib import get_close_matches
from fractions import Fraction
from math import floor, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oas.core.verifier import Violation

_LONG_NUMBER = re.compile(r"\d{31,}", re.ASCII)


class OasError(Exception):
    """Base class of all errors that this package raises deliberately; long numbers in messages are abbreviated."""

    def __str__(self) -> str:
        return abbreviated(super().__str__())


class InputError(OasError, ValueError):
    """An invalid value; the message names the file (if any), the field and the value.

    `reason`: the fault, as a sentence without the field's name. `field`: path of the field, such as ``jobs[3].tasks``;
    empty for the input as a whole. `value`: the invalid value; long ones are shortened in the message. `file`: path of
    the source file; None for a value given in Python.
    """

    def __init__(self, reason: str, *, field: str = "", value: object = None, file: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.field = field
        self.value = value
        self.file = file

    def __str__(self) -> str:
        place = ": ".join(part for part in (self.file, self.field) if part)
        value = "" if self.value is None else f" (got {shorten(self.value)})"
        text = abbreviated(f"{self.reason}{value}")
        return f"{place}: {text}" if place else text


class LongTimesError(InputError):
    """Exact times with more digits than files can hold; on a grid of time slots they stay short."""


class InfeasibleError(OasError):
    """An instance without schedule: some job has no allocation even on an empty grid."""


class LargerThanReadError(InputError):
    """A file or document above the size limit for reading; the message names the limit."""


class TooLargeError(OasError):
    """A model, enumeration or number above a stated cap; the message gives both figures."""


class VerificationError(OasError):
    """A schedule that breaks rules of its instance."""

    def __init__(self, message: str, violations: tuple[Violation, ...] = ()) -> None:
        super().__init__("\n  ".join([message, *(str(violation) for violation in violations[:10])]))
        self.violations = violations


class SolverError(OasError):
    """A crash of a solver, an invalid answer, or one that contradicts a proven fact."""


class SolverMissingError(SolverError):
    """A solver that is not installed; the message says how to install it."""


def abbreviated(text: str) -> str:
    """Replace the middle of each number of more than 30 digits by an ellipsis and the number of digits."""
    return _LONG_NUMBER.sub(lambda match: f"{match[0][:12]}…{match[0][-6:]} ({len(match[0])} digits)", text)


def shorten(value: object, limit: int = 60) -> str:
    """Return ``repr(value)`` (``5/2`` for a Fraction), cut to `limit` characters.

    Longer numbers are rounded, since Python refuses to convert integers of more than 4300 digits to text.
    """
    try:
        text = str(value) if isinstance(value, int | Fraction) else repr(value)
    except ValueError:  # also for a long integer inside a list
        text = ""
    if isinstance(value, int | Fraction) and not 0 < len(text) <= limit:
        return _rounded(Fraction(value))
    text = abbreviated(text) if text else f"a {type(value).__name__} too long to show"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _rounded(number: Fraction) -> str:
    try:
        return f"about {float(number):.12g}"
    except OverflowError:
        size = abs(number)
        sign = "-" if number < 0 else ""
        return f"about {sign}1e{floor(log10(size.numerator) - log10(size.denominator))}"


@contextmanager
def within(prefix: str) -> Iterator[None]:
    """Put `prefix` before the field of any `InputError` raised inside the block."""
    try:
        yield
    except InputError as error:
        joint = "." if error.field and not error.field.startswith("[") else ""
        error.field = f"{prefix}{joint}{error.field}"
        raise


@contextmanager
def naming(field: str) -> Iterator[None]:
    """Set the field of any `InputError` raised inside the block to `field`, the argument or option with the value."""
    try:
        yield
    except InputError as error:
        error.field = field
        raise


def unknown_name(
    name: object,
    known: Iterable[object],
    field: str = "",
    *,
    reason: str = "unknown",
    further: str = "",
    listed: bool = True,
) -> InputError:
    """Return the error for an unknown name, with similar names and, if `listed`, all known ones.

    `reason` describes the name; `further` is a placeholder for other valid values, such as ``package.module:function``.
    """
    names = list(map(str, known))
    spellings = {spelling.lower(): spelling for spelling in names}
    near = [spellings[match] for match in get_close_matches(str(name).lower(), spellings)]  # at most 3
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    if listed:
        hint = f"{hint or ';'} known: {', '.join(names)}{f', or {further}' if further else ''}"
    return InputError(f"{reason}{hint}", field=field, value=name)
