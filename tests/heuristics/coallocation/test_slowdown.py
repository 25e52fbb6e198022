"""The queue heuristics where saturated links slow jobs down."""

from __future__ import annotations

from fractions import Fraction as F
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oas
from heuristics.coallocation.list_scheduling import PATIENT, QUEUE_METHODS
from oas.core.errors import InfeasibleError, LongTimesError
from oas.core.verifier import verify
from oas.exact.start import heuristic_schedules
from oas.generate import saturated
from oas.generate.coallocation.section4 import section4
from oas.problems.coallocation.allocations import allocations
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.progress import ends_of, starts_from_schedule
from oas.problems.coallocation.saturation import Saturation
from tests.heuristics.coallocation.test_methods import ORDERS
from tests.strategies import instances, random_instance

POLICIES = [
    Saturation("slowdown", threshold, sharing)
    for threshold in (None, F(1), F(3, 4), F(1, 3))
    for sharing in ("paper", "max-min")
]
every_method = pytest.mark.parametrize("method", QUEUE_METHODS, ids=lambda one: one.name)


def made(method, instance):
    """The schedule, or None where a job has no allocation."""
    try:
        return method(instance)
    except InfeasibleError:
        return None


def checked(method, instance):
    """The schedule's runs, by job: ends follow from starts, nodes serve one job at a time, starts are on the grid."""
    schedule = method(instance)
    assert verify(instance, schedule) == []
    runs = starts_from_schedule(instance, schedule)
    ends = ends_of(instance, runs)  # refuses what asks a link for more than it may be asked for
    assert [schedule[job.id].end for job in instance.jobs] == ends
    held = [
        (one.start, one.end, name, node)
        for one in schedule.placements
        for name in one.nodes
        for node in one.nodes[name]
    ]
    for start, end, *node in held:
        assert sum(other[2:] == tuple(node) and other[0] < end and start < other[1] for other in held) == 1
    for job, placement in ((job, schedule[job.id]) for job in instance.jobs):
        assert placement.tasks == job.tasks
        assert not instance.slot or placement.start % instance.slot == 0 == placement.end % instance.slot
    return runs, ends


@given(instances(max_jobs=6, feasible=False), st.sampled_from(POLICIES), st.sampled_from([*QUEUE_METHODS, PATIENT]))
def test_every_schedule_keeps_the_rules(instance, policy, method):
    slowed = instance.with_saturation(policy)
    if made(method, slowed) is not None:
        checked(method, slowed)


@every_method
def test_what_may_not_be_exceeded_is_forbidden(method):
    limits = [Saturation("slowdown", 1, sharing) for sharing in ("paper", "max-min")]
    papers = [section4(seed=0, bandwidth="tight", slot_percent=percent) for percent in (0, 10)]
    for instance in [*map(random_instance, range(40)), *papers]:
        plain = method(instance)
        assert all(method(instance.with_saturation(limit)) == plain for limit in limits)


@every_method
def test_starts_follow_the_queue(method):
    """A job starts at 0 or where one ends; one that waits does not fit, or in a blocking queue is not first.

    At the threshold 1 saturation is forbidden.
    """
    for seed in range(40):
        instance = random_instance(seed, max_jobs=6).with_saturation(Random(seed).choice(POLICIES))
        runs, ends = checked(method, instance)
        order = ORDERS[method.name]
        queue = sorted(range(len(runs)), key=lambda one: (order(instance.jobs[one]), one))
        assert {run.start for run in runs} <= {F(0), *ends}
        if method.name != "FPFS":
            assert [runs[one].start for one in queue] == sorted(run.start for run in runs)
        for place, job in enumerate(queue):
            for moment in sorted({F(0), *ends}):
                before = max((runs[one].start for one in queue[:place]), default=F(0))
                if moment < runs[job].start and (method.name == "FPFS" or moment >= before):
                    beside = [
                        runs[one].allocation
                        for one in queue
                        if runs[one].start <= moment < ends[one]
                        and (runs[one].start < moment or queue.index(one) < place)
                    ]
                    assert not fits(instance, job, beside)


