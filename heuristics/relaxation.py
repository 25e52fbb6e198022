"""The instance that a method's schedule is compared on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heuristics.method import Method
    from oas.core.instances import Instance


def relaxed(instance: Instance, method: Method) -> Instance:
    """Return what the verifier holds a method's schedule against: without the promises that the method does not make.

    For organizations that is the instance without locality.
    """
    return instance if method.respects_locality else instance.relaxed()
