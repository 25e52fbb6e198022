import inspect
import re
from collections import Counter
from fractions import Fraction as F
from functools import cache
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from oas.core import violation
from oas.core.errors import VerificationError
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import check, verify
from oas.problems.coallocation import rules as rules_module
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.problems.coallocation.mutations import MUTATIONS
from tests.problems.coallocation.naive import naive_accepts
from tests.slow import mostly_slow
from tests.strategies import instances_with_schedule, make_any_schedule, random_feasible_schedule, random_instance

if TYPE_CHECKING:
    from tests.problems.coallocation.mutations import Mutation


def rules(instance: CoallocationInstance, schedule: Schedule) -> set[str]:
    return {violation.rule for violation in verify(instance, schedule)}


def test_it_shares_no_code_with_what_it_checks() -> None:
    """The duplicate of durations, equation (4) and capacity is deliberate: no import may replace it."""
    source = inspect.getsource(rules_module)
    for word in ("scaled", "allocations", "metrics", "link_load", "naive"):
        assert f"import {word}" not in source
        assert f"oas.core.{word}" not in source


@cache
def feasible(seed: int) -> tuple[CoallocationInstance, Schedule]:
    """Return a random instance and a schedule of it that the verifier accepts; every mutation starts from these."""
    instance = random_instance(seed, max_jobs=5)
    schedule = random_feasible_schedule(instance, seed)
    assert verify(instance, schedule) == []
    return instance, schedule


@pytest.mark.parametrize(("rule", "mutation", "alone"), MUTATIONS, ids=[one[1].__name__ for one in MUTATIONS])
def test_mutated_schedules_are_rejected_by_name(rule: str, mutation: "Mutation", alone: bool) -> None:
    rejected = 0
    for seed in range(5000):
        instance, schedule = feasible(seed)
        broken = mutation(Random(seed), instance, schedule)
        if broken is None:
            continue
        found = rules(*broken)
        assert rule in found, seed
        if alone:
            assert found == {rule}, seed
        assert not naive_accepts(*broken)
        rejected += 1
        if rejected == 50:
            return
    raise AssertionError(f"only {rejected} mutated schedules")


def test_every_rule_is_mutated() -> None:
    source = "".join(inspect.getsource(module) for module in (violation, rules_module))
    rules = set(re.findall(r'Violation\(\s*"(\w+)"', source))
    assert rules == {rule for rule, _, alone in MUTATIONS if alone}
    documented = inspect.getdoc(violation.Violation) or ""
    assert all(f"``{rule}``" in documented for rule in rules)


@pytest.mark.parametrize("count", mostly_slow([1000, 3000], quick=[1000]))
def test_agrees_with_the_naive_checker_on_random_schedules(count: int) -> None:
    answers: Counter[bool] = Counter()
    broken: Counter[str] = Counter()
    for seed in range(count):
        instance = random_instance(seed)
        schedule = make_any_schedule(Random(seed), instance)
        violations = verify(instance, schedule)
        assert naive_accepts(instance, schedule) == (not violations), seed
        answers[not violations] += 1
        broken.update({violation.rule for violation in violations})
    assert min(answers[True], answers[False]) > count * 2 // 15
    assert min(broken[rule] for rule in ("capacity", "link", "duration", "tasks", "start", "grid")) > count // 60


@given(instances_with_schedule(max_jobs=6))
def test_accepts_what_the_naive_greedy_makes(drawn: tuple[CoallocationInstance, Schedule]) -> None:
    instance, schedule = drawn
    assert verify(instance, schedule) == []
    assert check(instance, schedule) is schedule


def test_check_lists_every_violation() -> None:
    instance = random_instance(3)
    with pytest.raises(VerificationError, match=r"^the start breaks 1 rule:") as caught:
        check(instance, Schedule(random_feasible_schedule(instance, 3).placements[1:]), "the start")
    assert [violation.rule for violation in caught.value.violations] == ["missing_job"]
    with pytest.raises(VerificationError) as caught:
        check(instance, Schedule([]))
    assert len(caught.value.violations) == len(instance.jobs)


# Two clusters of three nodes; a job of two tasks split evenly loads both links with its per-task bandwidth.
def split_jobs(link: object, *bandwidths: object, slot: object = 0) -> CoallocationInstance:
    clusters = [Cluster(name, [NodeGroup(3, 1)], link) for name in "AB"]  # type: ignore[arg-type]
    jobs = [Job(f"J{n}", 2, 2, width) for n, width in enumerate(bandwidths)]  # type: ignore[arg-type]
    return CoallocationInstance(clusters, jobs, slot=slot)  # type: ignore[arg-type]


def split_runs(*starts: object, length: object = 2) -> Schedule:
    return Schedule(
        Placement(f"J{n}", start, F(start) + F(length), {"A": [n], "B": [n]})  # type: ignore[arg-type]
        for n, start in enumerate(starts)
    )


def test_link_exactly_full_is_feasible_and_a_hair_more_is_not() -> None:
    full = split_jobs(1, "1/3", "1/3", "1/3")
    assert verify(full, split_runs(0, 0, 0)) == []
    over = split_jobs(1, "1/3", "1/3", F(1, 3) + F(1, 10**30))
    violations = verify(over, split_runs(0, 0, 0))
    assert [violation.rule for violation in violations] == ["link", "link"]
    assert violations[0].jobs == ("J0", "J1", "J2")
    assert "cluster A" in violations[0].message
    assert verify(over, split_runs(0, 0, 2)) == []


