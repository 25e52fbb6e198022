"""The errors that users see. Each message says what is wrong and where, so that no traceback is needed."""

from __future__ import annotations

from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.core.violation import Violation


class OasError(Exception):
    """Base of every error this package raises on purpose."""


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
        return f"{place}: {self.reason}{shown}" if place else f"{self.reason}{shown}"


class LongTimesError(InputError):
    """Exact times of more digits than files hold; on a grid of time slots they stay short."""


class InfeasibleError(OasError):
    """The instance has no schedule: some job has no allocation even on an empty grid."""


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


def shorten(value: object, limit: int = 60) -> str:
    """Return ``repr(value)``, of a Fraction 5/2, cut to `limit` characters; a huge integer makes no huge string."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 400:
        return f"an integer of {value.bit_length()} bits"
    try:
        text = str(value) if isinstance(value, Fraction) else repr(value)
    except ValueError:  # Python writes out no integer beyond 4300 digits, not inside a Fraction or a list either
        return f"a {type(value).__name__} too long to show"
    return text if len(text) <= limit else text[: limit - 1] + "…"


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
