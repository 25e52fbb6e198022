"""The four jobs whose nodes are given: the phases model where one start of the optimum is no end of another job."""

from __future__ import annotations

from fractions import Fraction as F
from typing import TYPE_CHECKING

from oas.models.coallocation.phases import PhasesSpec, phases_spec
from oas.problems.coallocation.allocations import allocations
from tests.problems.coallocation.grids import four_jobs

if TYPE_CHECKING:
    from oas.problems.coallocation.instance import CoallocationInstance

PLACES = ("PQ", "PR", "QS", "RS")


def four_jobs_spec(saturation: object = "slowdown") -> PhasesSpec:
    """Return the model of the four jobs on their clusters, with a horizon of all one after the other."""
    instance: CoallocationInstance = four_jobs(saturation)
    scaled = instance.scaled()
    counts = [tuple(int(name in own) for name in "PQRS") for own in PLACES]
    choices = tuple(
        tuple(one for one in allocations(scaled, job) if one.counts == own) for job, own in enumerate(counts)
    )
    return phases_spec(instance, F(44), F(12), choices)
