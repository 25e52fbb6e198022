"""Honest results with known optima, of every kind of certificate, and the file that keeps them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

import oas
from oas.bounds.coallocation.configurations import Weights
from oas.bounds.coallocation.configurations import configuration_bound as coallocation_configurations
from oas.bounds.coallocation.configurations.packing import Packing
from oas.bounds.coallocation.saturated import shared_links_bound
from oas.bounds.coallocation.search_log import NAME as SEARCH_LOG
from oas.bounds.coallocation.windows import NAME as WINDOWS
from oas.bounds.lower_bound import best_bound, lower_bounds
from oas.bounds.mosp.configurations import configuration_bound
from oas.bounds.mosp.pair_tree import pair_tree_bound
from oas.bounds.mosp.partitions import partition_bound
from oas.bounds.mosp.set_tree import set_tree_bound
from oas.bounds.mosp.start_tree import start_tree_bound
from oas.bounds.mosp.two_dimensional import two_dimensional_bound
from oas.core.numbers import ceil_to
from oas.core.result import Bound, Proof, ProofKind, Result, Status
from oas.exact.coallocation.chronological.search import ChronologicalSearch, Verdict
from oas.exact.coallocation.windows import WindowsSearch
from oas.exact.recheck import recheck_result
from oas.generate import tiny
from oas.generate.coallocation.tiny import saturated
from oas.generate.mosp.reservations import reservations
from oas.generate.mosp.tiny import random_instance
from oas.io import dumps, loads, loads_any
from oas.library import Library, LogMissingError
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, RigidJob

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from oas.core.instances import Instance
    from oas.problems.coallocation.instance import CoallocationInstance

DECISIONS = 10**9
SECONDS = 5.0  # for each search
LOWER = Fraction(3, 4)  # of the bound known, where searches for others begin, so that they have something to refute
# 69 of the 160 items of BPP14 of the set Hard28: 23 bins of 1000 suffice for any weights, and not for the items.
NOT_ROUND = [686, 683, 670, 669, 668, 662, 653, 649, 632, 621, 620, 606, 605, 603, 599, 598, 597, 556, 544, 544, 514]
NOT_ROUND += [474, 462, 430, 429, 358, 340, 339, 321, 318, 293, 290, 283, 273, 268, 263, 252, 239, 230, 228, 224, 221]
NOT_ROUND += [211, 209, 208, 205, 197, 193, 193, 185, 184, 182, 173, 166, 142, 133, 123, 120, 109, 95, 92, 69, 59, 57]
NOT_ROUND += [45, 40, 39, 29, 24]
LIBRARY_JOBS = 100  # a schedule of more makes files of which nearly all is the schedule


@dataclass(frozen=True)
class Specimen:
    """An honest result: problem and bound, instance, the result, and the optimum in the instance's time unit."""

    name: str
    instance: Instance
    result: Result
    optimum: Fraction


def specimens() -> Iterator[Specimen]:
    """Yield specimens, each confirmed by the checker.

    VerificationError if one does not hold: then tampering with it shows nothing.
    """
    for made in (_enumerated(), _of_mosp(), _of_coallocation(), _of_library()):
        for specimen in made:
            recheck_result(specimen.instance, specimen.result)
            yield specimen


def keep_in(file: Path, made: Iterable[Specimen] | None = None) -> None:
    """Write specimens to a file, all without others given."""
    rows = [
        (one.name, str(one.optimum), dumps(one.instance).decode(), dumps(one.result).decode())
        for one in made or specimens()
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(rows))


def specimens_in(file: Path) -> list[Specimen]:
    """Return the specimens that a file keeps."""
    return [
        Specimen(name, loads(instance.encode()), loads_any(result.encode()), Fraction(optimum))  # type: ignore[arg-type]
        for name, optimum, instance, result in json.loads(file.read_text())
    ]


def _solved(instance: Any) -> tuple[Result, Fraction]:
    result = oas.solve(instance)
    if result.status is not Status.OPTIMAL or result.objective is None:
        raise RuntimeError(f"{instance.name}: no optimum is known")
    return result, result.objective


def _claiming(instance: Instance, result: Result, bound: Bound | None) -> Iterator[Specimen]:
    """A result with this bound for its proof, where it proves something."""
    if bound is None or bound.certificate is None or bound.value <= 0:
        return
    status = Status.OPTIMAL if bound.value == result.objective else Status.FEASIBLE
    claiming = replace(result, status=status, lower_bound=bound.value, proof=Proof(ProofKind.CERTIFICATE, bound))
    assert result.objective is not None
    yield Specimen(f"{instance.problem.name}: {bound.name}", instance, claiming, result.objective)


def _plain(instance: Instance, result: Result) -> Iterator[Specimen]:
    """The bounds that are functions of the instance, and the word of an enumeration where one is possible."""
    tick = instance.scaled().tick
    for one in lower_bounds(instance):
        if one.holds_for(instance):
            yield from _claiming(instance, result, Bound(one.name, ceil_to(one.compute(instance), tick), {}))


def _enumerated(count: int = 6) -> Iterator[Specimen]:
    for seed in range(count):
        for instance in (random_instance(seed), tiny(seed=seed)):
            result = oas.solve(instance, formulation="brute-force")
            assert result.objective is not None and result.proof is not None
            counted = replace(result, proof=Proof(ProofKind.BRUTE_FORCE))
            yield Specimen(f"{instance.problem.name}: brute force", instance, counted, result.objective)


# Organizations


