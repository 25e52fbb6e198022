"""The bound by shared links: it meets the optimum, with a certificate, and with a schedule where there are no slots."""

from __future__ import annotations

import json
from fractions import Fraction as F
from random import Random

import pytest

from oas.bounds.coallocation.saturated import shared_links_bound
from oas.bounds.coallocation.saturated.options import Options
from oas.bounds.coallocation.saturated.request import Request
from oas.bounds.lower_bound import best_bound
from oas.core.result import Bound, Termination
from oas.exact.coallocation.saturated.brute_force import brute_force
from oas.exact.recheck import recheck
from oas.generate import saturated
from oas.problems.coallocation.running import schedule_from_starts
from oas.solvers.isolation.client import call
from oas.solvers.task import Limits
from tests.problems.coallocation.grids import PLACES
from tests.problems.coallocation.grids import four_jobs as grid
from tests.slow import every_fourth_quick

SEEDS = range(48)


def tiny(seed):
    draw = Random(seed)
    return saturated(
        seed=seed,
        jobs=draw.randint(1, 3 if seed % 4 else 4),
        slot=draw.choice((0, 0, 1, F(3, 2))),
        sharing=draw.choice(("paper", "max-min")),
        threshold=draw.choice((None, None, F(1, 2))),
    )


@pytest.mark.parametrize("seed", every_fourth_quick(SEEDS))
def test_it_meets_the_optimum(seed):
    instance = tiny(seed)
    optimum, _ = brute_force(instance)
    found = shared_links_bound(instance, optimum)
    assert found.termination is Termination.FINISHED
    assert best_bound(instance).value <= optimum
    assert found.bound.value == optimum
    assert recheck(instance, found.bound)
    assert recheck(instance, Bound(found.bound.name, optimum, json.loads(json.dumps(found.bound.certificate))))
    more = optimum + (instance.slot or F(1, 10**30))
    assert not recheck(instance, Bound(found.bound.name, more, found.bound.certificate))


@pytest.mark.parametrize("seed", range(6))
def test_a_schedule_comes_with_it(seed):
    instance = saturated(seed=seed, jobs=3)
    optimum, _ = brute_force(instance)
    found = shared_links_bound(instance, 10 * optimum)
    assert found.bound.value == optimum == schedule_from_starts(instance, found.runs).makespan


def test_placements_given_the_optimum_starts_a_job_where_nothing_ends():
    instance = grid("slowdown")
    options = Options(instance)
    allowed = tuple(
        frozenset(
            index
            for index, one in enumerate(row)
            if one.allocation.counts == tuple(int(name in PLACES[job]) for name in "PQRS")
        )
        for job, row in enumerate(options.rows)
    )
    place = "oas.bounds.coallocation.saturated.generation:generate"
    answer = call(place, Request(instance, F(100), allowed=allowed), Limits()).value
    assert answer["plan"].makespan == F(64, 3)
    (leaf,) = answer["certificate"]["tree"]
    assert F(sum(map(int, leaf["weights"])), int(leaf["capacity"])) == F(64, 3)
