"""Reports on a library: its verification, and what is known of its entries as a data frame.

To verify, every instance is made again, every schedule verified, and every bound re-checked, without a solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oas.core.errors import InputError, OasError, within
from oas.core.numbers import as_float
from oas.core.result import ProofKind
from oas.exact.recheck import recheck_result
from oas.library.origins import LogMissingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pandas

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.io.library_index import Entry
    from oas.io.logs.swf import SwfLog
    from oas.library.store import Library


@dataclass(frozen=True)
class Checked:
    """The outcome of verifying an entry."""

    entry: Entry  # which
    fault: str = ""  # what is wrong; empty if nothing is
    unchecked: str = ""  # why schedule and bound could not be checked; empty if they were


def check_entries(
    library: Library, entries: Iterable[Entry], logs: Mapping[str, SwfLog] | None = None
) -> Iterator[Checked]:
    """Verify entries one after the other, with job logs by their checksums.

    Without its log a slice cannot be made: of its entry only the stored file is checked.
    """
    for entry in entries:
        found = _checked(library, entry, logs)
        if found.fault:
            library.reload()  # it may have been updated meanwhile, and its old file be gone
            if library[entry.name] != entry:
                found = _checked(library, library[entry.name], logs)
        yield found


def counted(checked: Iterable[Checked]) -> dict[str, int]:
    """Return how many entries are of which standing; ``faults`` last."""
    held = list(checked)
    sound = [one for one in held if not one.fault and not one.unchecked]
    proven = [one for one in sound if one.entry.records[-1].proven]

    def of(kind: ProofKind, among: list[Checked]) -> int:
        return sum(one.entry.records[-1].proof is kind for one in among)

    return {
        "entries": len(held),
        "schedules verified": len(sound),
        "bounds confirmed": len(sound) - of(ProofKind.SOLVER, sound),
        "bounds on a solver's word": of(ProofKind.SOLVER, sound),
        "optima": len(proven),
        "optima on a solver's word": of(ProofKind.SOLVER, proven),
        "not checked": sum(bool(one.unchecked) for one in held),
        "faults": sum(bool(one.fault) for one in held),
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
    with within(entry.name):
        _same_record(entry, result)


def _same_record(entry: Entry, result: Result) -> None:
    known = entry.records[-1]
    _same("makespan", known.makespan, result.objective)
    _same("lower_bound", known.lower_bound, result.lower_bound)
    _same("proof", known.proof, None if result.proof is None else result.proof.kind)
    _same("bound_by", known.bound_by, str(result.proof))
    if result.schedule is not None:
        _same("schedule_by", known.schedule_by, result.schedule.method)
    for earlier, later in zip(entry.records, entry.records[1:], strict=False):
        if later.makespan > earlier.makespan:
            raise InputError("the records' makespans must not grow", field="records", value=str(later.makespan))


def _same(field: str, stated: object, found: object) -> None:
    if stated != found:
        raise InputError(f"the index says {stated}, but it is {found}", field=field)


def entries_frame(entries: Iterable[Entry]) -> pandas.DataFrame:
    """Return what is known of each entry, one row each.

    Columns: name, problem, group, jobs, clusters, nodes (of all clusters), makespan and lower_bound (floats, in the
    instance's time unit), gap (a ratio: 0 is optimal), standing (open, claimed or certified), by, date, digest. What
    is not known yet is NaN, or empty.
    """
    import pandas

    rows = []
    for entry in entries:
        row = {
            "name": entry.name,
            "problem": entry.problem,
            "group": entry.group,
            "jobs": entry.jobs,
            "clusters": len(entry.clusters),
            "nodes": sum(entry.clusters),
            **{name: as_float(getattr(entry.record, name, None)) for name in ("makespan", "lower_bound", "gap")},
            "standing": entry.standing,
            **{name: getattr(entry.record, name, "") for name in ("by", "date")},
            "digest": entry.digest,
        }
        rows.append(row)
    return pandas.DataFrame(rows)
