"""The chronological search against brute force: it finds at the optimum and refutes below it."""

from __future__ import annotations

import pytest

from oas.core.errors import TooLargeError
from oas.core.verifier import verify
from oas.exact.coallocation.brute_force import brute_force
from oas.exact.coallocation.chronological import kernels
from oas.exact.coallocation.chronological.search import ChronologicalSearch, Verdict, Weights
from oas.generate import section4, tiny
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.runs import schedule_from_runs
from tests.exact.coallocation.chronological.weights import area_weights, level_weights
from tests.slow import every_fourth_quick

MANY = 10**9


def search(scaled, horizon, *, placed=True, compiled=False, duals=None):
    own = [area_weights(scaled), level_weights(scaled)] if duals is None else duals
    return ChronologicalSearch(scaled, own, horizon, placed=placed, compiled=compiled)


@pytest.mark.parametrize("seed", every_fourth_quick(range(100, 140)))
def test_finds_at_the_optimum_and_refutes_below(seed):
    instance = tiny(seed=seed)
    scaled = instance.scaled()
    optimum, _ = brute_force(instance)
    ticks = int(optimum / scaled.tick)
    found = search(scaled, ticks)
    assert found.go_on(MANY) is Verdict.FOUND
    schedule = schedule_from_runs(instance, scaled, found.runs())
    assert verify(instance, schedule) == []
    assert schedule.makespan == optimum
    assert search(scaled, ticks - 1).go_on(MANY) is Verdict.REFUTED
    # What needs no nodes decided can only be more.
    assert search(scaled, ticks, placed=False).go_on(MANY) is Verdict.FOUND


@pytest.mark.parametrize("seed", range(12))
def test_without_weights_it_is_complete_too(seed):
    instance = tiny(seed=seed)
    scaled = instance.scaled()
    optimum, _ = brute_force(instance)
    ticks = int(optimum / scaled.tick)
    nothing = [Weights(tuple((0,) * len(scaled.powers) for _ in scaled.tasks), 0)]
    assert search(scaled, ticks, duals=nothing).go_on(MANY) is Verdict.FOUND
    assert search(scaled, ticks - 1, duals=nothing).go_on(MANY) is Verdict.REFUTED


@pytest.mark.parametrize("placed", [True, False])
@pytest.mark.parametrize("bandwidth", ["std", "tight"])
def test_compiled_and_plain_do_the_same(placed, bandwidth):
    scaled = section4(seed=1, jobs=7, bandwidth=bandwidth, slot_percent=50).scaled()
    for horizon in (8, 12, 15):
        both = [search(scaled, horizon, placed=placed, compiled=compiled) for compiled in (False, True)]
        verdicts = [one.go_on(3000) for one in both]
        assert verdicts[0] is verdicts[1]
        assert both[0].decisions == both[1].decisions
        if verdicts[0] is Verdict.FOUND and placed:
            assert both[0].runs() == both[1].runs()


def test_stopping_changes_nothing():
    scaled = section4(seed=2, jobs=6, slot_percent=50).scaled()
    whole, parts = search(scaled, 11), search(scaled, 11)
    verdict = whole.go_on(MANY)
    while (other := parts.go_on(7)) is Verdict.UNDECIDED:
        pass
    assert (verdict, whole.decisions) == (other, parts.decisions)
    assert whole.decisions > 7


def test_stopping_between_two_splits_changes_nothing(monkeypatch):
    monkeypatch.setattr(kernels, "SPLITS_A_NODE", 1)
    paused = 0
    for seed in range(100, 130):
        scaled = tiny(seed=seed).scaled()
        for horizon in range(1, 8):
            whole, bitten = search(scaled, horizon), search(scaled, horizon)
            verdict = whole.go_on(MANY)
            while bitten.go_on(1) is Verdict.UNDECIDED:
                paused += int(bitten._state[kernels.SPLITS] > bitten.decisions)
            assert bitten.go_on(1) is verdict and bitten.decisions == whole.decisions
    assert paused


def test_a_job_may_split_in_more_ways_than_can_be_tried():
    """Both jobs want the two clusters with links; side by side, the second has no end of splits over the others."""
    clusters = [Cluster(f"c{k}", [NodeGroup(20, 1)], 10**6 if k < 2 else "1/1000") for k in range(9)]
    jobs = [Job(f"j{number}", tasks=40, base_time=4, bandwidth=1, sigma=1) for number in range(2)]
    one = search(CoallocationInstance(clusters, jobs, slot=1).scaled(), 6)
    assert one.go_on(10) is Verdict.UNDECIDED
    assert 10 < one._state[kernels.SPLITS] <= 10 * kernels.SPLITS_A_NODE
    assert one.go_on(10) is Verdict.UNDECIDED
    assert one._state[kernels.SPLITS] > 10 * kernels.SPLITS_A_NODE


def wide_jobs(count):
    jobs = [Job(f"J{number}", 2, 1, 0, 1) for number in range(count)]
    return CoallocationInstance([Cluster("C", [NodeGroup(2, 1)], 1)], jobs, slot=1).scaled()


@pytest.mark.parametrize("count", [31, 32, 33, 64, 65, 100])
def test_more_jobs_than_a_word_has_bits(count):
    scaled = wide_jobs(count)
    for placed in (False, True):
        assert search(scaled, count - 1, placed=placed).go_on(MANY) is Verdict.REFUTED
        assert search(scaled, count, placed=placed).go_on(MANY) is Verdict.FOUND


def test_too_large():
    with pytest.raises(TooLargeError, match="600 jobs"):
        search(wide_jobs(600), 600)


def test_a_verdict_stays():
    scaled = wide_jobs(3)
    for horizon, verdict in [(2, Verdict.REFUTED), (3, Verdict.FOUND)]:
        again = search(scaled, horizon)
        assert [again.go_on(MANY), again.go_on(MANY)] == [verdict, verdict]


def test_heavy_weights_are_made_coarser():
    scaled = tiny(seed=3).scaled()
    plain = area_weights(scaled)
    heavy = Weights(tuple(tuple(weight * 2**90 for weight in row) for row in plain.weights), plain.whole * 2**90)
    for horizon in range(1, 40):
        verdicts = [search(scaled, horizon, duals=[one]).go_on(MANY) for one in (plain, heavy)]
        assert verdicts[0] is verdicts[1]
