"""Schedule and result files: what they hold, checked for form alone."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, NamedTuple

from oas.checker.reading import DecimalText, check_version, fields_of, integer_of, number_of, one_of, refused, rows_of
from oas.checker.schedules import PlacedJob, check_plain, makespan_of, read_placements, text_of, texts_of

MAX_CLAIMS = 1_000_000
ANSWER_STATUSES = ("optimal", "feasible", "infeasible", "no_solution")
TERMINATIONS = ("finished", "time_limit", "interrupted", "memory_limit", "too_large", "crashed", "killed", "error")
PROOF_KINDS = ("certificate", "brute_force", "solver")

_DIGEST_FORM = re.compile("[0-9a-f]{64}")


class StatedSchedule(NamedTuple):
    """A schedule, and the certificate of what is claimed of it, if there is one."""

    placements: list[PlacedJob]
    certificate: dict[str, Any] | None


class StatedBound(NamedTuple):
    """A lower bound in the instance's time unit, its name, and its certificate; None for no certificate."""

    name: str
    value: Fraction
    certificate: dict[str, Any] | None


class StatedProof(NamedTuple):
    """The proof of a lower bound: its kind, a bound with a certificate, and solvers' claims (who, bound)."""

    kind: str
    bound: StatedBound | None
    claims: list[tuple[str, Fraction]]

    def __str__(self) -> str:
        """Return the words for it, as a line of the verdict has them."""
        words = ", ".join(who for who, _ in self.claims)
        return f"solver's word ({words})" if self.kind == "solver" and words else self.kind.replace("_", " ")


class StatedResult(NamedTuple):
    """What a result file states; the makespan is that of the schedule, recomputed, and None without one."""

    digest: str
    status: str
    schedule: StatedSchedule | None
    makespan: Fraction | None
    lower_bound: Fraction | None
    proof: StatedProof | None


def read_answer(document: dict[str, Any]) -> StatedSchedule | StatedResult:
    """Return what a schedule or result file holds."""
    kind = document.get("format")
    if kind not in ("oas-schedule", "oas-result"):
        raise refused("format", "an oas-schedule or oas-result file is needed", kind)
    check_version(document.get("version"), "version")
    if kind == "oas-result":
        return _read_result(document)
    optional = ("instance_digest", "method", "certificate")
    fields_of(document, "", "format", "version", "placements", optional=optional)
    if document.get("instance_digest") is not None:
        _read_digest(document["instance_digest"])
    return _read_body(document, "")


def _read_result(document: dict[str, Any]) -> StatedResult:
    stated = ("instance_digest", "status", "termination", "objective", "lower_bound", "gap", "proof", "schedule")
    optional = ("message", "solver", "formulation", "seed", "threads", "seconds", "versions")
    fields_of(document, "", "format", "version", *stated, optional=optional)
    for name in ("message", "solver", "formulation"):
        text_of(document.get(name, ""), name)
    for name in ("seed", "threads"):
        integer_of(document.get(name, 0), name, None)
    texts_of(document.get("versions", {}), "versions")
    seconds = document.get("seconds", {})
    if type(seconds) is not dict:
        raise refused("seconds", "must be an object", seconds)
    for value in seconds.values():
        _float_of(value, "seconds")
    schedule = None
    if document["schedule"] is not None:
        body = fields_of(document["schedule"], "schedule", "placements", optional=("method", "certificate"))
        schedule = _read_body(body, "schedule.")
    result = StatedResult(
        _read_digest(document["instance_digest"]),
        one_of(document["status"], "status", ANSWER_STATUSES),
        schedule,
        None if schedule is None else makespan_of(schedule.placements),
        None if document["lower_bound"] is None else number_of(document["lower_bound"], "lower_bound"),
        None if document["proof"] is None else _read_proof(document["proof"]),
    )
    one_of(document["termination"], "termination", TERMINATIONS)
    _check_derived(document, result.makespan, result.lower_bound)
    return result


def _read_body(document: dict[str, Any], where: str) -> StatedSchedule:
    text_of(document.get("method", ""), f"{where}method")
    check_plain(document.get("certificate"), f"{where}certificate")
    return StatedSchedule(read_placements(document["placements"], f"{where}placements"), document.get("certificate"))


def _read_proof(document: Any) -> StatedProof:
    fields_of(document, "proof", "kind", optional=("bound", "claims"))
    bound = None
    if document.get("bound") is not None:
        own = fields_of(document["bound"], "proof.bound", "name", "value", "certificate")
        check_plain(own["certificate"], "proof.bound.certificate")
        name = text_of(own["name"], "proof.bound.name")
        bound = StatedBound(name, number_of(own["value"], "proof.bound.value"), own["certificate"])
    claims = []
    for row, where in rows_of(document.get("claims", []), "proof.claims", MAX_CLAIMS):
        fields_of(row, where, "solver", "version", "formulation", "bound")
        solver, version, formulation = (text_of(row[name], where) for name in ("solver", "version", "formulation"))
        claims.append((f"{solver} {version} on {formulation}", number_of(row["bound"], f"{where}.bound")))
    return StatedProof(one_of(document["kind"], "proof.kind", PROOF_KINDS), bound, claims)


def _check_derived(document: dict[str, Any], makespan: Fraction | None, lowest: Fraction | None) -> None:
    """Refuse an objective or a gap that does not follow from schedule and lower bound."""
    objective = None if document["objective"] is None else number_of(document["objective"], "objective")
    if objective != makespan:
        raise refused("objective", f"must be {makespan}, as the rest of the file has it", document["objective"])
    gap = float(makespan / lowest - 1) if makespan is not None and lowest else None
    stated = None if document["gap"] is None else _float_of(document["gap"], "gap")
    if stated != gap:
        raise refused("gap", f"must be {gap}, as the rest of the file has it", stated)


def _float_of(value: Any, where: str) -> float:
    if type(value) not in (int, DecimalText):
        raise refused(where, "must be a number", value)
    try:
        found = float(value)
    except OverflowError:
        found = float("inf")
    if found in (float("inf"), float("-inf")):
        raise refused(where, "the number is too long", value)
    return found


def _read_digest(value: Any) -> str:
    if type(value) is not str or not _DIGEST_FORM.fullmatch(value):
        raise refused("instance_digest", "must be 64 hexadecimal digits", value)
    return value
