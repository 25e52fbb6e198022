"""The parts of fair sharing that the test kit uses."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from oas.generate.fair.arrivals import arrivals, random_instance
from oas.problems.fair.instance import FairInstance
from oas.problems.rigid import Organization
from oas.testing.fair.causality import looks_ahead
from oas.testing.fair.repeats import keeps_state
from oas.testing.parts import KitParts, shrunk_name, without_one

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def medium(seed: int) -> FairInstance:
    """Return some 65 jobs of five organizations with 17 processors, a little more than they can do (section 6.2)."""
    return arrivals(seed=seed, organizations=5, processors=17, horizon=40, load="11/10", widest=3 if seed % 2 else 1)


def smaller(instance: FairInstance) -> Iterator[Callable[[], FairInstance]]:
    """Yield what makes the instance without one organization, or without one job."""
    every = instance.organizations
    fewer_jobs = (
        [*every[:k], Organization(one.id, one.processors, jobs), *every[k + 1 :]]
        for k, one in enumerate(every)
        for jobs in without_one(one.jobs)
    )
    for organizations in chain(without_one(every), fewer_jobs):
        yield partial(FairInstance, organizations, instance.horizon, shrunk_name(instance))


PARTS = KitParts(random_instance, medium, smaller, checks=(keeps_state, looks_ahead), template="fair.py.txt")
