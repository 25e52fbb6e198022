"""Reading of co-allocation instances: documents of the format ``oas-instance`` with ``"problem": "coallocation"``."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from oas.checker.coallocation_instance import (
    CoallocationCluster,
    CoallocationInstance,
    CoallocationJob,
    LinkSaturation,
)
from oas.checker.reading import fields_of, integer_of, list_of, name_of, number_of, refused

COALLOCATION_MAX_CLUSTERS = 10_000
COALLOCATION_MAX_GROUPS = 10_000
COALLOCATION_MAX_NODES = 100_000
COALLOCATION_MAX_JOBS = 50_000


def read_coallocation(document: dict[str, Any]) -> CoallocationInstance:
    """Return the instance that a document of the problem ``coallocation`` describes.

    Raises
    ------
    Refused
        Naming the field and the value.
    """
    optional = ("name", "slot", "saturation", "provenance")
    fields_of(document, "", "format", "version", "problem", "clusters", "jobs", optional=optional)
    slot = _amount_of(document.get("slot", 0), "slot")
    rows = list_of(document["clusters"], "clusters", most=COALLOCATION_MAX_CLUSTERS)
    clusters = tuple(_read_cluster(row, f"clusters[{index}]") for index, row in enumerate(rows))
    rows = list_of(document["jobs"], "jobs", most=COALLOCATION_MAX_JOBS)
    jobs = tuple(_read_job(row, f"jobs[{index}]") for index, row in enumerate(rows))
    for what, ids in (("clusters", [one.id for one in clusters]), ("jobs", [one.id for one in jobs])):
        if not ids:
            raise refused(what, "at least one is needed")
        seen: set[str] = set()
        for index, name in enumerate(ids):
            if name in seen:
                raise refused(f"{what}[{index}].id", "another one has the same id", name)
            seen.add(name)
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
    for index, group in enumerate(list_of(row["nodes"], f"{where}.nodes", most=COALLOCATION_MAX_GROUPS)):
        place = f"{where}.nodes[{index}]"
        fields_of(group, place, "count", "power")
        power = _ratio_of(group["power"], f"{place}.power")
        groups.append((integer_of(group["count"], f"{place}.count", 1), power))
    if not groups:
        raise refused(f"{where}.nodes", "at least one group of nodes is needed")
    bandwidth = _amount_of(row["bandwidth"], f"{where}.bandwidth")
    return CoallocationCluster(name_of(row["id"], f"{where}.id"), tuple(groups), bandwidth)


def _read_job(row: Any, where: str) -> CoallocationJob:
    fields_of(row, where, "id", "tasks", "base_time", optional=("bandwidth", "sigma"))
    job = CoallocationJob(
        name_of(row["id"], f"{where}.id"),
        integer_of(row["tasks"], f"{where}.tasks", 1),
        number_of(row["base_time"], f"{where}.base_time"),
        _amount_of(row.get("bandwidth", 0), f"{where}.bandwidth"),
        number_of(row.get("sigma", 1), f"{where}.sigma"),
    )
    if job.base_time <= 0:
        raise refused(f"{where}.base_time", "must be above 0", job.base_time)
    if not 0 <= job.sigma <= 1:
        raise refused(f"{where}.sigma", "must be between 0 and 1", job.sigma)
    return job


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
        threshold = _ratio_of(threshold, "saturation.threshold")
    if policy == "forbid" and (threshold is not None or sharing != "paper"):
        raise refused("saturation", "threshold and sharing go with slowdown alone", policy)
    return LinkSaturation(policy, threshold, sharing)


def _amount_of(value: Any, where: str) -> Fraction:
    amount = number_of(value, where)
    if amount < 0:
        raise refused(where, "must not be negative", amount)
    return amount


def _ratio_of(value: Any, where: str) -> Fraction:
    ratio = number_of(value, where)
    if not 0 < ratio <= 1:
        raise refused(where, "must be above 0 and at most 1", ratio)
    return ratio
