"""The instance library: a fixed set of co-allocation and MOSP instances with the best known results and their proofs.

An *edition* is a set of instances with permanent names. Each entry contains the origin (a generator and its parameters,
a worst case, or a recipe for a slice of a job log), the digest, the best known schedule and lower bound, their proof,
and their history. Everything is checked in exact arithmetic without a solver; claims of a solver without a certificate
are counted separately. `oas library solve` solves entries and shows
improvements; `benchmarks.library_update` records them.

    >>> from oas.library import Library
    >>> library = Library()
    >>> instance = library.instance("wc-matching")
    >>> library["wc-matching"].record.makespan
    Fraction(2, 1)
"""

from __future__ import annotations

from oas.library.checking import Checked, check_entries, counted, gains_of
from oas.library.origins import LogMissingError
from oas.library.store import Library

__all__ = ["Checked", "Library", "LogMissingError", "check_entries", "counted", "gains_of"]
