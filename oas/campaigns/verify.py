"""Re-checking a whole ledger: every stored schedule, bound and claim, in exact arithmetic and without a solver."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from statistics import median
from time import process_time
from typing import TYPE_CHECKING

from oas.campaigns.identity import run_key
from oas.campaigns.methods import MethodSpec
from oas.campaigns.record import mapping, text_of
from oas.core.errors import OasError, shorten
from oas.core.result import ProofKind
from oas.exact.recheck import recheck_result
from oas.io.reading import loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oas.campaigns.ledger import Ledger
    from oas.campaigns.record import Record
    from oas.campaigns.sources import Source
    from oas.core.instances import Instance
    from oas.core.result import Result


@dataclass(frozen=True)
class Checked:
    """A run, re-checked."""

    record: Record  # of the run
    rests_on: str  # what its lower bound rests on: ``certificate``, ``solver``, ``brute_force``, or empty without one
    fault: str = ""  # what does not hold; empty if all does
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
            bound = "" if fault else _bound_name(record)
            yield Checked(record, record.proof, fault, bound, len(record.result), seconds)


def _bound_name(record: Record) -> str:
    result = record.unpacked()
    return "" if result is None or result.proof is None or result.proof.bound is None else result.proof.bound.name


def verify_sources(sources: Iterable[Source], ledger: Ledger) -> Iterator[tuple[Source, str]]:
    """Make each instance again, and yield its source with what is wrong with the one that the ledger has for it.

    A ledger keeps what a source once gave, so that a campaign need not make it every time: nothing else would tell if
    it gave the instance of another source's, whose runs hold. What the ledger does not have is no fault.
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
    """Return what is wrong with a stored run; empty if nothing is."""
    if record.key != _key(record):
        return "the key is not that of what the row says was run"
    try:
        result = record.unpacked()
    except OasError as error:
        return f"the stored result cannot be read: {error}"
    if result is None:
        stated = (record.objective, record.lower_bound, record.status)
        return "" if stated == (None, None, "no_solution") else "figures without a result that they come from"
    for name, value in _figures(result).items():
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
    try:
        return run_key(
            record.digest,
            record.kind,
            parameters,
            record.source,
            limits,
            record.seed,
            record.repetition,
            record.package,
        )
    except (ValueError, RecursionError):  # what can be read need not be written: digits and depth have limits
        return ""


def _figures(result: Result) -> dict[str, object]:
    """Return the columns that repeat what the result says."""
    return {
        "objective": text_of(result.objective),
        "lower_bound": text_of(result.lower_bound),
        "certified_bound": text_of(result.proof.bound.value if result.proof and result.proof.bound else None),
        "gap": None if result.gap is None else float(result.gap),
        "status": result.status.value,
        "termination": result.termination.value,
        "proof": result.proof.kind.value if result.proof else "",
        "message": result.message,
        "solver": result.solver,
        "formulation": result.formulation,
        "threads": result.threads,
        "versions": json.dumps(result.versions),
    }


def _keeps_locality(record: Record, instance: Instance) -> bool:
    if record.names_code:  # what a function of one's own promises is its own word: finding out would run it
        return record.keeps_locality
    spec = MethodSpec(record.method, record.kind, mapping(record.parameters) or {})
    return spec.keeps_locality(instance.problem.name)


def counted(checked: list[Checked]) -> dict[str, int]:
    """Return how many runs hold a schedule, an optimum by what proof, and a fault."""
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
