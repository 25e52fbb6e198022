"""Instances of MOSP and what reservations leave free: what is refused, what follows from their fields, their digest."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction as F
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oas.core.errors import InputError, TooLargeError
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.core.verifier import verify
from oas.mosp.availability import availability
from oas.mosp.instance import MospInstance
from oas.mosp.runs import first_runs, local_schedule, schedule_from_cluster_runs
from oas.solving.brute_force import brute_force
from tests.mosp.instances import lone_instances

JOBS = (RigidJob("a", 3, 3), RigidJob("b", 2, 4), RigidJob("c", 1, 1, 1))
HELD = (Reservation(5, 6, 1),)


def example(**changes):
    """Two organizations; A's jobs run [0, 3), [3, 5) and [1, 2) on 4 processors, one reserved in [5, 6)."""
    arguments = {
        "organizations": [Organization("A", 4, JOBS, HELD), Organization("B", 2, [RigidJob("d", "5/2", 1)])],
        "locality": 1,
        "local": {"a": 0, "b": 3, "c": 1, "d": 0},
    }
    return MospInstance(**{**arguments, **changes})


def job(**changes):
    return RigidJob(**{"id": "a", "time": 1, "processors": 1, **changes})


WIDER = ("A", 2, [RigidJob("a", 1, 2), RigidJob("b", 1, 3)])
THREE_AT_ONCE = ("A", 2, (), [Reservation(0, 5, 1), Reservation(1, 9, 1), Reservation("9/2", 6, 1)])
C_AGAIN = Organization("C", 1, [RigidJob("e", 1, 1), RigidJob("c", 1, 1)])


@pytest.mark.parametrize(
    ("make", "arguments", "field", "reason"),
    [
        (job, {"id": ""}, "id", "printable"),
        (job, {"time": 0}, "time", "above 0"),
        (job, {"time": 0.5}, "time", "a float may be rounded"),
        (job, {"processors": 0}, "processors", "at least 1"),
        (job, {"release": "-1"}, "release", "not be negative"),
        (Reservation, (-1, 1, 1), "start", "not be negative"),
        (Reservation, (1, 1, 1), "end", "must be after the start, 1"),
        (Reservation, (0, 1, 0), "processors", "at least 1"),
        (Organization, ("", 1), "id", "printable"),
        (Organization, ("A", 0), "processors", "at least 1"),
        (Organization, WIDER, "jobs[1].processors", "wider than the organization's own"),
        (Organization, ("A", 2, (), [Reservation(0, 5, 3)]), "reservations[0].processors", "3 processors are"),
        (Organization, THREE_AT_ONCE, "reservations[2].processors", "3 processors are reserved at 9/2, of 2"),
        (example, {"organizations": []}, "organizations", "at least one organization"),
        (example, {"organizations": [Organization("A", 1)]}, "organizations", "at least one job"),
        (
            example,
            {"organizations": [*example().organizations, Organization("A", 1)]},
            "organizations[2].id",
            "is taken",
        ),
        (example, {"organizations": [*example().organizations, C_AGAIN]}, "organizations[2].jobs[1].id", "is taken"),
        (example, {"locality": "1/2"}, "locality", "at least 1"),
        (example, {"name": "a\n"}, "name", "printable"),
        (example, {"local": "HV"}, "local", "unknown policy; known: HF"),
        (example, {"local": 3}, "local", "must be a policy or"),
        (example, {"local": {}}, "local.a", "no local start"),
        (example, {"local": {"a": 0, "b": 3, "c": 1, "d": 0, "e": 0}}, "local", "no job has this id"),
        (example, {"local": {"a": 0, "b": 3, "c": 1, "d": -1}}, "local.d", "starts before its release at 0"),
        (example, {"local": {"a": 0, "b": "5/2", "c": 1, "d": 0}}, "local", "7 of 4 processors of A are needed at 5/2"),
        (example, {"local": {"a": 0, "b": 3, "c": 3, "d": 0}}, "local", "5 of 4 processors of A are needed at 3"),
        (example, {"local": {"a": 0, "b": "7/2", "c": 1, "d": 0}}, "local", "5 of 4 processors of A are needed at 5"),
    ],
)
def test_fields_that_are_refused(make, arguments, field, reason):
    with pytest.raises(InputError) as caught:
        make(**arguments) if isinstance(arguments, dict) else make(*arguments)
    assert caught.value.field == field and reason in caught.value.reason


def test_fields_are_exact_and_what_touches_is_allowed():
    assert (job(time=Decimal("0.7"), release="37/30").time, job().release) == (F(7, 10), 0)
    held = [Reservation(0, 5, 1), Reservation(5, 9, 2), Reservation(1, 5, 1)]
    assert Organization("A", 2, (), held).reservations == tuple(held)
    held = [Reservation(0, 1, 2), Reservation(3, 4, 2)]
    jobs = [RigidJob("a", 1, 2), RigidJob("b", 1, 2)]
    assert MospInstance([Organization("A", 2, jobs, held)], local={"a": 1, "b": 2}).local_makespans == (3,)


