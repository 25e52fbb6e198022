"""Seeded instance generators.

For co-allocation `section4`, `workload`, `tiny`, `saturated`; for MOSP `uni`, `swf`, and `reservations` for one
cluster; for fair sharing `arrivals`.

Names are imported lazily; `GENERATORS` is the table of all, by name.
"""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from oas.core.errors import unknown_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.instances import Instance
    from oas.generate.coallocation.section4 import section4, workload
    from oas.generate.coallocation.tiny import saturated, tiny
    from oas.generate.fair import arrivals
    from oas.generate.mosp.reservations import reservations
    from oas.generate.mosp.section7 import swf, uni

    GENERATORS: dict[str, Generator]


@dataclass(frozen=True)
class Generator:
    """A seeded generator under its name.

    Attributes
    ----------
    name
        As the command line takes it; also its name in `oas.generate`.
    function
        Typed parameters in, instance out: the same arguments give the same instance on every machine.
    summary
        One line for ``--help``.
    rank
        Place in listings.
    """

    name: str
    function: Callable[..., Instance]
    summary: str
    rank: int = field(default=1000, compare=False)


@cache
def generators() -> tuple[Generator, ...]:
    """Return the generators of `oas.generate`, which its modules export as GENERATORS."""
    modules = pkgutil.walk_packages(__path__, f"{__name__}.")
    found = [one for module in modules for one in getattr(import_module(module.name), "GENERATORS", ())]
    return tuple(sorted(found, key=lambda generator: (generator.rank, generator.name)))


def maker(kind: str, name: str) -> Callable[..., Instance]:
    """Return the function of a ``generator`` or a ``worst_case`` by name; `InputError` if there is none."""
    from oas.generate.mosp.worst_cases import worst_cases

    known = {one.name: one.function for one in (generators() if kind == "generator" else worst_cases())}
    if name not in known:
        raise unknown_name(name, known, kind)
    return known[name]


def provenance(generator: str, **parameters: object) -> dict[str, str]:
    """Return the provenance of an instance: the generator, the version of its draws, and all parameters."""
    return {"generator": generator, "version": "1", **{name: str(value) for name, value in parameters.items()}}


__all__ = ["GENERATORS", "arrivals", "reservations", "saturated", "section4", "swf", "tiny", "uni", "workload"]


if not TYPE_CHECKING:  # so that a type checker reports names that do not exist

    def __getattr__(name: str) -> object:
        known = {} if name.startswith("_") else {one.name: one for one in generators()}
        if name == "GENERATORS":
            return known
        if name in known:
            return known[name].function
        raise AttributeError(f"module 'oas.generate' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
