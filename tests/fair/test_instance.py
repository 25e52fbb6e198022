"""Instances of fair sharing, in ticks, with schedules as starts: what is refused, and what leads back."""

from dataclasses import replace
from fractions import Fraction as F
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oas.core.errors import InputError, TooLargeError
from oas.core.rigid import Organization, Reservation, RigidJob, split_processors
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.fair.instance import FairInstance
from oas.fair.ticks import (
    NOT_STARTED,
    FairTicks,
    row_of_starts,
    schedule_from_starts,
    starts_from_schedule,
    stream_ticks,
)
from oas.queueing.stream import JobStream
from tests.fair.instances import array_of, fair, random_instance, random_starts

A = Organization("A", 2, [RigidJob("a1", 3, 1), RigidJob("a2", 2, 2, 5)])
B = Organization("B", 1, [RigidJob("b1", 1, 1, 2)])
LATE = [Organization("A", 1, [RigidJob("a", 1, 1, 7)]), Organization("B", 1, [RigidJob("b", 1, 1, 6)])]


def with_jobs(*jobs):
    return [A, replace(B, jobs=jobs)]


@pytest.mark.parametrize(
    ("organizations", "horizon", "field", "reason", "value"),
    [
        ([], 14, "organizations", "at least one organization", None),
        ([A, A], 14, "organizations[1].id", "the id is taken", "A"),
        ([A, Organization("B", 1)], 14, "organizations[1].jobs", "at least one job", None),
        (with_jobs(RigidJob("a1", 1, 1)), 14, "organizations[1].jobs[0].id", "the id is taken", "a1"),
        (with_jobs(RigidJob("b", 1, 1), RigidJob("b", 1, 1)), 14, "organizations[1].jobs[1].id", "is taken", "b"),
        (with_jobs(RigidJob("b", "5/2", 1)), 14, "organizations[1].jobs[0].time", "a whole number", "5/2"),
        (with_jobs(RigidJob("b", 1, 1, "1/3")), 14, "organizations[1].jobs[0].release", "a whole number", "1/3"),
        (
            with_jobs(RigidJob("b", 1, 1, 3), RigidJob("c", 1, 1, 2)),
            14,
            "organizations[1].jobs[1].release",
            "must not be before the release of its predecessor b, 3",
            "2",
        ),
        (
            [replace(A, reservations=(Reservation(0, 1, 1),))],
            14,
            "organizations[0].reservations",
            "there are none in fair sharing; remove them",
            None,
        ),
        ([A, B], 0, "horizon", "at least 1", 0),
        ([A, B], F(5, 2), "horizon", "must be an integer", F(5, 2)),
        ([A, B], 10**90, "horizon", "too long", 10**90),
        (LATE, 6, "horizon", "no job is released before it", 6),
    ],
)
def test_instances_that_are_refused(organizations, horizon, field, reason, value):
    with pytest.raises(InputError) as caught:
        FairInstance(organizations, horizon)
    assert caught.value.field == field and reason in caught.value.reason
    assert field == "horizon" or caught.value.value == value


def test_whole_numbers_of_any_kind_and_another_horizon():
    other = FairInstance([A, B], 14, "two", {"by": "hand"}).with_horizon(3)
    assert other == FairInstance([A, B], 3, "two") and other.provenance == {"by": "hand"}
    whole = Organization("A", np.int64(2), [RigidJob("a1", 3.0, 1), RigidJob("a2", np.int32(2), 2, F(5))])
    assert FairInstance([whole, B], np.int64(14)) == FairInstance([A, B], 14)


def test_digest():
    """Names do not count; what the instance means does."""
    instance = FairInstance([A, B], 14)
    assert instance.digest == "e445d1fbe34a13b5ddf9ad910e8245b94dd652242a821eef70e1141115e2720a"
    renamed = [replace(A, id="X", jobs=tuple(replace(job, id=f"x{job.id}") for job in A.jobs)), B]
    assert FairInstance(renamed, 14, "named", {"by": "hand"}).digest == instance.digest
    others = [
        instance.with_horizon(15),
        FairInstance([B, A], 14),
        FairInstance([replace(A, processors=3), B], 14),
        FairInstance([replace(A, jobs=A.jobs[::-1][1:]), B], 14),
        FairInstance(with_jobs(RigidJob("b1", 2, 1, 2)), 14),
        FairInstance(with_jobs(RigidJob("b1", 1, 1, 3)), 14),
        fair((2, [(3, 0), (2, 5)]), (1, [(1, 2)]), horizon=14),
    ]
    assert len({instance.digest, *(one.digest for one in others)}) == 1 + len(others)


