"""The verifier on arrays, against a check moment by moment, rule by rule; and that it takes large streams."""

from __future__ import annotations

import inspect
from random import Random

import numpy as np
import pytest

from oas.core.errors import InputError
from oas.problems.fair import stream_rules
from oas.problems.fair.stream_rules import ticks_violations
from oas.problems.fair.ticks import NOT_STARTED, FairTicks
from tests.problems.fair.instances import array_of, fair, random_instance, random_starts


def broken(ticks, starts):
    return {one.rule for one in ticks_violations(ticks, starts)}


def naive_rules(ticks, starts):
    """Every rule that the starts break, each moment looked at."""
    n, found = ticks.job_count, set()
    release, time, width, owner = (getattr(ticks, one).tolist() for one in ("release", "time", "width", "owner"))
    ran = [job for job in range(n) if starts[job] != NOT_STARTED]
    found |= {"start" for job in ran if starts[job] < release[job]}
    found |= {"horizon" for job in ran if starts[job] >= ticks.horizon}
    for job in ran:
        for before in range(job):
            if owner[before] == owner[job] and not NOT_STARTED < starts[before] <= starts[job]:
                found.add("fifo")
    for now in range(int(max([*starts, ticks.horizon])) + 1):
        held = sum(width[job] for job in ran if starts[job] <= now < starts[job] + time[job])
        if held > ticks.total:
            found.add("capacity")
        for k in range(ticks.organization_count):
            waiting = [job for job in range(n) if owner[job] == k and not NOT_STARTED < starts[job] <= now]
            if waiting and now < ticks.horizon:
                head = waiting[0]
                if release[head] <= now and width[head] <= ticks.total - held:
                    found.add("greedy")
    return found


def test_it_shares_no_code_with_what_it_checks():
    source = inspect.getsource(stream_rules)
    for word in ("fair.runs", "fair.utilities", "fair.rules import", "heuristics"):
        assert word not in source.replace("`oas.problems.fair.rules`", "")


@pytest.mark.parametrize("seed", range(10))
def test_each_rule_is_found_where_it_is_broken(seed):
    rng = Random(seed)
    seen = set()
    for number in range(100):
        instance = random_instance(1000 * seed + number)
        ticks = instance.scaled()
        starts = array_of(instance, random_starts(instance, number))
        assert broken(ticks, starts) == set() == naive_rules(ticks, starts)
        for _ in range(rng.choice((1, 1, 2))):
            job = rng.randrange(ticks.job_count)
            starts[job] = rng.choice((NOT_STARTED, *([max(-1, starts[job] + step) for step in (-2, -1, 1, 2)])))
        assert broken(ticks, starts) == naive_rules(ticks, starts), (seed, number)
        seen |= broken(ticks, starts)
    assert seen == {"start", "horizon", "fifo", "capacity", "greedy"}


def test_what_it_says():
    ticks = fair((1, [(2,), (2,)]), (1, [(3,), (1,)]), horizon=9).scaled()
    assert [str(one) for one in ticks_violations(ticks, [0, 2, 0, 3])] == []
    found = {one.rule: one for one in ticks_violations(ticks, [0, 1, 0, 4])}
    assert set(found) == {"capacity", "greedy"}
    assert found["capacity"].message == "jobs that hold 3 of 2 processors at 1, at one of 1 such moments: 3 (0, 1, 2)"
    assert found["greedy"].jobs == ("3",)
    assert found["greedy"].message == "jobs that wait while as many processors as they need are idle: 1 (3)"


def test_many_jobs_are_counted_and_a_few_named():
    ticks = fair((30, [(1, 5)] * 30), horizon=99).scaled()
    (found,) = ticks_violations(ticks, np.zeros(30, dtype=int))
    assert found.message.endswith(": 30 (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …)") and len(found.jobs) == 10


def test_starts_that_are_none():
    ticks = fair((1, [(1,), (1,)]), horizon=9).scaled()
    for starts, reason in (([0], "must be one row of 2"), ([0, -2], "must be from -1 on"), ([0, 0.5], "whole numbers")):
        with pytest.raises(InputError, match=reason):
            ticks_violations(ticks, starts)
    with pytest.raises(InputError, match=r"starts\[1\]"):
        ticks_violations(ticks, [0, 2**62])


def test_a_stream_of_two_hundred_thousand_jobs():
    """One organization after another fills all machines: right as it is, and broken by one job."""
    count, machines = 200_000, 16
    owner = np.arange(count) % 4
    ticks = FairTicks(np.full(4, 4), owner, np.zeros(count, int), np.full(count, 5), np.ones(count, int), 10**6)
    starts = np.arange(count) // machines * 5
    assert broken(ticks, starts) == set()
    starts[-1] += 1
    assert broken(ticks, starts) == {"greedy"}
    starts[-1] -= 2
    assert broken(ticks, starts) == {"capacity", "fifo"}
