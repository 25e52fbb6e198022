"""Views of a ledger: where each method of the campaign stands, all runs as a table, and everything in it re-checked.

Every stored schedule, bound and claim is checked in exact arithmetic and without a solver.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from statistics import median
from time import process_time
from typing import TYPE_CHECKING

from oas.campaigns.methods import MethodSpec, run_key
from oas.campaigns.record import COLUMNS, columns_of, mapping
from oas.core.errors import InputError, OasError, shorten
from oas.core.result import ProofKind, Status, Termination
from oas.exact.recheck import recheck_result
from oas.io.files import csv_bytes, write_bytes
from oas.io.reading import loads

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from oas.campaigns.ledger import Ledger
    from oas.campaigns.plan import Order
    from oas.campaigns.record import Record
    from oas.campaigns.sources import Source
    from oas.core.instances import Instance


_FAILURES = {Termination.CRASHED, Termination.KILLED, Termination.ERROR, Termination.MEMORY_LIMIT}


@dataclass(frozen=True)
class MethodStatus:
    """Of one method."""

    method: str  # its label
    # asked, done: runs of the campaign, and those of them that are in the ledger
    asked: int
    done: int
    # runs of the method in the ledger that do not belong to the present campaign: made by another version of this
    # package or of the method's source, under other limits or parameters, or for an instance that was removed
    stale: int
    # of the done runs, those that ended in an error, a crash or at the memory limit, or without a schedule before the
    # time limit
    failed: int
    seconds: float  # total wall time of the done runs


def status(orders: Sequence[Order], ledger: Ledger) -> list[MethodStatus]:
    """Return where each method stands, in the order of the campaign, then methods that it no longer has."""
    asked = {order.key: order.method.label for order in orders}
    labels = list(dict.fromkeys(asked.values()))
    current: dict[str, list[Record]] = {label: [] for label in labels}
    stale: dict[str, int] = dict.fromkeys(labels, 0)
    for record in ledger.records():
        if record.key in asked:
            current[asked[record.key]].append(record)
        else:
            stale[record.method] = stale.get(record.method, 0) + 1
    counts = list(asked.values())
    return [
        MethodStatus(
            method=label,
            asked=counts.count(label),
            done=len(current.get(label, [])),
            stale=stale[label],
            failed=sum(map(failed, current.get(label, []))),
            seconds=sum(record.seconds for record in current.get(label, [])),
        )
        for label in stale
    ]


def failed(record: Record) -> bool:
    """Whether a run failed: limits of time are no failure, and neither is a method's word that it does not apply."""
    return record.termination in _FAILURES and record.status in (Status.NO_SOLUTION, Status.FEASIBLE)


SHOWN = tuple(name for name in COLUMNS if name != "result")
SUFFIXES = (".csv", ".parquet")


