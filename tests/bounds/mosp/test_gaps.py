"""The bound of the gaps: values by hand, never above the optimum, and what it sees that volumes do not."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from oas.bounds.lower_bound import lower_bounds
from oas.bounds.mosp import gaps
from oas.bounds.mosp.gaps import gaps_bound
from oas.exact.mosp.brute_force import brute_force
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, Reservation, RigidJob
from tests.problems.mosp.instances import random_instance
from tests.problems.mosp.one_cluster import alone, optimum, unit


def cluster(jobs: list[tuple[int, ...]], held: list[tuple[int, int, int]], processors: int = 4) -> MospInstance:
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
def test_by_hand(jobs: list[tuple[int, ...]], held: list[tuple[int, int, int]], expected: int) -> None:
    assert gaps_bound(cluster(jobs, held)) == expected


def test_never_above_the_optimum() -> None:
    equal = more = 0
    others = [one for one in lower_bounds(MospInstance) if one.name != "gaps"]
    for seed in range(60):
        found, best = gaps_bound(alone(seed)), optimum(seed) * unit(seed)
        assert found <= best
        equal += found == best
        more += found > max(one.compute(alone(seed)) for one in others)
    assert equal >= 10
    assert more >= 2


def test_several_clusters_have_none() -> None:
    for seed in range(20):
        instance = random_instance(seed)
        if len(instance.organizations) > 1:
            assert gaps_bound(instance) == 0
        else:
            assert gaps_bound(instance) <= brute_force(instance)[0]


def test_many_widths_and_releases_are_looked_at_without_releases() -> None:
    jobs = [(1, 51 + k % 40, k) for k in range(60)]
    assert gaps_bound(cluster(jobs, [], processors=100)) == 60


def _filled(instance: MospInstance, by_sums: bool) -> int:
    """The bound gap by gap and job by job, in ticks, of jobs that are all wide and all there from the start."""
    scaled = instance.scaled()
    ends = [0, *sorted({moment for _, *block, _ in scaled.reservations for moment in block})]
    times, best = scaled.times, 0
    for width in set(scaled.widths):
        own = [time for time, other in zip(times, scaled.widths, strict=True) if other >= width]
        gaps = [
            (begin, end)
            for begin, end in zip(ends, [*ends[1:], 10**9], strict=True)
            if scaled.processors[0] - sum(held for _, start, stop, held in scaled.reservations if start <= begin < stop)
            >= width
        ]
        for index in range(len(gaps) - 1, 0, -1):
            if gaps[index - 1][1] == gaps[index][0]:
                gaps[index - 1 : index + 1] = [(gaps[index - 1][0], gaps[index][1])]
        sums = {0}
        for time in own:
            sums |= {one + time for one in sums}
        left = sum(own)
        for begin, end in gaps if by_sums else ():
            if any(left <= one <= end - begin for one in sums):
                best = max(best, begin + min(one for one in sums if one >= left))
                break
            left -= max(one for one in sums if one <= end - begin)
        for time in own:
            left = sum(one >= time for one in own)
            for begin, end in gaps:
                if left * time <= end - begin:
                    best = max(best, begin + left * time)
                    break
                left -= (end - begin) // time
    return best


def drawn(seed: int) -> MospInstance:
    """Some 25 jobs, many alike, among some 20 reservations."""
    rng = Random(seed)
    jobs = [(rng.randint(1, 9), rng.randint(5, 8)) for _ in range(25)]
    starts = sorted(rng.sample(range(140), 20))
    held = [(start, end - rng.randint(0, 1), rng.randint(1, 8)) for start, end in pairwise(starts)]
    return cluster(jobs, [one for one in held if one[0] < one[1]], processors=8)


@pytest.mark.parametrize("by_sums", [True, False])
def test_many_alike_jobs_and_many_gaps(by_sums: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not by_sums:  # which say more nearly always
        monkeypatch.setattr(gaps, "MAX_SUM", 0)
    values = {seed: gaps_bound(drawn(seed)) for seed in range(40)}
    assert values == {seed: _filled(drawn(seed), by_sums) for seed in range(40)}
    assert len(set(values.values())) > 20


@pytest.mark.parametrize("limit", ["MAX_GROUPS", "MAX_BITS", "MAX_COUNTS"])
def test_some_of_too_many_are_looked_at(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if limit == "MAX_COUNTS":  # sums say more nearly always
        monkeypatch.setattr(gaps, "MAX_SUM", 0)
    whole = [gaps_bound(drawn(seed)) for seed in range(40)]
    monkeypatch.setattr(gaps, limit, 2)
    some = [gaps_bound(drawn(seed)) for seed in range(40)]
    assert all(0 < one <= other for one, other in zip(some, whole, strict=True))
    assert some != whole


def test_batches_of_times_do_not_change_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaps, "MAX_SUM", 0)
    whole = [gaps_bound(drawn(seed)) for seed in range(10)]
    monkeypatch.setattr(gaps, "CELLS", 1)
    assert [gaps_bound(drawn(seed)) for seed in range(10)] == whole
