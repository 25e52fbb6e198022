"""The parts of MOSP that the test kit uses."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from oas.generate.mosp.section7 import uni
from oas.generate.mosp.tiny import random_instance
from oas.generate.mosp.worst_cases import Quantity, worst_cases
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization
from oas.testing.parts import KitParts, shrunk_name, without_one

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from fractions import Fraction

    from heuristics.method import Method


def gallery(method: Method) -> Iterator[tuple[MospInstance, list[Fraction]]]:
    """Yield the papers' worst cases with the optima that they state as true.

    A method that respects locality may want local schedules: cases without them are not for it.
    """
    # A method that does not promise locality can reach the optimum without it.
    about = (Quantity.OPTIMUM,) if method.respects_locality else (Quantity.OPTIMUM, Quantity.FREE_OPTIMUM)
    for case in worst_cases():
        true = {claim.about: claim.true for claim in case.claims()}
        instance = case.function()
        if instance.local is not None or not method.respects_locality:
            yield instance, [true[one] for one in about if one in true]


def medium(seed: int) -> MospInstance:
    """Return 30 jobs of section 7.2's set-up on four clusters."""
    return uni(seed=seed, jobs=30, organizations=4, processors=16, pareto=2 if seed % 2 else None)


def smaller(instance: MospInstance) -> Iterator[Callable[[], MospInstance]]:
    """Yield what makes the instance without one organization, or without one job."""
    every = instance.organizations
    fewer_jobs = (
        [*every[:k], Organization(one.id, one.processors, jobs, one.reservations), *every[k + 1 :]]
        for k, one in enumerate(every)
        for jobs in without_one(one.jobs)
    )
    for organizations in chain(without_one(every), fewer_jobs):
        known = instance.local
        local = known and {job.id: known[job.id] for one in organizations for job in one.jobs}
        yield partial(MospInstance, organizations, instance.locality, local, name=shrunk_name(instance))


PARTS = KitParts(random_instance, medium, smaller, gallery, template="mosp.py.txt")
