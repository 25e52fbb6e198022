"""Seeded instance generators.

For co-allocation `section4`, `workload`, `tiny`, `saturated`; for MOSP `uni`, `swf`, and `reservations` for one
cluster; for fair sharing `arrivals`.

Names are imported lazily; `GENERATORS` is the table of all, by name.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oas.generate.coallocation.saturated import saturated
    from oas.generate.coallocation.section4 import section4, workload
    from oas.generate.coallocation.tiny import tiny
    from oas.generate.fair.arrivals import arrivals
    from oas.generate.mosp.reservations import reservations
    from oas.generate.mosp.section7 import swf, uni
    from oas.generate.registry import Generator

    GENERATORS: dict[str, Generator]

_HOME = {
    "arrivals": "oas.generate.fair.arrivals",
    "reservations": "oas.generate.mosp.reservations",
    "saturated": "oas.generate.coallocation.saturated",
    "section4": "oas.generate.coallocation.section4",
    "swf": "oas.generate.mosp.section7",
    "tiny": "oas.generate.coallocation.tiny",
    "uni": "oas.generate.mosp.section7",
    "workload": "oas.generate.coallocation.section4",
}

__all__ = ["GENERATORS", "arrivals", "reservations", "saturated", "section4", "swf", "tiny", "uni", "workload"]


if not TYPE_CHECKING:  # so that a type checker reports names that do not exist

    def __getattr__(name: str) -> object:
        if name in _HOME:
            return getattr(import_module(_HOME[name]), name)
        if name == "GENERATORS":
            return {one.name: one for one in import_module("oas.generate.registry").generators()}
        raise AttributeError(f"module 'oas.generate' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
