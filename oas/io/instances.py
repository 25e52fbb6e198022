"""Documents of instances to the types of `oas.core`, which check the values, and back."""

from __future__ import annotations

import msgspec

from oas.core.errors import InputError, within
from oas.io import documents as doc
from oas.io.texts import clean_texts, texts
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.mosp.instance import MospInstance, Organization, Reservation, RigidJob


def coallocation_of(document: doc.CoallocationDocument) -> CoallocationInstance:
    """Return the co-allocation instance that a document says; raises `InputError`."""
    clusters = []
    nodes = 0
    for index, cluster in enumerate(document.clusters):
        with within(f"clusters[{index}]"):
            groups = [_group(place, group) for place, group in enumerate(cluster.nodes)]
            nodes += sum(group.count for group in groups)
            if nodes > doc.MAX_NODES:
                raise InputError(f"more than {doc.MAX_NODES} nodes in all", field="nodes")
            clusters.append(Cluster(cluster.id, groups, cluster.bandwidth))
    jobs = []
    for index, job in enumerate(document.jobs):
        with within(f"jobs[{index}]"):
            jobs.append(Job(job.id, job.tasks, job.base_time, job.bandwidth, job.sigma))
    provenance = texts(document.provenance, "provenance")
    if document.saturation != "forbid":
        raise InputError("unknown policy; known: forbid", field="saturation", value=document.saturation)
    return CoallocationInstance(clusters, jobs, document.slot, "forbid", document.name, provenance)


def _group(index: int, group: doc.NodeGroupDocument) -> NodeGroup:
    with within(f"nodes[{index}]"):
        return NodeGroup(group.count, group.power)


def coallocation_document(instance: CoallocationInstance) -> doc.CoallocationDocument:
    """Return the document that says a co-allocation instance."""
    clusters = [
        doc.ClusterDocument(
            cluster.id, cluster.bandwidth, [doc.NodeGroupDocument(group.count, group.power) for group in cluster.groups]
        )
        for cluster in instance.clusters
    ]
    jobs = [doc.JobDocument(job.id, job.tasks, job.base_time, job.bandwidth, job.sigma) for job in instance.jobs]
    return doc.CoallocationDocument(
        version=1,
        problem="coallocation",
        name=instance.name,
        slot=instance.slot,
        saturation=instance.saturation,
        clusters=clusters,
        jobs=jobs,
        provenance=clean_texts(instance.provenance, "provenance"),
    )


def mosp_of(document: doc.MospDocument) -> MospInstance:
    """Return the MOSP instance that a document says; raises `InputError`."""
    for field, limit, count in (
        ("jobs", doc.MAX_JOBS, sum(len(one.jobs) for one in document.organizations)),
        ("processors", doc.MAX_NODES, sum(one.processors for one in document.organizations)),
        ("reservations", doc.MAX_RESERVATIONS, sum(len(one.reservations) for one in document.organizations)),
    ):
        if count > limit:
            raise InputError(f"more than {limit} {field} in all", field="organizations", value=count)
    if document.seed is not msgspec.UNSET and document.local != "RND":
        raise InputError("only the policy RND takes a seed", field="seed", value=document.seed)
    if isinstance(document.local, str):
        _check_work(document)
    organizations = [_organization(k, one) for k, one in enumerate(document.organizations)]
    return MospInstance(
        organizations,
        document.locality,
        document.local,
        0 if document.seed is msgspec.UNSET else document.seed,
        document.name,
        texts(document.provenance, "provenance"),
    )


def mosp_document(instance: MospInstance) -> doc.MospDocument:
    """Return the document that says a MOSP instance, its local starts written out."""
    organizations = [
        doc.OrganizationDocument(
            one.id,
            one.processors,
            [doc.RigidJobDocument(job.id, job.time, job.processors, job.release) for job in one.jobs],
            [doc.ReservationDocument(held.start, held.end, held.processors) for held in one.reservations],
        )
        for one in instance.organizations
    ]
    return doc.MospDocument(
        version=1,
        problem="mosp",
        name=instance.name,
        locality=instance.locality,
        organizations=organizations,
        local={job.id: instance.local[job.id] for job in instance.jobs},
        provenance=clean_texts(instance.provenance, "provenance"),
    )


def _organization(k: int, document: doc.OrganizationDocument) -> Organization:
    with within(f"organizations[{k}]"):
        jobs = []
        for index, job in enumerate(document.jobs):
            with within(f"jobs[{index}]"):
                jobs.append(RigidJob(job.id, job.time, job.processors, job.release))
        reservations = []
        for index, one in enumerate(document.reservations):
            with within(f"reservations[{index}]"):
                reservations.append(Reservation(one.start, one.end, one.processors))
        return Organization(document.id, document.processors, jobs, reservations)


def _check_work(document: doc.MospDocument) -> None:
    """Refuse a policy where the list scheduling that it asks for could take long."""
    steps = 0
    for one in document.organizations:
        steps += len(one.jobs) * (len(one.jobs) + len(one.reservations)) * (1 + len(one.reservations))
    if steps > doc.MAX_POLICY_STEPS:
        reason = "too many jobs and reservations for a policy; give the start of each job"
        raise InputError(reason, field="local", value=document.local)
