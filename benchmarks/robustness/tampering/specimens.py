"""Honest results with known optima, of every kind of certificate, and the file that keeps them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import oas
from benchmarks.soak.poor_schedules import poor
from benchmarks.soak.solving import search_from
from oas.bounds.lower_bound import lower_bounds
from oas.core.numbers import ceil_to
from oas.core.result import Bound, Proof, ProofKind, Result, Status
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
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from oas.core.instances import Instance

SECONDS = 5.0  # for each search
# 69 of the 160 items of BPP14 of the set Hard28: 23 bins of 1000 suffice for any weights, and not for the items.
NOT_ROUND = [686, 683, 670, 669, 668, 662, 653, 649, 632, 621, 620, 606, 605, 603, 599, 598, 597, 556, 544, 544, 514]
NOT_ROUND += [474, 462, 430, 429, 358, 340, 339, 321, 318, 293, 290, 283, 273, 268, 263, 252, 239, 230, 228, 224, 221]
NOT_ROUND += [211, 209, 208, 205, 197, 193, 193, 185, 184, 182, 173, 166, 142, 133, 123, 120, 109, 95, 92, 69, 59, 57]
NOT_ROUND += [45, 40, 39, 29, 24]
LIBRARY_JOBS = 100  # with more, nearly all of the file is the schedule


@dataclass(frozen=True)
class Specimen:
    """An honest result: problem and bound, instance, the result, and the optimum in the instance's time unit."""

    name: str
    instance: Instance
    result: Result
    optimum: Fraction


def specimens() -> Iterator[Specimen]:
    """Yield specimens, each confirmed by the checker: VerificationError if one does not hold."""
    for made in (_enumerated(), _searched(), _of_library()):
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


def _claiming(instance: Instance, result: Result, bound: Bound | None) -> Iterator[Specimen]:
    """A result with this bound for its proof, where it proves something."""
    if bound is None or bound.certificate is None or bound.value <= 0:
        return
    status = Status.OPTIMAL if bound.value == result.objective else Status.FEASIBLE
    claiming = replace(result, status=status, lower_bound=bound.value, proof=Proof(ProofKind.CERTIFICATE, bound))
    assert result.objective is not None
    yield Specimen(f"{instance.problem.name}: {bound.name}", instance, claiming, result.objective)


def _plain(instance: Instance, result: Result) -> Iterator[Specimen]:
    """The bounds that are functions of the instance."""
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
            yield from _plain(instance, result)


def _searched() -> Iterator[Specimen]:
    """Bounds that prove the optimum for the pipeline, and for the search from a poor schedule."""
    for instance in _instances():
        solved = oas.solve(instance)
        if solved.status is not Status.OPTIMAL or solved.objective is None:
            raise RuntimeError(f"{instance.name}: no optimum is known")
        evidence, _ = search_from(instance, poor(instance), SECONDS)
        for bound in (solved.proof.bound if solved.proof else None, evidence.bound):
            yield from _claiming(instance, solved, bound)


def _instances() -> Iterator[Instance]:
    """Yield small instances of all kinds; also jobs of equal times, for which a cluster is a bin for each time."""
    for seed in range(12):
        limits = {"max_jobs": 14, "max_processors": 7, "max_time": 9, "reservations": False, "costly": False}
        yield random_instance(seed, **limits, equal=seed % 2 == 0)
        availability: Any = ("alpha", "non-increasing", "general")[seed % 3]
        yield reservations(seed=seed, jobs=6 + seed % 6, processors=8, availability=availability, releases=seed > 5)
        yield tiny(seed=200 + seed, jobs=6, nodes=8) if seed < 8 else tiny(seed=200 + seed, jobs=10, nodes=14)
        sharing: Any = ("paper", "max-min")[seed % 2]
        yield saturated(seed=seed, jobs=3 + seed % 2, slot=Fraction(seed % 3, 2), sharing=sharing)
    for count in (6, 8, 10, 12, 14):
        draw = Random(count)
        yield _bin_packing([draw.randint(30, 60) for _ in range(count)], 100, 3)
    yield _bin_packing(NOT_ROUND, 1000, 1)


def _bin_packing(widths: list[int], capacity: int, time: int) -> MospInstance:
    jobs = [RigidJob(f"J{n}", time, width) for n, width in enumerate(widths)]
    return MospInstance([Organization("A", capacity, jobs)], None, name=f"{len(jobs)} items")


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
