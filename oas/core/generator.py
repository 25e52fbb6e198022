"""Seeded generators of instances, and the provenance of the instances that they make."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.instances import Instance


@dataclass(frozen=True)
class Generator:
    """A seeded generator under its name."""

    name: str  #: as the command line takes it; also its name in `oas.generate`
    #: typed parameters in, instance out: the same arguments give the same instance on every machine
    function: Callable[..., Instance]
    summary: str  #: one line for ``--help``
    rank: int = field(default=1000, compare=False)  #: place in listings


def provenance(generator: str, **parameters: object) -> dict[str, str]:
    """Return the provenance of an instance: the generator, the version of its draws, and all parameters."""
    return {"generator": generator, "version": "1", **{name: str(value) for name, value in parameters.items()}}
