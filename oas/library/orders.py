"""A schedule of organizations without its times: the jobs on each cluster in the order of their starts.

With the instance, the order gives the schedule back: each job in turn starts as early as its cluster then allows. By
induction no job starts later than it did, so a feasible schedule stays feasible and gets no longer. Without the
instance, the order tells nothing of processing times, so it can be published where a log's data must not be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.mosp.profiles import Profiles
from oas.core.errors import InputError
from oas.problems.mosp.runs import ClusterRun, schedule_from_cluster_runs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oas.core.schedule import Schedule
    from oas.problems.mosp.instance import MospInstance


def order_of(instance: MospInstance, schedule: Schedule) -> dict[str, list[str]]:
    """Return the ids of the jobs on each cluster in the order of their starts in a verified schedule."""
    order: dict[str, list[str]] = {organization.id: [] for organization in instance.organizations}
    for placement in schedule.placements:
        (cluster,) = placement.nodes
        order[cluster].append(placement.job)
    return order


def schedule_of(instance: MospInstance, order: Mapping[str, Sequence[str]], method: str = "") -> Schedule:
    """Return the schedule that an order stands for.

    Raises
    ------
    InputError
        If the order names an unknown job or cluster, or a job that is wider than its cluster.
    """
    scaled = instance.scaled()
    jobs = {job.id: index for index, job in enumerate(instance.jobs)}
    clusters = {organization.id: index for index, organization in enumerate(instance.organizations)}
    profiles = Profiles(
        scaled.processors, sum(map(len, order.values())) + len(scaled.reservations), scaled.reservations
    )
    runs = []
    for name, ids in order.items():
        for job_id in ids:
            if name not in clusters or job_id not in jobs:
                raise InputError("the instance has no such job or cluster", field=f"order.{name}", value=job_id)
            cluster, job = clusters[name], jobs[job_id]
            time, width = scaled.times[job], scaled.widths[job]
            found = profiles.earliest([cluster], scaled.releases[job], time, width)
            if found is None:
                raise InputError("the job is wider than the cluster", field=f"order.{name}", value=job_id)
            profiles.occupy(cluster, found[1], time, width)
            runs.append(ClusterRun(job, cluster, found[1]))
    return schedule_from_cluster_runs(instance, scaled, runs, method)
