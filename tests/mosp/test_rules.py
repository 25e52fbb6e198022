"""The verifier of MOSP: to the hair by hand, and against a checker that looks at each processor in each piece of time.

Mutations of feasible schedules are in `tests/core/test_rules.py`.
"""

from collections import Counter
from dataclasses import replace
from fractions import Fraction as F
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oas.core.rigid import Organization, Reservation, RigidJob
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.mosp.instance import MospInstance
from oas.mosp.runs import local_schedule
from tests.mosp.instances import lone_instances, random_instance, random_schedule
from tests.mosp.mutations import MUTATIONS
from tests.mosp.naive import naive_mosp_accepts
from tests.slow import draws

HAIR = F(1, 10**30)


def perturbed(rng, instance, schedule):
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


def test_agrees_with_the_naive_checker_on_random_schedules():
    count = draws(1000)
    answers = Counter()
    broken = Counter()
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


@settings(max_examples=200)
@given(lone_instances(), st.lists(st.tuples(st.integers(0, 14), st.integers(0, 2)), min_size=4, max_size=4))
def test_every_clash_with_reservations_is_named(instance, places):
    """Overlapping reservations, jobs anywhere: each moment at which something begins and too much is held, as counted
    there, with the jobs that run then in the order of the schedule."""
    placements = []
    for job, (start, first) in zip(instance.jobs, places, strict=False):
        nodes = [(first + offset) % 3 for offset in range(job.processors)]
        placements.append(Placement(job.id, F(start, 2), F(start, 2) + job.time, {"A": nodes}))
    schedule = Schedule(placements)
    held = instance.organizations[0].reservations
    expected = []
    for moment in sorted({one.start for one in (*schedule.placements, *held)}):
        here = [one for one in schedule.placements if one.start <= moment < one.end]
        reserved = sum(one.processors for one in held if one.start <= moment < one.end)
        if here and sum(len(one.nodes["A"]) for one in here) + reserved > 3:
            expected.append((tuple(one.job for one in here), f"for reservations at {moment}, of 3"))
    found = verify(instance, schedule)
    named = [one for one in found if one.rule == "reservation"]
    assert [one.jobs for one in named] == [jobs for jobs, _ in expected if held]
    assert all(words in one.message for one, (_, words) in zip(named, expected, strict=False))
    assert naive_mosp_accepts(instance, schedule) == (not found)


def two(*reservations, locality=None):
    """Two clusters of two processors; a runs [0, 2), b [2, 5) alone at home, c [0, 4) alone at home."""
    mine = Organization("A", 2, [RigidJob("a", 2, 2), RigidJob("b", 3, 2)], reservations)
    late = 10 if reservations else 0
    local = {"a": late, "b": late + 2, "c": 0}
    return MospInstance([mine, Organization("B", 2, [RigidJob("c", 4, 1)])], locality, local)


def runs(a, b, c):
    places = {"a": (a, F(a) + 2, {"A": [0, 1]}), "b": (b, F(b) + 3, {"A": [0, 1]}), "c": (c, F(c) + 4, {"B": [1]})}
    return Schedule(Placement(name, *place) for name, place in places.items())


AWAY = Schedule([Placement("a", 0, 2, {"A": [0, 1]}), Placement("b", 4, 7, {"B": [0, 1]}), runs(0, 0, 0)["c"]])


@pytest.mark.parametrize(
    ("instance", "schedule", "found"),
    [
        pytest.param(two(locality=1), runs(0, 2, 0), [], id="at the deadline"),
        pytest.param(two(locality=1), runs(0, 2 + HAIR, 0), [("locality", ("b",))], id="a hair later"),
        pytest.param(two(locality=1), runs(0, 2, HAIR), [("locality", ("c",))], id="the other's"),
        pytest.param(two(locality="3/2"), runs(0, "9/2", 2), [], id="at 3/2 of it"),
        pytest.param(two(locality="3/2"), runs(0, F(9, 2) + HAIR, 2), [("locality", ("b",))], id="a hair more"),
        pytest.param(two(locality=1), runs(3, 0, 0), [], id="the deadline is the organization's, not the job's"),
        pytest.param(two(locality=1), runs(10, 20, 0), [("locality", ("a", "b"))], id="both late"),
        pytest.param(two(locality=1), AWAY, [("locality", ("b",))], id="the owner's wherever the job runs"),
        pytest.param(two(locality="7/5"), AWAY, [], id="away in time"),
        pytest.param(two(), runs(100, 200, 300), [], id="without locality"),
        pytest.param(two(), runs(0, 2 - HAIR, 0), [("capacity", ("a", "b"))] * 2, id="a processor free as a job ends"),
        pytest.param(two(Reservation(2, 3, 1)), runs(0, 3, 0), [], id="reservations touch"),
        pytest.param(two(Reservation(2, 3, 1)), runs(HAIR, 3, 0), [("reservation", ("a",))], id="begins too soon"),
        pytest.param(two(Reservation(2, 3, 1)), runs(0, 3 - HAIR, 0), [("reservation", ("b",))], id="ends too late"),
        pytest.param(two(Reservation("1/2", "2/3", 1)), runs(0, 2, 0), [("reservation", ("a",))], id="within a run"),
    ],
)
def test_deadlines_and_reservations_to_the_hair(instance, schedule, found):
    assert [(one.rule, one.jobs) for one in verify(instance, schedule)] == found


def test_a_reservation_is_of_no_certain_processors():
    """One of two processors of B is reserved: c may run on either, as long as it is one."""
    mine = Organization("A", 1, [RigidJob("c", 4, 1), RigidJob("d", 1, 1)])
    instance = MospInstance([mine, Organization("B", 2, reservations=[Reservation(1, 3, 1)])], None)
    late = Placement("d", 4, 5, {"A": [0]})
    for number in (0, 1):
        assert verify(instance, Schedule([Placement("c", 0, 4, {"B": [number]}), late])) == []
    both = Schedule([Placement("c", 0, 4, {"B": [0]}), Placement("d", 2, 3, {"B": [1]})])
    (found,) = verify(instance, both)
    assert (found.rule, found.jobs) == ("reservation", ("c", "d"))
    assert "2 processors for jobs and 1 for reservations at 2, of 2" in found.message


def test_a_release_is_kept_to_the_hair_and_a_cluster_may_be_too_small():
    instance = MospInstance([Organization("A", 3, [RigidJob("a", 1, 3, "1/3")]), Organization("B", 2)])

    def found(start, nodes):
        return {one.rule for one in verify(instance, Schedule([Placement("a", start, start + 1, nodes)]))}

    assert found(F(1, 3), {"A": [0, 1, 2]}) == set()
    assert found(F(1, 3) - HAIR, {"A": [0, 1, 2]}) == {"start"}
    assert found(F(1, 3), {"B": [0, 1, 2]}) == {"unknown_node"}
    assert found(F(1, 3), {"B": [0, 1]}) == {"tasks"}
