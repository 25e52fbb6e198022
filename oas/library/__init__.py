"""The instance library: a fixed set of instances of both problems with the best that is known of them, and its proof.

An *edition* is a set of instances, each under a lasting name: how to make it (a generator and its parameters, a worst
case, a recipe for a slice of a job log), its digest, the best schedule and the highest lower bound known, what proves
them, and who found them when and how. Everything is checked in exact arithmetic without a solver; what rests on a
solver's word is counted apart. `oas library solve` solves entries and keeps what that adds.

    >>> from oas.library import Library
    >>> library = Library()
    >>> instance = library.instance("wc-matching")
    >>> library["wc-matching"].record.makespan
    Fraction(2, 1)
"""

from __future__ import annotations

from oas.library.checking import Checked, NoGainError, check_entries, counted
from oas.library.origins import LogMissingError
from oas.library.store import Library, create

__all__ = ["Checked", "Library", "LogMissingError", "NoGainError", "check_entries", "counted", "create"]