def export(ledger: Ledger, current: Collection[str], path: str | Path) -> int:
    """Write every run of `ledger` but its schedule, with whether it is `current`; return how many.

    Raises `InputError` if the path ends in neither .csv nor .parquet, pyarrow is missing, or the file cannot be
    written.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"must end in {' or '.join(SUFFIXES)}", field="output", value=str(path))
    rows = [
        {**{name: value for name, value in asdict(record).items() if name in SHOWN}, "current": record.key in current}
        for record in ledger.records()
    ]
    import pandas

    columns = [*SHOWN, "current"]
    if suffix == ".csv":
        write_bytes(path, csv_bytes(pandas.DataFrame(rows, columns=columns, dtype=object)))
    elif find_spec("pyarrow") is None:
        raise InputError("needs pyarrow: pip install 'oas-scheduling[parquet]'", field="output", value=".parquet")
    else:
        buffer = BytesIO()
        pandas.DataFrame(rows, columns=columns).to_parquet(buffer, index=False)
        write_bytes(path, buffer.getvalue())
    return len(rows)


@dataclass(frozen=True)
class Checked:
    """A run, re-checked."""

    record: Record  # of the run
    rests_on: (
        str  # kind of proof of the lower bound: ``certificate``, ``solver``, ``brute_force``, or empty without one
    )
    fault: str = ""  # the fault; empty if there is none
    bound: str = ""  # name of the certified lower bound; empty if there is none
    size: int = 0  # bytes of the stored result, which is compressed
    seconds: float = 0.0  # CPU time of the check


def verify_ledger(ledger: Ledger) -> Iterator[Checked]:
    """Yield every run, those of one instance together."""
    by_digest: dict[str, list[str]] = {}
    for record in ledger.records():
        by_digest.setdefault(record.digest, []).append(record.key)
    for digest, keys in by_digest.items():
        try:
            instance = loads(ledger.document(digest), f"instance {digest[:12]}")
            wrong = "" if instance.digest == digest else f"the stored instance is another, of digest {instance.digest}"
        except OasError as error:
            instance, wrong = None, str(error)
        for record in ledger.records(set(keys), with_results=True):
            began = process_time()
            fault = wrong if instance is None or wrong else fault_of(record, instance)
            seconds = process_time() - began
            result = None if fault else record.unpacked()
            bound = result.proof.bound.name if result and result.proof and result.proof.bound else ""
            yield Checked(record, record.proof, fault, bound, len(record.result), seconds)


def verify_sources(sources: Iterable[Source], ledger: Ledger) -> Iterator[tuple[Source, str]]:
    """Generate each instance again, and yield its source with the difference from the instance in the ledger.

    A ledger stores the instances of sources, so that a campaign does not generate them each time. Only this check
    detects if it contains the instance of another source. Missing instances are no fault.
    """
    for source in sources:
        try:
            stored = ledger.instance_from(source.fingerprint())
            made = None if stored is None else source.make()
        except OasError as error:
            yield source, f"its instance cannot be made again: {error}"
            continue
        if stored is None or made is None:
            continue
        same = stored.digest == made.digest
        yield source, "" if same else f"the ledger has instance {stored.digest} for it, but it gives {made.digest}"


def fault_of(record: Record, instance: Instance) -> str:
    """Return the fault of a stored run; empty if there is none."""
    if record.key != _key(record):
        return "the key is not that of what the row says was run"
    try:
        result = record.unpacked()
    except OasError as error:
        return f"the stored result cannot be read: {error}"
    if result is None:
        stated = (record.objective, record.lower_bound, record.status)
        return "" if stated == (None, None, "no_solution") else "figures without a result that they come from"
    for name, value in columns_of(result).items():
        if getattr(record, name) != value:
            return f"{name} is {getattr(record, name)!r}, but {value!r} in the result"
    if record.keeps_locality != _keeps_locality(record, instance):
        return f"keeps_locality is {record.keeps_locality}, which is not what the method promises"
    if not record.keeps_locality:
        if result.instance_digest != record.digest:
            return f"the stored result is of another instance, of digest {shorten(result.instance_digest)}"
        instance = instance.relaxed()
        result = replace(result, instance_digest=instance.digest)
    try:
        recheck_result(instance, result)
    except OasError as error:
        return str(error).replace("\n", " ")
    return ""


def _key(record: Record) -> str:
    parameters, limits = mapping(record.parameters), mapping(record.limits)
    if parameters is None or limits is None:
        return ""
    if record.kind != "exact" and not isinstance(parameters.get("name"), str):
        return ""
    asked = record.digest, record.kind, parameters, record.source, limits
    try:
        return run_key(*asked, record.seed, record.repetition, record.package)
    except (ValueError, RecursionError):  # readable values may not be writable: digits and depth have limits
        return ""


def _keeps_locality(record: Record, instance: Instance) -> bool:
    if record.names_code:  # the promises of a user's function are trusted: testing them would run it
        return record.keeps_locality
    spec = MethodSpec(record.method, record.kind, mapping(record.parameters) or {})
    return spec.keeps_locality(instance.problem.name)


def counted(checked: list[Checked]) -> dict[str, int]:
    """Return the numbers of runs with a schedule, with an optimum by kind of proof, and with a fault."""
    counts: Counter[str] = Counter()
    for one in checked:
        counts["runs"] += 1
        counts["schedules"] += one.record.objective is not None
        if one.record.status == "optimal":
            counts[f"optimal by {one.rests_on.replace('_', ' ')}"] += 1
        counts["faults"] += bool(one.fault)
    return dict(counts)


def certificates(checked: Iterable[Checked]) -> list[tuple[str, ...]]:
    """Return a row for each certified bound of proven optima: name, runs, median and largest bytes and CPU seconds."""
    by_bound: dict[str, list[Checked]] = {}
    for one in checked:
        if one.bound and one.record.status == "optimal" and one.rests_on == ProofKind.CERTIFICATE:
            by_bound.setdefault(one.bound, []).append(one)
    rows: list[tuple[str, ...]] = []
    for name, own in by_bound.items():
        sizes, seconds = [one.size for one in own], [one.seconds for one in own]
        figures = f"{median(sizes):.0f}", str(max(sizes)), f"{median(seconds):.2f}", f"{max(seconds):.2f}"
        rows.append((name, str(len(own)), *figures))
    return rows
