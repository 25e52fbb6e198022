"""The verifiers of fair sharing, of schedules and of starts: to the hair, and against checks moment by moment.

Mutations of feasible schedules are in `tests/core/test_rules.py`.
"""

from dataclasses import replace
from fractions import Fraction as F
from itertools import combinations
from random import Random

import numpy as np
import pytest

from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.fair.stream_rules import ticks_violations
from oas.fair.ticks import NOT_STARTED, FairTicks
from tests.core.mutations import nodes_of
from tests.fair.instances import array_of, fair, feasible, random_instance, random_starts

HAIR = F(1, 10**30)


def rules(instance, schedule):
    return {one.rule for one in verify(instance, schedule)}


def runs(*given):
    """Job, start, end, processors."""
    return Schedule(Placement(*one) for one in given)


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


def naive_accepts(instance, schedule):
    """Whether a schedule of runs of the right length keeps every rule."""
    jobs, runs = {job.id: job for job in instance.jobs}, schedule.placements
    if any(one.start < 0 or one.tasks != jobs[one.job].processors for one in runs):
        return False
    for one, two in combinations(runs, 2):
        if one.start < two.end and two.start < one.end and nodes_of(one) & nodes_of(two):
            return False
    starts = array_of(instance, {one.job: int(one.start) for one in runs})
    return not naive_rules(instance.scaled(), starts)


@pytest.mark.parametrize("seed", range(8))
def test_agrees_with_a_replay(seed):
    """Schedules that are nearly right: starts moved by a unit, jobs left out, processors exchanged."""
    rng = Random(seed)
    accepted = rejected = 0
    for number in range(100):
        instance, schedule = feasible(1000 * seed + number)
        placements = list(schedule.placements)
        for _ in range(rng.choice((0, 1, 1, 2))):
            one = rng.randrange(len(placements))
            what = rng.randrange(4)
            if what == 0 and len(placements) > 1:
                del placements[one]
            elif what == 1:
                step = rng.choice((-1, 1))
                moved = placements[one]
                placements[one] = replace(moved, start=moved.start + step, end=moved.end + step)
            elif what == 2:
                other = rng.randrange(len(placements))
                first, second = placements[one], placements[other]
                placements[one] = replace(first, nodes=second.nodes)
                placements[other] = replace(second, nodes=first.nodes)
            else:
                instance = instance.with_horizon(instance.horizon + rng.choice((0, 1)))
        moved_about = Schedule(placements)
        fine = naive_accepts(instance, moved_about)
        assert (verify(instance, moved_about) == []) == fine, number
        accepted, rejected = accepted + fine, rejected + (not fine)
    assert min(accepted, rejected) > 20


def test_starts_are_kept_to_the_hair():
    instance = fair((1, [(2, 1), (2, 1)]), horizon=3)
    schedule = runs(("a1", 1, 3, {"A": [0]}))
    assert verify(instance, schedule) == []
    late = Schedule([Placement("a1", 1 + HAIR, 3 + HAIR, {"A": [0]})])
    assert rules(instance, late) == {"greedy"}
    early = Schedule([Placement("a1", 1 - HAIR, 3 - HAIR, {"A": [0]})])
    assert rules(instance, early) == {"start", "greedy"}  # a2 waits for a hair at the end
    longer = instance.with_horizon(4)
    assert rules(longer, schedule) == {"greedy"}
    both = runs(("a1", 1, 3, {"A": [0]}), ("a2", 3, 5, {"A": [0]}))
    assert verify(longer, both) == [] and rules(instance, both) == {"horizon"}


def test_every_job_before_counts_for_fifo():
    """It is compared with the one that starts last of those before it, or with one that never starts."""
    instance = fair((4, [(9,)] * 5), horizon=9)
    begun = {"a1": 5, "a2": 3, "a3": 4, "a5": 6}
    schedule = runs(*((name, start, start + 9, {"A": [k]}) for k, (name, start) in enumerate(begun.items())))
    found = [one for one in verify(instance, schedule) if one.rule == "fifo"]
    assert [one.jobs for one in found] == [("a1", "a2"), ("a1", "a3"), ("a4", "a5")]
    assert found[0].message == "job a2 starts at 3; job a1, presented before it, starts at 5"
    assert found[2].message == "job a5 starts at 6; job a4, presented before it, does not start"


def test_a_shared_processor_hides_no_idle_one():
    instance = fair((2, [(4,), (2,), (1,), (1,)]), horizon=5)
    shared = runs(("a1", 0, 4, {"A": [0]}), ("a2", 0, 2, {"A": [0]}))
    assert {(one.rule, one.jobs) for one in verify(instance, shared)} == {
        ("capacity", ("a2", "a1")),
        ("greedy", ("a3",)),
    }
    held = runs(("a1", 0, 4, {"A": [0]}), ("a2", 0, 2, {"A": [0]}), ("a3", 0, 5, {"A": [1]}))
    found = [one for one in verify(instance, held) if one.rule == "greedy"]
    assert [one.message for one in found] == [
        "job a4, released at 0, waits at 4, when 1 processors are idle and it needs 1"
    ]


# Starts in an array


def broken(ticks, starts):
    return {one.rule for one in ticks_violations(ticks, starts)}


@pytest.mark.parametrize("seed", range(5))
def test_each_rule_is_found_where_starts_break_it(seed):
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
