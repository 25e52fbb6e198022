"""Seeded instance generators.

For co-allocation `section4`, `workload`, `tiny`, `saturated`; for MOSP `uni`, `swf`, and `reservations` for one
cluster; for fair sharing `arrivals`.

Names are imported lazily; `GENERATORS` is a dictionary of all generators by name.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING

from oas.core.errors import unknown_name
from oas.core.registry import problems

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.coallocation.generate.section4 import section4, workload
    from oas.coallocation.generate.tiny import saturated, tiny
    from oas.core.instances import Generator, Instance
    from oas.fair.generate import arrivals
    from oas.mosp.generate.reservations import reservations
    from oas.mosp.generate.section7 import swf, uni

    GENERATORS: dict[str, Generator]


def generators() -> tuple[Generator, ...]:
    """Return the generators of `oas.generate`, which the modules of the problems export as GENERATORS."""
    packages = [problem.part("generators") for problem in problems() if problem.has("generators")]
    modules = [
        import_module(f"{package.__name__}.{module.name}")
        for package in packages
        for module in pkgutil.iter_modules(getattr(package, "__path__", ()))
    ]
    tables = [getattr(module, "GENERATORS", ()) for module in (*packages, *modules)]
    return tuple(sorted(chain(*tables), key=lambda generator: (generator.rank, generator.name)))


def maker(kind: str, name: str) -> Callable[..., Instance]:
    """Return the function of a ``generator`` or a ``worst_case`` by name; `InputError` if there is none."""
    from oas.mosp.generate.worst_cases import worst_cases

    known = {entry.name: entry.function for entry in (generators() if kind == "generator" else worst_cases())}
    if name not in known:
        raise unknown_name(name, known, kind)
    return known[name]


__all__ = ["GENERATORS", "arrivals", "reservations", "saturated", "section4", "swf", "tiny", "uni", "workload"]


if not TYPE_CHECKING:  # so that a type checker reports names that do not exist

    def __getattr__(name: str) -> object:
        known = {} if name.startswith("_") else {generator.name: generator for generator in generators()}
        if name == "GENERATORS":
            return known
        if name in known:
            return known[name].function
        raise AttributeError(f"module 'oas.generate' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
