"""Views of a ledger: progress of each method, export of all runs, and verification.

Verification checks every stored schedule, bound and claim in exact arithmetic without a solver.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
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
from oas.io.files import csv_bytes, write_bytes
from oas.io.reading import loads
from oas.solving.recheck import recheck_result

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
    """Progress of one method."""

    method: str  # its label
    planned: int  # planned runs
    done: int  # planned runs that are in the ledger
    # runs in the ledger that are no longer planned: other version of this package, source code, limits or parameters,
    # or removed instance
    stale: int
    failed: int  # done runs that proved nothing and ended in an error, a crash, a kill or at the memory limit
    seconds: float  # total wall time of the done runs without second opinions


def status(orders: Sequence[Order], ledger: Ledger) -> list[MethodStatus]:
    """Return the progress of each method in the order of the campaign, then of methods that it no longer has."""
    labels = {order.key: order.method.label for order in orders}
    planned, stale = Counter(labels.values()), Counter[str]()
    current: defaultdict[str, list[Record]] = defaultdict(list)
    for record in ledger.records():
        if record.key in labels:
            current[labels[record.key]].append(record)
        else:
            stale[record.method] += 1
    return [
        MethodStatus(
            method=label,
            planned=planned[label],
            done=len(current[label]),
            stale=stale[label],
            failed=sum(map(failed, current[label])),
            seconds=sum(record.solve_seconds for record in current[label]),
        )
        for label in dict.fromkeys([*planned, *stale])
    ]


def failed(record: Record) -> bool:
    """Return whether a run failed; a reached time limit or a method that does not apply is no failure."""
    return record.termination in _FAILURES and record.status in (Status.NO_SOLUTION, Status.FEASIBLE)


SHOWN = (*(name for name in COLUMNS if name != "result"), "check_seconds")
_PROPERTIES = {"seconds": "solve_seconds"}  # second opinions have their own column
SUFFIXES = (".csv", ".parquet")


def export(ledger: Ledger, current: Collection[str], path: str | Path) -> int:
    """Write all runs of `ledger` without their schedules, and whether each is in `current`; return their number.

    Raises `InputError` if the path ends in neither .csv nor .parquet, pyarrow is missing, or the file cannot be
    written.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"must end in {' or '.join(SUFFIXES)}", field="output", value=str(path))
    rows = [
        [*(getattr(record, _PROPERTIES.get(name, name)) for name in SHOWN), record.key in current]
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
    """A verified run."""

    record: Record
    fault: str = ""  # empty if there is none
    bound: str = ""  # name of the certified lower bound; empty if there is none
    size: int = 0  # bytes of the compressed result
    seconds: float = 0.0  # CPU time of the check


def verify_ledger(ledger: Ledger) -> Iterator[Checked]:
    """Verify every run, instance by instance."""
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
            yield Checked(record, fault, bound, len(record.result), seconds)


def verify_sources(sources: Iterable[Source], ledger: Ledger) -> Iterator[tuple[Source, str]]:
    """Generate each instance again, and yield its source with the difference from the instance in the ledger.

    A ledger stores the instances of sources, so that a campaign does not generate them each time. Only this check
    detects if it contains the instance of another source. Missing instances are no fault.
    """
    for source in sources:
        try:
            stored = ledger.instance_from(source.fingerprint())
            digest = "" if stored is None else source.make().digest
        except OasError as error:
            yield source, f"its instance cannot be made again: {error}"
            continue
        if stored is not None:
            same = stored.digest == digest
            yield source, "" if same else f"the ledger has instance {stored.digest} for it, but it gives {digest}"


def fault_of(record: Record, instance: Instance) -> str:
    """Return the fault of a stored run; empty if there is none."""
    if record.key != _key(record):
        return "the key does not match the other columns of the run"
    try:
        result = record.unpacked()
    except OasError as error:
        return f"the stored result cannot be read: {error}"
    if result is None:
        columns = (record.objective, record.lower_bound, record.status)
        return "" if columns == (None, None, "no_solution") else "figures without a result that they come from"
    for name, value in columns_of(result).items():
        if getattr(record, name) != value:
            return f"{name} is {getattr(record, name)!r}, but {value!r} in the result"
    if record.keeps_locality != _keeps_locality(record, instance):
        return f"keeps_locality is {record.keeps_locality}, which does not match the method"
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
    subject = record.digest, record.kind, parameters, record.source, limits
    try:
        return run_key(*subject, record.seed, record.repetition, record.package)
    except (ValueError, RecursionError):  # readable values may not be writable: digits and depth have limits
        return ""


def _keeps_locality(record: Record, instance: Instance) -> bool:
    parameters = mapping(record.parameters) or {}
    if ":" in str(parameters.get("name", "")):  # the column is trusted, because a check would import a user's function
        return record.keeps_locality
    return MethodSpec(record.method, record.kind, parameters).keeps_locality(instance.problem.name)


def counted(checked: list[Checked]) -> dict[str, int]:
    """Return the numbers of runs with a schedule, with an optimum by kind of proof, and with a fault."""
    counts: Counter[str] = Counter()
    for run in checked:
        counts["runs"] += 1
        counts["schedules"] += run.record.objective is not None
        if run.record.status == "optimal":
            counts[f"optimal by {run.record.proof.replace('_', ' ')}"] += 1
        counts["faults"] += bool(run.fault)
    return dict(counts)


def certificates(checked: Iterable[Checked]) -> list[tuple[str, ...]]:
    """Return a row for each certified bound of proven optima: name, runs, median and largest bytes and CPU seconds."""
    by_bound: dict[str, list[Checked]] = {}
    for run in checked:
        if run.bound and run.record.status == "optimal" and run.record.proof == ProofKind.CERTIFICATE:
            by_bound.setdefault(run.bound, []).append(run)
    rows: list[tuple[str, ...]] = []
    for name, runs in by_bound.items():
        sizes, seconds = [run.size for run in runs], [run.seconds for run in runs]
        figures = f"{median(sizes):.0f}", str(max(sizes)), f"{median(seconds):.2f}", f"{max(seconds):.2f}"
        rows.append((name, str(len(runs)), *figures))
    return rows
