"""Two results of one instance made into one, and the record of that step in a library."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.core.errors import InputError, VerificationError
from oas.core.result import Proof, ProofKind, Result, Status
from oas.io.files import clean, clean_texts, text
from oas.io.library_index import Record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.core.result import Bound, Claim
    from oas.io.library_index import Entry, Gain

_STRENGTH = {kind: strength for strength, kind in enumerate(reversed(ProofKind))}


class NoGainError(InputError):
    """A result that is right but adds nothing to what the library has."""


@dataclass(frozen=True)
class Merger:
    """The outcome of merging two results."""

    result: Result  # the best of both
    gains: tuple[Gain, ...]  # what it has over the first; empty if the second adds nothing
    refuted: tuple[Claim, ...]  # claims of either that a schedule now known contradicts. They are not in `result`.


def merge(held: Result | None, found: Result) -> Merger:
    """Merge what is held with what was found; both must have passed `recheck_result`.

    Raises `NoGainError` if there is no schedule in either, or no bound; `VerificationError` if a re-checked bound of
    one is above the verified makespan of the other: one of the checks is wrong.
    """
    results = [one for one in (held, found) if one is not None]
    schedules = [one.schedule for one in results if one.schedule is not None]
    if not schedules:
        raise NoGainError("there is no schedule in it", field="schedule")
    schedule = min(schedules, key=lambda one: one.makespan)
    claims = tuple(dict.fromkeys(claim for one in results for claim in _proof_of(one).claims))
    refuted = tuple(claim for claim in claims if claim.bound > schedule.makespan)
    proof, lowest = _strongest(results, [claim for claim in claims if claim not in refuted])
    if lowest > schedule.makespan:
        raise VerificationError(
            f"a bound of {lowest} and a schedule of {schedule.makespan} both hold: please report it"
        )
    status = Status.OPTIMAL if lowest == schedule.makespan else Status.FEASIBLE
    merged = replace(found, status=status, schedule=schedule, lower_bound=lowest, proof=proof)
    return Merger(merged, _gains(held, merged), refuted)


def without_claims(result: Result) -> Result:
    """Return `result` less all that rests on a solver's word alone; its status is left to `merge`."""
    proof = result.proof
    if proof is None or proof.kind is not ProofKind.SOLVER:
        return result if proof is None else replace(result, proof=replace(proof, claims=()))
    if proof.bound is None or proof.bound.certificate is None:
        return replace(result, lower_bound=None, proof=None)
    return replace(result, lower_bound=proof.bound.value, proof=Proof(ProofKind.CERTIFICATE, proof.bound))


def _strongest(results: Iterable[Result], claims: Iterable[Claim]) -> tuple[Proof, Fraction]:
    """The highest bound there is, and the strongest proof that reaches it, as `oas.exact.evidence` has it."""
    bounds: list[Bound] = []
    enumerated: list[Fraction] = []
    for one in results:
        proof = _proof_of(one)
        if proof.bound is not None and proof.bound.certificate is not None:
            bounds.append(proof.bound)
        if proof.kind is ProofKind.BRUTE_FORCE and one.lower_bound is not None:
            enumerated.append(one.lower_bound)
    known = [*(bound.value for bound in bounds), *enumerated, *(claim.bound for claim in claims)]
    if not known:
        raise NoGainError("there is no lower bound in it", field="lower_bound")
    lowest = max(known)
    bound = max(bounds, key=lambda one: one.value, default=None)
    said = tuple(claim for claim in claims if claim.bound == lowest)
    if bound is not None and bound.value == lowest:
        return Proof(ProofKind.CERTIFICATE, bound, said), lowest
    if lowest in enumerated:
        return Proof(ProofKind.BRUTE_FORCE, bound), lowest
    return Proof(ProofKind.SOLVER, bound, said), lowest


def _gains(held: Result | None, merged: Result) -> tuple[Gain, ...]:
    gains: list[Gain] = []
    if held is None or held.objective is None or merged.objective != held.objective:
        gains.append("schedule")
    if held is None or held.lower_bound is None or _above(merged.lower_bound, held.lower_bound):
        gains.append("bound")
    elif merged.lower_bound == held.lower_bound and _rank(merged) > _rank(held):
        gains.append("proof")
    return tuple(gains)


def _above(one: Fraction | None, other: Fraction) -> bool:
    return one is not None and one > other


def _rank(result: Result) -> tuple[int, Fraction]:
    """Return the strength of a result's proof, to compare results of equal bound: its kind, then its certified part."""
    proof = _proof_of(result)
    return _STRENGTH[proof.kind], _certified(proof) or Fraction(0)


def _certified(proof: Proof) -> Fraction | None:
    return None if proof.bound is None or proof.bound.certificate is None else proof.bound.value


def _proof_of(result: Result) -> Proof:
    return result.proof or Proof(ProofKind.SOLVER)


def record_of(before: Record | None, result: Result, gains: tuple[Gain, ...], by: str, date: str | None) -> Record:
    """Return the record of a step to `result`, a merged and re-checked one, from what was known before.

    Raises `InputError` if `by` says nothing or holds control characters.
    """
    assert result.schedule is not None
    assert result.lower_bound is not None
    assert result.proof is not None
    if not by.strip():
        raise InputError("must say who stands for the result", field="by", value=by)
    schedule_by = result.schedule.method if before is None or "schedule" in gains else before.schedule_by
    return Record(
        date=date or datetime.now(UTC).date().isoformat(),
        by=text(by, "by"),
        gains=list(gains),
        makespan=result.schedule.makespan,
        lower_bound=result.lower_bound,
        proof=result.proof.kind,
        schedule_by=clean(schedule_by, "method"),
        bound_by=clean(str(result.proof), "proof"),
        seconds=round(result.seconds.get("total", 0.0), 3),
        seed=result.seed,
        versions=clean_texts(result.versions, "versions"),
    )


def no_gain(entry: Entry, result: Result, counted: Result) -> str:
    """Return the text why `result`, of which `counted` counts, is no improvement."""
    known = entry.records[-1]
    said = f"adds nothing: its makespan is {counted.objective}, here {known.makespan}"
    said += f"; its lower bound {counted.lower_bound}, here {known.lower_bound} by {known.proof.value}"
    dropped = result.proof is not None and result.proof.claims and counted.lower_bound != result.lower_bound
    return f"{said} (a bound of {result.lower_bound} on a solver's word was not counted)" if dropped else said
