"""Instances of fair sharing in files."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from oas.core.errors import within
from oas.core.instances import MAX_CLUSTERS, MAX_JOBS
from oas.core.rigid import Organization, RigidJob
from oas.fair.instance import FairInstance
from oas.io.documents import (
    DocumentStruct,
    InstanceFormat,
    Name,
    Text,
    Version,
    build_list,
)
from oas.io.files import clean_texts, texts


class FairJobDocument(DocumentStruct, frozen=True):
    """A job of an organization that shares by contribution."""

    id: Name
    time: Annotated[int, Meta(description="p, at least 1.")]
    processors: Annotated[int, Meta(description="q, from 1, the default, to those of its own organization.")] = 1
    release: Annotated[
        int, Meta(description="It starts no earlier; at least 0, the default, and that of the job before it.")
    ] = 0


class FairOrganizationDocument(DocumentStruct, frozen=True):
    """An organization that shares by contribution: its processors and its jobs."""

    id: Name
    processors: Annotated[int, Meta(description="At least 1.")]
    jobs: Annotated[
        list[FairJobDocument],
        Meta(min_length=1, max_length=MAX_JOBS, description="At least one, in the order presented, which is kept."),
    ]


class FairDocument(DocumentStruct, frozen=True, kw_only=True, tag_field="format", tag="oas-instance"):
    """An instance of fair sharing by contribution."""

    version: Version
    problem: Literal["fair"]
    name: Annotated[str, Meta(description="Empty, or as an id.")] = ""
    horizon: Annotated[
        int, Meta(description="t_end, at least 1 and after some release: what starts before it is scheduled.")
    ]
    organizations: Annotated[list[FairOrganizationDocument], Meta(min_length=1, max_length=MAX_CLUSTERS)]
    provenance: dict[str, Text] = field(default_factory=dict)


def fair_of(document: FairDocument) -> FairInstance:
    """Return the instance of fair sharing that a document describes; raises `InputError`."""
    organizations = []
    for index, organization in enumerate(document.organizations):
        with within(f"organizations[{index}]"):
            jobs = (RigidJob(job.id, job.time, job.processors, job.release) for job in organization.jobs)
            organizations.append(Organization(organization.id, organization.processors, build_list("jobs", jobs)))
    return FairInstance(organizations, document.horizon, document.name, texts(document.provenance, "provenance"))


def fair_document(instance: FairInstance) -> FairDocument:
    """Return the document of an instance of fair sharing."""
    return FairDocument(
        version=1,
        problem="fair",
        name=instance.name,
        horizon=instance.horizon,
        organizations=[
            FairOrganizationDocument(
                one.id,
                one.processors,
                [FairJobDocument(job.id, int(job.time), job.processors, int(job.release)) for job in one.jobs],
            )
            for one in instance.organizations
        ],
        provenance=clean_texts(instance.provenance, "provenance"),
    )


FORMAT = InstanceFormat(FairDocument, fair_of, fair_document)
