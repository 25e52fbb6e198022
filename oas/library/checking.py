"""Results in a library: merging two results of one instance, the record of the change, and verification.

Verification generates every instance again, verifies every schedule and re-checks every bound, without a solver.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from oas.core.errors import InputError, OasError, VerificationError, within
from oas.core.result import Proof, ProofKind, Result, Status, confirmed_bound
from oas.io.files import clean, clean_texts, text
from oas.io.library_index import Record
from oas.library.origins import LogMissingError
from oas.solving.evidence import proof_of
from oas.solving.recheck import recheck_result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from oas.core.instances import Instance
    from oas.core.result import Bound, Claim
    from oas.io.library_index import Entry, Gain
    from oas.library.store import Library
    from oas.logs.swf import SwfLog


class NoGainError(InputError):
    """A correct result that does not improve on the library."""


def merge(stored: Result | None, new: Result) -> tuple[Result, tuple[Gain, ...], tuple[Claim, ...]]:
    """Merge a stored result with a new one; both must have passed `recheck_result`.

    Return the best result, its improvements on the stored one, and the solver claims that a known schedule refutes,
    which are not in the result.

    Raises `NoGainError` if neither has a schedule or neither has a bound; `VerificationError` if a re-checked bound of
    one is above the verified makespan of the other: one of the checks is wrong.
    """
    results = [result for result in (stored, new) if result is not None]
    schedules = [result.schedule for result in results if result.schedule is not None]
    if not schedules:
        raise NoGainError("there is no schedule in it", field="schedule")
    schedule = min(schedules, key=lambda schedule: schedule.makespan)
    claims = tuple(dict.fromkeys(claim for result in results for claim in _proof_of(result).claims))
    refuted = tuple(claim for claim in claims if claim.bound > schedule.makespan)
    proof, lowest = _strongest(results, [claim for claim in claims if claim not in refuted])
    if lowest > schedule.makespan:
        both = f"a bound of {lowest} and a schedule of {schedule.makespan}"
        raise VerificationError(f"{both} both hold: please report it")
    status = Status.OPTIMAL if lowest == schedule.makespan else Status.FEASIBLE
    merged = replace(new, status=status, schedule=schedule, lower_bound=lowest, proof=proof)
    return merged, _gains(stored, merged), refuted


def _strongest(results: Iterable[Result], claims: Sequence[Claim]) -> tuple[Proof, Fraction]:
    """Return the strongest proof of the highest lower bound, as in `oas.solving.evidence`, and this bound."""
    bounds: list[Bound] = []
    enumerated: list[Fraction] = []
    for result in results:
        proof = _proof_of(result)
        if proof.bound is not None and proof.bound.certificate is not None:
            bounds.append(proof.bound)
        if proof.kind is ProofKind.BRUTE_FORCE and result.lower_bound is not None:
            enumerated.append(result.lower_bound)
    claimed = confirmed_bound(claims)
    known = [*(bound.value for bound in bounds), *enumerated, *([] if claimed is None else [claimed])]
    if not known:
        raise NoGainError("there is no lower bound in it", field="lower_bound")
    lowest = max(known)
    bound = max(bounds, key=lambda bound: bound.value, default=None)
    return proof_of(lowest, bound, claims, enumerated=lowest in enumerated), lowest


def _gains(stored: Result | None, merged: Result) -> tuple[Gain, ...]:
    if stored is None:
        return "schedule", "bound"
    gains: list[Gain] = []
    if merged.objective != stored.objective:
        gains.append("schedule")
    known, bound = stored.lower_bound, merged.lower_bound
    if known is None or (bound is not None and bound > known):
        gains.append("bound")
    elif bound == known and _proof_strength(merged) > _proof_strength(stored):
        gains.append("proof")
    return tuple(gains)


def _proof_strength(result: Result) -> tuple[int, Fraction]:
    """Return a key that compares proofs of equal bounds: by kind, then by certified bound."""
    proof = _proof_of(result)
    bound = proof.bound
    strength = -list(ProofKind).index(proof.kind)  # the strongest kind is the first
    return strength, Fraction(0) if bound is None or bound.certificate is None else bound.value


def _proof_of(result: Result) -> Proof:
    return result.proof or Proof(ProofKind.SOLVER)


def record_of(before: Record | None, result: Result, gains: tuple[Gain, ...], by: str, date: str | None) -> Record:
    """Return the record of a change to a merged and checked result; `before` is the previous record.

    Raises `InputError` if `by` is empty or contains control characters.
    """
    assert result.schedule is not None and result.lower_bound is not None and result.proof is not None
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
        seconds=round(result.solve_seconds or 0.0, 3),
        seed=result.seed,
        versions=clean_texts(result.versions, "versions"),
    )


def no_gain(entry: Entry, result: Result, counted: Result) -> str:
    """Return the reason why `result` is no improvement; `counted` is its accepted part."""
    known = entry.records[-1]
    reason = f"adds nothing: its makespan is {counted.objective}, here {known.makespan}"
    reason += f"; its lower bound {counted.lower_bound}, here {known.lower_bound} by {known.proof.value}"
    dropped = result.proof is not None and result.proof.claims and counted.lower_bound != result.lower_bound
    if dropped:
        reason += f" (the bound {result.lower_bound}, claimed by a solver without certificate, was not counted)"
    return reason


@dataclass(frozen=True)
class Checked:
    """The outcome of verifying an entry."""

    entry: Entry
    fault: str = ""  # empty if valid
    unchecked: str = ""  # the reason why schedule and bound could not be checked; empty if they were


def check_entries(
    library: Library, entries: Iterable[Entry], logs: Mapping[str, SwfLog] | None = None
) -> Iterator[Checked]:
    """Verify entries in turn; `logs` are the job logs by checksum.

    Without its log, a slice cannot be generated, and only the stored file of its entry is checked.
    """
    for entry in entries:
        checked = _checked(library, entry, logs)
        if checked.fault:
            library.reload()  # another process may have updated the entry and deleted its old file
            if library[entry.name] != entry:
                checked = _checked(library, library[entry.name], logs)
        yield checked


def counted(checked: Iterable[Checked]) -> dict[str, int]:
    """Return the number of entries of each status; ``faults`` last."""
    outcomes = list(checked)
    sound = [outcome for outcome in outcomes if not outcome.fault and not outcome.unchecked]
    proven = [outcome for outcome in sound if outcome.entry.records[-1].proven]

    def of(kind: ProofKind, among: list[Checked]) -> int:
        return sum(outcome.entry.records[-1].proof is kind for outcome in among)

    return {
        "entries": len(outcomes),
        "schedules verified": len(sound),
        "bounds confirmed": len(sound) - of(ProofKind.SOLVER, sound),
        "bounds claimed by a solver": of(ProofKind.SOLVER, sound),
        "optima": len(proven),
        "optima claimed by a solver": of(ProofKind.SOLVER, proven),
        "not checked": sum(bool(outcome.unchecked) for outcome in outcomes),
        "faults": sum(bool(outcome.fault) for outcome in outcomes),
    }


def sizes_of(instance: Instance) -> list[int]:
    """Return the nodes or processors of each cluster."""
    return [size for _, size in instance.cluster_sizes]


def _checked(library: Library, entry: Entry, logs: Mapping[str, SwfLog] | None) -> Checked:
    try:
        _check(library, entry, logs)
    except LogMissingError as error:
        return Checked(entry, unchecked=error.reason)
    except OasError as error:
        return Checked(entry, fault=str(error))
    return Checked(entry, unchecked="" if entry.records else "there is no result yet")


def _check(library: Library, entry: Entry, logs: Mapping[str, SwfLog] | None) -> None:
    stored = library.stored(entry)
    if stored is not None and stored.instance_digest != entry.digest:
        raise InputError("the stored result is of another instance", field=entry.name, value=stored.instance_digest)
    instance = library.instance(entry.name, logs)
    with within(entry.name):
        _same("problem", entry.problem, instance.problem.name)
        _same("jobs", entry.jobs, len(instance.jobs))
        _same("clusters", entry.clusters, sizes_of(instance))
    result = library.result(entry.name, logs)
    if result is None:
        return
    recheck_result(instance, result)
    known = entry.records[-1]
    with within(entry.name):
        _same("makespan", known.makespan, result.objective)
        _same("lower_bound", known.lower_bound, result.lower_bound)
        _same("proof", known.proof, None if result.proof is None else result.proof.kind)
        _same("bound_by", known.bound_by, str(result.proof))
        if result.schedule is not None:
            _same("schedule_by", known.schedule_by, result.schedule.method)
        for earlier, later in pairwise(entry.records):
            if later.makespan > earlier.makespan:
                raise InputError("the records' makespans must not grow", field="records", value=str(later.makespan))


def _same(field: str, stated: object, actual: object) -> None:
    if stated != actual:
        raise InputError(f"the index says {stated}, but it is {actual}", field=field)
