"""The three formats as they stand in a file: field names, types, defaults, and their JSON Schemas.

These structs check types and shape; what the values must satisfy is checked by the types of `oas.core` built from them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

from oas.core.errors import InputError
from oas.core.result import ProofKind, Status, Termination

# Caps on what is read. Exact arithmetic on anything near them is hopeless anyway; they bound time and memory.
MAX_CLUSTERS = 10_000
MAX_GROUPS = 10_000
MAX_NODES = 1_000_000
MAX_JOBS = 50_000
MAX_RESERVATIONS = 10_000
# About a second of list scheduling, when a file names the policy of the local schedules instead of giving their starts.
MAX_POLICY_STEPS = 10_000_000

Number = Annotated[Fraction, Meta(description='An exact number: an integer, a decimal (0.7 is 7/10), or "37/30".')]
Version = Annotated[Literal[1], Meta(description="Version of the format.")]
Text = Annotated[str, Meta(description="For people; no control characters but tab and line breaks.")]
Name = Annotated[str, Meta(description="1 to 200 printable characters, no space at either end.")]
Digest = Annotated[str, Meta(description="SHA-256 of what the instance means, 64 hexadecimal digits.")]


class _Document(Struct, forbid_unknown_fields=True, frozen=True):
    pass


class NodeGroupDocument(_Document, frozen=True):
    """Identical nodes: ``{"count": 4, "power": 0.75}``."""

    count: Annotated[int, Meta(description="At least 1.")]
    power: Annotated[Number, Meta(description="Effective power Γ, 0 < Γ ≤ 1.")]


class ClusterDocument(_Document, frozen=True):
    """A cluster."""

    id: Name
    bandwidth: Annotated[Number, Meta(description="Capacity of its link, at least 0.")]
    nodes: Annotated[list[NodeGroupDocument], Meta(min_length=1, max_length=MAX_GROUPS)]


class JobDocument(_Document, frozen=True):
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


class CoallocationDocument(_Document, frozen=True, kw_only=True, tag_field="format", tag="oas-instance"):
    """An instance of the co-allocation problem."""

    version: Version
    problem: Literal["coallocation"]
    name: Annotated[str, Meta(description="Empty, or as an id.")] = ""
    slot: Annotated[Number, Meta(description="Slot size η, at least 0; 0 (the default) is continuous time.")] = field(
        default_factory=Fraction
    )
    saturation: Annotated[str, Meta(description="What happens when a link is asked for more than it has.")] = "forbid"
    clusters: Annotated[list[ClusterDocument], Meta(min_length=1, max_length=MAX_CLUSTERS)]
    jobs: Annotated[list[JobDocument], Meta(min_length=1, max_length=MAX_JOBS)]
    provenance: dict[str, Text] = {}


class RigidJobDocument(_Document, frozen=True):
    """A rigid job."""

    id: Name
    time: Annotated[Number, Meta(description="p, above 0.")]
    processors: Annotated[int, Meta(description="q, at least 1, at most those of the organization's own cluster.")]
    release: Annotated[Number, Meta(description="It starts no earlier; at least 0, the default.")] = field(
        default_factory=Fraction
    )


class ReservationDocument(_Document, frozen=True):
    """Processors of a cluster that are not to be had in [start, end)."""

    start: Annotated[Number, Meta(description="At least 0.")]
    end: Annotated[Number, Meta(description="After the start.")]
    processors: Annotated[int, Meta(description="How many, at least 1.")]


class OrganizationDocument(_Document, frozen=True):
    """An organization: its cluster and its jobs."""

    id: Name
    processors: Annotated[int, Meta(description="Processors of its cluster, at least 1.")]
    jobs: Annotated[list[RigidJobDocument], Meta(max_length=MAX_JOBS)]
    reservations: Annotated[list[ReservationDocument], Meta(max_length=MAX_RESERVATIONS)] = []


class MospDocument(_Document, frozen=True, kw_only=True, tag_field="format", tag="oas-instance"):
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
        str | dict[str, Number],
        Meta(description='The local schedules: the start of each job by its id, or a policy such as "HF".'),
    ] = "HF"
    seed: Annotated[int | msgspec.UnsetType, Meta(description='For the policy "RND" alone; default 0.')] = msgspec.UNSET
    provenance: dict[str, Text] = {}


class InstanceHeading(Struct, frozen=True, tag_field="format", tag="oas-instance"):
    """What tells the instances of one problem from those of another; the rest is not looked at."""

    problem: Literal["coallocation", "mosp"]


class PlacementDocument(_Document, frozen=True):
    """One job's run."""

    job: Name
    start: Number
    end: Number
    nodes: Annotated[dict[str, list[int]], Meta(description="For each cluster id, the numbers of the nodes used.")]


