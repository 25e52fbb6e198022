"""Instances of MOSP in files."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, field

from oas.core.errors import InputError, within
from oas.core.instances import MAX_CLUSTERS, MAX_JOBS, MAX_RESERVATIONS
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.io.documents import (
    DocumentStruct,
    InstanceFormat,
    Name,
    Number,
    Text,
    Version,
    build_list,
)
from oas.io.files import clean_texts, texts
from oas.mosp.instance import MospInstance
from oas.mosp.local import default_policy

# Maximum for list scheduling, about a second, if a file names the policy of the local schedules, not their starts.
MAX_POLICY_STEPS = 10_000_000


class RigidJobDocument(DocumentStruct, frozen=True):
    """A rigid job."""

    id: Name
    time: Annotated[Number, Meta(description="p, above 0.")]
    processors: Annotated[int, Meta(description="q, at least 1, at most those of the organization's own cluster.")]
    release: Annotated[Number, Meta(description="It starts no earlier; at least 0, the default.")] = field(
        default_factory=Fraction
    )


class ReservationDocument(DocumentStruct, frozen=True):
    """Processors of a cluster that are not available in [start, end)."""

    start: Annotated[Number, Meta(description="At least 0.")]
    end: Annotated[Number, Meta(description="After the start.")]
    processors: Annotated[int, Meta(description="How many, at least 1.")]


class OrganizationDocument(DocumentStruct, frozen=True):
    """An organization: its cluster and its jobs."""

    id: Name
    processors: Annotated[int, Meta(description="Processors of its cluster, at least 1.")]
    jobs: Annotated[list[RigidJobDocument], Meta(max_length=MAX_JOBS)]
    reservations: Annotated[list[ReservationDocument], Meta(max_length=MAX_RESERVATIONS)] = field(default_factory=list)


class MospDocument(DocumentStruct, frozen=True, kw_only=True, tag_field="format", tag="oas-instance"):
    """An instance of the Multi-Organization Scheduling Problem."""

    version: Version
    problem: Literal["mosp"]
    name: Annotated[str, Meta(description="Empty, or as an id.")] = ""
    locality: Annotated[
        Number | None,
        Meta(description="No organization ends after this many times its local makespan; at least 1, or null."),
    ] = field(default_factory=lambda: Fraction(1))
    organizations: Annotated[list[OrganizationDocument], Meta(min_length=1, max_length=MAX_CLUSTERS)]
    local: Annotated[
        str | dict[str, Number] | msgspec.UnsetType,
        Meta(
            description='The local schedules: the start of each job by its id, or a policy, such as "HF", which is the'
            " default. One organization without locality has none by default."
        ),
    ] = msgspec.UNSET
    seed: Annotated[int | msgspec.UnsetType, Meta(description='For the policy "RND" alone; default 0.')] = msgspec.UNSET
    provenance: dict[str, Text] = field(default_factory=dict)


def mosp_of(document: MospDocument) -> MospInstance:
    """Return the MOSP instance that a document describes; raises `InputError`."""
    if document.seed is not msgspec.UNSET and document.local != "RND":
        raise InputError("only the policy RND takes a seed", field="seed", value=document.seed)
    local = None if document.local is msgspec.UNSET else document.local
    policy = default_policy(len(document.organizations), document.locality) if local is None else local
    if isinstance(policy, str):
        counts = [(len(one.jobs), len(one.reservations)) for one in document.organizations]
        if sum(jobs * (jobs + held) * (1 + held) for jobs, held in counts) > MAX_POLICY_STEPS:
            largest = max(document.organizations, key=lambda one: len(one.jobs))
            reason = (
                f"too many jobs and reservations for a policy: organization {largest.id} alone has"
                f" {len(largest.jobs):,} jobs, and {isqrt(MAX_POLICY_STEPS):,} without reservations are the most;"
                " divide its jobs among several organizations, take a slice of the log with fewer, or give the start"
                f' of each job, as in "local": {{"{largest.jobs[0].id if largest.jobs else "J1"}": 0, …}}'
            )
            raise InputError(reason, field="local", value=policy)
    organizations = []
    for index, one in enumerate(document.organizations):
        with within(f"organizations[{index}]"):
            jobs = build_list("jobs", (RigidJob(job.id, job.time, job.processors, job.release) for job in one.jobs))
            held = (Reservation(block.start, block.end, block.processors) for block in one.reservations)
            organizations.append(Organization(one.id, one.processors, jobs, build_list("reservations", held)))
    return MospInstance(
        organizations,
        document.locality,
        local,
        0 if document.seed is msgspec.UNSET else document.seed,
        document.name,
        texts(document.provenance, "provenance"),
    )


def mosp_document(instance: MospInstance) -> MospDocument:
    """Return the document of a MOSP instance, with its local starts if it has local schedules."""
    local = instance.local
    organizations = [
        OrganizationDocument(
            one.id,
            one.processors,
            [RigidJobDocument(job.id, job.time, job.processors, job.release) for job in one.jobs],
            [ReservationDocument(held.start, held.end, held.processors) for held in one.reservations],
        )
        for one in instance.organizations
    ]
    return MospDocument(
        version=1,
        problem="mosp",
        name=instance.name,
        locality=instance.locality,
        organizations=organizations,
        local=msgspec.UNSET if local is None else {job.id: local[job.id] for job in instance.jobs},
        provenance=clean_texts(instance.provenance, "provenance"),
    )


FORMAT = InstanceFormat(MospDocument, mosp_of, mosp_document)
