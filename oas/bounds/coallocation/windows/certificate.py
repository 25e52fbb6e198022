"""The check of the certificate of a search by windows; `oas.bounds.coallocation.windows` describes its format."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.bounds.budget import Budget
from oas.bounds.coallocation.configurations.packing import Packing
from oas.bounds.coallocation.search_log.certificate import MAX_PACKED, read_weights
from oas.bounds.coallocation.windows.placing import NO, find_nodes
from oas.bounds.coallocation.windows.problem import apart_table, level_weightings, pairs_of, set_weighting, windows_of
from oas.bounds.reading import bytes_of, check_version, fields_of, integer_of, list_of
from oas.bounds.windows.tree import MAX_CONFLICTS, MAX_LOG, WindowsTree
from oas.core.errors import InputError, TooLargeError
from oas.problems.coallocation.ticks import MAX_TICKS, coarsened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.bounds.coallocation.windows.problem import Item
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.coallocation.ticks import ScaledCoallocation

__all__ = ["MAX_PACKED", "NAME", "VERSION", "value"]

NAME = "windows"
VERSION = 1
NAMES = ("version", "makespan", "mirrored", "weights", "apart", "conflicts", "log")
MAX_SETS = 2**17
MAX_MOMENTS = 100  # of a conflict
MAX_STEPS = 1_000_000  # of a search for nodes


def value(instance: CoallocationInstance, certificate: Mapping[str, object]) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing.

    Raises
    ------
    InputError
        If the certificate is malformed, or the instance too large for one.
    """
    scaled, unit = coarsened(instance.scaled())
    fields = fields_of(certificate, "certificate", *NAMES)
    check_version(fields["version"], VERSION)
    makespan = integer_of(fields["makespan"], "certificate.makespan", MAX_TICKS - 1)
    mirrored = integer_of(fields["mirrored"], "certificate.mirrored", scaled.job_count - 1)
    log = bytes_of(fields["log"], "certificate.log", MAX_LOG)
    rows, wholes, _ = read_weights(scaled, makespan, fields["weights"])
    sets = read_sets(scaled, fields["apart"])
    weightings = [*zip(rows, wholes, strict=True), *level_weightings(scaled)]
    weightings += [set_weighting(scaled, one) for one in sets if len(one) > 2]
    apart = apart_table(scaled, [one for one in sets if len(one) == 2])
    windows = windows_of(scaled, makespan, mirrored)
    try:
        tree = WindowsTree(scaled.durations, windows, apart, weightings, makespan)
        for items, moments in read_conflicts(scaled, fields["conflicts"]):
            tree.add_conflict(items, pairs_of(moments))
    except TooLargeError as error:
        raise InputError(str(error), field="certificate") from error
    if tree.is_refuted_by(log):
        return instance.scaled().to_time((makespan + 1) * unit)
    return Fraction(0)


def read_sets(scaled: ScaledCoallocation, value: object) -> list[list[Item]]:
    """Read sets of (job, level), and confirm that none can run at the same moment; `InputError` otherwise."""
    packing, found = Packing(scaled, Budget()), []
    for number, one in enumerate(list_of(value, "certificate.apart")):
        field = f"certificate.apart[{number}]"
        if number == MAX_SETS:
            raise InputError(f"more than {MAX_SETS} sets", field="certificate.apart")
        items = read_items(scaled, one, field)
        if packing.fits(items):
            raise InputError("these can run together", field=field, value=items)
        found.append(items)
    return found


def read_items(scaled: ScaledCoallocation, value: object, field: str) -> list[Item]:
    """Read two or more pairs (job, level) of different jobs."""
    items = []
    for item in list_of(value, field):
        job, level = list_of(item, field, 2)
        items.append((integer_of(job, field, scaled.job_count - 1), integer_of(level, field, len(scaled.powers) - 1)))
    if len(items) < 2 or len({job for job, _ in items}) < len(items):
        raise InputError("must hold two or more jobs, each once", field=field)
    return items


def read_conflicts(scaled: ScaledCoallocation, value: object) -> list[tuple[list[Item], list[list[int]]]]:
    """Read conflicts, and confirm that no choice of nodes exists for any of them; `InputError` otherwise."""
    found = []
    for number, one in enumerate(list_of(value, "certificate.conflicts")):
        field = f"certificate.conflicts[{number}]"
        if number == MAX_CONFLICTS:
            raise InputError(f"more than {MAX_CONFLICTS} conflicts", field="certificate.conflicts")
        fields = fields_of(one, field, "jobs", "moments")
        items = read_items(scaled, fields["jobs"], f"{field}.jobs")
        places = {job: place for place, (job, _) in enumerate(items)}
        moments: list[list[int]] = []
        if not list_of(fields["moments"], f"{field}.moments"):
            raise InputError("must hold at least one moment", field=f"{field}.moments")
        for jobs in fields["moments"]:
            if len(moments) == MAX_MOMENTS:
                raise InputError(f"more than {MAX_MOMENTS} moments", field=f"{field}.moments")
            moments.append([integer_of(job, field, scaled.job_count - 1) for job in list_of(jobs, f"{field}.moments")])
            if not set(moments[-1]) <= set(places) or len(set(moments[-1])) < len(moments[-1]):
                raise InputError("must hold jobs of the conflict, each once", field=f"{field}.moments")
        answer, _ = find_nodes(scaled, items, [[places[job] for job in jobs] for jobs in moments], MAX_STEPS)
        if answer != NO:
            raise InputError("there may be nodes for these jobs", field=field)
        found.append((items, moments))
    return found
