"""Seeded instance generators, one a file: `section4`, `workload`, `tiny` for co-allocation, `uni` and `swf` for MOSP.

Names are handed on lazily; `GENERATORS` is the table of all, by name.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oas.generate.mosp_swf import swf
    from oas.generate.mosp_uni import uni
    from oas.generate.paper_section4 import section4
    from oas.generate.paper_workloads import workload
    from oas.generate.registry import Generator
    from oas.generate.tiny_instances import tiny

    GENERATORS: dict[str, Generator]

_HOME = {
    "section4": "oas.generate.paper_section4",
    "swf": "oas.generate.mosp_swf",
    "tiny": "oas.generate.tiny_instances",
    "uni": "oas.generate.mosp_uni",
    "workload": "oas.generate.paper_workloads",
}

__all__ = ["GENERATORS", "section4", "swf", "tiny", "uni", "workload"]


if not TYPE_CHECKING:  # so that a type checker finds names that nobody has

    def __getattr__(name: str) -> object:
        if name in _HOME:
            return getattr(import_module(_HOME[name]), name)
        if name == "GENERATORS":
            return {one.name: one for one in import_module("oas.generate.registry").generators()}
        raise AttributeError(f"module 'oas.generate' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
