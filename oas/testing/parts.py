"""Test-kit parts of co-allocation and MOSP: test instances and smaller instances; `oas.testing.fair` has the third."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from oas.coallocation.generate.section4 import section4
from oas.coallocation.generate.tiny import tiny
from oas.coallocation.instance import CoallocationInstance
from oas.core.rigid import Organization
from oas.mosp.generate.section7 import uni
from oas.mosp.generate.tiny import random_instance
from oas.mosp.generate.worst_cases import Quantity, worst_cases
from oas.mosp.instance import MospInstance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.problem import Problem
    from oas.core.schedule import Schedule
    from oas.solving.method import Method
    from oas.testing.report import Finding
    from oas.testing.running import Observation

    Call = Callable[[Instance, int], Observation]
    """A call of the method under test with an instance and a seed."""
    Check = Callable[[Method, Call, Any, Schedule, int], Finding | None]


@dataclass(frozen=True)
class KitParts:
    """Functions and data of a problem for the test kit."""

    tiny: Callable[[int], Any]  # ``seed -> instance`` with every feature of the problem, small enough for brute force
    medium: Callable[[int], Any]  # ``seed -> instance`` of a published set-up, too large for brute force
    # ``instance -> functions`` that build it without one cluster or job; they may raise `InputError`
    smaller: Callable[[Any], Iterable[Callable[[], Any]]]
    # ``method -> pairs`` of a worst case and the makespans that it states as feasible
    gallery: Callable[[Method], Iterable[tuple[Any, Sequence[Fraction]]]] = lambda _: ()
    # ``(method, call, instance, schedule, seed) -> finding`` or None: checks of a verified schedule, which may make
    # further calls; the first finding counts
    checks: tuple[Check, ...] = ()
    template: str = ""  # file in `oas/testing/template` for ``oas new-heuristic``; empty if there is none


def kit_parts(problem: Problem) -> KitParts:
    """Return the parts of `problem`; raise `InputError` if it has none."""
    return problem.part("testing")


def without_one(items: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield the items without each of them in turn."""
    for index in range(len(items)):
        yield [*items[:index], *items[index + 1 :]]


def without_one_part(organizations: Sequence[Organization]) -> Iterator[list[Organization]]:
    """Yield the organizations without each of them in turn, then without each job."""
    yield from without_one(organizations)
    for k, owner in enumerate(organizations):
        for jobs in without_one(owner.jobs):
            fewer = Organization(owner.id, owner.processors, jobs, owner.reservations)
            yield [*organizations[:k], fewer, *organizations[k + 1 :]]


def shrunk_name(instance: Instance) -> str:
    """Return the name of an instance that is shrunk from `instance`."""
    name = instance.name or "an instance"
    return name if name.endswith(", shrunk") else f"{name}, shrunk"


def coallocation_medium(seed: int) -> CoallocationInstance:
    """Return 16 jobs of section 4's set-up, with varying links and slot sizes."""
    return section4(seed=seed, jobs=16, bandwidth="tight" if seed % 2 else "std", slot_percent=25 * (seed % 3))


def coallocation_smaller(instance: CoallocationInstance) -> Iterator[Callable[[], CoallocationInstance]]:
    """Yield functions that build the instance without one cluster or without one job."""
    name, slot, policy = shrunk_name(instance), instance.slot, instance.saturation
    for clusters in without_one(instance.clusters):
        yield partial(CoallocationInstance, clusters, instance.jobs, slot, policy, name)
    for jobs in without_one(instance.jobs):
        yield partial(CoallocationInstance, instance.clusters, jobs, slot, policy, name)


COALLOCATION = KitParts(
    lambda seed: tiny(seed=seed), coallocation_medium, coallocation_smaller, template="coallocation.py.txt"
)


def mosp_gallery(method: Method) -> Iterator[tuple[MospInstance, list[Fraction]]]:
    """Yield the papers' worst cases with their true optima.

    Cases without local schedules are left out for methods that respect locality, which may require them.
    """
    # A method that ignores locality can reach the optimum without it.
    about = (Quantity.OPTIMUM,) if method.respects_locality else (Quantity.OPTIMUM, Quantity.FREE_OPTIMUM)
    for case in worst_cases():
        values = {claim.about: claim.true for claim in case.claims()}
        instance = case.function()
        if instance.local is not None or not method.respects_locality:
            yield instance, [values[quantity] for quantity in about if quantity in values]


def mosp_medium(seed: int) -> MospInstance:
    """Return 30 jobs of section 7.2's set-up on four clusters."""
    return uni(seed=seed, jobs=30, organizations=4, processors=16, pareto=2 if seed % 2 else None)


def mosp_smaller(instance: MospInstance) -> Iterator[Callable[[], MospInstance]]:
    """Yield functions that build the instance without one organization or without one job."""
    for organizations in without_one_part(instance.organizations):
        starts = instance.local
        local = starts and {job.id: starts[job.id] for owner in organizations for job in owner.jobs}
        yield partial(MospInstance, organizations, instance.locality, local, name=shrunk_name(instance))


MOSP = KitParts(random_instance, mosp_medium, mosp_smaller, mosp_gallery, template="mosp.py.txt")
