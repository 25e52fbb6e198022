"""The type of a generator, and the table of those of `oas.generate`."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

import oas.generate

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.instances import Instance


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
    """Return the generators of `oas.generate`: those that modules of a problem's folder export as GENERATORS."""
    modules = pkgutil.walk_packages(oas.generate.__path__, "oas.generate.")
    found = [one for module in modules for one in getattr(importlib.import_module(module.name), "GENERATORS", ())]
    return tuple(sorted(found, key=lambda generator: (generator.rank, generator.name)))
