import pickle
from dataclasses import FrozenInstanceError
from fractions import Fraction as F
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oas.core.errors import InputError
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.problems.coallocation.allocations import Allocation, allocations
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.runs import Run, schedule_from_runs
from tests.strategies import instances_with_schedule, make_instance, random_feasible_runs, random_instance, runs_of


def test_placement_normalises_its_nodes() -> None:
    placement = Placement("J", "0.5", 3, {"B": [4, 2], "A": (), "C": {0}})
    assert placement.nodes == {"B": (2, 4), "C": (0,)}
    assert (placement.start, placement.end, placement.duration) == (F(1, 2), 3, F(5, 2))
    assert placement.tasks == 3
    assert placement == Placement("J", F(1, 2), 3, {"C": [0], "B": [2, 4]})


def test_placement_takes_numbers_of_arrays() -> None:
    placement = Placement("J", np.int64(0), np.float64(3), {"A": np.array([2, 1])})
    assert placement == Placement("J", 0, 3, {"A": [1, 2]})
    assert {type(number) for number in placement.nodes["A"]} == {int}


def test_placement_keeps_what_only_the_verifier_may_judge() -> None:
    assert Placement("J", -1, -2, {"A": [0, 0]}).nodes == {"A": (0, 0)}


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("", 0, 1, {}), "job"),
        (("J", 0.5, 1, {}), "start"),
        (("J", 0, "inf", {}), "end"),
        (("J", 0, 1, {"A": [-1]}), "nodes.A"),
        (("J", 0, 1, {"A": [True]}), "nodes.A"),
        (("J", 0, 1, {"A": [1.5]}), "nodes.A"),
        (("J", 0, 1, {"A\n": [1]}), "nodes"),
    ],
)
def test_placement_refuses(arguments: tuple, field: str) -> None:
    with pytest.raises(InputError) as caught:
        Placement(*arguments)
    assert caught.value.field == field


def test_schedule_is_ordered_by_start_then_job() -> None:
    one, two, three = (Placement(name, start, 9, {}) for name, start in (("b", 0), ("a", 1), ("c", 0)))
    schedule = Schedule([two, three, one])
    assert [placement.job for placement in schedule.placements] == ["b", "c", "a"]
    assert schedule == Schedule(iter([one, two, three]), "another method")
    assert hash(schedule) == hash(Schedule([one, two, three]))


def test_makespan_and_lookup() -> None:
    schedule = Schedule([Placement("a", 0, 9, {}), Placement("b", 1, 3, {})])
    assert schedule.makespan == 9
    assert Schedule([]).makespan == 0
    assert schedule["b"].end == 3
    with pytest.raises(KeyError):
        schedule["c"]


def test_schedules_are_immutable_and_pickle() -> None:
    schedule = Schedule([Placement("a", 0, "7/3", {"A": [1]})], "by hand")
    with pytest.raises(FrozenInstanceError):
        schedule.method = "x"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        schedule.placements[0].start = F(1)  # type: ignore[misc]
    copy = pickle.loads(pickle.dumps(schedule))
    assert (copy, copy.method) == (schedule, "by hand")


def test_to_frame() -> None:
    frame = Schedule([Placement("b", "0.5", 2, {"A": [1, 0]}), Placement("a", 0, 1, {"B": [0]})]).to_frame()
    assert frame.to_dict("records") == [
        {"job": "a", "start": 0.0, "end": 1.0, "tasks": 1, "nodes": {"B": (0,)}},
        {"job": "b", "start": 0.5, "end": 2.0, "tasks": 2, "nodes": {"A": (0, 1)}},
    ]
    assert list(Schedule([]).to_frame().columns) == ["job", "start", "end", "tasks", "nodes"]


@given(instances_with_schedule(max_jobs=6, max_nodes=8))
def test_runs_of_a_feasible_schedule_get_nodes(drawn: tuple[CoallocationInstance, Schedule]) -> None:
    instance, schedule = drawn
    runs = runs_of(instance, schedule)
    found = schedule_from_runs(instance, instance.scaled(), reversed(runs), "first fit")
    assert verify(instance, found) == []
    assert sorted(runs_of(instance, found), key=lambda run: run.job) == sorted(runs, key=lambda run: run.job)
    assert found.method == "first fit"


