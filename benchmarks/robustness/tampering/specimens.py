"""Valid results with known optima, with all kinds of certificates, and the file that stores them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import oas
from benchmarks.soak.poor_schedules import poor
from benchmarks.soak.solving import search_from
from oas.coallocation.bounds.configurations import Weights
from oas.coallocation.bounds.search_log import NAME as SEARCH_LOG
from oas.coallocation.exact.chronological_search import ChronologicalSearch, Verdict
from oas.coallocation.generate.tiny import saturated
from oas.core.result import Bound, Proof, ProofKind, Result, Status
from oas.generate import tiny
from oas.io import dumps, loads, loads_any
from oas.library import Library, LogMissingError
from oas.mosp.bounds.partitions import partition_bound
from oas.mosp.generate.reservations import reservations
from oas.mosp.generate.tiny import random_instance
from oas.solving.recheck import recheck_result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from oas.coallocation.instance import CoallocationInstance
    from oas.core.instances import Instance
    from oas.mosp.instance import MospInstance

SECONDS = 5.0  # for each search
LIBRARY_JOBS = 100  # with more, nearly all of the file is the schedule


@dataclass(frozen=True)
class Specimen:
    """A valid result: problem and bound, instance, the result, and the optimum in the instance's time unit."""

    name: str
    instance: Instance
    result: Result
    optimum: Fraction


def specimens() -> Iterator[Specimen]:
    """Yield specimens that the checker accepts; raises VerificationError if it refuses one."""
    for made in (_enumerated(), _searched(), _of_library()):
        for specimen in made:
            recheck_result(specimen.instance, specimen.result)
            yield specimen


def keep_in(file: Path, made: Iterable[Specimen] | None = None) -> None:
    """Write specimens to a file, by default all."""
    rows = [
        (one.name, str(one.optimum), dumps(one.instance).decode(), dumps(one.result).decode())
        for one in made or specimens()
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(rows))


def specimens_in(file: Path) -> list[Specimen]:
    """Read the specimens of a file."""
    return [
        Specimen(name, loads(instance.encode()), loads_any(result.encode()), Fraction(optimum))  # type: ignore[arg-type]
        for name, optimum, instance, result in json.loads(file.read_text())
    ]


def _claiming(instance: Instance, result: Result, bound: Bound | None) -> Iterator[Specimen]:
    """Yield a result with this bound as its proof, if the bound proves anything."""
    if bound is None or bound.certificate is None or bound.value <= 0:
        return
    status = Status.OPTIMAL if bound.value == result.objective else Status.FEASIBLE
    claiming = replace(result, status=status, lower_bound=bound.value, proof=Proof(ProofKind.CERTIFICATE, bound))
    assert result.objective is not None
    yield Specimen(f"{instance.problem.name}: {bound.name}", instance, claiming, result.objective)


def _enumerated(count: int = 6) -> Iterator[Specimen]:
    for seed in range(count):
        for instance in (random_instance(seed), tiny(seed=seed)):
            result = oas.solve(instance, formulation="brute-force")
            assert result.objective is not None and result.proof is not None
            counted = replace(result, proof=Proof(ProofKind.BRUTE_FORCE))
            yield Specimen(f"{instance.problem.name}: brute force", instance, counted, result.objective)


def _searched() -> Iterator[Specimen]:
    """Yield bounds of the pipeline, of the search from a poor schedule, and of rarely needed searches."""
    for instance, seldom in _instances():
        solved = oas.solve(instance)
        assert solved.status is Status.OPTIMAL and solved.objective is not None
        evidence, _ = search_from(instance, poor(instance), SECONDS)
        for bound in (evidence.bound, getattr(solved.proof, "bound", None), *seldom(instance, solved.objective)):
            yield from _claiming(instance, solved, bound)


def _instances() -> Iterator[tuple[Any, Callable[[Any, Fraction], Iterable[Bound | None]]]]:
    """Yield small instances of all kinds, each with a function of instance and optimum that yields further bounds."""
    for seed in range(12):
        limits = {"max_jobs": 14, "max_processors": 7, "max_time": 9, "reservations": False, "costly": False}
        yield random_instance(seed, **limits, equal=seed % 2 == 0), _by_partitions
        availability: Any = ("alpha", "non-increasing", "general")[seed % 3]
        one = reservations(seed=seed, jobs=6 + seed % 6, processors=8, availability=availability, releases=seed > 5)
        yield one, _by_partitions
        yield tiny(seed=200 + seed, jobs=6 if seed < 8 else 10, nodes=8 if seed < 8 else 14), _logged
        sharing: Any = ("paper", "max-min")[seed % 2]
        yield saturated(seed=seed, jobs=3 + seed % 2, slot=Fraction(seed % 3, 2), sharing=sharing), lambda *_: ()


def _by_partitions(instance: MospInstance, optimum: Fraction) -> Iterator[Bound | None]:
    """Yield the bound by partitions, from one tick below the optimum."""
    yield partition_bound(instance, optimum - instance.scaled().tick, optimum, seconds=SECONDS).bound


def _logged(instance: CoallocationInstance, optimum: Fraction) -> Iterator[Bound]:
    """Yield the log of a complete search one tick below the optimum."""
    scaled = instance.scaled()
    nodes = sum(len(one.nodes) for one in scaled.classes)
    weights = [Weights(tuple((tasks,) * len(scaled.powers) for tasks in scaled.tasks), nodes)]
    ticks = int(optimum / scaled.tick) - 1
    search = ChronologicalSearch(scaled, weights, ticks, placed=True)
    if search.resume(10**9) is Verdict.REFUTED:
        yield Bound(SEARCH_LOG, optimum, search.certificate())


def _of_library() -> Iterator[Specimen]:
    """Yield the optima that certificates prove."""
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
