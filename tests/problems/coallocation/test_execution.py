"""Plans as they run: by hand, against another simulation, and against what any plan promises."""

from __future__ import annotations

from fractions import Fraction as F
from random import Random

import pytest

from heuristics.coallocation.list_scheduling import METHODS as LISTS
from oas.core.errors import InputError
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.generate import saturated
from oas.problems.coallocation.execution import Event, execute
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.metrics import executed
from oas.problems.coallocation.progress import ends_of, starts_from_schedule
from oas.problems.coallocation.saturation import Saturation
from oas.studies.coallocation.figures import figures
from tests.heuristics.coallocation.test_slowdown import uneven
from tests.problems.coallocation.simulated import simulated
from tests.problems.coallocation.test_progress import PLACES
from tests.problems.coallocation.test_saturation import grid
from tests.strategies import random_feasible_schedule, random_instance

POLICIES = [
    Saturation(),
    *(Saturation("slowdown", limit, sharing) for limit in (None, F(1, 2), 1) for sharing in ("paper", "max-min")),
]


def plan(instance, starts, ends=None):
    """The four jobs on their clusters, from these starts on; ends are of no account."""
    free = {name: 0 for name in "PQRS"}
    placements = []
    for job, start in enumerate(starts):
        nodes = {name: [free[name] % size] for name, size in instance.cluster_sizes if name in PLACES[job]}
        for name in PLACES[job]:
            free[name] += 1
        placements.append(Placement(instance.jobs[job].id, start, start + 1, nodes))
    return Schedule(placements, "by hand")


def times(execution):
    return {one.job: (one.start, one.end) for one in execution.schedule.placements}


def random_plan(seed, policy):
    """An instance under a policy, and a plan that may break every rule of time."""
    rng = Random(seed)
    instance = (
        saturated(seed=seed, jobs=rng.randint(2, 7), slot=rng.choice((0, 1, F(3, 2))))
        if seed % 2
        else random_instance(seed, max_jobs=6)
    )
    if seed % 3:
        made = random_feasible_schedule(instance.with_saturation("forbid"), seed)
    else:
        made = LISTS[seed % 6](instance.with_saturation("forbid"))
    return instance.with_saturation(policy), made


def test_the_four_jobs():
    instance = grid("slowdown")
    best = plan(instance, (0, F(32, 3), F(26, 3), 0))
    kept = execute(instance, best, keep_starts=True)
    assert times(kept) == {"A": (0, F(32, 3)), "B": (F(32, 3), F(64, 3)), "C": (F(26, 3), F(64, 3)), "D": (0, F(38, 3))}
    early = execute(instance, best)
    assert early.schedule.makespan > F(64, 3)  # C starts at once and slows A down
    assert early.schedule["C"].start == 0
    assert execute(instance.with_saturation("forbid"), best).schedule.makespan == 22
    assert early.schedule.method == "by hand"


def test_links_over_time():
    instance = grid("slowdown")
    ran = execute(instance, plan(instance, (0, F(32, 3), F(26, 3), 0)), keep_starts=True)
    assert [(one.start, one.end, one.load, one.degree) for one in ran.links["Q"]] == [
        (0, F(26, 3), 1, 1),
        (F(26, 3), F(32, 3), 2, 2),
        (F(32, 3), F(64, 3), 1, 1),
    ]
    assert ran.saturated("Q") == ran.saturated("R") == 2 and ran.saturated("P") == 0
    assert ran.slowdowns == {"A": F(16, 15), "B": F(16, 15), "C": F(19, 18), "D": F(19, 18)}
    assert ran.greatest_slowdown == F(16, 15) and ran.mean_slowdown == F(191, 180)
    assert ran.events[:4] == (
        Event(F(0), "start", "A"),
        Event(F(0), "start", "D"),
        Event(F(26, 3), "start", "C"),
        Event(F(32, 3), "end", "A"),
    )


def test_the_order_on_links_is_kept():
    """The second waits for room on the link; the third, with room enough, behind it. Without bandwidth it overtakes."""
    clusters = [Cluster(name, [NodeGroup(3, 1)], 3) for name in "AB"]
    for third, start in ((1, 4), (0, 0)):
        jobs = [Job("x", 2, 4, 2), Job("y", 2, 2, 2), Job("z", 2, 1, third)]
        instance = CoallocationInstance(clusters, jobs)
        made = Schedule(
            [Placement(job.id, number, 99, {"A": [number], "B": [number]}) for number, job in enumerate(jobs)]
        )
        assert execute(instance, made).schedule["y"].start == 4
        assert execute(instance, made).schedule["z"].start == start
        assert execute(instance, made, keep_starts=True).schedule["z"].start == max(start, 2)


