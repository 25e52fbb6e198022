"""Seeded instance generators, one a file: `oas.generate.section4`, `oas.generate.workload`, `oas.generate.tiny`.

Names are handed on lazily; `GENERATORS` is the table of all, by name.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oas.generate.paper_section4 import section4
    from oas.generate.paper_workloads import workload
    from oas.generate.registry import Generator
    from oas.generate.tiny_instances import tiny

    GENERATORS: dict[str, Generator]

_HOME = {
    "section4": "oas.generate.paper_section4",
    "tiny": "oas.generate.tiny_instances",
    "workload": "oas.generate.paper_workloads",
}

__all__ = ["GENERATORS", "section4", "tiny", "workload"]


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name == "GENERATORS":
        return {one.name: one for one in import_module("oas.generate.registry").generators()}
    raise AttributeError(f"module 'oas.generate' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
