"""The papers' worst cases and examples for MOSP: one file a case, each with what is claimed of it and what is true.

`WORST_CASES` is the table of all, by name.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oas.generate.mosp.worst_cases.gallery import WorstCase

    WORST_CASES: dict[str, WorstCase]

__all__ = ["WORST_CASES"]


def __getattr__(name: str) -> object:
    if name == "WORST_CASES":
        return {one.name: one for one in import_module("oas.generate.mosp.worst_cases.gallery").worst_cases()}
    raise AttributeError(f"module 'oas.generate.mosp.worst_cases' has no attribute {name!r}")