@given(st.randoms(use_true_random=False))
def test_first_fit_succeeds_exactly_if_counts_fit_at_each_instant(rng: Random) -> None:
    """Any intervals, of any length: fixed nodes exist as soon as no class is overfull at any moment."""
    instance = make_instance(rng, max_jobs=8, max_nodes=8)
    scaled = instance.scaled()
    runs = []
    for job in range(scaled.job_count):
        counts = rng.choice(allocations(scaled, job)).counts
        runs.append(Run(job, rng.randint(0, 6), Allocation(counts, rng.randint(1, 6), ())))
    fits = all(
        sum(run.allocation.counts[index] for run in runs if run.start <= tick < run.end) <= len(one.nodes)
        for index, one in enumerate(scaled.classes)
        for tick in range(13)
    )
    if not fits:
        with pytest.raises(InputError, match="nodes free at tick"):
            schedule_from_runs(instance, scaled, runs)
        return
    schedule = schedule_from_runs(instance, scaled, runs)
    assert not {violation.rule for violation in verify(instance, schedule)} & {"capacity", "tasks", "unknown_node"}
    for run in runs:
        placement = schedule[instance.jobs[run.job].id]
        assert (placement.start, placement.end) == (scaled.to_time(run.start), scaled.to_time(run.end))
        for one, count in zip(scaled.classes, run.allocation.counts, strict=True):
            held = placement.nodes.get(instance.clusters[one.cluster].id, ())
            assert len(set(held) & set(one.nodes)) == count


def test_nested_level_counts_are_not_enough() -> None:
    """Why counts are kept for each class: these runs fit at each moment by nested counts, yet someone must migrate.

    One fast and one slow node. P and Q need the fast one, X and Y take either:

        P [0, 1)   X [0, 2)   Y [1, 3)   Q [2, 3)

    X must sit on the slow node because of P, Y because of Q, and both run in [1, 2).
    """
    cluster = Cluster("A", [NodeGroup(1, 1), NodeGroup(1, "0.5")], 0)
    instance = CoallocationInstance([cluster], [Job(name, 1, 1) for name in "PXYQ"])
    scaled = instance.scaled()
    times = {"P": (0, 1), "X": (0, 2), "Y": (1, 3), "Q": (2, 3)}
    for tick in range(3):
        running = {name for name, (start, end) in times.items() if start <= tick < end}
        assert len(running & {"P", "Q"}) <= 1  # level 0: at most the fast node
        assert len(running) <= 2  # level 1: at most both

    def runs(x_slow: bool, y_slow: bool) -> list[Run]:
        slow = {"P": False, "X": x_slow, "Y": y_slow, "Q": False}
        return [
            Run(job, start, Allocation((0, 1) if slow[name] else (1, 0), end - start, (0,)))
            for job, (name, (start, end)) in enumerate(times.items())
        ]

    for choice in product((False, True), repeat=2):
        with pytest.raises(InputError, match="finds 0 of 1 nodes free"):
            schedule_from_runs(instance, scaled, runs(*choice))
    assert schedule_from_runs(instance, scaled, runs(True, True)[:2] + runs(True, True)[3:]).makespan == 3


def test_error_names_job_and_figures() -> None:
    instance = CoallocationInstance([Cluster("A", [NodeGroup(3, 1)], 0)], [Job("J1", 2, 5), Job("J2", 2, 5)])
    run = [Run(job, 4 * job, Allocation((2,), 5, (0,))) for job in range(2)]
    with pytest.raises(InputError, match="job J2 finds 1 of 2 nodes free at tick 4"):
        schedule_from_runs(instance, instance.scaled(), run)


def test_makers_are_deterministic() -> None:
    for seed in range(20):
        instance = random_instance(seed)
        assert instance == random_instance(seed)
        assert random_feasible_runs(instance, seed) == random_feasible_runs(instance, seed)
