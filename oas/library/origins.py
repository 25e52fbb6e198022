"""Instances made from the origins of entries, and schedules from the orders of jobs.

An order is a schedule of organizations without times: the jobs of each cluster in the order of their starts. With the
instance, the schedule is restored from the order: each job in turn starts as early as its cluster allows. By induction
no job starts later than before, so a feasible schedule stays feasible and does not get longer. Without the instance,
the order contains no information on processing times, so it can be published even if the data of the log must not be.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import msgspec

from oas.core.errors import InputError, unknown_name
from oas.core.registry import adapted
from oas.generate import maker
from oas.logs.slices import follow, parse_recipe
from oas.mosp.runs import ClusterRun, schedule_from_cluster_runs
from oas.mosp.search.queueing import Profiles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.io.library_index import Origin
    from oas.logs.slices import Recipe
    from oas.logs.swf import SwfLog
    from oas.mosp.instance import MospInstance


class LogMissingError(InputError):
    """The instance is a slice of a log that was not given."""


def make(origin: Origin, logs: Mapping[str, SwfLog]) -> Instance:
    """Make the instance, with job logs by their checksums for slices.

    Raises `LogMissingError` if it is a slice of a log that is not among `logs`; `InputError` if generator, case or
    parameters are unknown, or a recipe is invalid or gives another instance.
    """
    instance = _made(origin, logs)
    if origin.locality is None:
        return instance
    return adapted(instance, "locality", None if origin.locality == "none" else origin.locality)


def recipe_of_origin(origin: Origin) -> Recipe:
    """Return the recipe of a slice; errors as `oas.logs.slices.parse_recipe`."""
    return parse_recipe(msgspec.json.encode(origin.recipe))


def _made(origin: Origin, logs: Mapping[str, SwfLog]) -> Instance:
    if origin.recipe is not None:
        recipe = recipe_of_origin(origin)
        if recipe.sha256 not in logs:
            reason = f"the log {recipe.log} with checksum {recipe.sha256} is needed to cut the instance out of it"
            raise LogMissingError(reason)
        return follow(recipe, logs[recipe.sha256])
    kind, name = ("generator", origin.generator) if origin.generator is not None else ("worst_case", origin.worst_case)
    function = maker(kind, name or "")
    accepted = inspect.signature(function).parameters
    for name in origin.parameters:
        if name not in accepted:
            raise unknown_name(name, accepted, name, reason="there is no such parameter")
    return function(**origin.parameters)


def schedule_of(instance: MospInstance, order: Mapping[str, Sequence[str]], method: str = "") -> Schedule:
    """Return the schedule of an order, in which each job in turn starts as early as its cluster allows.

    Raises `InputError` if the order names an unknown job or cluster, or a job that is wider than its cluster.
    """
    scaled = instance.scaled()
    jobs = {job.id: index for index, job in enumerate(instance.jobs)}
    clusters = {organization.id: index for index, organization in enumerate(instance.organizations)}
    profiles = Profiles(scaled.processors, scaled.reservations)
    runs = []
    for name, ids in order.items():
        for job_id in ids:
            if name not in clusters or job_id not in jobs:
                raise InputError("the instance has no such job or cluster", field=f"order.{name}", value=job_id)
            cluster, job = clusters[name], jobs[job_id]
            time, width = scaled.times[job], scaled.widths[job]
            place = profiles.earliest([cluster], scaled.releases[job], time, width)
            if place is None:
                raise InputError("the job is wider than the cluster", field=f"order.{name}", value=job_id)
            profiles.occupy(cluster, place[1], time, width)
            runs.append(ClusterRun(job, cluster, place[1]))
    return schedule_from_cluster_runs(instance, scaled, runs, method)