def test_a_reservation_that_starts_in_the_midst_of_a_local_run_is_seen():
    def one(start):
        held = [Reservation(start, 9, 2)]
        return MospInstance([Organization("A", 2, [RigidJob("a", 4, 1)], held)], local={"a": 0})

    assert one(F(4)).local == {"a": 0}
    for start in (F(0), F(3), F(4) - F(1, 10**30)):
        with pytest.raises(InputError) as caught:
            one(start)
        assert caught.value.reason == f"3 of 2 processors of A are needed at {start}"


def variants():
    """Return instances that each mean something else than the example, by one number."""
    mine, yours = example().organizations

    def with_job(**changes):
        return example(organizations=[replace(mine, jobs=(*JOBS[:2], replace(JOBS[2], **changes))), yours])

    return [
        example(locality=None),
        example(locality="3/2"),
        example(local={"a": 0, "b": 3, "c": 2, "d": 0}),
        example(local={"a": 0, "b": 3, "c": 1, "d": 1}),
        example(organizations=[mine, replace(yours, processors=3)]),
        example(organizations=[replace(mine, reservations=()), yours]),
        example(organizations=[replace(mine, reservations=(Reservation(5, 7, 1),)), yours]),
        example(organizations=[replace(mine, reservations=(Reservation("16/3", 6, 1),)), yours]),
        example(organizations=[replace(mine, reservations=(Reservation(5, 6, 2),)), yours]),
        example(organizations=[mine, replace(yours, reservations=mine.reservations)]),
        example(organizations=[mine, yours, Organization("C", 1)]),
        example(organizations=[yours, mine]),
        with_job(time=F(1, 2)),
        with_job(release=F(1, 2)),
        with_job(processors=1, time=F(2)),
        alone(),
        alone(local="HF"),
        alone(locality=1),
        alone(processors=5),
        alone(reservations=()),
        alone(jobs=JOBS[:2]),
        alone(jobs=JOBS[::-1]),
    ]


def test_the_digest_tells_meanings_apart_and_ignores_names():
    """Stored results name it."""
    digests = [example().digest, *(one.digest for one in variants())]
    assert len(set(digests)) == len(digests)
    assert digests[0] == "a5431accd2e36ef89a4e5c3a963f79ee3aa2adb574ef52ce0ed1f822172a749e"
    assert alone().digest == "e6399bd6be83c657a0312046034929db298e8a3c1386e4360e7121d9f2e4e056"
    assert alone(local="HF").digest == "68ad1b204391bdc114cfd1ce283ad2706acbbcadaa962bf213b450e713b11e8b"
    assert alone(name="x").digest == alone(id="B").digest == alone().digest
    mine, yours = example().organizations
    renamed = MospInstance(
        [
            Organization("X", 4, [replace(job, id=f"{job.id}'") for job in mine.jobs], mine.reservations),
            replace(yours, id="Y"),
        ],
        local={"a'": 0, "b'": 3, "c'": 1, "d": 0},
        name="another",
        provenance={"by": "hand"},
    )
    assert renamed.digest == example().digest and renamed != example()
    assert example(local={"d": 0, "c": 1, "b": 3, "a": 0}).digest == example().digest


def alone(**changes):
    one = {"id": "A", "processors": 4, "jobs": JOBS, "reservations": HELD}
    arguments = {key: changes.pop(key) for key in ("locality", "local", "seed", "name") if key in changes}
    return MospInstance([Organization(**{**one, **changes})], **{"locality": None, **arguments})


def test_one_alone_carries_no_local_schedule():
    instance = alone()
    assert instance.local is None and instance.provenance == {}
    assert instance.local_makespans == instance.deadlines == (None,)
    assert instance.scaled().local_starts == () and instance.scaled().deadlines == (None,)
    with pytest.raises(InputError, match=r"^local: the instance has no local schedules$"):
        local_schedule(instance)
    policy = alone(local="HF")
    assert policy.local == {"a": 2, "b": 0, "c": 2}
    assert alone(locality=1).local == alone(locality="3/2").local == policy.local
    assert alone(local=policy.local) == policy != alone()
    others = [*alone().organizations, Organization("B", 1)]
    assert MospInstance(others, locality=None).local == policy.local


def test_locality_brings_local_schedules():
    bound = alone().with_locality("5/4")
    assert bound == alone(locality="5/4", local="HF") and bound.provenance == {"local": "HF"}
    assert bound.digest == alone(locality="5/4").digest
    assert bound.relaxed() == alone(local="HF") != alone()
    assert alone().with_locality(None) == alone() == alone().relaxed()
    assert replace(alone(), name="x").local is None


