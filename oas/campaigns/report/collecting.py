"""Reading the current runs of a campaign from its ledger, each with the optimum or bound proven for its instance."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.campaigns.report.frame import Reference, Run, Runs
from oas.campaigns.report.page_parts import page_parts
from oas.core.errors import InputError
from oas.io.reading import loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oas.campaigns.ledger import Ledger
    from oas.campaigns.plan import Order
    from oas.campaigns.record import Record
    from oas.core.instances import Instance


def collect(orders: Sequence[Order], ledger: Ledger) -> Runs:
    """Read the runs that `ledger` holds of these orders."""
    asked = {order.key: order for order in orders}
    pairs = {(order.digest, order.method.label) for order in orders}
    current: dict[str, Record] = {}
    stale: Counter[str] = Counter()
    others = 0
    for record in ledger.records():
        if record.key in asked:
            current[record.key] = record
        elif (record.digest, record.method) in pairs:
            stale[record.method] += 1
        else:
            others += 1
    instances = {digest: _stored(ledger, digest) for digest in dict.fromkeys(order.digest for order in orders)}
    free = {digest: _without_locality(instance) for digest, instance in instances.items()}
    made = [order for order in orders if order.key in current]
    # A run that was ended from outside records no promises; those of the method's other runs count.
    ignoring_locality = {order.method.label for order in made if not current[order.key].keeps_locality}
    bare = [
        _run(
            order,
            current[order.key],
            instances[order.digest],
            free[order.digest],
            ignoring_locality=order.method.label in ignoring_locality,
        )
        for order in made
    ]
    references = _references(bare)
    return Runs(
        runs=tuple(_held_against(run, references) for run in bare),
        asked=Counter((order.origin.sample, order.method.label) for order in orders),
        missing=Counter(order.method.label for order in orders if order.key not in current),
        stale=stale,
        others=others,
        instances=instances,
        relaxed=free,
        references=references,
    )


def _stored(ledger: Ledger, digest: str) -> Instance:
    instance = loads(ledger.document(digest), str(ledger.path))
    if instance.digest != digest:
        raise InputError(f"the instance stored as {digest} is another", file=str(ledger.path), value=instance.digest)
    return instance


def _without_locality(instance: Instance) -> str:
    """Digest of the instance that a method solves which promises no locality."""
    return instance.relaxed().digest


def _run(order: Order, record: Record, instance: Instance, free: str, *, ignoring_locality: bool) -> Run:
    relaxed = free if ignoring_locality else order.digest
    own = page_parts(instance.problem).groups
    group = (own[-1] if relaxed == free else own[0]).name
    return Run(
        order,
        record,
        group,
        relaxed,
        _exact(record.objective),
        _exact(record.lower_bound),
        _exact(record.certified_bound),
    )


def _exact(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)


def _references(runs: Iterable[Run]) -> dict[str, Reference]:
    """Return what the exact runs prove for each instance; if they disagree, the least optimum, and all are reported."""
    found: dict[str, Reference] = {}
    for run in runs:
        if run.record.kind != "exact":
            continue
        known = found.get(run.relaxed, Reference())
        optimum, bound = known.optimum, known.bound
        if run.proven and run.objective is not None:
            optimum = run.objective if optimum is None else min(optimum, run.objective)
        if run.lower_bound is not None:
            bound = run.lower_bound if bound is None else max(bound, run.lower_bound)
        found[run.relaxed] = Reference(optimum, bound)
    return found


def _held_against(run: Run, references: Mapping[str, Reference]) -> Run:
    reference = references.get(run.relaxed, Reference())
    if run.relaxed == run.order.digest:
        return replace(run, reference=reference)
    return replace(run, reference=reference, beside=references.get(run.order.digest, Reference()))
