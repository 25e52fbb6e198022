"""Names of methods that give a cut in brackets, such as ``MOCCA(7/2)``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.bracket_names import name_and_text
from oas.core.errors import within
from oas.core.numbers import parse_fraction

if TYPE_CHECKING:
    from collections.abc import Container
    from fractions import Fraction


def name_and_cut(name: str, known: Container[str]) -> tuple[str, Fraction] | None:
    """Split `name` into one of the `known` names, which are in upper case, and the cut; None if it gives none.

    Raises
    ------
    InputError
        If the cut is not a number.
    """
    found = name_and_text(name, known)
    if found is None:
        return None
    with within("heuristic"):
        return found[0], parse_fraction(found[1])
