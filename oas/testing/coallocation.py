"""The parts of co-allocation that the test kit uses."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from oas.generate.coallocation.section4 import section4
from oas.generate.coallocation.tiny import tiny
from oas.problems.coallocation.instance import CoallocationInstance
from oas.testing.parts import KitParts, shrunk_name, without_one

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def medium(seed: int) -> CoallocationInstance:
    """Return 16 jobs of section 4's set-up, with links and slot sizes of all sorts."""
    return section4(seed=seed, jobs=16, bandwidth="tight" if seed % 2 else "std", slot_percent=25 * (seed % 3))


def smaller(instance: CoallocationInstance) -> Iterator[Callable[[], CoallocationInstance]]:
    """Yield what makes the instance without one cluster, or without one job."""
    name, slot, policy = shrunk_name(instance), instance.slot, instance.saturation
    for clusters in without_one(instance.clusters):
        yield partial(CoallocationInstance, clusters, instance.jobs, slot, policy, name)
    for jobs in without_one(instance.jobs):
        yield partial(CoallocationInstance, instance.clusters, jobs, slot, policy, name)


PARTS = KitParts(lambda seed: tiny(seed=seed), medium, smaller, template="coallocation.py.txt")