Placements = Annotated[list[PlacementDocument], Meta(max_length=MAX_JOBS)]


class ScheduleBody(_Document, frozen=True, kw_only=True):
    """A schedule inside a result."""

    method: Text = ""
    placements: Placements


class ScheduleDocument(_Document, frozen=True, kw_only=True, tag_field="format", tag="oas-schedule"):
    """A schedule."""

    version: Version
    instance_digest: Digest | None = None
    method: Text = ""
    placements: Placements


class BoundDocument(_Document, frozen=True):
    """A lower bound and its certificate."""

    name: Text
    value: Number
    certificate: Annotated[dict[str, Any] | None, Meta(description="Integers, texts, lists, objects; no decimals.")]


class ClaimDocument(_Document, frozen=True):
    """A solver's claim."""

    solver: Text
    version: Text
    formulation: Text
    bound: Number


class ProofDocument(_Document, frozen=True):
    """What proves the lower bound."""

    kind: ProofKind
    bound: BoundDocument | None = None
    claims: list[ClaimDocument] = []


class ResultDocument(_Document, frozen=True, kw_only=True, tag_field="format", tag="oas-result"):
    """The outcome of a solve. ``objective`` and ``gap`` follow from the rest and are checked against it."""

    version: Version
    instance_digest: Digest
    status: Status
    termination: Termination
    message: Text = ""
    objective: Number | None
    lower_bound: Number | None
    gap: Annotated[float | None, Meta(description="objective / lower_bound - 1, rounded.")]
    proof: ProofDocument | None
    schedule: ScheduleBody | None
    solver: Text = ""
    formulation: Text = ""
    seed: int = 0
    threads: int = 1
    seconds: dict[str, float] = {}
    versions: dict[str, Text] = {}


Document = CoallocationDocument | MospDocument | ScheduleDocument | ResultDocument
INSTANCES: dict[str, type[CoallocationDocument | MospDocument]] = {
    "coallocation": CoallocationDocument,
    "mosp": MospDocument,
}
_FORMATS: dict[str, tuple[type[Document], ...]] = {
    "oas-instance": tuple(INSTANCES.values()),
    "oas-schedule": (ScheduleDocument,),
    "oas-result": (ResultDocument,),
}

# What a field of closed choice may hold, for the error that refuses another value.
CHOICES: dict[str, tuple[object, ...]] = {
    "format": tuple(_FORMATS),
    "version": (1,),
    "problem": tuple(INSTANCES),
    "status": tuple(one.value for one in Status),
    "termination": tuple(one.value for one in Termination),
    "kind": tuple(one.value for one in ProofKind),
}


def schema(kind: str = "instance") -> dict[str, Any]:
    """Return the JSON Schema of a file format: ``instance`` (of either problem), ``schedule`` or ``result``.

    Raises
    ------
    InputError
        If there is no such format.
    """
    documents = _FORMATS.get(f"oas-{kind}")
    if documents is None:
        raise InputError("unknown format; known: instance, schedule, result", field="kind", value=kind)
    kinds, definitions = msgspec.json.schema_components(documents, schema_hook=_number_schema)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **(kinds[0] if len(kinds) == 1 else {"anyOf": list(kinds)}),
        "$defs": definitions,
    }


def _number_schema(kind: type) -> dict[str, Any]:
    if kind is Fraction:
        text = {"type": "string", "pattern": r"^-?[0-9]+(/[0-9]+|(\.[0-9]+)?([eE][+-]?[0-9]+)?)$"}
        return {"anyOf": [{"type": "number"}, text]}
    raise NotImplementedError
