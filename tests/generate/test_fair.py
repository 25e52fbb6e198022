"""The generators of fair sharing: loads and parameters of pools, and the paper's instances by hand."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import permutations
from statistics import fmean
from typing import Any

import pytest

from heuristics.fair.ref import reference
from oas.generate import arrivals
from oas.generate.fair.paper import FIGURE_1_STARTS, figure_1, last_batch
from oas.generate.fair.subset_sum import orderings_below, orderings_read, subset_sum_ticks
from oas.problems.fair.stream_rules import ticks_violations


def load_of(instance: Any) -> float:
    work = sum(job.time * job.processors for job in instance.jobs if job.release < instance.horizon)
    return float(work / (instance.node_count * instance.horizon))


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"machines": "uniform", "widest": 4},
        {"load": "1/2", "time": 1},
    ],
)
def test_the_load_is_what_is_asked_for(parameters: dict[str, Any]) -> None:
    """On the mean over 60 seeds; fixed, so that it passes or fails for ever."""
    loads = [load_of(arrivals(seed=seed, horizon=400, **parameters)) for seed in range(60)]
    assert fmean(loads) == pytest.approx(float(F(parameters.get("load", F(9, 10)))), rel=0.08)


def test_figure_1_is_a_schedule_of_the_instance() -> None:
    ticks = figure_1()
    assert ticks_violations(ticks, list(FIGURE_1_STARTS)) == []
    assert ticks.owner.tolist() == [0] * 9 + [1]
    assert max(start + time for start, time in zip(FIGURE_1_STARTS, ticks.time.tolist(), strict=True)) == 14


def test_the_last_batch_ends_at_the_horizon() -> None:
    ticks = last_batch(3, 4, 5)
    assert ticks.job_count == 12
    assert ticks.horizon == 15


@pytest.mark.parametrize(("numbers", "bound"), [((3, 5), 2), ((3, 5), 6), ((1, 2, 4), 4), ((2, 2, 3), 5)])
def test_orderings_are_counted_as_the_text_says(numbers: tuple[int, ...], bound: int) -> None:
    """a comes right after b and numbers whose sum is below x, these in any order: all orderings are gone through."""
    count = len(numbers)
    found = 0
    for order in permutations(range(count + 2)):  # count: a; count + 1: b
        before = order[: order.index(count)]
        found += count + 1 in before and sum(numbers[one] for one in before if one < count) < bound
    assert orderings_below(numbers, bound) == found


def test_the_reduction_as_printed() -> None:
    """By the text, for S = {3, 5}, x = 2: x_tot = 10, k = 2."""
    ticks, large = subset_sum_ticks((3, 5), 2, repaired=False)
    assert large == 4 * 2 * 100 * 24 + 1
    jobs = sorted(zip(ticks.owner.tolist(), ticks.release.tolist(), ticks.time.tolist(), strict=True))
    expected = [(own, *job) for own, number in ((0, 3), (1, 5)) for job in ((0, 1), (0, 1), (3, 20), (4, 2 * number))]
    assert jobs == [*expected, (3, 2, 6), (3, 7, large)]
    assert ticks.machines.tolist() == [1, 1, 1, 1]


def test_the_repair_lengthens_the_first_jobs_and_shifts_the_rest() -> None:
    """The same: H = 200, everything else 398 later; other work 4 · 200 + 2 · 20 + 16 + 6."""
    ticks, large = subset_sum_ticks((3, 5), 2)
    assert large == (800 + 40 + 16 + 6) ** 2 * 24 + 1
    jobs = sorted(zip(ticks.owner.tolist(), ticks.release.tolist(), ticks.time.tolist(), strict=True))
    later = [(own, 401 + k, time) for own, last in ((0, 6), (1, 10)) for k, time in enumerate((20, last))]
    first = [(own, 0, 200) for own in (0, 0, 1, 1)]
    assert jobs == sorted([*first, *later, (3, 400, 6), (3, 405, large)])


@pytest.mark.parametrize(("numbers", "bound"), [((3, 5), 2), ((3, 4), 2), ((1, 2), 3)])
def test_the_repair_reads_the_right_number(numbers: tuple[int, ...], bound: int) -> None:
    ticks, large = subset_sum_ticks(numbers, bound)
    run = reference(ticks)
    assert run.values[-1] == sum(run.utilities)
    assert orderings_read(run.contributions[len(numbers)], numbers, large) == orderings_below(numbers, bound)
