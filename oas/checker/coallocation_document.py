"""Reading of co-allocation instances: documents of the format ``oas-instance`` with ``"problem": "coallocation"``."""

from __future__ import annotations

from typing import Any

from oas.checker.coallocation_instance import (
    CoallocationCluster,
    CoallocationInstance,
    CoallocationJob,
    LinkSaturation,
)
from oas.checker.reading import check_different, fields_of, integer_of, name_of, number_of, refused, rows_of

COALLOCATION_MAX_CLUSTERS = 10_000
COALLOCATION_MAX_GROUPS = 10_000
COALLOCATION_MAX_NODES = 100_000
COALLOCATION_MAX_JOBS = 50_000


def read_coallocation(document: dict[str, Any]) -> CoallocationInstance:
    """Return the instance that a document of the problem ``coallocation`` describes."""
    optional = ("name", "slot", "saturation", "provenance")
    fields_of(document, "", "format", "version", "problem", "clusters", "jobs", optional=optional)
    slot = number_of(document.get("slot", 0), "slot", least=0)
    rows = rows_of(document["clusters"], "clusters", COALLOCATION_MAX_CLUSTERS)
    clusters = tuple(_read_cluster(row, where) for row, where in rows)
    jobs = tuple(_read_job(row, where) for row, where in rows_of(document["jobs"], "jobs", COALLOCATION_MAX_JOBS))
    for what, ids in (("clusters", [one.id for one in clusters]), ("jobs", [one.id for one in jobs])):
        if not ids:
            raise refused(what, "at least one is needed")
        check_different(ids, what, "two have the same id")
    nodes = sum(one.size for one in clusters)
    if nodes > COALLOCATION_MAX_NODES:
        raise refused("clusters", f"more than {COALLOCATION_MAX_NODES} nodes in all", nodes)
    for index, job in enumerate(jobs):
        if job.tasks > nodes:
            raise refused(f"jobs[{index}].tasks", f"more tasks than the {nodes} nodes there are", job.tasks)
    return CoallocationInstance(clusters, jobs, slot, _read_saturation(document.get("saturation", "forbid")))


def _read_cluster(row: Any, where: str) -> CoallocationCluster:
    fields_of(row, where, "id", "bandwidth", "nodes")
    groups = []
    for group, place in rows_of(row["nodes"], f"{where}.nodes", COALLOCATION_MAX_GROUPS):
        fields_of(group, place, "count", "power")
        power = number_of(group["power"], f"{place}.power", above=0, most=1)
        groups.append((integer_of(group["count"], f"{place}.count", 1), power))
    if not groups:
        raise refused(f"{where}.nodes", "at least one group of nodes is needed")
    bandwidth = number_of(row["bandwidth"], f"{where}.bandwidth", least=0)
    return CoallocationCluster(name_of(row["id"], f"{where}.id"), tuple(groups), bandwidth)


def _read_job(row: Any, where: str) -> CoallocationJob:
    fields_of(row, where, "id", "tasks", "base_time", optional=("bandwidth", "sigma"))
    return CoallocationJob(
        name_of(row["id"], f"{where}.id"),
        integer_of(row["tasks"], f"{where}.tasks", 1),
        number_of(row["base_time"], f"{where}.base_time", above=0),
        number_of(row.get("bandwidth", 0), f"{where}.bandwidth", least=0),
        number_of(row.get("sigma", 1), f"{where}.sigma", least=0, most=1),
    )


def _read_saturation(value: Any) -> LinkSaturation:
    fields = {"policy": value} if type(value) is str else value
    fields_of(fields, "saturation", "policy", optional=("threshold", "sharing"))
    policy, sharing = fields["policy"], fields.get("sharing", "paper")
    if policy not in ("forbid", "slowdown"):
        raise refused("saturation", "unknown policy; known: forbid, slowdown", policy)
    if sharing not in ("paper", "max-min"):
        raise refused("saturation.sharing", "unknown sharing; known: paper, max-min", sharing)
    threshold = fields.get("threshold")
    if threshold is not None:
        threshold = number_of(threshold, "saturation.threshold", above=0, most=1)
    if policy == "forbid" and (threshold is not None or sharing != "paper"):
        raise refused("saturation", "threshold and sharing go with slowdown alone", policy)
    return LinkSaturation(policy, threshold, sharing)