@settings(max_examples=40)
@given(lone_instances())
def test_it_is_the_same_problem(instance):
    """Same ticks, same optimum, same verdicts as with local schedules, which bind nobody without locality."""
    carried = MospInstance(instance.organizations, None, "HF")
    assert instance.local is None and carried.local is not None
    scaled = instance.scaled()
    assert replace(carried.scaled(), local_starts=()) == scaled
    makespan, schedule = brute_force(instance)
    assert makespan == brute_force(carried)[0] == schedule.makespan
    assert verify(instance, schedule) == verify(carried, schedule) == []
    # A search has something to begin with: one job after another, as by the policy SPT.
    first = schedule_from_cluster_runs(instance, scaled, first_runs(scaled))
    assert verify(instance, first) == []
    ends = [held.end for held in instance.organizations[0].reservations]
    last = max([F(0), *(job.release for job in instance.jobs), *ends])
    after = last + sum(job.time for job in instance.jobs)
    assert first.makespan == after
    spt = MospInstance(instance.organizations, None, "SPT")
    assert spt.local == {instance.jobs[run.job].id: run.start * scaled.tick for run in first_runs(spt.scaled())}
    # Reservations that begin when all jobs could have ended change nothing.
    own = instance.organizations[0]
    held = (*own.reservations, Reservation(after, after + 10**6, 3), Reservation(after + 10**7, after + 10**8, 1))
    later = MospInstance([replace(own, reservations=held)], locality=None)
    assert brute_force(later)[0] == makespan and later.digest != instance.digest


@pytest.mark.parametrize("moment", [2**53, 2**63, 10**30])
def test_ticks_are_too_many_not_overflown(moment):
    long = [
        alone(reservations=[Reservation(5, moment, 1)]),
        alone(reservations=[Reservation(moment, moment + 1, 1)]),
        alone(jobs=[RigidJob("a", moment, 1)]),
        alone(jobs=[RigidJob("a", 1, 1, moment)]),
        alone(jobs=[RigidJob("a", F(1, moment), 1), *JOBS[1:]]),
    ]
    for instance in long:
        with pytest.raises(TooLargeError, match=r"2\^53 ticks"):
            instance.scaled()


def organization(*held, processors=4, widest=1):
    made = [Reservation(start, end, count) for start, end, count in held]
    return Organization("A", processors, [RigidJob("a", 1, 1), RigidJob("b", 1, widest)], made)


@st.composite
def organizations(draw):
    """Up to seven reservations in thirds of a time unit, each of what is left of the cluster, and up to two jobs."""
    size = draw(st.integers(1, 8))
    left = [size] * 24
    held = []
    for _ in range(draw(st.integers(0, 7))):
        start = draw(st.integers(0, 16))
        end = start + draw(st.integers(1, 7))
        room = min(left[start:end])
        if room:
            width = draw(st.integers(1, room))
            left[start:end] = [count - width for count in left[start:end]]
            held.append(Reservation(F(start, 3), F(end, 3), width))
    jobs = [RigidJob(f"J{n}", 1, draw(st.integers(1, size))) for n in range(draw(st.integers(0, 2)))]
    return Organization("A", size, jobs, held)


def used(one, moment):
    """U(t) of section 3.1."""
    return sum(held.processors for held in one.reservations if held.start <= moment < held.end)


MOMENTS = [F(tick, 6) for tick in range(60)]


@settings(deadline=None, derandomize=True, max_examples=300)
@given(organizations())
def test_it_is_what_the_paper_defines(one):
    found, m = availability(one), one.processors
    assert [found.free_at(moment) for moment in MOMENTS] == [m - used(one, moment) for moment in MOMENTS]
    assert found.steps[0][0] == 0 and found.processors == m
    for (moment, free), (later, other) in pairwise(found.steps):
        assert moment < later and free != other
    assert found.least_free == min(m - used(one, moment) for moment in MOMENTS)
    assert found.non_increasing == all(used(one, early) >= used(one, late) for early, late in pairwise(MOMENTS))

    def keeps(alpha):
        """U(t) ≤ (1 − α)m at all times, and q_j ≤ αm for all jobs, section 4.2."""
        held = all(used(one, moment) <= (1 - alpha) * m for moment in MOMENTS)
        return held and all(job.processors <= alpha * m for job in one.jobs)

    # The first condition falls with α, the second rises: the largest α is a multiple of 1/m, or there is none.
    possible = [F(count, m) for count in range(1, m + 1) if keeps(F(count, m))]
    assert found.alpha == max(possible, default=None)
    assert found.general == (not possible and not found.non_increasing)


@pytest.mark.parametrize(
    ("one", "alpha", "non_increasing", "words"),
    [
        (organization(), 1, True, "none"),
        (organization((1, 2, 2)), F(1, 2), False, "at most 1/2 of the processors at once, {} (α = 1/2)"),
        (organization((1, 2, 2), widest=3), None, False, "general"),
        (organization((0, 2, 4)), None, True, "non-increasing"),
        (organization((0, 2, 1)), F(3, 4), True, "at most 1/4 of the processors at once, {} (α = 3/4); non-increasing"),
    ],
)
def test_classes(one, alpha, non_increasing, words):
    found = availability(one)
    assert (found.alpha, found.non_increasing) == (alpha, non_increasing)
    assert str(found) == words.format("no job wider than the rest")
