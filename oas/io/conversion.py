"""Documents to the types of `oas.core`, which check the values, and back; certificates as plain JSON values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from oas.core.errors import InputError, within
from oas.core.instances import Instance
from oas.core.result import Bound, Claim, Proof, Result
from oas.core.schedule import Placement, Schedule
from oas.io import documents as doc
from oas.io.decoding import MAX_DEPTH
from oas.io.files import clean, clean_texts, label, text, texts
from oas.problems.registry import problem_named


def certificate_from_file(certificate: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a certificate read from a file.

    Raises `InputError` if it holds a decimal (it would not be exact) or is nested too deeply.
    """
    return None if certificate is None else _plain(certificate, "certificate", 0)


def certificate_to_file(certificate: Mapping[str, object] | None) -> dict[str, Any] | None:
    """Return a certificate as a file can hold it: tuples become lists, Fractions the text that `exact` reads.

    Raises `InputError` if it holds anything that is not plain data, a float in particular.
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


_DIGEST = re.compile("[0-9a-f]{64}")

Content = Instance | Schedule | Result


def content_of(document: doc.Document) -> Content:
    """Return what a document says; raises `InputError` naming the field, if a value cannot be accepted."""
    if isinstance(document, doc.ScheduleDocument):
        _digest(document.instance_digest)
        return _schedule(document)
    if isinstance(document, doc.ResultDocument):
        return _result(document)
    found: Instance = problem_named(document.problem).part("document").read(document)
    return found


def document_of(content: Content, instance_digest: str | None = None) -> doc.Document:
    """Return the document that says `content`; raises `InputError` if a text that is meant to be text is not."""
    if isinstance(content, Schedule):
        body = _schedule_body(content)
        return doc.ScheduleDocument(
            version=1,
            instance_digest=instance_digest,
            method=body.method,
            placements=body.placements,
            certificate=body.certificate,
        )
    if isinstance(content, Result):
        return _result_document(content)
    return content.problem.part("document").write(content)


def _schedule(document: doc.ScheduleDocument | doc.ScheduleBody) -> Schedule:
    runs = []
    for index, placement in enumerate(document.placements):
        with within(f"placements[{index}]"):
            runs.append(Placement(placement.job, placement.start, placement.end, placement.nodes))
    return Schedule(runs, text(document.method, "method"), certificate_from_file(document.certificate))


def _result(document: doc.ResultDocument) -> Result:
    schedule = None
    if document.schedule is not None:
        with within("schedule"):
            schedule = _schedule(document.schedule)
    result = Result(
        status=document.status,
        termination=document.termination,
        schedule=schedule,
        lower_bound=document.lower_bound,
        proof=None if document.proof is None else _proof(document.proof),
        instance_digest=_digest(document.instance_digest),
        solver=text(document.solver, "solver"),
        formulation=text(document.formulation, "formulation"),
        seconds=document.seconds,
        versions=texts(document.versions, "versions"),
        seed=document.seed,
        threads=document.threads,
        message=text(document.message, "message"),
    )
    for field, stated, derived in (
        ("objective", document.objective, result.objective),
        ("gap", document.gap, _rounded(result.gap)),
    ):
        if stated != derived:
            raise InputError(f"must be {derived}, as the rest of the file has it", field=field, value=str(stated))
    return result


def _rounded(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _proof(document: doc.ProofDocument) -> Proof:
    bound = None
    if document.bound is not None:
        with within("proof.bound"):
            certificate = certificate_from_file(document.bound.certificate)
            bound = Bound(text(document.bound.name, "name"), document.bound.value, certificate)
    claims = []
    for index, claim in enumerate(document.claims):
        with within(f"proof.claims[{index}]"):
            claims.append(
                Claim(
                    text(claim.solver, "solver"),
                    text(claim.version, "version"),
                    text(claim.formulation, "formulation"),
                    claim.bound,
                )
            )
    return Proof(document.kind, bound, tuple(claims))


def _schedule_body(schedule: Schedule) -> doc.ScheduleBody:
    placements = [
        doc.PlacementDocument(one.job, one.start, one.end, {name: list(used) for name, used in one.nodes.items()})
        for one in schedule.placements
    ]
    return doc.ScheduleBody(
        method=clean(schedule.method, "method"),
        placements=placements,
        certificate=certificate_to_file(schedule.certificate),
    )


def _result_document(result: Result) -> doc.ResultDocument:
    return doc.ResultDocument(
        version=1,
        instance_digest=result.instance_digest,
        status=result.status,
        termination=result.termination,
        objective=result.objective,
        lower_bound=result.lower_bound,
        gap=_rounded(result.gap),
        proof=None if result.proof is None else _proof_document(result.proof),
        schedule=None if result.schedule is None else _schedule_body(result.schedule),
        solver=clean(result.solver, "solver"),
        formulation=clean(result.formulation, "formulation"),
        seed=result.seed,
        threads=result.threads,
        seconds=dict(result.seconds),
        versions=clean_texts(result.versions, "versions"),
        message=clean(result.message, "message"),
    )


def _proof_document(proof: Proof) -> doc.ProofDocument:
    bound = None
    if proof.bound is not None:
        certificate = certificate_to_file(proof.bound.certificate)
        bound = doc.BoundDocument(clean(proof.bound.name, "name"), proof.bound.value, certificate)
    claims = [
        doc.ClaimDocument(
            clean(claim.solver, "solver"),
            clean(claim.version, "version"),
            clean(claim.formulation, "formulation"),
            claim.bound,
        )
        for claim in proof.claims
    ]
    return doc.ProofDocument(proof.kind, bound, claims)


def _digest(text: str | None) -> str:
    if text is not None and not _DIGEST.fullmatch(text):
        raise InputError("must be 64 hexadecimal digits", field="instance_digest", value=text)
    return text or ""
