"""An organization alone without locality carries no local schedule: RESASCHEDULING of the reservations paper."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oas.core.errors import InputError, TooLargeError
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.exact.mosp.brute_force import brute_force
from oas.io import dumps, loads
from oas.problems.mosp import instance as instance_module
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import first_runs, local_schedule, schedule_from_cluster_runs
from oas.problems.rigid import Organization, Reservation, RigidJob
from tests.problems.mosp.naive import naive_mosp_accepts

JOBS = (RigidJob("a", 3, 3), RigidJob("b", 2, 4), RigidJob("c", 1, 1, 1))
HELD = (Reservation(5, 6, 1),)


def alone(**changes: Any) -> MospInstance:
    one = {"id": "A", "processors": 4, "jobs": JOBS, "reservations": HELD}
    arguments = {key: changes.pop(key) for key in ("locality", "local", "seed", "name") if key in changes}
    return MospInstance([Organization(**{**one, **changes})], **{"locality": None, **arguments})


@st.composite
def lone_instances(draw: st.DrawFn) -> MospInstance:
    """Up to four jobs, and up to three reservations side by side, in halves of a time unit."""
    widths = draw(st.lists(st.integers(1, 3), max_size=3).filter(lambda found: sum(found) <= 3))
    held = [
        Reservation(F(start, 2), F(start + draw(st.integers(1, 9)), 2), width)
        for width in widths
        for start in [draw(st.integers(0, 9))]
    ]
    jobs = [
        RigidJob(f"J{n}", F(draw(st.integers(1, 7)), 2), draw(st.integers(1, 3)), F(draw(st.integers(0, 9)), 2))
        for n in range(draw(st.integers(1, 4)))
    ]
    return MospInstance([Organization("A", 3, jobs, held)], locality=None)


def test_no_local_schedule() -> None:
    instance = alone()
    assert instance.local is None and instance.provenance == {}
    assert instance.local_makespans == instance.deadlines == (None,)
    assert instance.scaled().local_starts == () and instance.scaled().deadlines == (None,)
    with pytest.raises(InputError, match=r"^local: the instance carries no local schedules$"):
        local_schedule(instance)


def test_nothing_is_list_scheduled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which takes time quadratic in the jobs."""

    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(instance_module, "local_starts", refuse)
    assert alone().relaxed() == alone() and loads(dumps(alone())) == alone()
    for changes in ({"locality": 1}, {"local": "HF"}):
        with pytest.raises(AssertionError):
            alone(**changes)


def test_all_others_carry_one() -> None:
    policy = alone(local="HF")
    assert policy.local == {"a": 2, "b": 0, "c": 2}
    assert alone(locality=1).local == alone(locality="3/2").local == policy.local
    assert alone(local=policy.local) == policy != alone()
    others = [*alone().organizations, Organization("B", 1)]
    assert MospInstance(others, locality=None).local == policy.local
    assert MospInstance(others, locality=None) == MospInstance(others, locality=None, local="HF")


def test_locality_brings_local_schedules() -> None:
    bound = alone().with_locality("5/4")
    assert bound == alone(locality="5/4", local="HF") and bound.provenance == {"local": "HF"}
    assert bound.digest == alone(locality="5/4").digest
    assert bound.relaxed() == alone(local="HF") != alone()
    assert alone().with_locality(None) == alone() == alone().relaxed()
    assert replace(alone(), name="x").local is None


