"""Names of methods that give a cut, such as ``MOCCA(7/2)``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oas.core.errors import within
from oas.core.numbers import parse_fraction

if TYPE_CHECKING:
    from collections.abc import Container
    from fractions import Fraction

_NAME = re.compile(r"(.+?)\s*\((.*)\)")


def name_and_cut(name: str, known: Container[str]) -> tuple[str, Fraction] | None:
    """Split `name` into one of the `known` names, which are in upper case, and the cut; None if it gives none.

    Raises
    ------
    InputError
        If the cut is not a number.
    """
    match = _NAME.fullmatch(name.strip())
    if match is None or match[1].upper() not in known:
        return None
    with within("heuristic"):
        return match[1].upper(), parse_fraction(match[2].strip())
