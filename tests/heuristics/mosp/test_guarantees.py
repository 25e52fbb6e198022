"""What is promised of list schedules and batches on one cluster with reservations, class by class."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from heuristics.registry import find_method
from oas.exact.mosp.brute_force import brute_force
from oas.generate.mosp.worst_cases import WORST_CASES
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, Reservation, RigidJob

LISTS = ("FCFS", "LPT", "RND", "LSRC(FCFS)", "LSRC(HF)")


def cluster(processors: int, jobs: list[tuple[int, int, int]], *reservations: Reservation) -> MospInstance:
    """Jobs (time, processors, release) on one cluster alone."""
    made = [RigidJob(f"J{index}", *job) for index, job in enumerate(jobs)]
    return MospInstance([Organization("C", processors, made, reservations)], None)


def promised(name: str, instance: MospInstance) -> F | None:
    method = find_method(name, MospInstance)
    guarantee = method.guarantee(instance) if method.guarantee else None
    return guarantee and guarantee.value


EARLY, LATE = Reservation(0, 3, 2), Reservation(2, 6, 2)
JOBS, RELEASED = [(3, 1, 0), (2, 2, 0)], [(3, 1, 0), (2, 2, 1)]


@pytest.mark.parametrize(
    ("instance", "of_lists", "of_batches"),
    [
        (cluster(5, JOBS), F(9, 5), F(9, 5)),
        (cluster(5, RELEASED), None, F(18, 5)),
        (cluster(5, JOBS, EARLY), F(9, 5), F(9, 5)),  # a schedule ends when the reservation does
        (cluster(5, JOBS, Reservation(0, 9, 2)), F(5, 3), F(5, 3)),
        (cluster(5, JOBS, Reservation(0, 9, 2), Reservation(0, 2, 1)), F(5, 3), F(5, 3)),
        (cluster(5, RELEASED, Reservation(0, 9, 2)), None, F(18, 5)),  # the last batch may end after it
        (cluster(5, JOBS, LATE), F(10, 3), F(10, 3)),
        (cluster(5, RELEASED, LATE), None, F(20, 3)),
        (cluster(5, JOBS, EARLY, LATE), None, None),  # at 2 one processor is free, too few for the second job
        (cluster(5, JOBS, Reservation(2, 3, 5)), None, None),
        (cluster(5, RELEASED, Reservation(2, 3, 5)), None, None),
    ],
)
def test_each_class_has_its_ratio(instance: MospInstance, of_lists: F | None, of_batches: F | None) -> None:
    assert [promised(name, instance) for name in LISTS] == [of_lists] * len(LISTS)
    assert [promised(f"BATCH({name})", instance) for name in LISTS] == [of_batches] * len(LISTS)
    for name in ("FCFS-strict", "conservative", "EASY", "BATCH(EASY)", "BATCH(FCFS-strict)"):
        assert promised(name, instance) is None


def test_several_clusters_have_none() -> None:
    pair = MospInstance([Organization("A", 2, [RigidJob("a", 1, 1)]), Organization("B", 2)], None)
    assert promised("LSRC(LPT)", pair) is promised("BATCH(LPT)", pair) is None


def test_processors_are_counted_no_earlier_than_the_optimum() -> None:
    """At the area bound one processor is free, which would promise the optimum itself: 12, but a list ends at 15."""
    instance = cluster(4, [(1, 1, 0)] * 20 + [(4, 1, 0)], Reservation(0, 8, 3))
    longest, given = (find_method(f"LSRC({order})", MospInstance)(instance).makespan for order in ("LPT", "FCFS"))
    assert (longest, given) == (12, 15)
    assert sum(job.time for job in instance.jobs) / 4 == 6
    assert promised("LSRC(FCFS)", instance) == F(7, 4)


def test_local_schedules_promise_as_lists_do() -> None:
    """An organization alone with locality: its local schedule beside reservations is a list schedule."""
    jobs = [RigidJob("a", 3, 1), RigidJob("b", 2, 2)]
    instance = MospInstance([Organization("C", 5, jobs, [LATE])])
    assert promised("local", instance) == F(10, 3)
    late = MospInstance(instance.organizations, local={"a": 6, "b": 6})
    assert promised("local", late) is None


@pytest.mark.parametrize("k", range(2, 9))
def test_the_tight_instance_of_proposition_2(k: int) -> None:
    """2/α is missed by less than 1: the ratio is 2/α - 1 + α/2."""
    instance = WORST_CASES["tight-lsrc"].function(k=k)
    assert promised("LSRC(FCFS)", instance) == (2 - F(1, k * k * (k - 1)) if k == 2 else k)
    assert find_method("LSRC(FCFS)", MospInstance)(instance).makespan == k - 1 + F(1, k)


@pytest.mark.parametrize("m", range(2, 9))
def test_grahams_instance_reaches_its_ratio(m: int) -> None:
    instance = WORST_CASES["graham-list"].function(processors=m)
    ratio = find_method("LSRC(FCFS)", MospInstance)(instance).makespan / m
    assert promised("LSRC(FCFS)", instance) == ratio == 2 - F(1, m)
    assert m > 2 or brute_force(instance)[0] == m
