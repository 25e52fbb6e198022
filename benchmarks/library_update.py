"""Updates of an instance library by results that are verified and better.

    python -m benchmarks.library_update copy FOLDER
    python -m benchmarks.library_update update FOLDER NAME RESULT --by "Jane Doe"
    python -m benchmarks.library_update solve FOLDER [NAME ...] --by "Jane Doe" --time-limit 60

``copy`` copies the library of the package into a new folder. ``update`` records an improvement of an entry with
contributor and date: a shorter schedule, a higher bound, or a stronger proof of the same bound. ``solve`` solves
entries, by default those with a gap, and records the improvements; bounds that solvers claim are recorded as claims.
Slices of job logs need ``--log LOG``.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import sys
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

from oas.core.errors import InputError, OasError, VerificationError
from oas.core.formats import show_exact, show_percent
from oas.core.result import Proof, ProofKind, Result, Status, confirmed_bound
from oas.core.verifier import check
from oas.io import load_result
from oas.io.files import clean, clean_texts, display_path, read_bytes, text, write_bytes
from oas.io.library_index import MAX_BYTES as INDEX_BYTES
from oas.io.library_index import Record, write_index
from oas.io.reading import MAX_PACKED_BYTES
from oas.io.writing import pack
from oas.library.origins import schedule_of
from oas.library.store import INDEX, RESULTS, Library
from oas.logs.swf import read_swf
from oas.solving.evidence import proof_of, without_claims
from oas.solving.pipeline import solve
from oas.solving.recheck import recheck_result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from oas.core.instances import Instance
    from oas.core.result import Bound, Claim
    from oas.core.schedule import Schedule
    from oas.io.files import Source
    from oas.io.library_index import Entry, Gain, Index
    from oas.logs.swf import SwfLog
    from oas.mosp.instance import MospInstance


class NoGainError(InputError):
    """A correct result that does not improve on the library."""


class WritableLibrary(Library):
    """A library in a separate folder."""

    def update(
        self,
        name: str,
        result: Result,
        *,
        by: str,
        accept_claims: bool = False,
        repair: bool = False,
        logs: Mapping[str, SwfLog] | None = None,
        date: str | None = None,
    ) -> tuple[Entry, tuple[Claim, ...]]:
        """Improve an entry by `result`: a shorter schedule, a higher bound, a stronger proof of the same bound.

        The result and the stored result are verified first. After an error the library is unchanged; concurrent updates
        are possible. The record contains the author, `by`, and the date in the form 2026-11-21, by default today.
        Return the new entry, and the solver claims that a schedule refutes.

        With `accept_claims`, bounds that a solver claims without a certificate are accepted; otherwise only bounds that
        can be checked without a solver. If the stored bound is not confirmed any more, for example after a change of
        certificates, `repair` removes it and keeps the schedule; otherwise this is an error. For `logs` see `instance`.

        Raises `NoGainError` if the result is no improvement, or if a first result lacks schedule or bound; `InputError`
        if it belongs to another instance, or the folder is not writable; `VerificationError` if the result or the
        stored result is wrong.
        """
        with _locked(self.folder):
            self.reload()
            entry, instance, stored = self[name], self.instance(name, logs), self.result(name, logs)
            if stored is not None:
                stored = _sound(instance, stored, repair)
            recheck_result(instance, result)
            if result.status is Status.INFEASIBLE:
                raise InputError("an instance without a schedule has no place in the library", field="status")
            accepted = result if accept_claims else without_claims(result)
            if entry.origin.recipe is not None and accepted.schedule is not None:
                slice_ = cast("MospInstance", instance)
                order = order_of(slice_, accepted.schedule)
                accepted = replace(accepted, schedule=schedule_of(slice_, order, accepted.schedule.method))
            merged, gains, refuted = merge(stored, accepted)
            if not gains:
                raise NoGainError(no_gain(entry, result, accepted))
            recheck_result(instance, merged)
            record = record_of(entry.record, merged, gains, by, date)
            return self._replace(entry, instance, merged, record), refuted

    def _replace(self, entry: Entry, instance: Instance, result: Result, record: Record) -> Entry:
        """Write the new result under a separate name, then the index that refers to it; then delete the old result."""
        order = None
        if entry.origin.recipe is not None:
            assert result.schedule is not None
            order = order_of(cast("MospInstance", instance), result.schedule)
            result = replace(result, schedule=None)
        data = pack(result)
        checksum, records = hashlib.sha256(data).hexdigest(), [*entry.records, record]
        new = msgspec.structs.replace(entry, result=checksum, order=order, records=records)
        entries = [new if other.name == entry.name else other for other in self.index.entries]
        (self.folder / RESULTS).mkdir(exist_ok=True)
        write_bytes(self.folder / RESULTS / new.file, data)
        write_index(msgspec.structs.replace(self.index, entries=entries), self.folder / INDEX)
        if entry.result is not None and entry.file != new.file:
            (self.folder / RESULTS / entry.file).unlink(missing_ok=True)
        self.reload()
        return new

    def copy_to(self, folder: Source) -> WritableLibrary:
        """Copy the library, including damaged files, into a new or empty folder; return the copy.

        Raises `InputError` if the folder contains JSON files or results, or cannot be written.
        """
        target = Path(folder)
        try:
            (target / RESULTS).mkdir(parents=True, exist_ok=True)
            if any(target.glob("*.json")) or any((target / RESULTS).iterdir()):
                raise InputError("is not empty", file=display_path(folder))
        except OSError as error:
            raise InputError(f"cannot be made: {error.strerror}", file=display_path(folder)) from error
        for entry in self.entries:
            if entry.result is not None:
                write_bytes(
                    target / RESULTS / entry.file, read_bytes(self.folder / RESULTS / entry.file, MAX_PACKED_BYTES)
                )
        write_bytes(target / INDEX, read_bytes(self.folder / INDEX, INDEX_BYTES))
        return WritableLibrary(target)


def create(folder: Source, index: Index) -> WritableLibrary:
    """Write a library's index without any result into a folder; errors as `oas.io.save`."""
    write_index(index, Path(folder) / INDEX)
    return WritableLibrary(folder)


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


