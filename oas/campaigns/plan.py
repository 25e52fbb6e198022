"""The runs that a declaration asks for; instances are made once and kept in the ledger."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from oas._version import __version__
from oas.campaigns.identity import run_key
from oas.campaigns.order import Batch, Order
from oas.core.errors import InputError
from oas.io.writing import dumps
from oas.solvers.isolation.protocol import import_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.ledger import Ledger, StoredInstance
    from oas.campaigns.methods import MethodSpec
    from oas.campaigns.sources import Source
    from oas.core.instances import Instance


def plan(campaign: Campaign, ledger: Ledger, on_instance: Callable[[int, int], None] | None = None) -> list[Order]:
    """Return every run that `campaign` asks for, instance by instance, and put new instances into `ledger`.

    An instance that the campaign names twice, or two instances that mean the same, are run once.

    Raises
    ------
    InputError
        If an instance cannot be made, or no method is for it.
    """
    orders: dict[str, Order] = {}
    for index, source in enumerate(campaign.sources):
        if on_instance is not None:
            on_instance(index, len(campaign.sources))
        fingerprint = source.fingerprint()
        stored = ledger.instance_from(fingerprint)
        if stored is None:
            instance = _made(source, campaign.file)
            stored = ledger.add_instance(
                fingerprint, instance.digest, instance.name, instance.problem.name, dumps(instance)
            )
        methods = [method for method in campaign.methods if method.applies_to(stored.problem)]
        if not methods:
            raise InputError(
                "none of them is for this instance",
                field="methods",
                value=stored.name or source.name,
                file=campaign.file,
            )
        for order in _orders(stored, source, methods, campaign.repetitions):
            orders.setdefault(order.key, order)
    return list(orders.values())


def _made(source: Source, file: str) -> Instance:
    try:
        return source.make()
    except InputError as error:
        if error.file is None:  # not of a file of its own
            error.file = file
            error.field = ".".join(part for part in (source.place, error.field) if part)
        raise


def _orders(stored: StoredInstance, source: Source, methods: Iterable[MethodSpec], repetitions: int) -> Iterator[Order]:
    """Yield the runs on an instance; a run that gets another run's time comes after that one."""
    keys: dict[tuple[str, int, int], str] = {}
    for method in sorted(methods, key=lambda one: bool(one.same_time_as)):
        for seed in method.seeds:
            for repetition in range(repetitions):
                own = method
                if method.same_time_as:
                    leader = keys.get((method.same_time_as, seed, repetition))
                    if leader is None:
                        reason = f"this method has no run with seed {seed} on instance {stored.name!r}"
                        raise InputError(reason, field=f"{method.label}.same_time_as", value=method.same_time_as)
                    own = replace(method, limits=replace(method.limits, time_of=leader))
                key = run_key(
                    stored.digest,
                    own.kind,
                    own.parameters,
                    own.source,
                    own.limits.to_dict(),
                    seed,
                    repetition,
                    __version__,
                )
                keys[method.label, seed, repetition] = key
                yield Order(key, stored.digest, stored.name, stored.problem, own, seed, repetition, own.source, source)


def batches(orders: Iterable[Order], ledger: Ledger) -> Iterator[Batch]:
    """Yield the runs as workers take them: the heuristics of one instance together, each exact run alone."""
    by_digest: dict[str, list[Order]] = {}
    path = import_path()
    for order in orders:
        by_digest.setdefault(order.digest, []).append(order)
    for digest, own in by_digest.items():
        document = ledger.document(digest)
        heuristics = tuple(order for order in own if order.method.kind == "heuristic")
        if heuristics:
            yield Batch(document, heuristics, path)
        for order in own:
            if order.method.kind == "exact":
                yield Batch(document, (order,), path)
