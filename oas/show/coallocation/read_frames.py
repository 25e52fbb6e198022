"""Instances of co-allocation out of data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.numbers import integer
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.show.rows import Row, Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.core.numbers import Exact
    from oas.problems.coallocation.saturation import SaturationLike


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