def order_of(instance: MospInstance, schedule: Schedule) -> dict[str, list[str]]:
    """Return the ids of the jobs on each cluster in the order of their starts in a verified schedule."""
    order: dict[str, list[str]] = {organization.id: [] for organization in instance.organizations}
    for placement in schedule.placements:
        (cluster,) = placement.nodes
        order[cluster].append(placement.job)
    return order


def _sound(instance: Instance, stored: Result, repair: bool) -> Result:
    """Return the stored result if it is valid; for a repair, without an invalid bound. The schedule must be valid."""
    try:
        recheck_result(instance, stored)
    except VerificationError:
        if not repair or stored.schedule is None:
            raise
        check(instance, stored.schedule)
        return replace(stored, status=Status.FEASIBLE, lower_bound=None, proof=None)
    return stored


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one process at a time change a library; the lock is on the folder and is released with the process."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(f"cannot be opened: {error.strerror}", file=display_path(folder)) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "copy":
            print(f"{len(WritableLibrary().copy_to(options.folder).entries)} entries in {options.folder}")
            return 0
        library, logs = WritableLibrary(options.folder), {log.sha256: log for log in map(read_swf, options.log)}
        if options.command == "update":
            result = load_result(options.result)
            _record(library, options.name, result, options, logs, accept_claims=options.accept_claims)
            return 0
        return _solve(library, options, logs)
    except OasError as error:
        print(error, file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.library_update",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("copy", "update", "solve"):
        command = commands.add_parser(name)
        command.add_argument("folder", type=Path, help="folder of the library")
        if name == "update":
            command.add_argument("name", help="name of the entry")
            command.add_argument("result", help="result file; - for stdin")
            command.add_argument("--accept-claims", action="store_true", help="also record bounds without certificate")
        if name == "solve":
            command.add_argument("names", nargs="*", help="names or patterns; default: all")
            command.add_argument("--standing", choices=("open", "claimed", "certified"), default="open")
            command.add_argument("--time-limit", type=float, help="seconds for each entry")
            command.add_argument("--seed", type=int, default=0)
        if name != "copy":
            command.add_argument("--by", required=True, help="name of the contributor")
            command.add_argument("--repair", action="store_true", help="remove a recorded bound that does not hold")
            command.add_argument("--log", action="append", default=[], help="job log of slices; repeatable")
    return parser


def _solve(library: WritableLibrary, options: argparse.Namespace, logs: Mapping[str, SwfLog]) -> int:
    """Solve entries and record improvements; an entry that fails is reported and skipped."""
    entries = [entry for entry in library.select(options.names) if entry.standing == options.standing]
    entries = [entry for entry in entries if entry.log_sha256 in (None, *logs)]
    failed = 0
    for entry in entries:
        try:
            instance = library.instance(entry.name, logs)
            result = solve(instance, time_limit=options.time_limit, seed=options.seed)
            with suppress(NoGainError):
                _record(library, entry.name, result, options, logs, accept_claims=True)
        except OasError as error:
            print(f"{entry.name}: {error}", file=sys.stderr)
            failed += 1
    return 3 if failed else 0


def _record(
    library: WritableLibrary,
    name: str,
    result: Result,
    options: argparse.Namespace,
    logs: Mapping[str, SwfLog],
    *,
    accept_claims: bool,
) -> None:
    entry, refuted = library.update(
        name, result, by=options.by, accept_claims=accept_claims, repair=options.repair, logs=logs
    )
    for claim in refuted:
        bound = f"{claim.bound} of {claim.solver} on {claim.formulation}"
        print(f"{name}: wrong bound claimed by a solver, the schedule is shorter: {bound}", file=sys.stderr)
    record = entry.records[-1]
    figures = f"makespan {show_exact(record.makespan)}, lower bound {show_exact(record.lower_bound)}"
    print(f"{name}: better {', '.join(record.gains)}: {figures}, gap {show_percent(record.gap)}, {record.bound_by}")


if __name__ == "__main__":
    sys.exit(main())
