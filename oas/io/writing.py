"""Writing instances, schedules and results. Reading back what is written gives an equal object."""

from __future__ import annotations

import gzip
import json
import logging
import os
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from oas.core.errors import InputError
from oas.core.numbers import exact
from oas.core.result import Result
from oas.core.schedule import Schedule
from oas.io import documents as doc
from oas.io.decoding import MAX_BYTES, MAX_MODEL_VALUES, MAX_VALUES, has_too_many_values
from oas.io.files import clean, clean_texts, write_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oas.core.instances import Instance
    from oas.core.result import ModelReport, Proof
    from oas.core.schedule import Placement
    from oas.io.files import Source
    from oas.io.reading import Content

    NodesOf = Callable[[Placement], dict[str, Any]]

WIDTH = 120
MANY = WIDTH // len("0, ")  # with more numbers, a placement certainly does not fit in one line
LISTED = 100_000  # node numbers below are copied from one text; higher ones are converted one by one
_NESTED = frozenset({dict, list})
_text = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def lay_out(value: object) -> bytes:
    """Return `value` as JSON in UTF-8, with a line break at the end."""
    parts: list[bytes | memoryview] = []
    _lay_out(parts, value, 0, WIDTH)
    parts.append(b"\n")
    return b"".join(parts)  # once: the nodes of large clusters fill hundreds of megabytes


def _lay_out(parts: list[bytes | memoryview], value: object, indent: int, room: int) -> None:
    """Append the parts of `value`; the first line has `room` columns, the others begin with `indent` spaces."""
    if isinstance(value, LongList):
        parts += value.parts
        return
    # A list of scalars is one line, however long: a thousand node numbers are easier to read this way.
    scalars = isinstance(value, list) and _NESTED.isdisjoint(map(type, value))
    whole = scalars or not isinstance(value, dict | list) or not value
    if whole or _left(value, room) >= 0:
        line = _text(value)
        if whole or len(line) <= room:
            parts.append(line.encode())
            return
    inner = indent + 2
    assert isinstance(value, dict | list)
    separator = f"\n{' ' * inner}"
    if isinstance(value, dict):
        opening, closing = "{", "}"
        items = [(f"{_text(key)}: ", item) for key, item in value.items()]
    else:
        opening, closing = "[", "]"
        items = [("", item) for item in value]
    for head, item in items:
        parts.append(f"{opening}{separator}{head}".encode())
        _lay_out(parts, item, inner, WIDTH - inner - len(head) - 1)
        opening = ","
    parts.append(f"\n{' ' * indent}{closing}".encode())


def _left(value: object, room: int) -> int:
    """Return an upper bound on the columns left after `value`; below 0, it certainly does not fit."""
    if isinstance(value, str):
        return room - len(value) - 2
    if isinstance(value, LongList):
        return room - sum(map(len, value.parts))
    if not isinstance(value, dict | list):
        return room - 1
    room -= 2 * max(1, len(value))  # brackets and separators
    for key, item in value.items() if isinstance(value, dict) else (("", item) for item in value):
        if room < 0:
            break
        room = _left(item, room - len(key))
    return room


class LongList:
    """A list of the integers in ranges, written as parts of JSON; `msgspec` leaves it unchanged.

    The numbers of a range are usually a part of one long text, which is not copied.
    """

    def __init__(self, ranges: Iterable[range]) -> None:
        self.parts: list[bytes | memoryview] = []
        separator = b"["
        for numbers in ranges:
            self.parts += separator, _listed(numbers)
            separator = b", "
        self.parts.append(b"]")


def _listed(numbers: range) -> bytes | memoryview:
    """Return the numbers of a range that is not empty and has step 1, separated as in JSON."""
    if numbers.stop > LISTED:
        return ", ".join(map(str, numbers)).encode()
    return _first_numbers()[_offset(numbers.start) : _offset(numbers.stop) - len(", ")]


@cache
def _first_numbers() -> memoryview:
    return memoryview(", ".join(map(str, range(LISTED + 1))).encode())


def _offset(number: int) -> int:
    """Return the position of a number in the text that lists all numbers from 0 on."""
    digits = len(str(number))
    missing = (10**digits - 10) // 9  # by which the digits of the lower numbers are fewer than `digits` each
    return number * (digits + len(", ")) - missing


LOGGER = logging.getLogger("oas")