def fits(instance, job, beside):
    """Whether some allocation fits beside these."""
    scaled = instance.scaled()
    return any(
        all(
            count + sum(one.counts[index] for one in beside) <= len(scaled.classes[index].nodes)
            for index, count in enumerate(choice.counts)
        )
        and all(
            load + sum(one.loads[index] for one in beside) <= scaled.link_capacity[index]
            for index, load in enumerate(choice.loads)
        )
        for choice in allocations(scaled, job)
    )


SPLIT = [Cluster("A", [NodeGroup(2, 1)], 1), Cluster("B", [NodeGroup(1, 1)], 1)]
TWO = [Job("x", 1, 4), Job("z", 2, 8, 2, F(1, 2))]


@pytest.mark.parametrize(
    ("saturation", "slot", "z"),
    [
        ("forbid", 0, (4, 12)),
        ({"policy": "slowdown", "threshold": F(3, 4)}, 0, (4, 12)),
        ({"policy": "slowdown", "threshold": F(1, 2)}, 0, (0, 12)),
        ("slowdown", 5, (0, 15)),
        ({"policy": "slowdown", "sharing": "max-min"}, 0, (0, 12)),
    ],
)
def test_a_split_within_the_threshold_starts_at_once_and_is_slowed(saturation, slot, z):
    """The job z takes 4 + 4·SC; split, it asks each link for 2 of 1."""
    schedule = QUEUE_METHODS[0](CoallocationInstance(SPLIT, TWO, slot, saturation))
    assert (schedule["z"].start, schedule["z"].end) == z


def uneven(count):
    """Jobs and speeds without common divisors, so that exact times grow long."""
    rng = Random(3)
    jobs = [
        Job(f"J{one}", rng.randint(2, 5), rng.randint(100, 999), rng.randint(1, 7), F(rng.randint(1, 9), 10))
        for one in range(count)
    ]
    return CoallocationInstance([Cluster(name, [NodeGroup(4, 1)], 5) for name in "ABC"], jobs, 0, "slowdown")


def test_a_solve_begins_with_those_whose_times_are_short():
    instance = section4(seed=1, jobs=16, bandwidth="tight", slot_percent=0).with_saturation("slowdown")
    with pytest.raises(LongTimesError):
        QUEUE_METHODS[1](instance)
    assert "SJF" not in dict(heuristic_schedules(instance))
    assert oas.solve(instance, solver="highs", formulation="phases", time_limit=0.01).schedule is not None
    compared = oas.compare(instance, heuristics=["SJF", "FCFS"], time_limit=1)
    rows = {row.method: row for row in compared.rows}
    assert "choose a slot size" in rows["SJF"].note and not rows["SJF"].failed and rows["FCFS"].makespan
    long = uneven(300)
    with pytest.raises(LongTimesError, match="slot: exact times need more than 40 digits"):
        oas.solve(long, time_limit=1)
    assert oas.compare(long, time_limit=1).result.schedule is None


def test_patience_by_hand():
    """Split at once, z would take 2 + 8·4; when x has ended, z fits into A, for 10."""
    clusters = [Cluster("A", [NodeGroup(2, 1)], 1), Cluster("B", [NodeGroup(1, 1)], 1)]
    for time, run in ((21, (21, 31)), (30, (0, 34))):
        jobs = [Job("z", 2, 10, 4, F(1, 5)), Job("x", 1, time)]
        found = PATIENT(CoallocationInstance(clusters, jobs, 0, "slowdown"))["z"]
        assert (found.start, found.end) == run


@pytest.mark.parametrize("slot", [0, 2])
def test_patience_pays_in_the_mean(slot):
    grids = [saturated(seed=seed, jobs=10, clusters=4, nodes=3, slot=slot) for seed in range(30)]
    greedy = next(one for one in QUEUE_METHODS if one.name == "FPFS")
    ratios = [PATIENT(one).makespan / greedy(one).makespan for one in grids]
    assert sum(ratios) < F(95, 100) * len(ratios)