# Ticks

COLUMNS = {"machines": [2, 1], "owner": [0, 1, 0], "release": [0, 0, 4], "time": [3, 2, 1], "width": [2, 1, 1]}
COLUMNS["horizon"] = 9


@pytest.mark.parametrize(
    ("changes", "field", "value"),
    [
        ({"machines": [2, 0]}, "machines[1]", 0),
        ({"machines": []}, "machines", None),
        ({"owner": [0, 2, 0]}, "owner[1]", 2),
        ({"release": [0, 5, 4]}, "release[2]", 4),
        ({"release": [-1, 0, 4]}, "release[0]", -1),
        ({"release": [0, 0]}, "release", None),
        ({"time": [3, 0, 1]}, "time[1]", 0),
        ({"time": [3, 1.5, 1]}, "time", "float64"),
        ({"time": [3, 2**62, 1]}, "time[1]", 2**62),
        ({"width": [2, 2, 1]}, "width[1]", 2),
        ({"horizon": 0}, "horizon", 0),
        ({"order": [0, 1]}, "order", None),
    ],
)
def test_columns_that_are_refused(changes, field, value):
    with pytest.raises(InputError) as caught:
        FairTicks(**{**COLUMNS, **changes})
    assert (caught.value.field, caught.value.value) == (field, value)


def test_the_largest_that_can_be_counted():
    ticks = fair((10**6, [(1,), (2**62 - 1, 2**62 - 1)]), horizon=2**62 - 1).scaled()
    assert ticks.total == 10**6 and ticks.time[1] == ticks.release[1] == 2**62 - 1
    with pytest.raises(TooLargeError, match=r"below 2\^62"):
        FairTicks(**{**COLUMNS, "horizon": 2**62})
    with pytest.raises(TooLargeError, match=r"fewer than 2\^31"):
        FairTicks(**{**COLUMNS, "machines": [2**31 - 1, 1]})
    for instance in (
        fair((1, [(2**62,)]), horizon=1),
        fair((1, [(1, 0), (1, 2**62)]), horizon=1),
        fair((1, [(1,)]), horizon=2**62),
    ):
        with pytest.raises(TooLargeError):
            instance.scaled()


@pytest.mark.parametrize("seed", range(10))
def test_a_stream_makes_the_same_and_order_leads_back(seed):
    """Jobs of one moment are in any order in a stream; those of one organization keep theirs."""
    instance = random_instance(seed)
    queues = [list(own.jobs) for own in instance.organizations]
    rng, mixed = Random(seed), []
    while any(queues):
        earliest = min(queue[0].release for queue in queues if queue)
        k = rng.choice([k for k, queue in enumerate(queues) if queue and queue[0].release == earliest])
        mixed.append((queues[k].pop(0), k))
    stream = JobStream(
        [job.id for job, _ in mixed],
        [int(job.release) for job, _ in mixed],
        [int(job.time) for job, _ in mixed],
        [job.processors for job, _ in mixed],
        [k for _, k in mixed],
    )
    own = instance.scaled()
    made = stream_ticks(stream, [one.processors for one in instance.organizations], instance.horizon)
    for name in ("machines", "owner", "release", "time", "width"):
        assert (getattr(made, name) == getattr(own, name)).all()
    assert made.order is not None and own.order is not None
    jobs = [instance.jobs[position] for position in own.order]
    assert [str(stream.ids[position]) for position in made.order] == [job.id for job in jobs]
    found = zip(own.release, own.time, own.width, own.owner, strict=True)
    assert list(found) == [(job.release, job.time, job.processors, instance.owner[job.id]) for job in jobs]
    assert all((np.diff(own.order[own.owner == k]) > 0).all() for k in range(own.organization_count))


