"""The report of a campaign: tables, figures and one HTML page, from its ledger.

``write`` is imported lazily: pandas and matplotlib are loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oas.campaigns.report.writing import write

__all__ = ["write"]


def __getattr__(name: str) -> object:
    if name == "write":
        return import_module("oas.campaigns.report.writing").write
    raise AttributeError(f"module 'oas.campaigns.report' has no attribute {name!r}")