def test_link_frees_at_the_moment_a_job_ends() -> None:
    one_at_a_time = split_jobs(1, 1, 1)
    assert verify(one_at_a_time, split_runs(0, 2)) == []
    assert rules(one_at_a_time, split_runs(0, F(2) - F(1, 10**30))) == {"link"}


def test_link_peak_inside_a_run_is_seen() -> None:
    """No two of the jobs start together, and the first pair fits: only the third makes it too much, midway."""
    instance = split_jobs(2, 1, 1, 1)
    assert verify(instance, split_runs(0, 1, 2)) == []
    violations = verify(instance, split_runs(0, "1/2", 1))
    assert {violation.rule for violation in violations} == {"link"}
    assert all(violation.jobs == ("J0", "J1", "J2") for violation in violations)
    assert "at 1," in violations[0].message


def test_a_job_on_one_cluster_needs_no_link() -> None:
    instance = split_jobs(0, 5, 5)
    home = [Placement("J0", 0, 2, {"A": [0, 1]}), Placement("J1", 0, 2, {"B": [0, 2]})]
    assert verify(instance, Schedule(home)) == []
    assert rules(instance, split_runs(0, 2)) == {"link"}


def test_bandwidth_of_nothing_passes_a_link_of_nothing() -> None:
    assert verify(split_jobs(0, 0, 0), split_runs(0, 0)) == []


def test_a_single_task_sends_nothing() -> None:
    instance = CoallocationInstance([Cluster("A", [NodeGroup(1, 1)], 0)], [Job("J0", 1, 2, 10**9)])
    assert verify(instance, Schedule([Placement("J0", 0, 2, {"A": [0]})])) == []


def test_a_node_is_free_at_the_moment_a_job_ends() -> None:
    instance = split_jobs(9, 0, 0)

    def second_at(start: F) -> Schedule:
        return Schedule([Placement("J0", 0, 2, {"A": [0, 1]}), Placement("J1", start, start + 2, {"A": [1, 2]})])

    assert verify(instance, second_at(F(2))) == []
    violations = verify(instance, second_at(2 - F(1, 10**30)))
    assert [violation.rule for violation in violations] == ["capacity"]
    assert violations[0].jobs == ("J0", "J1")
    assert "node 1 of cluster A" in violations[0].message


def test_one_long_job_conflicts_with_every_short_one() -> None:
    instance = CoallocationInstance(
        [Cluster("A", [NodeGroup(1, 1)], 0)], [Job("L", 1, 9), Job("S", 1, 1), Job("T", 1, 1)]
    )
    runs = [
        Placement(name, start, start + time, {"A": [0]})
        for name, start, time in (("L", 0, 9), ("S", 1, 1), ("T", 5, 1))
    ]
    assert {violation.jobs for violation in verify(instance, Schedule(runs))} == {("L", "S"), ("L", "T")}


def test_duration_follows_the_slowest_node_of_any_cluster() -> None:
    clusters = [Cluster("A", [NodeGroup(2, 1)], 9), Cluster("B", [NodeGroup(1, "0.75"), NodeGroup(1, "0.5")], 9)]
    instance = CoallocationInstance(clusters, [Job("J", 2, 1, sigma="0.7")])
    for nodes, time in (
        ({"A": [0, 1]}, F(1)),
        ({"A": [0], "B": [0]}, F(37, 30)),
        ({"A": [1], "B": [1]}, F(17, 10)),
        ({"B": [0, 1]}, F(17, 10)),
    ):
        assert verify(instance, Schedule([Placement("J", 0, time, nodes)])) == []
        for wrong in (time - F(1, 10**30), time + F(1, 10**30)):
            assert rules(instance, Schedule([Placement("J", 0, wrong, nodes)])) == {"duration"}


def test_whole_slots_are_held() -> None:
    """1.7 at η = 1.7 is one slot exactly, at η = 1.6 two; half-used slots stay taken."""
    cluster = Cluster("A", [NodeGroup(1, "0.5")], 0)
    for slot, held in (("1.7", F(17, 10)), ("1.6", F(32, 10)), ("0.85", F(17, 10)), ("5", F(5))):
        instance = CoallocationInstance([cluster], [Job("J", 1, 1, sigma="0.7")], slot=slot)
        assert verify(instance, Schedule([Placement("J", 0, held, {"A": [0]})])) == []
        assert rules(instance, Schedule([Placement("J", 0, held + F(1, 7), {"A": [0]})])) == {"duration"}


def test_grid_is_exact() -> None:
    instance = split_jobs(9, 0, slot="0.1")
    assert verify(instance, split_runs("0.3")) == []  # 0.3 / 0.1 is 2.9999999999999996 in floats
    assert rules(instance, split_runs("0.30000000000000001")) == {"grid"}


def test_every_violation_is_listed_at_once() -> None:
    instance = split_jobs(0, 1, 1, 1, slot=1)
    schedule = Schedule(
        [
            Placement("J0", F(-1, 2), 2, {"A": [0], "B": [0, 7]}),
            Placement("J1", 0, 2, {"A": [1], "B": [1], "C": [0]}),
            Placement("J9", 0, 2, {}),
            Placement("J1", 0, 2, {"A": [1], "B": [1]}),
            Placement("J1", 1, 3, {"A": [1], "B": [1]}),
        ]
    )
    names = "unknown_job missing_job duplicate_job unknown_cluster unknown_node tasks start grid duration capacity link"
    assert rules(instance, schedule) == set(names.split())
