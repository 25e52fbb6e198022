"""The errors that users see. Each message says what is wrong and where, so that no traceback is needed."""

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
    """Base of every error this package raises on purpose. Long numbers in its message are abbreviated."""

    def __str__(self) -> str:
        return abbreviated(super().__str__())


class InputError(OasError, ValueError):
    """A value that cannot be accepted, with the file (if any), the field and the value named.

    Parameters
    ----------
    reason
        What is wrong, as a sentence without the field's name.
    field
        Path of the field, such as ``jobs[3].tasks``; empty if the input as a whole is meant.
    value
        The offending value; shown shortened.
    file
        Path of the file it came from, or None for a value given in Python.
    """

    def __init__(self, reason: str, *, field: str = "", value: object = None, file: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.field = field
        self.value = value
        self.file = file

    def __str__(self) -> str:
        place = ": ".join(part for part in (self.file, self.field) if part)
        shown = "" if self.value is None else f" (got {shorten(self.value)})"
        what = abbreviated(f"{self.reason}{shown}")
        return f"{place}: {what}" if place else what


class LongTimesError(InputError):
    """Exact times of more digits than files hold; on a grid of time slots they stay short."""


class InfeasibleError(OasError):
    """The instance has no schedule: some job has no allocation even on an empty grid."""


class LargerThanReadError(InputError):
    """A file or document that is larger than what is read; the message names the limit."""


class TooLargeError(OasError):
    """A model, enumeration or number that would pass a stated cap; the message gives both figures."""


class VerificationError(OasError):
    """A schedule that breaks rules of its instance."""

    def __init__(self, message: str, violations: tuple[Violation, ...] = ()) -> None:
        super().__init__("\n  ".join([message, *(str(violation) for violation in violations[:10])]))
        self.violations = violations


class SolverError(OasError):
    """A solver that crashed, answered nonsense or contradicted a proven fact."""


class SolverMissingError(SolverError):
    """A solver that is not installed, with what to do about it."""


def abbreviated(text: str) -> str:
    """Return `text` with only the first and last digits of each number of more than 30 digits, and their count."""
    return _LONG_NUMBER.sub(lambda found: f"{found[0][:12]}…{found[0][-6:]} ({len(found[0])} digits)", text)


def shorten(value: object, limit: int = 60) -> str:
    """Return ``repr(value)``, of a Fraction 5/2, cut to `limit` characters.

    A number too long for that is rounded: Python refuses to write integers of more than 4300 digits.
    """
    try:
        text = str(value) if isinstance(value, int | Fraction) else repr(value)
    except ValueError:  # also for such an integer inside a list
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
    """Put `prefix` before the field of any `InputError` raised inside, so that nested checks need not know it."""
    try:
        yield
    except InputError as error:
        joint = "." if error.field and not error.field.startswith("[") else ""
        error.field = f"{prefix}{joint}{error.field}"
        raise


@contextmanager
def naming(field: str) -> Iterator[None]:
    """Give an `InputError` about a value the name of the argument or option that the value came from."""
    try:
        yield
    except InputError as error:
        error.field = field
        raise


LIKENESS = 0.6  # of difflib's ratio, from 0 for nothing in common to 1 for the same
MOST = 3


def unknown_name(
    name: object,
    known: Iterable[object],
    field: str = "",
    *,
    reason: str = "unknown",
    further: str = "",
    listed: bool = True,
) -> InputError:
    """Return the error for a name that is looked up and not found, with near names and all that are known.

    `reason` is what the name is said to be, `further` what may be given beside the names, such as
    ``package.module:function``. All names that are `known` are `listed`; otherwise only those near.
    """
    names = [str(one) for one in known]
    near = near_names(str(name), names)
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    if listed:
        meant = f"{meant or ';'} known: {', '.join(names)}{f', or {further}' if further else ''}"
    return InputError(f"{reason}{meant}", field=field, value=name)


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Return the names that one may have meant, the nearest first; upper and lower case are alike."""
    spelled = {one.lower(): one for one in known}
    return [spelled[one] for one in get_close_matches(name.lower(), spelled, MOST, LIKENESS)]