def test_slots_round_starts_up():
    instance = grid("slowdown", slot=4)
    ran = execute(instance, plan(instance, (1, 9, 5, 2)), keep_starts=True)
    assert times(ran)["A"][0] == 4 and times(ran)["C"][0] == 8
    assert (
        verify(
            instance.with_saturation("forbid"),
            execute(instance.with_saturation("forbid"), plan(instance, (1, 9, 5, 2))).schedule,
        )
        == []
    )


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_what_ran_is_what_its_starts_make_of_it(policy):
    for seed in range(40):
        instance, made = random_plan(seed, policy)
        for keep in (False, True):
            ran = execute(instance, made, keep_starts=keep).schedule
            runs = starts_from_schedule(instance, ran)
            assert ends_of(instance, runs) == [ran[job.id].end for job in instance.jobs]
            assert verify(instance, ran) == []
            assert all(ran[one.job].nodes == one.nodes for one in made.placements)
            assert not keep or all(ran[one.job].start >= one.start for one in made.placements)
            again = execute(instance, ran, keep_starts=True).schedule
            assert again == ran  # what ran can be run


def test_a_threshold_of_1_forbids():
    for seed in range(60):
        instance, made = random_plan(seed, "forbid")
        for keep in (False, True):
            ran = execute(instance, made, keep_starts=keep)
            for sharing in ("paper", "max-min"):
                other = execute(instance.with_saturation(Saturation("slowdown", 1, sharing)), made, keep_starts=keep)
                assert (other.schedule, other.events, other.links) == (ran.schedule, ran.events, ran.links)
            assert set(ran.slowdowns.values()) == {F(1)} and not any(map(ran.saturated, dict(instance.cluster_sizes)))


def test_without_saturation_no_job_ends_later():
    for seed in range(60):
        instance, made = random_plan(seed, "forbid")
        ran = execute(instance, made).schedule
        assert all(ran[one.job].end <= one.end for one in made.placements)


@pytest.mark.parametrize("policy", POLICIES[1:], ids=str)
def test_another_simulation_agrees(policy):
    for seed in range(40):
        instance, made = random_plan(seed, policy)
        for keep in (False, True):
            ran = execute(instance, made, keep_starts=keep).schedule
            assert simulated(instance, made, keep) == {one.job: (one.start, one.end) for one in ran.placements}


@pytest.mark.slow
def test_another_simulation_agrees_on_many():
    for seed in range(100, 600):
        instance, made = random_plan(seed, POLICIES[1 + seed % 6])
        ran = execute(instance, made, keep_starts=seed % 4 < 2).schedule
        assert simulated(instance, made, seed % 4 < 2) == {one.job: (one.start, one.end) for one in ran.placements}


def test_figures_and_metrics_under_slowdown():
    instance = grid("slowdown", slot=4)
    made = execute(instance, plan(instance, (0, 12, 8, 0))).schedule
    assert executed(instance, made) == execute(instance.with_slot(0), made).schedule
    assert executed(instance, made, F(4)) == made
    found = figures(instance, made, keeps_promises=True)
    assert found["executed"] == executed(instance, made).makespan


def test_times_that_files_do_not_hold():
    instance = uneven(200).with_slot(20)
    made = LISTS[0](instance)
    with pytest.raises(InputError, match="slot: exact times need more than 40 digits"):
        executed(instance, made)
    assert figures(instance, made, keeps_promises=True) == {"executed": None, "executed_compaction": None}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda runs: runs[1:], "plan: job A does not run"),
        (lambda runs: [*runs, Placement("E", 0, 1, {"P": [0]})], "plan: job E is not in the instance"),
        (lambda runs: [*runs[1:], Placement("A", 0, 1, {"X": [0], "P": [0]})], "plan: job A uses a cluster .* 'X'"),
        (lambda runs: [*runs[1:], Placement("A", 0, 1, {"P": [7], "Q": [0]})], r"plan: job A uses a node .* \(got 7\)"),
        (lambda runs: [*runs[1:], Placement("A", 0, 1, {"Q": [0, 0]})], "plan: job A names a node of cluster Q twice"),
        (lambda runs: [*runs[1:], Placement("A", 0, 1, {"P": [0]})], r"plan: job A has 2 tasks, but other nodes"),
    ],
)
def test_plans_of_something_else(change, message):
    runs = list(plan(grid(), (0, 1, 2, 3)).placements)
    with pytest.raises(InputError, match=message):
        execute(grid(), Schedule(change(runs)))


def test_a_job_that_no_link_carries_alone():
    with pytest.raises(InputError, match="plan: job A alone asks the link of cluster P for more than it may be"):
        execute(grid("slowdown", bandwidth=(0, 9, 9, 9)), plan(grid(), (0, 1, 2, 3)))
