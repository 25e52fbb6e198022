"""Queue heuristics of co-allocation: feasible, in their own order, never later than they must be; with slowed links."""

from collections import Counter
from fractions import Fraction as F
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oas
from heuristics.coallocation.list_engine import one_cluster_first
from heuristics.coallocation.list_scheduling import PATIENT, QUEUE_METHODS
from oas.coallocation.allocations import allocations, slowest_level, tasks_by_cluster
from oas.coallocation.generate.section4 import section4
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.rates import slowdowns_on_links
from oas.coallocation.running import ends_of, starts_from_schedule
from oas.coallocation.saturation import Saturation
from oas.core.clock import clock
from oas.core.errors import InfeasibleError, LongTimesError
from oas.core.verifier import verify
from oas.solving.lower_bound import best_bound
from oas.solving.methods import toolkit_methods
from oas.solving.start import heuristic_schedules
from tests.coallocation.naive import fit_together
from tests.strategies import instances, random_instance

METHODS = {method.name: method for method in toolkit_methods(CoallocationInstance)}
# Sorted by these, ties by index.
ORDERS = {
    "FCFS": lambda job: F(0),
    "SJF": lambda job: F(job.tasks),
    "BJF": lambda job: F(-job.tasks),
    "FPFS": lambda job: F(0),
    "SPT": lambda job: job.base_time,
    "LPT": lambda job: -job.base_time,
}
RANDOM = [random_instance(seed) for seed in range(40)]
PAPER = [
    section4(seed=seed, bandwidth=bandwidth, slot_percent=percent)
    for seed in (0, 1)
    for bandwidth in ("std", "tight")
    for percent in (0, 50, 100)
]
every_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


@every_method
def test_feasible_everywhere(method):
    for instance in [*RANDOM, *PAPER]:
        schedule = method(instance)
        assert verify(instance, schedule) == []
        assert schedule.makespan >= best_bound(instance).value
        assert schedule.method == method.name
        assert method(instance, seed=1) == schedule


# Three nodes of full power, so that every schedule can be worked out by hand.
HAND = CoallocationInstance(
    [Cluster("A", [NodeGroup(3, 1)], 0)], [Job("a", 2, 4), Job("b", 3, 1), Job("c", 1, 2), Job("d", 1, 3)], slot=1
)


@pytest.mark.parametrize(
    ("name", "starts", "makespan"),
    [
        ("FCFS", {"a": 0, "b": 4, "c": 5, "d": 5}, 8),
        ("SJF", {"c": 0, "d": 0, "a": 2, "b": 6}, 7),
        ("BJF", {"b": 0, "a": 1, "c": 1, "d": 3}, 6),
        ("FPFS", {"a": 0, "c": 0, "d": 2, "b": 5}, 6),
        ("SPT", {"b": 0, "c": 1, "d": 1, "a": 3}, 7),
        ("LPT", {"a": 0, "d": 0, "c": 3, "b": 5}, 6),
    ],
)
def test_by_hand(name, starts, makespan):
    for slot in (1, 0):
        schedule = METHODS[name](HAND.with_slot(slot))
        assert {one.job: one.start for one in schedule.placements} == starts
        assert schedule.makespan == makespan


@every_method
def test_infeasible_names_the_jobs(method):
    clusters = [Cluster("A", [NodeGroup(1, 1)], 0), Cluster("B", [NodeGroup(1, 1)], 9)]
    instance = CoallocationInstance(clusters, [Job("fine", 1, 1), Job("torn", 2, 1, 1)])
    with pytest.raises(InfeasibleError, match="no allocation exists for: torn "):
        method(instance)


def states(count):
    """Random jobs in random states: free nodes of each class and free capacity of each link."""
    for seed in range(count):
        rng, scaled = Random(seed), random_instance(seed, max_nodes=8, feasible=False).scaled()
        full = rng.choice((True, False))
        free = [len(one.nodes) if full else rng.randint(0, len(one.nodes)) for one in scaled.classes]
        residual = [capacity if full else rng.randint(0, capacity) for capacity in scaled.link_capacity]
        for job in range(scaled.job_count):
            yield scaled, job, free, residual


def fitting(scaled, job, free, residual):
    return [
        one
        for one in allocations(scaled, job)
        if all(count <= most for count, most in zip(one.counts, free, strict=True))
        and all(load <= most for load, most in zip(one.loads, residual, strict=True))
    ]


def split(scaled, one):
    """Tasks on each cluster."""
    return tasks_by_cluster(scaled, one.counts)


