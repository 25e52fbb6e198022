"""Instances of co-allocation in files."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, field

from oas.coallocation.instance import MAX_GROUPS, Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.saturation import Saturation
from oas.core.errors import within
from oas.core.instances import MAX_CLUSTERS, MAX_JOBS
from oas.io.documents import (
    DocumentStruct,
    InstanceFormat,
    Name,
    Number,
    Text,
    Version,
    build_list,
)
from oas.io.files import cell, clean_texts, texts, write_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.coallocation.execution import Event
    from oas.io.files import Source


class NodeGroupDocument(DocumentStruct, frozen=True):
    """Identical nodes: ``{"count": 4, "power": 0.75}``."""

    count: Annotated[int, Meta(description="At least 1.")]
    power: Annotated[Number, Meta(description="Effective power Γ, 0 < Γ ≤ 1.")]


class ClusterDocument(DocumentStruct, frozen=True):
    """A cluster."""

    id: Name
    bandwidth: Annotated[Number, Meta(description="Capacity of its link, at least 0.")]
    nodes: Annotated[list[NodeGroupDocument], Meta(min_length=1, max_length=MAX_GROUPS)]


class JobDocument(DocumentStruct, frozen=True):
    """A job."""

    id: Name
    tasks: Annotated[int, Meta(description="τ, at least 1.")]
    base_time: Annotated[Number, Meta(description="Tb, time on nodes of full power, above 0.")]
    bandwidth: Annotated[Number, Meta(description="Bandwidth for each task, at least 0; default 0.")] = field(
        default_factory=Fraction
    )
    sigma: Annotated[Number, Meta(description="σ, share of processing, 0 ≤ σ ≤ 1; default 1.")] = field(
        default_factory=lambda: Fraction(1)
    )


class SaturationDocument(DocumentStruct, frozen=True, omit_defaults=True):
    """A saturation policy with further fields."""

    policy: Annotated[str, Meta(description="slowdown; forbid has no further fields.")]
    threshold: Annotated[
        Number | None,
        Meta(description="A link is never asked for more than its bandwidth / threshold; absent: for any amount."),
    ] = None
    sharing: Annotated[str, Meta(description="paper, the default, or max-min.")] = "paper"


class CoallocationDocument(DocumentStruct, frozen=True, kw_only=True, tag_field="format", tag="oas-instance"):
    """An instance of the co-allocation problem."""

    version: Version
    problem: Literal["coallocation"]
    name: Annotated[str, Meta(description="Empty, or as an id.")] = ""
    slot: Annotated[Number, Meta(description="Slot size η, at least 0; 0 (the default) is continuous time.")] = field(
        default_factory=Fraction
    )
    saturation: Annotated[
        str | SaturationDocument,
        Meta(description="What happens when a link is asked for more than it has: forbid, the default, or slowdown."),
    ] = "forbid"
    clusters: Annotated[list[ClusterDocument], Meta(min_length=1, max_length=MAX_CLUSTERS)]
    jobs: Annotated[list[JobDocument], Meta(min_length=1, max_length=MAX_JOBS)]
    provenance: dict[str, Text] = field(default_factory=dict)


def coallocation_of(document: CoallocationDocument) -> CoallocationInstance:
    """Return the co-allocation instance that a document describes; raises `InputError`."""
    clusters = []
    for index, cluster in enumerate(document.clusters):
        with within(f"clusters[{index}]"):
            groups = build_list("nodes", (NodeGroup(group.count, group.power) for group in cluster.nodes))
            clusters.append(Cluster(cluster.id, groups, cluster.bandwidth))
    jobs = build_list(
        "jobs", (Job(one.id, one.tasks, one.base_time, one.bandwidth, one.sigma) for one in document.jobs)
    )
    provenance, policy = texts(document.provenance, "provenance"), document.saturation
    if isinstance(policy, str):
        saturation = Saturation.of(policy)
    else:
        with within("saturation"):
            saturation = Saturation(policy.policy, policy.threshold, policy.sharing)
    return CoallocationInstance(clusters, jobs, document.slot, saturation, document.name, provenance)


def coallocation_document(instance: CoallocationInstance) -> CoallocationDocument:
    """Return the document that describes a co-allocation instance."""
    clusters = [
        ClusterDocument(
            cluster.id, cluster.bandwidth, [NodeGroupDocument(group.count, group.power) for group in cluster.groups]
        )
        for cluster in instance.clusters
    ]
    jobs = [JobDocument(job.id, job.tasks, job.base_time, job.bandwidth, job.sigma) for job in instance.jobs]
    saturation = instance.saturation.to_fields()
    return CoallocationDocument(
        version=1,
        problem="coallocation",
        name=instance.name,
        slot=instance.slot,
        saturation=saturation if isinstance(saturation, str) else SaturationDocument(**saturation),
        clusters=clusters,
        jobs=jobs,
        provenance=clean_texts(instance.provenance, "provenance"),
    )


FORMAT = InstanceFormat(CoallocationDocument, coallocation_of, coallocation_document)


def write_events(path: Source, events: Iterable[Event]) -> None:
    """Write a CSV row for each event of an executed plan, with exact times.

    Raises `InputError` if the file cannot be written.
    """
    write_rows(path, ("time", "event", "job"), ((str(event.time), event.kind, cell(event.job)) for event in events))
