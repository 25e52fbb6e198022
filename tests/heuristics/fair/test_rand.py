"""RAND against Algorithm 3 moment by moment, and REF where all orderings are drawn."""

from __future__ import annotations

import pickle
from itertools import permutations
from typing import Any

import pytest

from heuristics.fair.rand import random_orderings, sampled_method, sampled_starts
from heuristics.fair.ref import reference
from heuristics.registry import find_method, own_methods
from oas.core.errors import InputError, TooLargeError
from oas.core.verifier import verify
from oas.generate.coallocation.tiny import tiny
from oas.generate.fair.tiny import random_instance
from oas.problems.fair.problem import FAIR
from oas.problems.fair.stream_rules import ticks_violations
from oas.problems.fair.utilities import strategy_proof
from tests.heuristics.fair.plain import plain_sampled
from tests.heuristics.fair.plain import ticks as ticks_of
from tests.heuristics.fair.test_ref import busy, scaled_up
from tests.slow import every_fourth_quick


@pytest.mark.parametrize("first", every_fourth_quick(range(0, 200, 20)))
def test_it_is_algorithm_3(first: int) -> None:
    """Few and many orderings, some of them twice; jobs of all times and widths."""
    for seed in range(first, first + 20):
        ticks = random_instance(seed).scaled()
        orderings = random_orderings(ticks.organization_count, 1 + seed % 6, seed)
        expected = plain_sampled(ticks, orderings)
        for compiled in (False, True):
            assert sampled_starts(ticks, orderings, compiled=compiled).tolist() == expected


@pytest.mark.parametrize("first", every_fourth_quick(range(0, 40, 5)))
def test_with_unit_jobs_and_all_orderings_it_is_the_reference(first: int) -> None:
    for seed in range(first, first + 5):
        ticks = random_instance(seed, unit=True, wide=False, max_jobs=9).scaled()
        orderings = list(permutations(range(ticks.organization_count)))
        assert sampled_starts(ticks, orderings).tolist() == reference(ticks).starts.tolist()


def test_large_and_compiled() -> None:
    """More organizations than REF takes, and than half a word has bits."""
    organizations = 62
    ticks = busy(3, organizations, 200, wide=True)
    orderings = random_orderings(organizations, 3, 1)
    starts = sampled_starts(ticks, orderings, compiled=True)
    assert starts.tolist() == sampled_starts(ticks, orderings, compiled=False).tolist()
    assert not ticks_violations(ticks, starts)


def test_more_orderings_come_closer() -> None:
    """The mean distance to the reference's ψ over some instances: none of it is by a hair."""
    few = many = 0
    for seed in range(6):
        ticks = busy(seed, 4, 200, 1.1)
        best = reference(ticks).utilities
        few, many = (
            total
            + sum(
                abs(one - other)
                for one, other in zip(
                    strategy_proof(ticks, sampled_starts(ticks, random_orderings(4, count, seed))), best, strict=True
                )
            )
            for total, count in ((few, 1), (many, 100))
        )
    assert many < 0.5 * few


def test_beyond_64_bits_it_is_exact() -> None:
    """All times are longer by one factor."""
    for seed in range(5):
        ticks = scaled_up(random_instance(seed, max_organizations=3).scaled(), 2**50)
        starts = sampled_starts(ticks, random_orderings(ticks.organization_count, 3, seed))
        assert not ticks_violations(ticks, starts)
        assert set((starts[starts >= 0] % 2**50).tolist()) <= {0}


class TestRefused:
    @pytest.mark.parametrize("orderings", [[(0, 1)], [(0, 1, 2), (0, 0, 1)], [(1, 2, 3)]])
    def test_what_is_no_ordering(self, orderings: Any) -> None:
        with pytest.raises(InputError, match=r"orderings\[[01]\]: must hold each of 3 organizations once"):
            sampled_starts(ticks_of([1, 1, 1], [(0, 0, 1)], 3), orderings)

    def test_none(self) -> None:
        with pytest.raises(InputError, match="at least one is needed"):
            sampled_starts(ticks_of([1], [(0, 0, 1)], 3), [])

    @pytest.mark.parametrize("count", [0, -1, 10**6 + 1, 1.5])
    def test_numbers_of_orderings(self, count: Any) -> None:
        with pytest.raises(InputError, match="orderings"):
            random_orderings(3, count)

    def test_more_than_62_organizations(self) -> None:
        ticks = ticks_of([1] * 63, [(0, 0, 1)], 3)
        with pytest.raises(InputError, match="at most 62"):
            sampled_starts(ticks, random_orderings(63, 1))

    def test_too_much_memory(self) -> None:
        with pytest.raises(TooLargeError, match="the limit is 1,000"):
            sampled_starts(busy(1, 10, 50), random_orderings(10, 5), memory_limit=1000)

    def test_another_problem(self) -> None:
        with pytest.raises(InputError, match=r"RAND\(3\) is a method of fair sharing"):
            sampled_method(3).run(tiny(seed=1))


class TestMethods:
    def test_they_are_listed_and_found(self) -> None:
        listed = [one.name for one in own_methods(FAIR)]
        assert listed[:3] == ["REF", "RAND(75)", "RAND(15)"]
        for name in ("RAND(75)", "rand(15)", "RAND( 4 )"):
            method = find_method(name, FAIR)
            assert method.name.startswith("RAND(") and method.clairvoyant and method.summary
            for seed in range(3):
                instance = random_instance(seed)
                schedule = method(instance, seed=seed)
                assert verify(instance, schedule) == [] and schedule.method == method.name
                assert pickle.loads(pickle.dumps(method.scheduler))(instance, seed=seed) == schedule

    @pytest.mark.parametrize("name", ["RAND(0)", "RAND(-3)", "RAND(1/2)", "RAND(x)", "RAND()", "RAND(2000000)"])
    def test_bad_numbers(self, name: str) -> None:
        with pytest.raises(InputError, match="heuristic"):
            find_method(name, FAIR)
