import inspect
import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction as F
from random import Random
from typing import TYPE_CHECKING

import pytest

from oas.core import violation
from oas.core.errors import VerificationError
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import check, verify
from oas.problems.mosp import rules as rules_module
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import local_schedule, schedule_from_cluster_runs
from oas.problems.rigid import Organization, Reservation, RigidJob
from tests.problems.mosp.instances import random_cluster_runs, random_instance
from tests.problems.mosp.mutations import MUTATIONS
from tests.problems.mosp.naive import naive_mosp_accepts
from tests.slow import mostly_slow

if TYPE_CHECKING:
    from tests.problems.mosp.mutations import Mutation

HAIR = F(1, 10**30)


def rules(instance: MospInstance, schedule: Schedule) -> set[str]:
    return {violation.rule for violation in verify(instance, schedule)}


def random_schedule(instance: MospInstance, seed: int) -> Schedule:
    """Return a schedule that keeps every rule but perhaps locality."""
    scaled = instance.scaled()
    return schedule_from_cluster_runs(instance, scaled, random_cluster_runs(scaled, seed))


def feasible(seed: int) -> tuple[MospInstance, Schedule]:
    """Return an instance and a feasible schedule; where the schedule needs it, locality is given up."""
    instance = random_instance(seed)
    schedule = random_schedule(instance, seed)
    if verify(instance, schedule):
        instance = instance.with_locality(None)
    return instance, schedule


def test_it_shares_no_code_with_what_it_checks() -> None:
    source = inspect.getsource(rules_module)
    for word in ("scaled", "mosp_schedule", "local", "naive"):
        assert f"import {word}" not in source
        assert f"oas.core.{word}" not in source
    for word in ("deadlines", "local_makespans", "owner"):
        assert f"instance.{word}" not in source


@pytest.mark.parametrize(("rule", "mutation", "alone"), MUTATIONS, ids=[one[1].__name__ for one in MUTATIONS])
def test_mutated_schedules_are_rejected_by_name(rule: str, mutation: "Mutation", alone: bool) -> None:
    rejected = 0
    for seed in range(3000):
        instance, schedule = feasible(seed)
        broken = mutation(Random(seed), instance, schedule)
        if broken is None:
            continue
        assert verify(instance, schedule) == [], seed
        found = rules(*broken)
        assert rule in found, seed
        if alone:
            assert found == {rule}, seed
        assert not naive_mosp_accepts(*broken), seed
        rejected += 1
        if rejected == 50:
            return
    raise AssertionError(f"only {rejected} mutated schedules")


def test_every_rule_is_mutated() -> None:
    source = "".join(inspect.getsource(module) for module in (violation, rules_module))
    found = set(re.findall(r'Violation\(\s*"(\w+)"', source))
    assert found == {rule for rule, _, alone in MUTATIONS if alone}
    documented = inspect.getdoc(violation.Violation) or ""
    assert all(f"``{rule}``" in documented for rule in found)


def perturbed(rng: Random, instance: MospInstance, schedule: Schedule) -> Schedule:
    """Change up to two placements blindly, in time or in place, mostly so that few rules are at stake."""
    runs = list(schedule.placements)
    tick = instance.scaled().tick
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        place = rng.randrange(len(runs))
        one = runs[place]
        ((name, numbers),) = one.nodes.items() if len(one.nodes) == 1 else (("O0", (0,)),)
        kind = rng.randrange(12)
        if kind < 7:
            start = one.start + rng.randint(-3, 4) * tick
            runs[place] = replace(one, start=start, end=start + one.duration)
        elif kind < 9:
            first = rng.randint(0, 2)
            nodes = {rng.choice(instance.organizations).id: range(first, first + len(numbers))}
            runs[place] = replace(one, nodes=nodes)
        elif kind == 9:
            runs[place] = replace(one, end=one.end + rng.choice((-1, 1)) * tick / 2)
        elif kind == 10:
            runs[place] = replace(one, nodes={name: numbers, rng.choice(instance.organizations).id: [0]})
        elif rng.random() < 0.5:
            runs.append(one)
        else:
            runs[place] = replace(one, nodes={name: numbers[1:]})
    return Schedule(runs)


