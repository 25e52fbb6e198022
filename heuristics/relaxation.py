"""What a method's schedule is held against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.problems.mosp.instance import MospInstance

if TYPE_CHECKING:
    from heuristics.method import Method
    from oas.core.instances import Instance


def judged(instance: Instance, method: Method) -> Instance:
    """Return what the verifier holds a method's schedule against: without locality if the method never promised it."""
    if isinstance(instance, MospInstance) and not method.respects_locality:
        return instance.with_locality(None)
    return instance
