"""The verifier of fair sharing: each rule by its name, to the hair, and against a checker that replays moments."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from fractions import Fraction as F
from random import Random
from typing import TYPE_CHECKING

import pytest

from oas.core import violation
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.problems.fair import rules as rules_module
from tests.problems.fair.instances import fair, feasible, random_instance
from tests.problems.fair.mutations import MUTATIONS
from tests.problems.fair.naive import naive_accepts

if TYPE_CHECKING:
    from oas.problems.fair.instance import FairInstance
    from tests.problems.fair.mutations import Mutation

HAIR = F(1, 10**30)


def rules(instance: FairInstance, schedule: Schedule) -> set[str]:
    return {one.rule for one in verify(instance, schedule)}


def runs(*given: tuple[str, int, int, dict[str, list[int]]]) -> Schedule:
    """Job, start, end, processors."""
    return Schedule(Placement(*one) for one in given)


def test_it_shares_no_code_with_what_it_checks() -> None:
    source = inspect.getsource(rules_module)
    for word in ("scaled", "runs", "utilities", "ticks", "stream", "naive"):
        assert f"import {word}" not in source
        assert f"fair.{word} import" not in source
    for word in ("owner", "scaled"):
        assert f"instance.{word}" not in source


@pytest.mark.parametrize(("rule", "mutation", "alone"), MUTATIONS, ids=[one[1].__name__ for one in MUTATIONS])
def test_mutated_schedules_are_rejected_by_name(rule: str, mutation: Mutation, alone: bool) -> None:
    rejected = 0
    for seed in range(1500):
        instance, schedule = feasible(seed)
        broken = mutation(Random(seed), instance, schedule)
        if broken is None:
            continue
        assert verify(instance, schedule) == [], seed
        found = rules(*broken)
        assert rule in found, seed
        if alone:
            assert found == {rule}, seed
        rejected += 1
        if rejected == 50:
            return
    pytest.fail(f"applied {rejected} times only")


def test_every_rule_is_mutated() -> None:
    source = "".join(inspect.getsource(module) for module in (violation, rules_module))
    found = set(re.findall(r'Violation\(\s*"(\w+)"', source)) - {"missing_job"}
    assert found == {rule for rule, _, alone in MUTATIONS if alone}
    documented = inspect.getdoc(violation.Violation) or ""
    assert all(f"``{rule}``" in documented for rule in found)


@pytest.mark.parametrize("seed", range(12))
def test_agrees_with_a_replay(seed: int) -> None:
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


def test_a_wide_job_may_span_organizations() -> None:
    instance = fair((2, [(3, 0, 2)]), (1, [(5, 0, 1)]), horizon=4)
    assert verify(instance, runs(("a1", 0, 3, {"A": [1], "B": [0]}), ("b1", 0, 5, {"A": [0]}))) == []


def test_a_head_that_does_not_fit_lets_others_pass() -> None:
    """While a1 runs, a2 needs two of the two processors that are left one by one; b2 may take what is idle."""
    instance = fair((2, [(4, 0, 2), (1, 0, 2)]), (1, [(1, 0), (1, 1)]), horizon=6)
    passed = runs(
        ("a1", 0, 4, {"A": [0, 1]}), ("b1", 0, 1, {"B": [0]}), ("b2", 1, 2, {"B": [0]}), ("a2", 4, 5, {"A": [0, 1]})
    )
    assert verify(instance, passed) == []
    blocked = runs(
        ("a1", 0, 4, {"A": [0, 1]}), ("b1", 0, 1, {"B": [0]}), ("b2", 4, 5, {"B": [0]}), ("a2", 4, 5, {"A": [0, 1]})
    )
    (found,) = verify(instance, blocked)
    assert (found.rule, found.jobs) == ("greedy", ("b2",))
    assert found.message == "job b2, released at 1, waits at 1, where 1 processors are idle and it needs 1"


def test_only_heads_count_as_waiting() -> None:
    """a2 would fit beside a1's wait for two processors, but it is not its organization's first."""
    instance = fair((2, [(1, 0, 2), (1, 0, 1)]), (1, [(3, 0)]), horizon=3)
    schedule = runs(("b1", 0, 3, {"B": [0]}), ("a1", 0, 1, {"A": [0, 1]}), ("a2", 1, 2, {"A": [0]}))
    assert verify(instance, schedule) == []
    narrow = fair((1, [(3, 0), (1, 1)]), (2, [(5, 0), (1, 1, 2), (1, 1)]), horizon=3)
    held = runs(("a1", 0, 3, {"A": [0]}), ("b1", 0, 5, {"B": [0]}), ("a2", 1, 2, {"B": [1]}))
    # From 2 on one processor is idle: b2 needs two, and b3 is behind it.
    assert verify(narrow, held) == []


def test_starts_are_kept_to_the_hair() -> None:
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


def test_every_job_before_counts_for_fifo() -> None:
    """It is compared with the one that starts last of those before it, or with one that never starts."""
    instance = fair((4, [(9,)] * 5), horizon=9)
    begun = {"a1": 5, "a2": 3, "a3": 4, "a5": 6}
    schedule = runs(*((name, start, start + 9, {"A": [k]}) for k, (name, start) in enumerate(begun.items())))
    found = [one for one in verify(instance, schedule) if one.rule == "fifo"]
    assert [one.jobs for one in found] == [("a1", "a2"), ("a1", "a3"), ("a4", "a5")]
    assert found[0].message == "job a2 starts at 3; job a1, presented before it, starts at 5"
    assert found[2].message == "job a5 starts at 6; job a4, presented before it, does not start"


def test_a_shared_processor_hides_no_idle_one() -> None:
    instance = fair((2, [(4,), (2,), (1,), (1,)]), horizon=5)
    shared = runs(("a1", 0, 4, {"A": [0]}), ("a2", 0, 2, {"A": [0]}))
    assert {(one.rule, one.jobs) for one in verify(instance, shared)} == {
        ("capacity", ("a2", "a1")),
        ("greedy", ("a3",)),
    }
    held = runs(("a1", 0, 4, {"A": [0]}), ("a2", 0, 2, {"A": [0]}), ("a3", 0, 5, {"A": [1]}))
    found = [one for one in verify(instance, held) if one.rule == "greedy"]
    assert [one.message for one in found] == [
        "job a4, released at 0, waits at 4, where 1 processors are idle and it needs 1"
    ]


def test_an_empty_schedule_is_none() -> None:
    instance = fair((1, [(1, 0)]), (1, [(1, 4)]), horizon=5)
    assert {(one.rule, one.jobs) for one in verify(instance, Schedule([]))} == {
        ("greedy", ("a1",)),
        ("greedy", ("b1",)),
    }


def test_every_violation_is_listed_at_once() -> None:
    instance = fair((2, [(2, 0, 2), (2, 1)]), (2, [(1, 0), (1, 0), (1, 0)]), (1, [(9, 3)]), horizon=8)
    schedule = Schedule(
        [
            Placement("a1", 5, 9, {"A": [0, 1]}),
            Placement("a2", 0, 2, {"A": [1]}),
            Placement("b1", 0, 1, {"A": [1], "B": [0]}),
            Placement("b1", 0, 1, {"B": [7]}),
            Placement("b2", 0, 1, {"D": [0]}),
            Placement("b3", 8, 9, {"B": [0]}),
            Placement("z", 0, 1, {"A": [0]}),
        ]
    )
    every = "unknown_job duplicate_job unknown_cluster unknown_node tasks start horizon duration capacity fifo greedy"
    assert rules(instance, schedule) == set(every.split())


def test_random_instances_have_every_feature() -> None:
    drawn = [random_instance(seed) for seed in range(200)]
    assert any(job.processors > 1 for one in drawn for job in one.jobs)
    assert any(all(job.time == 1 for job in one.jobs) for one in drawn)
    assert any(job.release >= one.horizon for one in drawn for job in one.jobs)
    assert any(len({own.processors for own in one.organizations}) > 1 for one in drawn)
    assert any(len(one.organizations) == 1 for one in drawn)
