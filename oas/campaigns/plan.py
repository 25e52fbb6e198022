"""The plan of a campaign: its instances, made once and kept in the ledger, and the runs that it asks for on each.

A run is an `Order`, plain data that is passed between processes and machines in a `Batch`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import TYPE_CHECKING

from oas._version import __version__
from oas.campaigns.methods import MethodSpec, run_key
from oas.campaigns.sources import Source  # noqa: TC001 - pickled
from oas.core.errors import InputError, OasError
from oas.io.writing import dumps
from oas.solvers.isolation.protocol import import_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.ledger import Ledger, StoredInstance
    from oas.core.instances import Instance


SMOKE_SECONDS = Fraction(1)
"""Limit of a run in the smoke size of a campaign."""


def part(campaign: Campaign, samples: Sequence[str]) -> Campaign:
    """Return the campaign on the instances of these samples alone, with the same ledger.

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
    """Return a small version of a campaign under the name ``NAME-smoke``, to see that all of it works.

    It has one instance of each of the first samples, up to the given number; None for all.
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
    """The source at the place of a run differs from the one that the run was planned with."""

    def __init__(self, method: str) -> None:
        super().__init__(method)
        self.method = method

    def __str__(self) -> str:
        return f"{self.method}: its source has changed since the campaign began, or a worker has another; start again"


@dataclass(frozen=True)
class Order:
    """One run."""

    # hash of the instance, the method with its parameters and source, limits, seed, repetition and package version:
    # a run with the same key is not repeated
    key: str
    # digest, instance, problem: of the instance: its digest, its name, ``coallocation`` or ``mosp``
    digest: str
    instance: str
    problem: str
    # method, seed, repetition: the run
    method: MethodSpec
    seed: int
    repetition: int
    source: str  # hash of the source that the run was planned with
    origin: Source  # the declared source of the instance
    # wall time of the run whose time this one gets (`RunLimits.time_of`), once it is known
    seconds: Fraction | None = None

    @property
    def time_limit(self) -> Fraction | None:
        """Seconds that the run may take; None for no limit."""
        limits = [one for one in (self.method.limits.seconds, self.seconds) if one is not None]
        return min(limits, default=None)


@dataclass(frozen=True)
class Batch:
    """Runs on one instance, made one after the other by one worker."""

    document: bytes  # the instance as its file would be
    orders: tuple[Order, ...]  # the runs
    path: tuple[str, ...] = ()  # where the campaign's own modules are found, beyond what a worker knows


def use_path(path: tuple[str, ...]) -> None:
    """Make modules in these folders importable, after all that are so already."""
    sys.path += [entry for entry in path if entry not in sys.path]


def plan(campaign: Campaign, ledger: Ledger, on_instance: Callable[[int, int], None] | None = None) -> list[Order]:
    """Return every run that `campaign` asks for, instance by instance, and put new instances into `ledger`.

    An instance that the campaign names twice, or two instances that mean the same, are run once.

    Raises `InputError` if an instance cannot be made, or no method is for it.
    """
    orders: dict[str, Order] = {}
    for index, source in enumerate(campaign.sources):
        if on_instance is not None:
            on_instance(index, len(campaign.sources))
        fingerprint = source.fingerprint()
        stored = ledger.instance_from(fingerprint)
        if stored is None:
            made = _made(source, campaign.file)
            stored = ledger.add_instance(fingerprint, made.digest, made.name, made.problem.name, dumps(made))
        methods = [method for method in campaign.methods if method.applies_to(stored.problem)]
        if not methods:
            reason, name = "none of them is for this instance", stored.name or source.name
            raise InputError(reason, field="methods", value=name, file=campaign.file)
        for order in _orders(stored, source, methods, campaign.repetitions):
            orders.setdefault(order.key, order)
    return list(orders.values())


def _made(source: Source, file: str) -> Instance:
    try:
        return source.make()
    except InputError as error:
        if error.file is None:  # no file of the source
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
                asked = stored.digest, own.kind, own.parameters, own.source, own.limits.to_dict()
                key = run_key(*asked, seed, repetition, __version__)
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