def save(content: Content | doc.ModelDocument, path: Source, *, instance: Instance | None = None) -> None:
    """Write an instance, a schedule, a result or the description of a model to a file, atomically.

    Content beyond the limits for reading (a schedule with a million nodes in total) is written, with a logged warning.

    Parameters
    ----------
    content
        The object to write.
    path
        Path of the file; ``"-"`` is standard output.
    instance
        The instance of a schedule; its digest is then written with the schedule.

    Raises
    ------
    InputError
        If the file cannot be written, or `content` cannot be put into a file (see `dumps`).
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError("the path of a file is needed, after what is to be saved", field="path", value=type(path))
    data = dumps(content, instance=instance)
    write_bytes(path, data)
    most = MAX_MODEL_VALUES if isinstance(content, doc.ModelDocument) else MAX_VALUES
    if len(data) > MAX_BYTES or has_too_many_values(data, most):
        LOGGER.warning("%s is written, but is larger than what is read: 64 MiB, %s values", path, f"{most:,}")


def dumps(content: Content | doc.ModelDocument, *, instance: Instance | None = None, compact: bool = False) -> bytes:
    """Return an instance, a schedule, a result or a model's description as JSON in UTF-8; parameters as `save`.

    With `compact`, it is one line, for files that only programs read; this takes a fraction of the time.

    Numbers are written as integers or as ``"37/30"``. Characters that no file may hold (control characters in a
    solver's message) become U+FFFD.

    Raises `InputError` if it contains something that no file may hold: a number of more than 80 digits, or a
    certificate with floats.
    """
    digest = None if instance is None else instance.digest
    document = _document_of(content, digest, _numbers if compact else _long_lists)
    plain = msgspec.to_builtins(document, enc_hook=plain_number, builtin_types=(LongList,))
    try:
        if compact:
            return json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        return lay_out(plain)
    except ValueError as error:  # an infinite float, half a surrogate pair, an integer beyond 4300 digits
        raise InputError(f"cannot be written as JSON: {error}") from error


def pack(content: Content) -> bytes:
    """Return `content` as gzipped JSON in one line, equal bytes for equal content; errors as `dumps`."""
    return gzip.compress(dumps(content, compact=True), 9, mtime=0)


def plain_number(value: object) -> int | str:
    """Return an exact number as JSON holds it: an integer, or a text such as ``37/30``."""
    if not isinstance(value, Fraction):
        raise InputError("cannot be written to a file", value=value)
    exact(value, "")
    return value.numerator if value.denominator == 1 else str(value)


def _document_of(content: Content | doc.ModelDocument, instance_digest: str | None, nodes: NodesOf) -> doc.Document:
    """Return the document for `content`; raises `InputError` if a field of type text is not text.

    `nodes` returns the nodes of a placement by cluster, as lists or long lists.
    """
    if isinstance(content, Schedule):
        return doc.ScheduleDocument(version=1, instance_digest=instance_digest, **_schedule_fields(content, nodes))
    if isinstance(content, Result):
        return _result_document(content, nodes)
    if isinstance(content, doc.ModelDocument):
        return content
    return content.problem.part("document").write(content)


def _numbers(placement: Placement) -> dict[str, Any]:
    return {name: list(used) for name, used in placement.nodes.items()}


def _long_lists(placement: Placement) -> dict[str, Any]:
    if placement.tasks <= MANY:
        return _numbers(placement)
    return {name: LongList(placement.ranges(name)) for name in placement.nodes}


def _schedule_fields(schedule: Schedule, nodes: NodesOf) -> dict[str, Any]:
    """Return the fields that a schedule has in its own file and inside a result."""
    placements = [doc.PlacementDocument(one.job, one.start, one.end, nodes(one)) for one in schedule.placements]
    certificate = doc.plain_certificate(schedule.certificate)
    return {"method": clean(schedule.method, "method"), "placements": placements, "certificate": certificate}


def _result_document(result: Result, nodes: NodesOf) -> doc.ResultDocument:
    return doc.ResultDocument(
        version=1,
        instance_digest=result.instance_digest,
        status=result.status,
        termination=result.termination,
        objective=result.objective,
        lower_bound=result.lower_bound,
        gap=None if result.gap is None else float(result.gap),
        proof=None if result.proof is None else _proof_document(result.proof),
        schedule=None if result.schedule is None else doc.ScheduleBody(**_schedule_fields(result.schedule, nodes)),
        solver=clean(result.solver, "solver"),
        formulation=clean(result.formulation, "formulation"),
        seed=result.seed,
        threads=result.threads,
        seconds=dict(result.seconds),
        versions=clean_texts(result.versions, "versions"),
        options=clean_texts(result.options, "options"),
        threads_used=dict(result.threads_used),
        message=clean(result.message, "message"),
        model=msgspec.UNSET if result.model is None else _model_document(result.model),
    )


def _model_document(model: ModelReport) -> ModelReport:
    given: dict[str, Any] = {name: clean(getattr(model, name), name) for name in ("formulation", "solver", "version")}
    reductions = tuple(clean(one, "reductions") for one in model.reductions)
    return replace(model, **given, reductions=reductions, options=clean_texts(model.options, "options"))


def _proof_document(proof: Proof) -> doc.ProofDocument:
    bound = None
    if proof.bound is not None:
        certificate = doc.plain_certificate(proof.bound.certificate)
        bound = doc.BoundDocument(clean(proof.bound.name, "name"), proof.bound.value, certificate)
    claims = []
    for claim in proof.claims:
        texts = {name: clean(getattr(claim, name), name) for name in ("solver", "version", "formulation", "run")}
        claims.append(doc.ClaimDocument(**texts, bound=claim.bound))
    return doc.ProofDocument(proof.kind, bound, claims)
