"""Contents of schedule and result files; only their form is checked here."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, NamedTuple

from oas.checker.files import layers_of
from oas.checker.reading import (
    DecimalText,
    check_version,
    fields_of,
    integer_of,
    list_of,
    name_of,
    number_of,
    object_of,
    one_of,
    refused,
    rows_of,
    text_of,
    texts_of,
)
from oas.checker.schedules import PlacedJob

MAX_PLACEMENTS = 50_000
MAX_CLAIMS = 1_000_000
MAX_CERTIFICATE_DEPTH = 50
ANSWER_STATUSES = ("optimal", "feasible", "infeasible", "no_solution")
TERMINATIONS = ("finished", "time_limit", "interrupted", "memory_limit", "too_large", "crashed", "killed", "error")
PROOF_KINDS = ("certificate", "brute_force", "solver")


class StatedBound(NamedTuple):
    """A lower bound in the instance's time unit with its name and certificate, None for no certificate."""

    name: str
    value: Fraction
    certificate: dict[str, Any] | None


class StatedClaim(NamedTuple):
    """A lower bound that a solver claims: the run in words, what distinguishes it from others, and the bound."""

    who: str
    source: tuple[str, str, str]  # solver, formulation, kind of run
    bound: Fraction


class StatedProof(NamedTuple):
    """The proof of a lower bound: its kind, a bound with a certificate, and claims."""

    kind: str
    bound: StatedBound | None
    claims: list[StatedClaim]


class StatedAnswer(NamedTuple):
    """The statements of a schedule or result file; only results contain more than a schedule."""

    placements: list[PlacedJob] | None
    certificate: dict[str, Any] | None  # of the schedule
    digest: str | None = None  # of the instance
    status: str | None = None
    lower_bound: Fraction | None = None
    proof: StatedProof | None = None

    @property
    def makespan(self) -> Fraction | None:
        """The end of the last job, 0 for no jobs; None without a schedule."""
        if self.placements is None:
            return None
        return max((one.end for one in self.placements), default=Fraction(0))


def read_answer(document: dict[str, Any]) -> StatedAnswer:
    """Return the contents of a schedule or result file."""
    kind = one_of(document.get("format"), "format", ("oas-schedule", "oas-result"))
    check_version(document.get("version"), "version")
    if kind == "oas-result":
        return _read_result(document)
    fields_of(document, "", "format", "version", "placements", optional=("instance_digest", "method", "certificate"))
    if document.get("instance_digest") is not None:
        _read_digest(document["instance_digest"])
    return StatedAnswer(*_read_schedule(document, ""))


def _read_result(document: dict[str, Any]) -> StatedAnswer:
    stated = ("instance_digest", "status", "termination", "objective", "lower_bound", "gap", "proof", "schedule")
    optional = ("message", "solver", "formulation", "seed", "threads", "seconds", "versions", "options", "threads_used")
    fields_of(document, "", "format", "version", *stated, optional=(*optional, "model"))
    for name in ("message", "solver", "formulation"):
        text_of(document.get(name, ""), name)
    for name in ("seed", "threads"):
        integer_of(document.get(name, 0), name, None)
    for name in ("versions", "options"):
        texts_of(document.get(name, {}), name)
    for value in object_of(document.get("threads_used", {}), "threads_used").values():
        integer_of(value, "threads_used", None)
    for value in object_of(document.get("seconds", {}), "seconds").values():
        _float_of(value, "seconds")
    object_of(document.get("model", {}), "model")  # the report of a run: it claims nothing that is checked here
    one_of(document["termination"], "termination", TERMINATIONS)
    placements = certificate = None
    if document["schedule"] is not None:
        body = fields_of(document["schedule"], "schedule", "placements", optional=("method", "certificate"))
        placements, certificate = _read_schedule(body, "schedule.")
    answer = StatedAnswer(
        placements,
        certificate,
        _read_digest(document["instance_digest"]),
        one_of(document["status"], "status", ANSWER_STATUSES),
        None if document["lower_bound"] is None else number_of(document["lower_bound"], "lower_bound"),
        None if document["proof"] is None else _read_proof(document["proof"]),
    )
    makespan, lowest = answer.makespan, answer.lower_bound
    if (None if document["objective"] is None else number_of(document["objective"], "objective")) != makespan:
        raise refused("objective", f"must be {makespan}, as in the rest of the file", document["objective"])
    gap = float(makespan / lowest - 1) if makespan is not None and lowest else None
    if gap != (None if document["gap"] is None else _float_of(document["gap"], "gap")):
        raise refused("gap", f"must be {gap}, as in the rest of the file", document["gap"])
    return answer


def _read_schedule(document: dict[str, Any], where: str) -> tuple[list[PlacedJob], dict[str, Any] | None]:
    """Return the placements and the certificate of a schedule."""
    text_of(document.get("method", ""), f"{where}method")
    certificate = _read_certificate(document.get("certificate"), f"{where}certificate")
    placements = []
    for row, place in rows_of(document["placements"], f"{where}placements", MAX_PLACEMENTS):
        fields_of(row, place, "job", "start", "end", "nodes")
        nodes = {}
        for name, numbers in object_of(row["nodes"], f"{place}.nodes").items():
            for number in list_of(numbers, f"{place}.nodes.{name_of(name, f'{place}.nodes')}"):
                integer_of(number, f"{place}.nodes.{name}")
            if numbers:
                nodes[name] = numbers
        start, end = number_of(row["start"], f"{place}.start"), number_of(row["end"], f"{place}.end")
        placements.append(PlacedJob(name_of(row["job"], f"{place}.job"), start, end, nodes))
    return placements, certificate


def _read_certificate(value: Any, where: str) -> dict[str, Any] | None:
    """Return a certificate, an object or null, if it has no decimals and is not nested too deeply."""
    if value is None:
        return None
    for layer in layers_of(object_of(value, where), where, MAX_CERTIFICATE_DEPTH):
        if any(type(one) is DecimalText for one in layer):
            raise refused(where, "a certificate must contain only integers and texts")
    return value


def _read_proof(document: Any) -> StatedProof:
    fields_of(document, "proof", "kind", optional=("bound", "claims"))
    bound = None
    if document.get("bound") is not None:
        fields = fields_of(document["bound"], "proof.bound", "name", "value", "certificate")
        certificate = _read_certificate(fields["certificate"], "proof.bound.certificate")
        name = text_of(fields["name"], "proof.bound.name")
        bound = StatedBound(name, number_of(fields["value"], "proof.bound.value"), certificate)
    claims = []
    for row, where in rows_of(document.get("claims", []), "proof.claims", MAX_CLAIMS):
        fields_of(row, where, "solver", "version", "formulation", "bound", optional=("run",))
        solver, version, formulation = (text_of(row[name], where) for name in ("solver", "version", "formulation"))
        run = text_of(row.get("run", ""), f"{where}.run")
        who = f"{solver} {version} on {formulation}" + (f" ({run})" if run else "")
        claims.append(StatedClaim(who, (solver, formulation, run), number_of(row["bound"], f"{where}.bound")))
    return StatedProof(one_of(document["kind"], "proof.kind", PROOF_KINDS), bound, claims)


def _float_of(value: Any, where: str) -> float:
    if type(value) not in (int, DecimalText):
        raise refused(where, "must be a number", value)
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if number in (float("inf"), float("-inf")):
        raise refused(where, "the number is too long", value)
    return number


def _read_digest(value: Any) -> str:
    if type(value) is not str or not re.fullmatch("[0-9a-f]{64}", value):
        raise refused("instance_digest", "must be 64 hexadecimal digits", value)
    return value
