"""Verification of a library, and comparison of a result with the best known one.

Verification generates every instance again, verifies every schedule and re-checks every bound, without a solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from oas.core.errors import InputError, OasError, within
from oas.core.result import ProofKind
from oas.library.origins import LogMissingError
from oas.solving.recheck import recheck_result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.io.library_index import Entry, Gain, Record
    from oas.library.store import Library
    from oas.logs.swf import SwfLog


def gains_of(known: Record | None, result: Result) -> list[Gain]:
    """Return the improvements of a verified result on the best known one; None stands for no known result."""
    gains: list[Gain] = []
    if result.objective is not None and (known is None or result.objective < known.makespan):
        gains.append("schedule")
    if result.lower_bound is None or result.proof is None:
        return gains
    kinds = list(ProofKind)  # the strongest kind is the first
    if known is None or result.lower_bound > known.lower_bound:
        gains.append("bound")
    elif result.lower_bound == known.lower_bound and kinds.index(result.proof.kind) < kinds.index(known.proof):
        gains.append("proof")
    return gains


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
