"""Plan of a campaign: its instances, which are generated once and stored in the ledger, and the runs on each.

A planned run is an `Order`, plain data that is sent to other processes and machines in a `Batch`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from oas._version import __version__
from oas.campaigns.methods import MethodSpec, run_key
from oas.campaigns.sources import Source  # noqa: TC001 - pickled
from oas.core.errors import InputError, OasError
from oas.core.user_code import import_path
from oas.io.writing import dumps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.ledger import Ledger, StoredInstance
    from oas.core.instances import Instance


SMOKE_SECONDS = Fraction(1)
"""Time limit of a run in a smoke test of a campaign."""


def part(campaign: Campaign, samples: Sequence[str]) -> Campaign:
    """Restrict a campaign to samples that match these patterns; the ledger stays the same.

    Raises `InputError` if a pattern matches no sample.
    """
    sources: list[Source] = []
    for pattern in samples:
        matching = [source for source in campaign.sources if fnmatchcase(source.sample, pattern)]
        if not matching:
            raise InputError("no sample has such a name", field="--sample", value=pattern)
        sources += matching
    return replace(campaign, sources=tuple(sources))


def smoke(campaign: Campaign, samples: int | None = None) -> Campaign:
    """Return a short version of a campaign, named ``NAME-smoke``, that tests all its parts.

    It has one instance of each of the first `samples` samples, or of all samples for None.
    """
    first: dict[str, Source] = {}
    for source in campaign.sources:
        first.setdefault(source.sample, source)
    methods = tuple(
        replace(
            method, limits=replace(method.limits, seconds=min(SMOKE_SECONDS, method.limits.seconds or SMOKE_SECONDS))
        )
        for method in campaign.methods
    )
    sources = tuple(first.values())[:samples]
    return replace(campaign, name=f"{campaign.name}-smoke", sources=sources, methods=methods)


class OtherSourceError(OasError):
    """The source code of the process that makes a run differs from the source that the run was planned with."""


@dataclass(frozen=True)
class Order:
    """A planned run."""

    # hash of instance, method, parameters, source code, limits, seed, repetition and package version; runs with the
    # same key are the same run
    key: str
    digest: str  # of the instance
    instance: str  # its name
    problem: str  # name of the problem of the instance
    method: MethodSpec
    seed: int
    repetition: int
    source: str  # hash of the source code that the run was planned with
    origin: Source  # of the instance
    seconds: Fraction | None = None  # wall time of the run `RunLimits.time_of`, once it is known

    @property
    def time_limit(self) -> Fraction | None:
        """Time limit in seconds; None for no limit."""
        return min(filter(None, (self.method.limits.seconds, self.seconds)), default=None)


@dataclass(frozen=True)
class Batch:
    """Runs on one instance that one worker makes one after the other."""

    document: bytes  # the instance in its file format
    orders: tuple[Order, ...]
    path: tuple[str, ...] = ()  # import path of the campaign's process


def plan(campaign: Campaign, ledger: Ledger, on_instance: Callable[[int, int], None] | None = None) -> list[Order]:
    """Return all runs of `campaign`, instance by instance, and store new instances in `ledger`.

    Runs on equal instances are made once. Raises `InputError` if an instance cannot be generated or read, or no method
    applies to it.
    """
    orders: dict[str, Order] = {}
    for index, source in enumerate(campaign.sources):
        if on_instance is not None:
            on_instance(index, len(campaign.sources))
        fingerprint = source.fingerprint()
        stored = ledger.instance_from(fingerprint)
        if stored is None:
            instance = _instance(source, campaign.file)
            stored = ledger.add_instance(
                fingerprint, instance.digest, instance.name, instance.problem.name, dumps(instance)
            )
        methods = [method for method in campaign.methods if method.applies_to(stored.problem)]
        if not methods:
            reason, name = "none of them is for this instance", stored.name or source.name
            raise InputError(reason, field="methods", value=name, file=campaign.file)
        for order in _orders(stored, source, methods, campaign.repetitions):
            orders.setdefault(order.key, order)
    return list(orders.values())


def _instance(source: Source, file: str) -> Instance:
    try:
        return source.make()
    except InputError as error:
        if error.file is None:  # no file of the source
            error.file = file
            error.field = ".".join(part for part in (source.place, error.field) if part)
        raise


def _orders(stored: StoredInstance, source: Source, methods: Iterable[MethodSpec], repetitions: int) -> Iterator[Order]:
    """Yield the runs on an instance; a run limited to another run's time comes after that run."""
    keys: dict[tuple[str, int, int], str] = {}
    for declared in sorted(methods, key=lambda method: bool(method.same_time_as)):
        for seed, repetition in product(declared.seeds, range(repetitions)):
            method, leader = declared, declared.same_time_as
            if leader:
                time_of = keys.get((leader, seed, repetition))
                if time_of is None:
                    reason = f"this method has no run with seed {seed} on instance {stored.name!r}"
                    raise InputError(reason, field=f"{method.label}.same_time_as", value=leader)
                method = replace(method, limits=replace(method.limits, time_of=time_of))
            code, limits = method.source, method.limits.to_dict()
            key = run_key(stored.digest, method.kind, method.parameters, code, limits, seed, repetition, __version__)
            keys[method.label, seed, repetition] = key
            yield Order(key, stored.digest, stored.name, stored.problem, method, seed, repetition, code, source)


def batches(orders: Iterable[Order], ledger: Ledger) -> Iterator[Batch]:
    """Yield batches: all heuristics on one instance together, each exact run alone."""
    by_digest: dict[str, list[Order]] = {}
    path = import_path()
    for order in orders:
        by_digest.setdefault(order.digest, []).append(order)
    for digest, runs in by_digest.items():
        document = ledger.document(digest)
        heuristics = tuple(order for order in runs if order.method.kind == "heuristic")
        if heuristics:
            yield Batch(document, heuristics, path)
        for order in runs:
            if order.method.kind == "exact":
                yield Batch(document, (order,), path)
