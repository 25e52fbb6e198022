"""The four file formats: field names, types, defaults, and their JSON Schemas.

These structs check types and structure; the types of `oas.core` that are built from them check the values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from oas.core.errors import InputError, unknown_name, within
from oas.core.instances import MAX_JOBS
from oas.core.registry import problems
from oas.core.result import ModelReport, ProofKind, Status, Termination
from oas.io.files import label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_DEPTH = 50

Number = Annotated[Fraction, Meta(description='An exact number: an integer, a decimal (0.7 is 7/10), or "37/30".')]
Version = Annotated[Literal[1], Meta(description="Version of the format.")]
Text = Annotated[str, Meta(description="For people; no control characters but tab and line breaks.")]
Name = Annotated[str, Meta(description="1 to 200 printable characters, no space at either end.")]
Digest = Annotated[str, Meta(description="SHA-256 of what the instance means, 64 hexadecimal digits.")]


class DocumentStruct(Struct, forbid_unknown_fields=True, frozen=True):
    """Base class of the documents in files: unknown fields are refused."""


class InstanceHeading(Struct, frozen=True, tag_field="format", tag="oas-instance"):
    """The field of an instance document that names its problem; other fields are ignored."""

    problem: str


class PlacementDocument(DocumentStruct, frozen=True):
    """One job's run."""

    job: Name
    start: Number
    end: Number
    nodes: Annotated[dict[str, list[int]], Meta(description="For each cluster id, the numbers of the nodes used.")]


Placements = Annotated[list[PlacementDocument], Meta(max_length=MAX_JOBS)]


Certificate = Annotated[dict[str, Any] | None, Meta(description="Integers, texts, lists, objects; no decimals.")]


class ScheduleBody(DocumentStruct, frozen=True, kw_only=True):
    """A schedule inside a result."""

    method: Text = ""
    placements: Placements
    certificate: Certificate = None


class ScheduleDocument(DocumentStruct, frozen=True, kw_only=True, tag_field="format", tag="oas-schedule"):
    """A schedule."""

    version: Version
    instance_digest: Digest | None = None
    method: Text = ""
    placements: Placements
    certificate: Certificate = None


class BoundDocument(DocumentStruct, frozen=True):
    """A lower bound and its certificate."""

    name: Text
    value: Number
    certificate: Certificate


class ClaimDocument(DocumentStruct, frozen=True):
    """A solver's claim."""

    solver: Text
    version: Text
    formulation: Text
    bound: Number
    run: Text = ""


class ProofDocument(DocumentStruct, frozen=True):
    """The proof of the lower bound."""

    kind: ProofKind
    bound: BoundDocument | None = None
    claims: list[ClaimDocument] = []


class ResultDocument(DocumentStruct, frozen=True, kw_only=True, tag_field="format", tag="oas-result"):
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
    options: Annotated[dict[str, Text], Meta(description="Further options that were set: limits, gap, …")] = {}
    threads_used: Annotated[dict[str, int], Meta(description="Threads that each solver used, if known.")] = {}
    model: ModelReport | UnsetType = UNSET  # left out if no model ran


class VariableDocument(DocumentStruct, frozen=True, omit_defaults=True):
    """A variable of a model."""

    name: Annotated[str, Meta(description="Name in the model's file and in solution files.")]
    meaning: Text = ""
    job: Name | None = None
    nodes: Annotated[dict[str, int] | None, Meta(description="Number of nodes by cluster id.")] = None
    start: Annotated[Number | None, Meta(description="Start of the job.")] = None
    end: Annotated[Number | None, Meta(description="End of the job.")] = None
    makespan: Annotated[Number | None, Meta(description="The makespan that it stands for.")] = None


class ModelDocument(DocumentStruct, frozen=True, kw_only=True, tag_field="format", tag="oas-model"):
    """The description of an LP or MPS file, from which the same model is built again."""

    version: Version
    instance_digest: Digest
    formulation: Text
    horizon: Annotated[Number, Meta(description="No job ends later.")]
    lower_bound: Annotated[Number, Meta(description="Bound on the makespan that the model contains; 0 for none.")]
    reduced: Annotated[bool, Meta(description="Whether schedules are left out for the objective makespan.")]
    reductions: Annotated[list[Text], Meta(description="What the model leaves out or assumes.")]
    variables: list[VariableDocument]


Document = Any
"""A document of an instance of any problem, a `ScheduleDocument` or a `ResultDocument`."""


# Permitted values of fields with fixed choices, for error messages.
CHOICES: dict[str, tuple[object, ...]] = {
    "format": ("oas-instance", "oas-schedule", "oas-result"),
    "version": (1,),
    "status": tuple(one.value for one in Status),
    "termination": tuple(one.value for one in Termination),
    "kind": tuple(one.value for one in ProofKind),
}


def schema(kind: str = "instance") -> dict[str, Any]:
    """Return the JSON Schema of a file format: ``instance`` (of any problem), ``schedule``, ``result``, ``model``.

    Raises `InputError` if there is no such format.
    """
    instances = tuple(one.part("document").document for one in problems() if one.has("document"))
    single = {"schedule": (ScheduleDocument,), "result": (ResultDocument,), "model": (ModelDocument,)}
    documents = {"instance": instances, **single}
    if kind not in documents:
        raise unknown_name(kind, documents, "kind", reason="unknown format")
    kinds, definitions = msgspec.json.schema_components(documents[kind], schema_hook=_number_schema)
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


@dataclass(frozen=True)
class InstanceFormat:
    """The file format of one problem's instances."""

    # a subclass of `oas.io.documents.DocumentStruct`: field names, types and defaults; tag ``oas-instance`` in the
    # field ``format``, and a field ``problem`` that holds the problem's name
    document: type
    read: Callable[[Any], Any]  # ``document -> instance``; raises `InputError` that names the field
    write: Callable[[Any], Any]  # ``instance -> document``


Thing = TypeVar("Thing")


def build_list(field: str, things: Iterable[Thing]) -> list[Thing]:
    """Return the things as a list; an error while one is created names its index under `field`."""
    items: list[Thing] = []
    try:
        for thing in things:
            items.append(thing)  # their number is the index of an error
    except InputError:
        with within(f"{field}[{len(items)}]"):
            raise
    return items


def plain_certificate(certificate: Mapping[str, object] | None) -> dict[str, Any] | None:
    """Return a certificate as a file can hold it: tuples become lists, Fractions the text that `exact` reads.

    A certificate from a file stays unchanged. Raises `InputError` if it is nested too deeply, or contains anything that
    is not plain data: a decimal or a float would not be exact.
    """
    return None if certificate is None else _plain(dict(certificate), "certificate", 0)


def _plain(value: object, field: str, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise InputError(f"nested more than {MAX_DEPTH} deep", field=field)
    if value is None or type(value) in (bool, int, str):
        return value
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, list | tuple):
        return [_plain(item, f"{field}[{index}]", depth + 1) for index, item in enumerate(value)]
    if isinstance(value, Mapping) and all(type(key) is str for key in value):
        return {key: _plain(item, f"{field}.{label(key)}", depth + 1) for key, item in value.items()}
    raise InputError("a certificate holds integers and texts only", field=field, value=value)
