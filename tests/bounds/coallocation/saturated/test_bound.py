"""The bound by shared links: it meets the optimum, with a certificate, and with a schedule where there are no slots."""

import json
from fractions import Fraction as F
from random import Random

import pytest

import oas
from oas.bounds.coallocation.saturated import shared_links_bound
from oas.bounds.coallocation.saturated.options import Options
from oas.bounds.lower_bound import best_bound
from oas.core.errors import TooLargeError
from oas.core.result import Bound, Termination
from oas.exact.coallocation.saturated.brute_force import brute_force
from oas.exact.recheck import recheck
from oas.generate import saturated
from oas.problems.coallocation.running import schedule_from_starts
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


def test_times_without_a_short_common_unit_leave_the_bound_out_and_the_schedule_in():
    """On a grid of slots each of these times is fine; together they need a unit that no float holds."""
    jobs = [oas.Job(f"J{number}", 1, F(10**38 + number, 10**38 + 2 * number + 1)) for number in range(9)]
    instance = oas.CoallocationInstance([oas.Cluster("A", [oas.NodeGroup(2, 1)], 1)], jobs, 1, "slowdown")
    with pytest.raises(TooLargeError, match="no common unit of at most 256 bits"):
        Options(instance)
    assert oas.solve(instance, time_limit=1).objective == 5
