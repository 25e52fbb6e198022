"""Names of methods that give something in brackets, such as ``MOCCA(7/2)`` or ``LSRC(LPT)``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container

_NAME = re.compile(r"(.+?)\s*\((.*)\)")


def name_and_text(name: str, known: Container[str]) -> tuple[str, str] | None:
    """Split `name` into one of the `known` names, which are in upper case, and the text in brackets; else None."""
    match = _NAME.fullmatch(name.strip())
    return None if match is None or match[1].upper() not in known else (match[1].upper(), match[2].strip())
