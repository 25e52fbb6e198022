"""Brute force of co-allocation, with and without slowdown: by hand, and against all starts times all sets of nodes."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import combinations, pairwise, product

import pytest

from oas.coallocation.allocations import allocations, jobs_without_allocation
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.running import StartedRun, schedule_from_starts
from oas.core.errors import InfeasibleError, InputError, TooLargeError
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.generate import saturated, tiny
from oas.solving.brute_force import brute_force
from tests.coallocation.given_nodes import optimum_on
from tests.coallocation.grids import NODES, four_jobs
from tests.coallocation.naive import naive_accepts, naive_load, naive_time
from tests.slow import at_least, draws
from tests.strategies import random_instance


def optimum(instance: CoallocationInstance) -> F:
    makespan, schedule = brute_force(instance)
    assert schedule.makespan == makespan
    assert verify(instance, schedule) == []
    assert instance.saturation.slows or naive_accepts(instance, schedule)
    return makespan


def test_two_machines_by_hand() -> None:
    """3, 3, 2, 2, 2 on two nodes: 6, where longest-first gives 7."""
    jobs = [Job(f"J{n}", 1, time) for n, time in enumerate((3, 3, 2, 2, 2))]
    assert optimum(CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 0)], jobs)) == 6


def test_starting_later_than_the_nodes_allow() -> None:
    """Three clusters of two; two jobs of three tasks fill them and must meet on some link: both, or one at a time."""

    def makespan(link):
        clusters = [Cluster(name, [NodeGroup(2, 1)], link) for name in "ABC"]
        return optimum(CoallocationInstance(clusters, [Job("J1", 3, 1, 1), Job("J2", 3, 1, 1)]))

    assert makespan(2) == 1
    assert makespan(1) == 2


def dumb(instance, tick):
    """The least makespan over every start on the grid and every set of nodes, with no other idea.

    No optimum ends later than all jobs one after the other, each on its slowest choice.
    """
    powers = {(one.id, k): power for one in instance.clusters for k, power in enumerate(one.node_powers)}
    choices = []
    for job in instance.jobs:
        own = []
        for held in combinations(powers, job.tasks):
            nodes = {one.id: [k for name, k in held if name == one.id] for one in instance.clusters}
            if all(naive_load(job, len(nodes[one.id])) <= one.bandwidth for one in instance.clusters):
                own.append((naive_time(instance, job, (powers[node] for node in held)), nodes))
        choices.append(own)
    horizon = sum((max(time for time, _ in own) for own in choices), F(0))
    best = horizon

    def extend(placements, end):
        nonlocal best
        if len(placements) == len(choices):
            best = min(best, end)
            return
        job = instance.jobs[len(placements)]
        for time, nodes in choices[len(placements)]:
            start = F(0)
            while start + time < best:
                more = [*placements, Placement(job.id, start, start + time, nodes)]
                if naive_accepts(instance, Schedule(more), partial=True):
                    extend(more, max(end, start + time))
                start += tick

    extend([], F(0))
    return best


def test_equals_all_starts_times_all_node_sets():
    """Up to 25 instances of at most 3 jobs on at most 4 nodes whose serial makespan is at most 16 ticks."""
    compared = bound = several = 0
    for seed in range(4000):
        instance = random_instance(seed, max_jobs=3, max_nodes=4)
        scaled = instance.scaled()
        ticks = sum(row[-1] for row in scaled.durations)
        if ticks > 16 or len(instance.jobs) < 2:
            continue
        makespan, schedule = brute_force(instance)
        assert verify(instance, schedule) == []
        assert makespan == schedule.makespan == dumb(instance, scaled.tick), seed
        compared += 1
        bound += makespan < scaled.to_time(ticks)
        several += instance.slot == 0
        if compared == draws(25):
            break
    assert compared == draws(25)
    assert bound > at_least(6)  # the answer is not always the horizon
    assert several > at_least(1)  # continuous ones are among them


def test_infeasible_exactly_when_a_job_has_no_allocation() -> None:
    answers = []
    for seed in range(200):
        instance = random_instance(seed, feasible=False)
        missing = jobs_without_allocation(instance.scaled())
        answers.append(bool(missing))
        if missing:
            with pytest.raises(InfeasibleError, match="a job has no allocation"):
                brute_force(instance)
    assert 20 < sum(answers) < 180


SLOWDOWN, MAX_MIN = {"policy": "slowdown"}, {"policy": "slowdown", "sharing": "max-min"}
BOTH = (SLOWDOWN, MAX_MIN)
MATTERS = (12, 18, 31)  # seeds of `test_what_must_hold` in which the policy changes the optimum


def small(seed: int, **options: object) -> CoallocationInstance:
    """Three jobs, in continuous time or on slots."""
    slot = (0, 1, 0, "3/2")[seed % 4]
    return saturated(**{"seed": seed, "jobs": 3, "clusters": 2 + seed % 2, "slot": slot, **options})


def with_links(instance, *, factor=1, more=0, only=None):
    clusters = [
        replace(one, bandwidth=one.bandwidth * factor + more) if only in (None, index) else one
        for index, one in enumerate(instance.clusters)
    ]
    return replace(instance, clusters=tuple(clusters))


@pytest.mark.parametrize(("slot", "slowed", "without"), [(0, F(64, 3), 22), (1, 22, 22), (4, 24, 24)])
def test_the_four_jobs_on_their_nodes(slot, slowed, without):
    for policy in BOTH:
        assert optimum_on(four_jobs(policy, slot=slot), NODES) == slowed
        assert optimum_on(four_jobs({**policy, "threshold": 1}, slot=slot), NODES) == without


def test_sharing_matters():
    """What J1 cannot use of A, held up on B, is J0's under max-min: J2, which follows it, can be done sooner."""
    clusters = [Cluster(name, [NodeGroup(2, 1)], own) for name, own in (("A", 2), ("B", F(1, 2)), ("C", 9))]
    jobs = [Job("J0", 2, 4, 2, 0), Job("J1", 2, 4, 2, 0), Job("J2", 1, F(32, 3))]
    places = {"J0": {"A": [0], "C": [0]}, "J1": {"A": [1], "B": [0]}, "J2": {"C": [0]}}
    paper, fair = (CoallocationInstance(clusters, jobs, saturation=policy) for policy in BOTH)
    # J1 takes 16. Beside it J0 takes 16/3 under max-min, and J2 comes after. Under the paper's rule it goes at half
    # its speed there: J2 until 32/3, two thirds of J0 until 16, the rest alone.
    assert optimum_on(fair, places) == 16
    assert optimum_on(paper, places) == F(52, 3)


