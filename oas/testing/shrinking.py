"""From an instance on which a heuristic goes wrong to a small one on which it goes wrong alike."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.exact.problems import problem_of
from oas.problems.coallocation.instance import CoallocationInstance
from oas.problems.mosp.instance import MospInstance, Organization

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
    parts = _coallocation_parts(instance) if isinstance(instance, CoallocationInstance) else _mosp_parts(instance)
    for part in parts:
        try:
            smaller = part()
        except InputError:  # no job is left, or one wider than all that is left
            continue
        if not problem_of(smaller).hopeless(smaller):
            yield smaller


def _coallocation_parts(instance: CoallocationInstance) -> Iterator[Callable[[], Instance]]:
    name, slot, policy = _name(instance), instance.slot, instance.saturation
    for clusters in _without_one(instance.clusters):
        yield partial(CoallocationInstance, clusters, instance.jobs, slot, policy, name)
    for jobs in _without_one(instance.jobs):
        yield partial(CoallocationInstance, instance.clusters, jobs, slot, policy, name)


def _mosp_parts(instance: MospInstance) -> Iterator[Callable[[], Instance]]:
    every = instance.organizations
    fewer_jobs = (
        [*every[:k], Organization(one.id, one.processors, jobs, one.reservations), *every[k + 1 :]]
        for k, one in enumerate(every)
        for jobs in _without_one(one.jobs)
    )
    for organizations in chain(_without_one(every), fewer_jobs):
        local = {job.id: instance.local[job.id] for one in organizations for job in one.jobs}
        yield partial(MospInstance, organizations, instance.locality, local, name=_name(instance))


def _without_one(items: Sequence[Any]) -> Iterator[list[Any]]:
    for gone in range(len(items)):
        yield [*items[:gone], *items[gone + 1 :]]


def _name(instance: Instance) -> str:
    name = instance.name or "an instance"
    return name if name.endswith(", shrunk") else f"{name}, shrunk"