def first_choice(scaled, job, free, choices):
    """By definition: one cluster if possible; the fastest level; most free nodes first; slow nodes first."""
    whole = [one for one in choices if max(split(scaled, one)) == scaled.tasks[job]]
    fastest = min(slowest_level(scaled, one.counts) for one in whole or choices)
    at_level = [0] * scaled.cluster_count
    for node_class, nodes in zip(scaled.classes, free, strict=True):
        at_level[node_class.cluster] += nodes if node_class.level <= fastest else 0
    clusters = sorted(range(scaled.cluster_count), key=lambda cluster: 0 if whole else -at_level[cluster])
    slow_first = sorted(range(len(scaled.classes)), key=lambda one: -scaled.classes[one].level)
    return max(
        (one for one in whole or choices if slowest_level(scaled, one.counts) == fastest),
        key=lambda one: ([split(scaled, one)[k] for k in clusters], [one.counts[k] for k in slow_first]),
    )


def test_an_allocation_is_chosen_as_defined_whenever_there_is_one():
    kinds = Counter()
    for scaled, job, free, residual in states(600):
        choices = fitting(scaled, job, free, residual)
        chosen = one_cluster_first(scaled, job, free, residual)
        if choices:
            kinds["one cluster" if max(split(scaled, chosen)) == scaled.tasks[job] else "spread"] += 1
            assert chosen == first_choice(scaled, job, free, choices)
        else:
            kinds["blocked by links" if sum(free) >= scaled.tasks[job] else "too few nodes"] += 1
            assert chosen is None
    assert len(kinds) == 4 and min(kinds.values()) >= 20, kinds


def test_a_split_looks_ahead():
    """Filled greedily, A, B and C take a task each, and D's link carries two or four more, but not three."""
    links = {"A": 5, "B": 5, "C": 5, "D": 8}  # c tasks behind a link load it with c·(6 − c)
    clusters = [Cluster(name, [NodeGroup(4, 1)], link) for name, link in links.items()]
    scaled = CoallocationInstance(clusters, [Job("j", 6, 1, 5)]).scaled()
    chosen = one_cluster_first(scaled, 0, [4, 4, 4, 4], scaled.link_capacity)
    assert chosen is not None and chosen.counts == (1, 1, 0, 4)


POLICIES = [
    Saturation("slowdown", threshold, sharing)
    for threshold in (None, F(1), F(3, 4), F(1, 3))
    for sharing in ("paper", "max-min")
]
every_list = pytest.mark.parametrize("method", QUEUE_METHODS, ids=lambda one: one.name)


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


@every_list
def test_what_may_not_be_exceeded_is_forbidden(method):
    limits = [Saturation("slowdown", 1, sharing) for sharing in ("paper", "max-min")]
    papers = [section4(seed=0, bandwidth="tight", slot_percent=percent) for percent in (0, 10)]
    for instance in [*map(random_instance, range(40)), *papers]:
        plain = method(instance)
        assert all(method(instance.with_saturation(limit)) == plain for limit in limits)


@every_list
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
    """Whether some allocation fits next to these."""
    scaled = instance.scaled()
    return any(fit_together(scaled, [choice, *beside]) for choice in allocations(scaled, job))


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


@pytest.mark.slow
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
    """Split immediately, z would take 2 + 8·4; after the end of x, z fits into A, for 10."""
    clusters = [Cluster("A", [NodeGroup(2, 1)], 1), Cluster("B", [NodeGroup(1, 1)], 1)]
    for time, run in ((21, (21, 31)), (30, (0, 34))):
        jobs = [Job("z", 2, 10, 4, F(1, 5)), Job("x", 1, time)]
        found = PATIENT(CoallocationInstance(clusters, jobs, 0, "slowdown"))["z"]
        assert (found.start, found.end) == run


class OutOfTimeError(Exception):
    """Ends a loop that checks the clock."""


@pytest.mark.parametrize("name", ["FCFS", "FPFS", "PATIENT"])
def test_a_queue_that_is_traversed_checks_the_clock_at_each_job(monkeypatch, name):
    monkeypatch.setattr("oas.core.clock.INTERVAL", 0)
    looks = []

    def look():
        looks.append(None)
        if len(looks) == 5:
            raise OutOfTimeError

    # All jobs start at once: without a check at each job there are fewer.
    grid = CoallocationInstance([Cluster("C", [NodeGroup(8, 1)], 5)], [Job(f"j{k}", 1, 1) for k in range(8)])
    slowed = grid.with_saturation("slowdown")
    methods = {one.name: one for one in (*QUEUE_METHODS, PATIENT)}
    with pytest.raises(OutOfTimeError), clock(look):
        methods[name](slowed)


def test_links_without_load_are_not_visited():
    bandwidth = {3: 5, 700: 4}  # access to another link is an error
    for sharing in ("paper", "max-min"):
        assert slowdowns_on_links(sharing, bandwidth, [[(3, 6), (700, 2)], [(3, 4)], []]) == [2, 2, 1]
