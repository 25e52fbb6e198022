"""The stand-alone checker says of results, schedules and simple bounds what the toolkit says of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import oas
from oas.checker import recheck
from oas.checker.answers import read_answer
from oas.checker.files import parse_document
from oas.checker.main import read_instance
from oas.checker.reading import Refused
from oas.checker.recheck import CERTIFIED_BOUNDS, SIMPLE_BOUNDS, check_answer, digest_of, refute_by_enumeration
from oas.coallocation.generate.tiny import saturated, tiny
from oas.core.errors import InfeasibleError
from oas.core.registry import problem_named
from oas.core.result import Claim, Proof, ProofKind, Result, Status, Termination
from oas.core.schedule import Placement, Schedule
from oas.io import dumps
from oas.mosp.generate.tiny import random_instance
from oas.solving.lower_bound import all_bounds, best_bound, lower_bounds
from oas.solving.parts import exact_parts
from tests.checker.bundled import verified
from tests.mosp.exact.test_brute_force import short_jobs_and_a_long_one
from tests.slow import every_fourth_quick

if TYPE_CHECKING:
    from collections.abc import Iterator


def read(instance: Any) -> Any:
    return read_instance(parse_document(dumps(instance)))


def said(mine: Any, answer: Result) -> list[str] | None:
    try:
        return check_answer(mine, read_answer(parse_document(dumps(answer))))
    except Refused:
        return None


def drawn(kind: str, seed: int) -> Any:
    if kind == "mosp":
        return random_instance(seed, max_jobs=5)
    instance = tiny(seed=seed, feasible=seed % 7 != 0)
    threshold = {"threshold": F(1, 1 + seed % 4)} if seed % 3 == 0 else {}
    return (
        instance if kind == "forbid" else instance.with_saturation({"policy": "slowdown", "sharing": kind, **threshold})
    )


def disturbed(instance: Any, schedule: Schedule, random: Random) -> Iterator[Schedule]:
    """Yield the schedule with one run moved, made longer, left out, doubled, or put on other nodes."""
    tick = instance.scaled().tick or F(1, 2)
    for _ in range(10):
        runs = list(schedule.placements)
        place = random.randrange(len(runs))
        one, by = runs[place], random.choice([tick, -tick, F(1, 3)])
        moved = max(F(0), one.start + by)
        name, size = random.choice(instance.cluster_sizes)
        nodes = {**one.nodes, name: [random.randrange(size + 1) for _ in range(random.randint(0, one.tasks))]}
        runs[place : place + 1] = random.choice(
            [
                [],
                [one, one],
                [Placement(one.job, moved, moved + one.duration, one.nodes)],
                [Placement(one.job, one.start, max(F(0), one.end + by), one.nodes)],
                [Placement(one.job, one.start, one.end, nodes)],
                [Placement(one.job, one.start, one.end, {name: range(min(size, one.tasks))})],
                [Placement(one.job, runs[0].start, runs[0].start + one.duration, one.nodes)],
            ]
        )
        yield Schedule(runs)


def test_seven_jobs_are_enumerated_in_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recheck, "MOST_ENUMERATED", 300)
    instance = read(short_jobs_and_a_long_one())
    refute_by_enumeration(instance, F(6))
    with pytest.raises(Refused, match="above the makespan 6 that a schedule has"):
        refute_by_enumeration(instance, F(61, 10))


CASES = [(kind, seed) for kind in ("mosp", "forbid", "paper", "max-min") for seed in range(16)]


@pytest.mark.parametrize(("kind", "seed"), every_fourth_quick(CASES))
def test_tiny_instances(kind: str, seed: int) -> None:
    instance = drawn(kind, seed)
    mine = read(instance)
    assert digest_of(mine) == instance.digest
    infeasible = Result(Status.INFEASIBLE, Termination.FINISHED, None, None, None, instance.digest)
    assert said(mine, infeasible) == verified(instance, infeasible)
    try:
        optimum, schedule = exact_parts(instance).brute_force(instance)
    except InfeasibleError:
        assert said(mine, infeasible) is not None
        return
    for bound in lower_bounds(instance):
        if bound.holds_for(instance):
            assert SIMPLE_BOUNDS[instance.problem.name, bound.name](mine) == bound.compute(instance), bound.name
    lower = best_bound(instance)
    good = Result(
        Status.OPTIMAL,
        Termination.FINISHED,
        schedule,
        optimum,
        Proof(ProofKind.BRUTE_FORCE, lower),
        instance.digest,
    )
    lines = said(mine, good)
    assert lines is not None and lines == verified(instance, good)
    step = instance.scaled().tick or F(1, 1000)
    above = replace(good, status=Status.FEASIBLE, schedule=None, lower_bound=optimum + step)
    claim = Claim("highs", "1", "literal", optimum)
    for wrong in (
        above,
        replace(good, lower_bound=optimum + step),
        replace(good, lower_bound=optimum - step),
        replace(good, proof=None),
        replace(good, instance_digest="0" * 64),
        replace(good, proof=Proof(ProofKind.BRUTE_FORCE, replace(lower, value=optimum + step))),
        replace(good, proof=Proof(ProofKind.CERTIFICATE, replace(lower, value=optimum, certificate=None))),
        replace(good, proof=Proof(ProofKind.CERTIFICATE, replace(lower, value=optimum, name="nothing"))),
        replace(good, proof=Proof(ProofKind.SOLVER, lower, (replace(claim, bound=optimum - step),))),
    ):
        assert said(mine, wrong) is None and verified(instance, wrong) is None
    alone = replace(good, proof=Proof(ProofKind.SOLVER, lower, (claim, claim)))
    assert said(mine, alone) is None and verified(instance, alone) is None
    word = replace(good, proof=Proof(ProofKind.SOLVER, lower, (claim, replace(claim, run="presolve=off"))))
    assert said(mine, word) == verified(instance, word) is not None
    random = Random(seed)
    for other in disturbed(instance, schedule, random):
        answer = replace(good, status=Status.FEASIBLE, schedule=other, lower_bound=None, proof=None)
        assert said(mine, answer) == verified(instance, answer)


@pytest.mark.parametrize("seed", [0, 1])
def test_simple_bounds_of_larger_instances(seed: int) -> None:
    generate = oas.generate
    for instance in (
        generate.uni(seed=seed, jobs=40, organizations=4, processors=24),
        generate.swf(seed=seed, jobs=40, organizations=4, processors=24),
        generate.reservations(seed=seed, jobs=40, availability="general", releases=True),
        generate.section4(seed=seed, jobs=12),
        saturated(seed=seed),
    ):
        mine = read(instance)
        held = [one for one in lower_bounds(instance) if one.holds_for(instance)]
        assert held
        for bound in held:
            found = SIMPLE_BOUNDS[instance.problem.name, bound.name](mine)
            assert found == bound.compute(instance), bound.name


@pytest.mark.parametrize("name", ["coallocation", "mosp"])
def test_every_bound_is_known(name: str) -> None:
    known = {own for of, own in {**SIMPLE_BOUNDS, **CERTIFIED_BOUNDS} if of == name}
    assert known == {one.name for one in all_bounds(problem_named(name))}


def test_shared_links_need_links_that_slow_jobs_down() -> None:
    with pytest.raises(Refused, match="is for saturated links that slow jobs down"):
        CERTIFIED_BOUNDS["coallocation", "shared links"](read(tiny(seed=0)), {"tree": []})