def test_streams_and_rows_of_starts_that_are_refused():
    with pytest.raises(InputError, match=r"owner\[1\].*from 0 on.*-1"):
        stream_ticks(JobStream([1, 2], [0, 1], [1, 1], [1, 2], [0, -1]), [4], 9)
    with pytest.raises(InputError, match=r"width\[1\]: wider than the organization's own"):
        stream_ticks(JobStream([1, 2], [0, 1], [1, 1], [1, 2], [0, 0]), [1], 9)
    with pytest.raises(InputError, match=r"owner\[0\]: there is no such organization"):
        stream_ticks(JobStream([1], [0], [1], [1], [3]), [4], 9)
    ticks = FairTicks(**COLUMNS)
    assert row_of_starts(ticks, [0, -1, 4]).tolist() == [0, -1, 4]
    for starts in ([0, 1], [[0, 1, 2]], [0, 1, -2], ["a", "b", "c"], [0, 1, 2.0]):
        with pytest.raises(InputError, match="starts"):
            row_of_starts(ticks, starts)


# Schedules as starts


@pytest.mark.parametrize("seed", range(40))
def test_there_and_back(seed):
    instance = random_instance(seed)
    starts = random_starts(instance, seed)
    array = array_of(instance, starts)
    schedule = schedule_from_starts(instance, array, "by lot")
    assert schedule.method == "by lot"
    assert verify(instance, schedule) == []
    assert {one.job: one.start for one in schedule.placements} == starts
    assert starts_from_schedule(instance, schedule).tolist() == array.tolist()


def test_the_lowest_idle_processors_are_taken():
    instance = fair((2, [(2,), (1,), (3, 1)]), (2, [(2, 0, 2), (1, 1)]), horizon=9)
    schedule = schedule_from_starts(instance, [0, 0, 0, 1, 2])
    assert {one.job: one.nodes for one in schedule.placements} == {
        "a1": {"A": (0,)},
        "a2": {"A": (1,)},
        "b1": {"B": (0, 1)},
        "a3": {"A": (1,)},
        "b2": {"A": (0,)},
    }
    wide = fair((2, [(1,), (2, 0, 2)]), (1, [(5,)]), horizon=9)
    spanning = schedule_from_starts(wide, [0, 1, 0])
    assert spanning["b1"].nodes == {"A": (1,)}
    assert spanning["a2"].nodes == {"A": (0,), "B": (0,)}


def test_starts_that_are_refused():
    instance = fair((1, [(5,), (1,)]), horizon=9)
    assert [one.job for one in schedule_from_starts(instance, [0, NOT_STARTED]).placements] == ["a1"]
    with pytest.raises(InputError, match="starts: job a2 finds 0 of 1 processors idle at 4"):
        schedule_from_starts(instance, [0, 4])
    with pytest.raises(InputError, match="one row of 2"):
        schedule_from_starts(instance, [0])
    with pytest.raises(InputError, match=r"no job has this id.*'z'"):
        starts_from_schedule(instance, Schedule([Placement("z", 0, 1, {"A": [0]})]))
    with pytest.raises(InputError, match=r"start of a1: must be a whole number.*1/2"):
        starts_from_schedule(instance, Schedule([Placement("a1", "1/2", 1, {"A": [0]})]))


# Processors shared out among organizations


@given(st.integers(1, 40), st.integers(0, 500), st.sampled_from(["uniform", "zipf"]))
def test_all_are_given_away_and_everyone_has_one(count, more, split):
    total = count + more
    sizes = split_processors(total, count, split)
    assert sum(sizes) == total and min(sizes) >= 1
    assert sizes == sorted(sizes, reverse=True)
    weights = [F(1, k if split == "zipf" else 1) for k in range(1, count + 1)]
    shares = [total * weight / sum(weights) for weight in weights]
    if min(shares) >= 1:
        assert all(abs(size - share) < 1 for size, share in zip(sizes, shares, strict=True))


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ((4, 5, "zipf"), "processors"),
        ((0, 1, "zipf"), "processors"),
        ((4, 0, "zipf"), "organizations"),
        ((4, 2, "zipff"), "machines"),
    ],
)
def test_splits_that_are_refused(arguments, field):
    with pytest.raises(InputError) as caught:
        split_processors(*arguments)
    assert caught.value.field == field
