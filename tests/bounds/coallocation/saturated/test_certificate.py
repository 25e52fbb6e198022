"""The bound and its certificate: never above the optimum, right by hand, and never fooled."""

from __future__ import annotations

import copy
import json
from fractions import Fraction as F
from random import Random

import pytest

from oas.bounds.coallocation.saturated import BOUND, shared_links_bound
from oas.bounds.coallocation.saturated.options import Options
from oas.bounds.coallocation.saturated.request import Request
from oas.bounds.lower_bound import best_bound
from oas.core.errors import InputError
from oas.core.result import Bound, Termination
from oas.exact.bound_check import recheck
from oas.exact.coallocation.saturated.brute_force import brute_force
from oas.generate import saturated
from oas.problems.coallocation.progress import schedule_from_starts
from oas.solvers.isolation.client import call
from oas.solvers.task import Limits
from tests.problems.coallocation.test_progress import PLACES
from tests.problems.coallocation.test_saturation import grid
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


ALONE = {"tree": [{"weights": [10, 10, 12, 12], "slots": [0, 0, 0, 0], "capacity": 4}]}


def test_by_hand():
    # All four at once fill seven nodes of eight; each alone is worth 1, three at most run together.
    instance = grid("slowdown")
    assert BOUND.value(instance, {"tree": [{**ALONE["tree"][0], "capacity": 3}]}) == F(44, 3)
    with pytest.raises(InputError, match="a configuration weighs more than the capacity"):
        BOUND.value(instance, {"tree": [{**ALONE["tree"][0], "capacity": 2}]})
    assert BOUND.value(instance, {"tree": [{"weights": [0] * 4, "slots": [0] * 4, "capacity": 0}]}) == 12
    texts = {"weights": ["10", "10", "12", "12"], "slots": ["0"] * 4, "capacity": "3"}
    assert BOUND.value(instance, {"tree": [texts]}) == F(44, 3)
    assert not recheck(grid("forbid"), Bound(BOUND.name, F(1), ALONE))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": [1, 1, 1]}, "must have 4 entries"),
        ({"weights": [1, 1, 1, -1]}, "must be an integer of at least 0"),
        ({"weights": [1, 1, 1, 1.0]}, "must be an integer of at least 0"),
        ({"weights": [1, 1, 1, True]}, "must be an integer of at least 0"),
        ({"weights": [1, 1, 1, "1" * 4_001]}, "must be an integer of at least 0"),
        ({"slots": [1, 0, 0, 0]}, "there are no slots"),
        ({"capacity": "x"}, "must be an integer of at least 0"),
        ({"more": 1}, "must be an object with"),
    ],
)
def test_a_leaf_that_is_none(change, message):
    with pytest.raises(InputError, match=message):
        BOUND.value(grid("slowdown"), {"tree": [{**ALONE["tree"][0], **change}]})


LEAF = ALONE["tree"][0]


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ([], "does not cover every choice"),
        ([LEAF, LEAF], "no choice of options is left"),
        ([{"job": 0, "parts": [[0], [1, 2, 3, 4, 5, 6, 7, 8]]}, LEAF], "does not cover every choice"),
        ([{"job": 0, "parts": [[0], [1, 2, 3, 4]]}, LEAF, LEAF], "leave out no option"),
        ([{"job": 0, "parts": [[0], [0, 1, 2, 3, 4, 5, 6, 7, 8]]}, LEAF, LEAF], "no other part has"),
        ([{"job": 0, "parts": [[0, 1, 2, 3, 4, 5, 6, 7, 8]]}, LEAF], "at least two parts"),
        ([{"job": 4, "parts": [[0], [1]]}, LEAF, LEAF], "there is no such job"),
        ([{"before": [0, 0]}, LEAF, LEAF], "two different events"),
        ([{"before": [0, 8]}, LEAF, LEAF], "two different events"),
        ([{"before": [0, 1, 2]}, LEAF, LEAF], "must have 2 entries"),
        ([{"before": [0, 2]}, LEAF], "does not cover every choice"),
    ],
)
def test_a_tree_that_is_none(tree, message):
    with pytest.raises(InputError, match=message):
        BOUND.value(grid("slowdown"), {"tree": tree})


def test_tampered_with():
    """Whatever number is changed, the certificate proves no more than the optimum, if anything."""
    draw = Random(1)
    refused = 0
    for seed in range(8):
        instance = saturated(seed=seed, jobs=3, sharing=("paper", "max-min")[seed % 2])
        optimum, _ = brute_force(instance)
        certificate = dict(shared_links_bound(instance, optimum).bound.certificate)
        for _ in range(6):
            changed = copy.deepcopy(certificate)
            node = draw.choice([one for one in changed["tree"] if "weights" in one])
            if draw.random() < 0.5:
                node["capacity"] = str(int(node["capacity"]) * draw.randint(1, 9) // 10)
            else:
                job = draw.randrange(3)
                node["weights"][job] = str(int(node["weights"][job]) * draw.randint(11, 30) // 10 + 1)
            try:
                assert BOUND.value(instance, changed) <= optimum
            except InputError:
                refused += 1
    assert refused > 10
