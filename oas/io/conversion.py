"""Documents to the types of `oas.core`, which check the values, and back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oas.core.coallocation import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core.errors import InputError, within
from oas.core.result import Bound, Claim, Proof, Result
from oas.core.schedule import Placement, Schedule
from oas.io import documents as doc
from oas.io.certificates import certificate_from_file, certificate_to_file
from oas.io.refusal import label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

# Control characters could steer a terminal, lone surrogates cannot be written at all.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_DIGEST = re.compile("[0-9a-f]{64}")

Content = CoallocationInstance | Schedule | Result


def content_of(document: doc.Document) -> Content:
    """Return what a document says.

    Raises
    ------
    InputError
        Naming the field, if a value cannot be accepted.
    """
    if isinstance(document, doc.InstanceDocument):
        return _instance(document)
    if isinstance(document, doc.ScheduleDocument):
        _digest(document.instance_digest)
        return _schedule(document.placements, document.method)
    return _result(document)


def document_of(content: Content, instance_digest: str | None = None) -> doc.Document:
    """Return the document that says `content`.

    Raises
    ------
    InputError
        If a text that is meant to be text is not.
    """
    if isinstance(content, CoallocationInstance):
        return _instance_document(content)
    if isinstance(content, Schedule):
        body = _schedule_body(content)
        return doc.ScheduleDocument(
            version=1, instance_digest=instance_digest, method=body.method, placements=body.placements
        )
    return _result_document(content)


def _instance(document: doc.InstanceDocument) -> CoallocationInstance:
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
    provenance = _texts(document.provenance, "provenance")
    if document.saturation != "forbid":
        raise InputError("unknown policy; known: forbid", field="saturation", value=document.saturation)
    return CoallocationInstance(clusters, jobs, document.slot, "forbid", document.name, provenance)


def _group(index: int, group: doc.NodeGroupDocument) -> NodeGroup:
    with within(f"nodes[{index}]"):
        return NodeGroup(group.count, group.power)


def _schedule(placements: Sequence[doc.PlacementDocument], method: str) -> Schedule:
    runs = []
    for index, placement in enumerate(placements):
        with within(f"placements[{index}]"):
            runs.append(Placement(placement.job, placement.start, placement.end, placement.nodes))
    return Schedule(runs, _text(method, "method"))


def _result(document: doc.ResultDocument) -> Result:
    schedule = None
    if document.schedule is not None:
        with within("schedule"):
            schedule = _schedule(document.schedule.placements, document.schedule.method)
    result = Result(
        status=document.status,
        termination=document.termination,
        schedule=schedule,
        lower_bound=document.lower_bound,
        proof=None if document.proof is None else _proof(document.proof),
        instance_digest=_digest(document.instance_digest),
        solver=_text(document.solver, "solver"),
        formulation=_text(document.formulation, "formulation"),
        seconds=document.seconds,
        versions=_texts(document.versions, "versions"),
        seed=document.seed,
        threads=document.threads,
        message=_text(document.message, "message"),
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
            bound = Bound(_text(document.bound.name, "name"), document.bound.value, certificate)
    claims = []
    for index, claim in enumerate(document.claims):
        with within(f"proof.claims[{index}]"):
            claims.append(
                Claim(
                    _text(claim.solver, "solver"),
                    _text(claim.version, "version"),
                    _text(claim.formulation, "formulation"),
                    claim.bound,
                )
            )
    return Proof(document.kind, bound, tuple(claims))


def _instance_document(instance: CoallocationInstance) -> doc.InstanceDocument:
    clusters = [
        doc.ClusterDocument(
            cluster.id, cluster.bandwidth, [doc.NodeGroupDocument(group.count, group.power) for group in cluster.groups]
        )
        for cluster in instance.clusters
    ]
    jobs = [doc.JobDocument(job.id, job.tasks, job.base_time, job.bandwidth, job.sigma) for job in instance.jobs]
    return doc.InstanceDocument(
        version=1,
        problem="coallocation",
        name=instance.name,
        slot=instance.slot,
        saturation=instance.saturation,
        clusters=clusters,
        jobs=jobs,
        provenance=_clean_texts(instance.provenance, "provenance"),
    )


def _schedule_body(schedule: Schedule) -> doc.ScheduleBody:
    placements = [
        doc.PlacementDocument(one.job, one.start, one.end, {name: list(used) for name, used in one.nodes.items()})
        for one in schedule.placements
    ]
    return doc.ScheduleBody(method=_clean(schedule.method, "method"), placements=placements)


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
        solver=_clean(result.solver, "solver"),
        formulation=_clean(result.formulation, "formulation"),
        seed=result.seed,
        threads=result.threads,
        seconds=dict(result.seconds),
        versions=_clean_texts(result.versions, "versions"),
        message=_clean(result.message, "message"),
    )


def _proof_document(proof: Proof) -> doc.ProofDocument:
    bound = None
    if proof.bound is not None:
        certificate = certificate_to_file(proof.bound.certificate)
        bound = doc.BoundDocument(_clean(proof.bound.name, "name"), proof.bound.value, certificate)
    claims = [
        doc.ClaimDocument(
            _clean(claim.solver, "solver"),
            _clean(claim.version, "version"),
            _clean(claim.formulation, "formulation"),
            claim.bound,
        )
        for claim in proof.claims
    ]
    return doc.ProofDocument(proof.kind, bound, claims)


def _digest(text: str | None) -> str:
    if text is not None and not _DIGEST.fullmatch(text):
        raise InputError("must be 64 hexadecimal digits", field="instance_digest", value=text)
    return text or ""


def _text(text: str, field: str) -> str:
    if match := _UNFIT.search(text):
        raise InputError("must not hold control characters", field=field, value=text[match.start() :][:20])
    return text


def _texts(texts: dict[str, str], field: str) -> dict[str, str]:
    for key, text in texts.items():
        if _UNFIT.search(key) or _UNFIT.search(text):
            with within(f"{field}.{label(key)}"):
                _text(key, "")
                _text(text, "")
    return texts


def _clean(text: str, field: str) -> str:
    """Return text as a file may hold it; a solver's last words must not keep a result from being saved."""
    if not isinstance(text, str):
        raise InputError("must be text", field=field, value=text)
    return _UNFIT.sub("�", text)


def _clean_texts(texts: Mapping[str, str], field: str) -> dict[str, str]:
    return {_clean(key, field): _clean(text, f"{field}.{key}") for key, text in texts.items()}