@pytest.mark.parametrize("count", mostly_slow([1000, 4000], quick=[1000]))
def test_agrees_with_the_naive_checker_on_random_schedules(count: int) -> None:
    answers: Counter[bool] = Counter()
    broken: Counter[str] = Counter()
    for seed in range(count):
        instance = random_instance(seed)
        start = local_schedule(instance) if seed % 3 == 0 else random_schedule(instance, seed)
        schedule = perturbed(Random(seed), instance, start)
        violations = verify(instance, schedule)
        assert naive_mosp_accepts(instance, schedule) == (not violations), seed
        answers[not violations] += 1
        broken.update({violation.rule for violation in violations})
    assert min(answers[True], answers[False]) > count // 4
    rare = {"unknown_job", "unknown_cluster", "missing_job"}
    assert all(broken[rule] > count // 80 for rule, _, _ in MUTATIONS if rule not in rare), broken


def test_local_schedules_are_feasible() -> None:
    for seed in range(400):
        instance = random_instance(seed)
        schedule = local_schedule(instance)
        assert verify(instance, schedule) == []
        assert naive_mosp_accepts(instance, schedule)
        assert verify(instance.with_locality(1), schedule) == []


def two(*reservations: Reservation, locality: object = 1) -> MospInstance:
    """Two clusters of two processors; a runs [0, 2), b [2, 5) alone at home, c [0, 4) alone at home."""
    mine = Organization("A", 2, [RigidJob("a", 2, 2), RigidJob("b", 3, 2)], reservations)
    yours = Organization("B", 2, [RigidJob("c", 4, 1)])
    late = 10 if reservations else 0
    local = {"a": late, "b": late + 2, "c": 0}
    return MospInstance([mine, yours], locality, local)  # type: ignore[arg-type]


def runs(a: object, b: object, c: object, home: str = "A") -> Schedule:
    return Schedule(
        [
            Placement("a", a, F(a) + 2, {home: [0, 1]}),  # type: ignore[arg-type]
            Placement("b", b, F(b) + 3, {home: [0, 1]}),  # type: ignore[arg-type]
            Placement("c", c, F(c) + 4, {"B": [1]}),  # type: ignore[arg-type]
        ]
    )


def test_ending_exactly_at_the_deadline() -> None:
    assert verify(two(), runs(0, 2, 0)) == []
    found = verify(two(), runs(0, 2 + HAIR, 0))
    assert [(one.rule, one.jobs) for one in found] == [("locality", ("b",))]
    assert "organization A" in found[0].message
    assert [one.jobs for one in verify(two(), runs(0, 2, HAIR))] == [("c",)]
    assert verify(two(locality="3/2"), runs(0, "9/2", 2)) == []
    assert rules(two(locality="3/2"), runs(0, F(9, 2) + HAIR, 2)) == {"locality"}


def test_the_deadline_is_the_organizations_not_the_jobs() -> None:
    assert verify(two(), runs(3, 0, 0)) == []
    assert [one.jobs for one in verify(two(), runs(10, 20, 0))] == [("a", "b")]


def test_the_deadline_is_the_owners_on_whichever_cluster_the_job_runs() -> None:
    away = Schedule([Placement("a", 0, 2, {"A": [0, 1]}), Placement("b", 4, 7, {"B": [0, 1]}), runs(0, 0, 0)["c"]])
    assert [(one.rule, one.jobs) for one in verify(two(), away)] == [("locality", ("b",))]
    assert verify(two(locality="7/5"), away) == []


def test_without_locality_only_the_other_rules_hold() -> None:
    assert verify(two(locality=None), runs(100, 200, 300)) == []
    assert rules(two(locality=None), runs(100, 101, 300)) == {"capacity"}


def test_a_processor_is_free_at_the_moment_a_job_ends() -> None:
    found = verify(two(locality=None), runs(0, 2 - HAIR, 0))
    assert [(one.rule, one.jobs) for one in found] == [("capacity", ("a", "b"))] * 2


def test_reservations_may_touch_but_not_overlap() -> None:
    held = two(Reservation(2, 3, 1), locality=None)
    assert verify(held, runs(0, 3, 0)) == []
    assert [(one.rule, one.jobs) for one in verify(held, runs(HAIR, 3, 0))] == [("reservation", ("a",))]
    assert [(one.rule, one.jobs) for one in verify(held, runs(0, 3 - HAIR, 0))] == [("reservation", ("b",))]
    assert verify(two(Reservation(2, 3, 2), Reservation(3, 4, 1), locality=None), runs(0, 4, 0)) == []


def test_a_reservation_is_of_no_certain_processors() -> None:
    """One of two processors of B is reserved: c may run on either, as long as it is one."""
    mine = Organization("A", 1, [RigidJob("c", 4, 1), RigidJob("d", 1, 1)])
    instance = MospInstance([mine, Organization("B", 2, reservations=[Reservation(1, 3, 1)])], None)
    late = Placement("d", 4, 5, {"A": [0]})
    for number in (0, 1):
        assert verify(instance, Schedule([Placement("c", 0, 4, {"B": [number]}), late])) == []
    both = Schedule([Placement("c", 0, 4, {"B": [0]}), Placement("d", 2, 3, {"B": [1]})])
    found = verify(instance, both)
    assert [(one.rule, one.jobs) for one in found] == [("reservation", ("c", "d"))]
    assert "2 processors for jobs and 1 for reservations at 2, of 2" in found[0].message


def test_a_reservation_in_the_midst_of_a_run_is_seen() -> None:
    held = two(Reservation("1/2", "2/3", 1), locality=None)
    found = verify(held, runs(0, 2, 0))
    assert [(one.rule, one.jobs) for one in found] == [("reservation", ("a",))]
    assert "at 1/2," in found[0].message


def test_each_moment_at_which_jobs_and_reservations_clash_is_named_once() -> None:
    held = two(Reservation(1, 10, 2), locality=None)
    found = verify(held, runs(0, 2, 0))
    assert [re.findall(r"at (\d+),", one.message) for one in found] == [["1"], ["2"]]


def test_a_release_is_kept_to_the_hair() -> None:
    instance = MospInstance([Organization("A", 1, [RigidJob("a", 1, 1, "1/3")])])
    assert verify(instance, Schedule([Placement("a", "1/3", "4/3", {"A": [0]})])) == []
    early = Schedule([Placement("a", F(1, 3) - HAIR, F(4, 3) - HAIR, {"A": [0]})])
    assert rules(instance, early) == {"start"}


def test_a_job_wider_than_a_cluster_does_not_run_there() -> None:
    wide = MospInstance([Organization("A", 3, [RigidJob("a", 1, 3)]), Organization("B", 2)])
    assert rules(wide, Schedule([Placement("a", 0, 1, {"B": [0, 1, 2]})])) == {"unknown_node"}
    assert rules(wide, Schedule([Placement("a", 0, 1, {"B": [0, 1]})])) == {"tasks"}


def test_every_violation_is_listed_at_once() -> None:
    instance = MospInstance(
        [
            Organization("A", 2, [RigidJob("a", 2, 2), RigidJob("b", 2, 1, 1)], [Reservation(0, 1, 1)]),
            Organization("B", 2, [RigidJob("c", 1, 1), RigidJob("d", 1, 1), RigidJob("e", 1, 1)]),
        ]
    )
    schedule = Schedule(
        [
            Placement("a", 0, 9, {"A": [0, 1], "B": [1]}),
            Placement("b", 0, 2, {"A": [1]}),
            Placement("c", 0, 1, {"B": [0, 7]}),
            Placement("c", 0, 1, {"B": [0]}),
            Placement("d", 0, 1, {"C": [0]}),
            Placement("z", 0, 1, {"A": [0]}),
        ]
    )
    every = (
        "unknown_job missing_job duplicate_job unknown_cluster unknown_node one_cluster tasks start duration capacity"
        " reservation locality"
    )
    assert rules(instance, schedule) == set(every.split())
    with pytest.raises(VerificationError, match=r"^the answer breaks \d+ rules:"):
        check(instance, schedule, "the answer")