def test_links_slow_nobody_down_below_the_threshold_1():
    for seed in range(24):
        instance = small(seed, policy="forbid") if seed % 2 else tiny(seed=seed, jobs=3, nodes=5)
        for policy in BOTH:
            assert optimum(instance.with_saturation({**policy, "threshold": 1})) == optimum(instance), seed


@pytest.mark.slow
def test_what_must_hold():
    saves = 0
    for seed in MATTERS:
        instance = small(seed) if seed % 3 else saturated(seed=seed, slot=1)
        for policy in BOTH:
            own = [
                optimum(instance.with_saturation({**policy, "threshold": threshold} if threshold else policy))
                for threshold in (None, "1/2", "3/4", 1)
            ]
            assert all(one <= other for one, other in pairwise(own)), seed
            assert own[-1] == optimum(instance.with_saturation("forbid")), seed
            assert optimum(with_links(instance, more=1000).with_saturation(policy)) <= own[0], seed
            saves += own[0] < own[-1]
        for link in range(len(instance.clusters)):
            assert optimum(with_links(instance, factor=2, only=link)) <= optimum(instance), seed
    assert saves >= 4


def slowdown_dumb(instance, step, horizon):
    """The least makespan over every start that is a multiple of `step`, and every allocation; the horizon if less."""
    scaled = instance.scaled()
    every = [allocations(scaled, job) for job in range(scaled.job_count)]
    moments = [step * index for index in range(int(horizon / step))]
    best = horizon
    for chosen in product(*every):
        for starts in product(moments, repeat=scaled.job_count):
            runs = [StartedRun(job, start, own) for job, (start, own) in enumerate(zip(starts, chosen, strict=True))]
            try:
                best = min(best, schedule_from_starts(instance, runs).makespan)
            except InputError:
                continue
    return best


def test_every_start_on_the_grid():
    below = 0
    for seed in range(draws(8)):
        policy = BOTH[seed % 2]
        instance = saturated(seed=seed, jobs=2 + seed % 2, clusters=2, nodes=2, slot=1).with_saturation(policy)
        horizon = optimum(instance)
        if horizon > 7:
            continue
        assert slowdown_dumb(instance, F(1), horizon + 1) == horizon, seed
        below += 1
    assert below > at_least(4)


@pytest.mark.parametrize(
    ("saturation", "sizes", "jobs", "most"),
    [
        ("forbid", [8], 7, "6 jobs and 8 nodes"),
        ("forbid", [9], 1, "6 jobs and 8 nodes"),
        ("slowdown", [2], 5, "4 jobs, 4 clusters and 12 nodes"),
        ("slowdown", [1] * 5, 2, "4 jobs, 4 clusters and 12 nodes"),
        ("slowdown", [7, 6], 2, "4 jobs, 4 clusters and 12 nodes"),
    ],
)
def test_too_large(saturation, sizes, jobs, most):
    with pytest.raises(TooLargeError, match=f"brute force: enumeration takes at most {most}$"):
        brute_force(many(saturation, sizes, jobs))


def many(saturation: str, sizes: list[int], jobs: int) -> CoallocationInstance:
    clusters = [Cluster(f"C{index}", [NodeGroup(size, 1)], 0) for index, size in enumerate(sizes)]
    return CoallocationInstance(clusters, [Job(f"J{index}", 1, 1) for index in range(jobs)], saturation=saturation)


def test_as_large_as_it_takes():
    assert optimum(many("forbid", [8], 6)) == optimum(many("slowdown", [3, 3, 3, 3], 4)) == 1
    for instance in (many("slowdown", [1, 1], 4), many("slowdown", [1, 1], 4).with_slot(1), many("forbid", [2], 4)):
        with pytest.raises(TooLargeError, match="takes too many steps"):
            brute_force(instance, 1)
