from fractions import Fraction as F

import pytest

from oas.core.errors import TooLargeError
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, Reservation, RigidJob
from tests.problems.mosp.instances import random_instance


def one(*jobs: RigidJob, **changes: object) -> MospInstance:
    return MospInstance([Organization("A", 4, jobs)], **changes)  # type: ignore[arg-type]


def test_every_number_in_ticks() -> None:
    instance = MospInstance(
        [
            Organization("A", 4, [RigidJob("a", "3/2", 2), RigidJob("b", 1, 4, "1/3")], [Reservation("5/4", 9, 1)]),
            Organization("B", 2),
            Organization("C", 3, [RigidJob("c", 2, 3)]),
        ],
        "6/5",
        {"a": 9, "b": "74/7", "c": "1/2"},
    )
    scaled = instance.scaled()
    assert scaled.tick == F(1, 84)
    assert scaled.processors == (4, 2, 3)
    assert scaled.times == (126, 84, 168)
    assert scaled.widths == (2, 4, 3)
    assert scaled.releases == (0, 28, 0)
    assert scaled.owners == (0, 0, 2)
    assert scaled.reservations == ((0, 105, 756, 1),)
    assert scaled.local_starts == (756, 888, 42)
    # 81/7 · 6/5 · 84 = 1166.4 and 5/2 · 6/5 · 84 = 252
    assert scaled.deadlines == (1166, 0, 252)
    assert (scaled.job_count, scaled.cluster_count) == (3, 3)
    assert scaled.to_time(888) == F(74, 7)


@pytest.mark.parametrize("place", ["time", "release", "start", "end", "local"])
def test_each_kind_of_time_counts_for_the_unit(place: str) -> None:
    value = {kind: F(2) for kind in ("time", "release", "start", "end", "local")} | {"end": F(3), "local": F(4)}
    value[place] += F(1, 7)
    job = RigidJob("a", value["time"], 1, value["release"])
    organization = Organization("A", 1, [job], [Reservation(value["start"], value["end"], 1)])
    assert MospInstance([organization], local={"a": value["local"]}).scaled().tick == F(1, 7)


def test_without_locality_there_are_no_deadlines() -> None:
    assert one(RigidJob("a", 1, 1), locality=None).scaled().deadlines == (None,)


def test_exact_on_random_instances() -> None:
    for seed in range(300):
        instance = random_instance(seed)
        scaled = instance.scaled()
        tick = scaled.tick
        assert tick.numerator == 1
        assert [time * tick for time in scaled.times] == [job.time for job in instance.jobs]
        assert [time * tick for time in scaled.releases] == [job.release for job in instance.jobs]
        assert [start * tick for start in scaled.local_starts] == [instance.local[job.id] for job in instance.jobs]
        assert list(scaled.widths) == [job.processors for job in instance.jobs]
        assert [instance.organizations[k].jobs for k in range(scaled.cluster_count)] == [
            tuple(job for job, owner in zip(instance.jobs, scaled.owners, strict=True) if owner == k)
            for k in range(scaled.cluster_count)
        ]
        held = [
            (k, r.start, r.end, r.processors) for k, one in enumerate(instance.organizations) for r in one.reservations
        ]
        assert [(k, start * tick, end * tick, count) for k, start, end, count in scaled.reservations] == held
        for deadline, moment in zip(scaled.deadlines, instance.deadlines, strict=True):
            if moment is None:
                assert deadline is None
            else:
                assert deadline is not None and deadline * tick <= moment < (deadline + 1) * tick


def test_too_many_ticks() -> None:
    limit = F(2**53)
    assert one(RigidJob("a", limit / 2, 1), RigidJob("b", limit / 2 - 1, 4), local={"a": 0, "b": 0 + limit // 2})
    for time in (limit, F(1, 2**60) + 1):
        with pytest.raises(TooLargeError, match="2\\^53 ticks"):
            one(RigidJob("a", time, 1)).scaled()
    with pytest.raises(TooLargeError):
        one(RigidJob("a", 1, 1), local={"a": limit - 1}).scaled()
    assert one(RigidJob("a", 1, 1), local={"a": limit - 2}).scaled().local_starts == (2**53 - 2,)


def test_long_denominators_are_refused_without_working_them_out() -> None:
    jobs = [RigidJob(f"J{n}", F(1, 10**39 + n), 1) for n in range(1, 2000)]
    instance = one(*jobs, local={job.id: n for n, job in enumerate(jobs)})
    with pytest.raises(TooLargeError, match="coarser times"):
        instance.scaled()


def test_more_processors_than_can_be_counted():
    instance = MospInstance([Organization("A", 2**53, [RigidJob("a", 1, 1)])])
    with pytest.raises(TooLargeError, match=r"fewer than 2\^53"):
        instance.scaled()
