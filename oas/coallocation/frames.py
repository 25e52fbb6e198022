"""Conversion of instances of co-allocation to data frames, and of data frames to instances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core.errors import InputError
from oas.core.numbers import integer
from oas.show.frames import Row, converted, frame_with

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas

    from oas.coallocation.saturation import SaturationLike
    from oas.core.numbers import Exact


def jobs_frame(instance: CoallocationInstance) -> pandas.DataFrame:
    """See `CoallocationInstance.to_frame`."""
    rows = ((job.id, job.tasks, job.base_time, job.bandwidth, job.sigma) for job in instance.jobs)
    return frame_with(("job", "tasks", "base_time", "bandwidth", "sigma"), rows)


def clusters_frame(instance: CoallocationInstance) -> pandas.DataFrame:
    """See `CoallocationInstance.clusters_frame`."""
    rows = (
        (cluster.id, cluster.bandwidth, group.count, group.power)
        for cluster in instance.clusters
        for group in cluster.groups
    )
    return frame_with(("cluster", "bandwidth", "nodes", "power"), rows)


def coallocation_of(
    jobs: object, clusters: object, decimals: int, slot: Exact, saturation: SaturationLike, name: str
) -> CoallocationInstance:
    """See `CoallocationInstance.from_frame`."""
    places = integer(decimals, "decimals", least=0)
    columns = {"job": "", "tasks": None, "base_time": None, "bandwidth": 0, "sigma": 1}

    def job(row: Row) -> Job:
        return Job(row.name("job"), row["tasks"], row["base_time"], row["bandwidth"], row["sigma"])

    items = converted(jobs, "jobs", columns, places, job)
    return CoallocationInstance(_clusters_of(clusters, places), items, slot, saturation, name)


def _clusters_of(clusters: object, decimals: int) -> Sequence[Cluster]:
    if isinstance(clusters, list | tuple) and all(isinstance(cluster, Cluster) for cluster in clusters):
        return clusters
    columns = {"cluster": None, "bandwidth": None, "nodes": None, "power": 1}
    links: dict[str, Any] = {}
    groups: dict[str, list[NodeGroup]] = {}

    def add(row: Row) -> None:
        cluster = row.name("cluster")
        if links.setdefault(cluster, row["bandwidth"]) != row["bandwidth"]:
            raise InputError(f"differs from that of {cluster} above", field="bandwidth", value=str(row["bandwidth"]))
        groups.setdefault(cluster, []).append(NodeGroup(row["nodes"], row["power"]))

    converted(clusters, "clusters", columns, decimals, add)
    return [Cluster(cluster, groups[cluster], links[cluster]) for cluster in groups]
