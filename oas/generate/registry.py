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
    """Return the generators of `oas.generate`: a module of a problem's folder that exports GENERATOR defines one."""
    found = []
    for module in pkgutil.walk_packages(oas.generate.__path__, "oas.generate."):
        generator = getattr(importlib.import_module(module.name), "GENERATOR", None)
        if isinstance(generator, Generator):
            found.append(generator)
    return tuple(sorted(found, key=lambda generator: (generator.rank, generator.name)))
