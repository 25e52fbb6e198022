"""The bound of the gaps: values by hand, never above the optimum, and what it sees that volumes do not."""

from itertools import pairwise
from random import Random

import pytest

from oas.bounds.lower_bound import lower_bounds
from oas.bounds.mosp import simple
from oas.bounds.mosp.simple import gaps_bound
from oas.checker import mosp_simple
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, Reservation, RigidJob
from tests.checker.instances import own_mosp
from tests.problems.mosp.instances import alone, optimum, unit


def cluster(jobs, held, processors=4):
    """Jobs of (time, processors, release)."""
    own = [RigidJob(f"J{k}", *job) for k, job in enumerate(jobs)]
    return MospInstance([Organization("O", processors, own, [Reservation(*one) for one in held])], locality=None)


@pytest.mark.parametrize(
    ("jobs", "held", "expected"),
    [
        ([(3, 4), (3, 4)], [], 6),
        ([(3, 4), (3, 4)], [(4, 5, 2)], 8),  # one before the reservation, one after
        ([(3, 4), (3, 4)], [(5, 6, 1)], 9),
        ([(3, 3), (3, 3)], [(5, 6, 1)], 6),  # three are free all the time
        ([(2, 4), (2, 4), (2, 4)], [(5, 6, 4), (9, 10, 4)], 8),  # 2 + 2, not 5, before the first
        ([(2, 4), (3, 4), (4, 4)], [(6, 7, 4), (10, 11, 4)], 10),  # 2 + 4 before it
        ([(3, 4), (3, 4), (1, 4, 7)], [(4, 8, 4)], 11),  # 3 + 1 in the first, by their times
        ([(2, 4, 5)], [(6, 9, 1)], 11),
        ([(2, 2), (2, 2), (2, 2)], [], 0),  # two run side by side
    ],
)
def test_by_hand(jobs, held, expected):
    assert gaps_bound(cluster(jobs, held)) == expected


def test_never_above_the_optimum():
    equal = more = 0
    others = [one for one in lower_bounds(MospInstance) if one.name != "gaps"]
    for seed in range(60):
        found, best = gaps_bound(alone(seed)), optimum(seed) * unit(seed)
        assert found <= best
        equal += found == best
        more += found > max(one.compute(alone(seed)) for one in others)
    assert equal >= 10
    assert more >= 2


def test_many_widths_and_releases_are_looked_at_without_releases():
    jobs = [(1, 51 + k % 40, k) for k in range(60)]
    assert gaps_bound(cluster(jobs, [], processors=100)) == 60


def drawn(seed):
    """Some 25 jobs, many alike, among some 20 reservations."""
    rng = Random(seed)
    jobs = [(rng.randint(1, 9), rng.randint(5, 8)) for _ in range(25)]
    starts = sorted(rng.sample(range(140), 20))
    held = [(start, end - rng.randint(0, 1), rng.randint(1, 8)) for start, end in pairwise(starts)]
    return cluster(jobs, [one for one in held if one[0] < one[1]], processors=8)


@pytest.mark.parametrize("by_sums", [True, False])
def test_many_alike_jobs_and_many_gaps(by_sums, monkeypatch):
    if not by_sums:  # which say more nearly always
        monkeypatch.setattr(simple, "MAX_SUM", 0)
        monkeypatch.setattr(mosp_simple, "MAX_GAP_SUM", 0)
    values = {seed: gaps_bound(drawn(seed)) for seed in range(40)}
    assert values == {seed: mosp_simple.mosp_gaps(own_mosp(drawn(seed))) for seed in range(40)}
    assert len(set(values.values())) > 20


@pytest.mark.parametrize("limit", ["MAX_GROUPS", "MAX_BITS", "MAX_COUNTS"])
def test_some_of_too_many_are_looked_at(limit, monkeypatch):
    if limit == "MAX_COUNTS":  # sums say more nearly always
        monkeypatch.setattr(simple, "MAX_SUM", 0)
    whole = [gaps_bound(drawn(seed)) for seed in range(40)]
    monkeypatch.setattr(simple, limit, 2)
    some = [gaps_bound(drawn(seed)) for seed in range(40)]
    assert all(0 < one <= other for one, other in zip(some, whole, strict=True))
    assert some != whole