def test_the_digest_of_one_without_local_schedules_is_of_its_own() -> None:
    assert alone().digest == "e6399bd6be83c657a0312046034929db298e8a3c1386e4360e7121d9f2e4e056"
    assert alone(local="HF").digest == "68ad1b204391bdc114cfd1ce283ad2706acbbcadaa962bf213b450e713b11e8b"
    assert alone(name="x").digest == alone(id="B").digest == alone().digest
    jobs = list(JOBS)
    different = [
        alone(local="HF"),
        alone(locality=1),
        alone(processors=5),
        alone(reservations=()),
        alone(reservations=(Reservation(5, 6, 2),)),
        alone(reservations=(Reservation(4, 6, 1),)),
        alone(reservations=(Reservation(5, 7, 1),)),
        alone(jobs=jobs[:2]),
        alone(jobs=[*jobs[:2], replace(jobs[2], release=F(2))]),
        alone(jobs=[*jobs[:2], replace(jobs[2], time=F(2))]),
        alone(jobs=[*jobs[:2], replace(jobs[2], processors=2)]),
        alone(jobs=jobs[::-1]),
    ]
    assert len({one.digest for one in [alone(), *different]}) == len(different) + 1


@settings(deadline=None, derandomize=True, max_examples=60)
@given(lone_instances())
def test_it_is_the_same_problem(instance: MospInstance) -> None:
    """Same ticks, same optimum, same verdicts as with local schedules, which bind nobody without locality."""
    carried = MospInstance(instance.organizations, None, "HF")
    assert instance.local is None and carried.local is not None
    assert replace(carried.scaled(), local_starts=()) == instance.scaled()
    makespan, schedule = brute_force(instance)
    assert makespan == brute_force(carried)[0] == schedule.makespan
    assert verify(instance, schedule) == verify(carried, schedule) == []
    assert loads(dumps(instance)) == instance and loads(dumps(carried)) == carried


@settings(deadline=None, derandomize=True, max_examples=60)
@given(lone_instances())
def test_a_search_has_something_to_begin_with(instance: MospInstance) -> None:
    scaled = instance.scaled()
    schedule = schedule_from_cluster_runs(instance, scaled, first_runs(scaled))
    assert verify(instance, schedule) == []
    ends = [held.end for held in instance.organizations[0].reservations]
    last = max([F(0), *(job.release for job in instance.jobs), *ends])
    assert schedule.makespan == last + sum(job.time for job in instance.jobs)
    carried = MospInstance(instance.organizations, None, "SPT")
    assert carried.local == {instance.jobs[run.job].id: run.start * scaled.tick for run in first_runs(carried.scaled())}


@settings(deadline=None, derandomize=True, max_examples=300)
@given(lone_instances(), st.lists(st.tuples(st.integers(0, 14), st.integers(0, 2)), min_size=4, max_size=4))
def test_the_verifier_names_every_clash_with_reservations(
    instance: MospInstance, places: list[tuple[int, int]]
) -> None:
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


@settings(deadline=None, derandomize=True, max_examples=40)
@given(lone_instances())
def test_reservations_after_every_job_change_nothing(instance: MospInstance) -> None:
    """They begin when all jobs could have ended one by one, and may take the whole cluster for long."""
    own = instance.organizations[0]
    last = max([F(0), *(job.release for job in own.jobs), *(held.end for held in own.reservations)])
    after = last + sum(job.time for job in own.jobs)
    held = (*own.reservations, Reservation(after, after + 10**6, 3), Reservation(after + 10**7, after + 10**8, 1))
    later = MospInstance([replace(own, reservations=held)], locality=None)
    assert brute_force(later)[0] == brute_force(instance)[0]
    carried = MospInstance(instance.organizations, None, "HF").local
    assert MospInstance(later.organizations, None, "HF").local == carried
    assert later.digest != instance.digest


@pytest.mark.parametrize("moment", [2**53, 2**62, 2**63, 10**30])
def test_ticks_are_too_many_not_overflown(moment: int) -> None:
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


def test_many_jobs_are_made_and_read() -> None:
    """List-scheduling them would take minutes."""
    jobs = [RigidJob(f"J{n}", n % 7 + 1, n % 5 + 1, n % 3) for n in range(20_000)]
    instance = alone(jobs=jobs, processors=8)
    assert instance.local is None and len(instance.digest) == 64
    assert loads(dumps(instance)) == instance