def _of_mosp() -> Iterator[Specimen]:
    """Bounds of few jobs on equal or unequal clusters; on one, where it is a bin for each time; with reservations."""
    for seed in range(12):
        unequal = seed % 2 == 1
        limits = {"max_jobs": 14, "max_processors": 7, "max_time": 9, "reservations": False, "costly": False}
        instance = random_instance(seed, **limits, equal=not unequal)
        tree = () if unequal else (partial(set_tree_bound, seconds=SECONDS),)
        yield from _proven(instance, (two_dimensional_bound, partial(partition_bound, seconds=SECONDS), *tree))
    for instance in _bins():
        yield from _proven(instance, (partial(pair_tree_bound, seconds=4 * SECONDS),))
    for seed in range(6):
        availability: Any = ("alpha", "non-increasing", "general")[seed % 3]
        alone = reservations(seed=seed, jobs=6 + seed, processors=8, availability=availability, releases=seed > 2)
        yield from _proven(alone, (partial(start_tree_bound, seconds=SECONDS),))


def _proven(instance: MospInstance, bounds: Iterable[Callable[..., Any]]) -> Iterator[Specimen]:
    """Bounds that are functions of the instance, that by configurations, and others between `LOWER` and the optimum."""
    result, optimum = _solved(instance)
    yield from _plain(instance, result)
    yield from _claiming(instance, result, configuration_bound(instance, Fraction(0), optimum).bound)
    lower = ceil_to(best_bound(instance).value * LOWER, instance.scaled().tick)
    for bound in bounds:
        found = bound(instance, lower, optimum).bound
        yield from _claiming(instance, result, found)
        yield from _claiming(instance, result, _branched(found))


def _branched(bound: Bound | None) -> Bound | None:
    """The same proof with a cut that costs nothing and a tree of three leaves, which small ones seldom need."""
    if bound is None or bound.certificate is None or len(bound.certificate.get("tree", ())) != 1:  # type: ignore[arg-type]
        return None
    certificate: dict[str, Any] = {**bound.certificate}
    items = certificate.get("pool") or range(len(certificate["weights"][0]) - len(certificate["cuts"]))
    if len(items) < 3:
        return None
    certificate["weights"] = [[*row, 0] if len(row) > 1 else row for row in certificate["weights"]]
    certificate["cuts"] = [*certificate["cuts"], [*items[:3]]]
    (leaf,) = certificate["tree"]
    certificate["tree"] = [[items[0], items[1]], leaf, [items[0], items[2]], leaf, leaf]
    return replace(bound, certificate=certificate)


def _bins() -> Iterator[MospInstance]:
    """Jobs of equal times, so that a cluster is a bin for each time. Of the last, no weights prove the optimum."""
    for count in (6, 8, 10, 12, 14):
        draw = Random(count)
        yield _bin_packing([draw.randint(30, 60) for _ in range(count)], 100, 3)
    yield _bin_packing(NOT_ROUND, 1000, 1)


def _bin_packing(widths: list[int], capacity: int, time: int) -> MospInstance:
    jobs = [RigidJob(f"J{n}", time, width) for n, width in enumerate(widths)]
    return MospInstance([Organization("A", capacity, jobs)], None, name=f"{len(jobs)} items")


# Co-allocation


def _of_coallocation() -> Iterator[Specimen]:
    for seed in range(200, 216):
        instance = tiny(seed=seed, jobs=6, nodes=8) if seed < 212 else tiny(seed=seed, jobs=10, nodes=14)
        result, optimum = _solved(instance)
        yield from _plain(instance, result)
        for bound in (coallocation_configurations(instance, optimum).bound, *_searched(instance, optimum)):
            yield from _claiming(instance, result, bound)
    for seed in range(8):
        slot = Fraction(seed % 3, 2)
        sharing: Any = ("paper", "max-min")[seed % 2]
        shared = saturated(seed=seed, jobs=3 + seed % 2, slot=slot, sharing=sharing)
        result, optimum = _solved(shared)
        yield from _claiming(shared, result, shared_links_bound(shared, optimum).bound)


def _searched(instance: CoallocationInstance, optimum: Fraction) -> Iterator[Bound]:
    """Yield the logs of complete searches one tick below the optimum: chronological, and by windows of starts."""
    scaled = instance.scaled()
    nodes = sum(len(one.nodes) for one in scaled.classes)
    weights = [Weights(tuple((tasks,) * len(scaled.powers) for tasks in scaled.tasks), nodes)]
    ticks = int(optimum / scaled.tick) - 1
    searches: tuple[tuple[str, Any], ...] = (
        (SEARCH_LOG, ChronologicalSearch(scaled, weights, ticks, placed=True)),
        (SEARCH_LOG, ChronologicalSearch(scaled, weights, ticks, placed=False)),
        (WINDOWS, WindowsSearch(scaled, weights, ticks, Packing(scaled))),
    )
    for name, search in searches:
        if search.go_on(DECISIONS) is Verdict.REFUTED:
            yield Bound(name, optimum, search.certificate())


# The library


def _of_library() -> Iterator[Specimen]:
    """Its optima that certificates prove."""
    library = Library()
    for entry in library.entries:
        if not entry.records or not entry.records[-1].proven or entry.jobs > LIBRARY_JOBS:
            continue
        try:
            instance, result = library.instance(entry.name), library.result(entry.name)
        except LogMissingError:
            continue
        if result is not None and result.proof is not None and result.proof.bound is not None:
            yield from _claiming(instance, result, result.proof.bound)
