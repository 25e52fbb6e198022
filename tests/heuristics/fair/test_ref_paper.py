"""What the paper states of contributions, on REF: propositions 5.4 and 5.5, theorem 5.1 with its reduction repaired."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from heuristics.fair.engine import run_policy
from heuristics.fair.ref import reference
from oas.generate.fair.paper import not_supermodular
from oas.generate.fair.subset_sum import orderings_below, orderings_read, subset_sum_ticks
from oas.generate.fair.tiny import random_instance
from oas.problems.fair.utilities import strategy_proof_over_time
from tests.heuristics.fair.plain import ByLot
from tests.heuristics.fair.test_ref import alone, members
from tests.slow import every_fourth_quick

NUMBERS = [*combinations_with_replacement((1, 2, 3, 5), 2), *((n,) for n in (1, 2, 3, 5)), (1, 2, 4), (2, 3, 3)]
REDUCTIONS = [(numbers, bound) for numbers, bound in product(NUMBERS, range(1, 5)) if bound <= sum(numbers)]


@pytest.mark.parametrize("first", every_fourth_quick(range(0, 100, 25)))
def test_with_unit_jobs_any_greedy_schedule_gives_the_same_value(first: int) -> None:
    """Proposition 5.4, of every coalition at every moment: REF against picks by lot."""
    for seed in range(first, first + 25):
        ticks = random_instance(seed, unit=True, wide=False, max_jobs=8).scaled()
        moments = range(ticks.horizon + 1)
        for mask in range(1, 1 << ticks.organization_count):
            own, _ = alone(ticks, members(mask))
            run = reference(own, moments)
            by_lot = strategy_proof_over_time(own, run_policy(own, ByLot, seed), np.array(moments))
            assert [sum(row) for row in run.utilities_at] == by_lot.sum(axis=0).tolist()


def test_the_game_is_not_supermodular() -> None:
    """Proposition 5.5, a, b, c as bits 0, 1, 2."""
    values = reference(not_supermodular()).values
    assert [int(values[mask]) for mask in (0b101, 0b110, 0b111, 0b100)] == [4, 4, 7, 0]


@pytest.mark.parametrize(("numbers", "bound"), every_fourth_quick(REDUCTIONS))
def test_contributions_tell_subset_sums(numbers: tuple[int, ...], bound: int) -> None:
    """Theorem 5.1: the contribution of *a* counts the sets of numbers whose sum is below x."""
    ticks, large = subset_sum_ticks(numbers, bound)
    contribution = reference(ticks).contributions[len(numbers)]
    assert orderings_read(contribution, numbers, large) == orderings_below(numbers, bound)


def test_the_reduction_as_printed_fails_on_some() -> None:
    wrong = []
    for numbers, bound in REDUCTIONS:
        ticks, large = subset_sum_ticks(numbers, bound, repaired=False)
        contribution = reference(ticks).contributions[len(numbers)]
        if orderings_read(contribution, numbers, large) != orderings_below(numbers, bound):
            wrong.append((numbers, bound))
    assert ((3, 5), 2) in wrong and len(wrong) < len(REDUCTIONS)
