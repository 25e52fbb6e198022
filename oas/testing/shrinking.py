"""Shrinking of an instance on which a heuristic fails to a small one on which it fails in the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.testing.cases import unplaceable
from oas.testing.parts import kit_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oas.core.instances import Instance

ATTEMPTS = 400


def shrink(instance: Instance, still_wrong: Callable[[Instance], bool], attempts: int = ATTEMPTS) -> Instance:
    """Take away a cluster or a job at a time as long as `still_wrong` says so of what is left.

    At the end nothing more can be taken away by itself, unless `attempts` ran out.
    """
    parts = _smaller(instance)
    for _ in range(attempts):
        smaller = next(parts, None)
        if smaller is None:
            break
        if still_wrong(smaller):
            instance, parts = smaller, _smaller(smaller)
    return instance


def _smaller(instance: Instance) -> Iterator[Instance]:
    """Yield what is left without one cluster, or without one job, where that is an instance with a schedule."""
    for part in kit_parts(instance.problem).smaller(instance):
        try:
            smaller = part()
        except InputError:  # no job is left, or one wider than all that is left
            continue
        if not unplaceable(smaller):
            yield smaller
