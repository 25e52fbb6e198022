"""Writing instances, schedules and results. Reading back what is written gives an equal object."""

from __future__ import annotations

import gzip
import json
import logging
import os
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec

from oas.core.errors import InputError
from oas.core.numbers import exact
from oas.core.result import Result
from oas.core.schedule import Schedule
from oas.io import documents as doc
from oas.io.decoding import MAX_BYTES, MAX_VALUES, has_too_many_values
from oas.io.files import clean, clean_texts, write_bytes

if TYPE_CHECKING:
    from oas.core.instances import Instance
    from oas.core.result import Proof
    from oas.io.files import Source
    from oas.io.reading import Content

WIDTH = 120
_NESTED = frozenset({dict, list})
_text = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def lay_out(value: object, indent: int = 0, room: int = WIDTH) -> str:
    """Return `value` as JSON; the first line has `room` columns, the others begin with `indent` spaces."""
    # A list of scalars is one line, however long: a thousand node numbers are easier to read this way.
    scalars = isinstance(value, list) and _NESTED.isdisjoint(map(type, value))
    whole = scalars or not isinstance(value, dict | list)
    if whole or _left(value, room) >= 0:
        line = _text(value)
        if whole or len(line) <= room:
            return line
    inner = indent + 2
    assert isinstance(value, dict | list)
    if isinstance(value, dict):
        opening, closing = "{", "}"
        items = []
        for key, item in value.items():
            head = f"{_text(key)}: "
            items.append(head + lay_out(item, inner, WIDTH - inner - len(head) - 1))
    else:
        opening, closing = "[", "]"
        items = [lay_out(item, inner, WIDTH - inner - 1) for item in value]
    lines = f",\n{' ' * inner}".join(items)
    return f"{opening}\n{' ' * inner}{lines}\n{' ' * indent}{closing}"


def _left(value: object, room: int) -> int:
    """Return an upper bound on the columns left after `value`; below 0, it certainly does not fit."""
    if isinstance(value, str):
        return room - len(value) - 2
    if not isinstance(value, dict | list):
        return room - 1
    room -= 2 * max(1, len(value))  # brackets and separators
    for key, item in value.items() if isinstance(value, dict) else (("", item) for item in value):
        if room < 0:
            break
        room = _left(item, room - len(key))
    return room


LOGGER = logging.getLogger("oas")


def save(content: Content, path: Source, *, instance: Instance | None = None) -> None:
    """Write an instance, a schedule or a result to a file, atomically.

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
    if len(data) > MAX_BYTES or has_too_many_values(data):
        LOGGER.warning("%s is written, but is larger than what is read: 64 MiB, %s values", path, f"{MAX_VALUES:,}")


def dumps(content: Content, *, instance: Instance | None = None, compact: bool = False) -> bytes:
    """Return an instance, a schedule or a result as JSON in UTF-8; parameters as `save`.

    With `compact`, it is one line, for files that only programs read; this takes a fraction of the time.

    Numbers are written as integers or as ``"37/30"``. Characters that no file may hold (control characters in a
    solver's message) become U+FFFD.

    Raises `InputError` if it contains something that no file may hold: a number of more than 80 digits, or a
    certificate with floats.
    """
    document = _document_of(content, None if instance is None else instance.digest)
    plain = msgspec.to_builtins(document, enc_hook=plain_number)
    try:
        if compact:
            return json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        return f"{lay_out(plain)}\n".encode()
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


def _document_of(content: Content, instance_digest: str | None) -> doc.Document:
    """Return the document for `content`; raises `InputError` if a field of type text is not text."""
    if isinstance(content, Schedule):
        return doc.ScheduleDocument(version=1, instance_digest=instance_digest, **_schedule_fields(content))
    if isinstance(content, Result):
        return _result_document(content)
    return content.problem.part("document").write(content)


def _schedule_fields(schedule: Schedule) -> dict[str, Any]:
    """Return the fields that a schedule has in its own file and inside a result."""
    placements = [
        doc.PlacementDocument(one.job, one.start, one.end, {name: list(used) for name, used in one.nodes.items()})
        for one in schedule.placements
    ]
    certificate = doc.plain_certificate(schedule.certificate)
    return {"method": clean(schedule.method, "method"), "placements": placements, "certificate": certificate}


def _result_document(result: Result) -> doc.ResultDocument:
    return doc.ResultDocument(
        version=1,
        instance_digest=result.instance_digest,
        status=result.status,
        termination=result.termination,
        objective=result.objective,
        lower_bound=result.lower_bound,
        gap=None if result.gap is None else float(result.gap),
        proof=None if result.proof is None else _proof_document(result.proof),
        schedule=None if result.schedule is None else doc.ScheduleBody(**_schedule_fields(result.schedule)),
        solver=clean(result.solver, "solver"),
        formulation=clean(result.formulation, "formulation"),
        seed=result.seed,
        threads=result.threads,
        seconds=dict(result.seconds),
        versions=clean_texts(result.versions, "versions"),
        options=clean_texts(result.options, "options"),
        threads_used=dict(result.threads_used),
        message=clean(result.message, "message"),
    )


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
