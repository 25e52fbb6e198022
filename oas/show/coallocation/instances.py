"""Instances of co-allocation as text, as tables in a notebook, and read from data frames."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.formats import show_count, show_exact, show_time
from oas.core.numbers import integer
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.show.html import MAX_ROWS, fragment, remark, short_name, table
from oas.show.rows import Row, Rows
from oas.show.texts import first_lines, text, title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.core.numbers import Exact
    from oas.problems.coallocation.saturation import SaturationLike


def instance_text(instance: CoallocationInstance) -> str:
    """Return the size of an instance, its first clusters and its slot."""
    clusters = (
        f"{cluster.id}: {show_count(cluster.size, 'node')}, link {show_time(cluster.bandwidth)}"
        for cluster in instance.clusters
    )
    slot = f"slot η = {show_exact(instance.slot)}" if instance.slot else "continuous time (η = 0)"
    jobs, groups = show_count(len(instance.jobs), "job"), show_count(len(instance.clusters), "cluster")
    size = f"{jobs}, {groups}, {show_count(instance.node_count, 'node')}, {slot}"
    return text(f"{title(instance)}: {size}", first_lines(clusters, len(instance.clusters)))


def instance_html(instance: CoallocationInstance) -> str:
    """Return tables of clusters and jobs."""
    clusters = (
        (
            cluster.id,
            f"{cluster.size:,}",
            ", ".join(f"{group.count:,} × {show_time(group.power)}" for group in islice(cluster.groups, MAX_ROWS)),
            show_time(cluster.bandwidth),
        )
        for cluster in instance.clusters
    )
    jobs = (
        (job.id, f"{job.tasks:,}", show_time(job.base_time), show_time(job.bandwidth), show_time(job.sigma))
        for job in instance.jobs
    )
    slot = f"slot η = {show_exact(instance.slot)}" if instance.slot else "continuous time (η = 0)"
    return fragment(
        f"{short_name(instance)}: {len(instance.jobs):,} jobs, {instance.node_count:,} nodes",
        remark(slot),
        table(("cluster", "nodes", "of power Γ", "link"), clusters, len(instance.clusters)),
        table(("job", "tasks τ", "base time Tb", "bandwidth of a task", "σ"), jobs, len(instance.jobs)),
    )


def instance_of(
    jobs: object,
    clusters: object,
    decimals: int,
    slot: Exact,
    saturation: SaturationLike,
    name: str,
) -> CoallocationInstance:
    """See `CoallocationInstance.from_frame`."""
    places = integer(decimals, "decimals", least=0)
    columns = {"job": "", "tasks": None, "base_time": None, "bandwidth": 0, "sigma": 1}
    table = Rows(jobs, "jobs", columns, places)
    made = table.each(lambda row: Job(row.name("job"), row["tasks"], row["base_time"], row["bandwidth"], row["sigma"]))
    return CoallocationInstance(_clusters(clusters, places), made, slot, saturation, name)


def _clusters(clusters: object, decimals: int) -> Sequence[Cluster]:
    if isinstance(clusters, list | tuple) and all(isinstance(one, Cluster) for one in clusters):
        return clusters
    columns = {"cluster": None, "bandwidth": None, "nodes": None, "power": 1}
    table = Rows(clusters, "clusters", columns, decimals)
    links: dict[str, Any] = {}
    groups: dict[str, list[NodeGroup]] = {}

    def add(row: Row) -> None:
        cluster = row.name("cluster")
        if links.setdefault(cluster, row["bandwidth"]) != row["bandwidth"]:
            raise InputError(f"differs from that of {cluster} above", field="bandwidth", value=str(row["bandwidth"]))
        groups.setdefault(cluster, []).append(NodeGroup(row["nodes"], row["power"]))

    table.each(add)
    return [Cluster(one, own, links[one]) for one, own in groups.items()]
