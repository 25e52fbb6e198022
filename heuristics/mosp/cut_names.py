"""Names of methods that give something in brackets: a cut, such as ``MOCCA(7/2)``, or another name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oas.core.errors import within
from oas.core.numbers import parse_fraction

if TYPE_CHECKING:
    from collections.abc import Container
    from fractions import Fraction

_NAME = re.compile(r"(.+?)\s*\((.*)\)")


def name_and_text(name: str, known: Container[str]) -> tuple[str, str] | None:
    """Split `name` into one of the `known` names, which are in upper case, and the text in brackets; else None."""
    match = _NAME.fullmatch(name.strip())
    return None if match is None or match[1].upper() not in known else (match[1].upper(), match[2].strip())


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
