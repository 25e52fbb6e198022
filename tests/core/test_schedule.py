"""Schedules, their nodes as ranges, conflicts of nodes; results, their proofs and the trace of a solve."""

import pickle
from fractions import Fraction
from fractions import Fraction as F
from itertools import chain
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oas
from oas.coallocation.allocations import Allocation, Run, allocations, runs_from_schedule, schedule_from_runs
from oas.core.errors import InputError
from oas.core.node_ranges import NodeRanges
from oas.core.numbers import comparable
from oas.core.schedule import Placement
from oas.core.verifier import node_conflicts, verify
from tests.strategies import instances_with_schedule, make_instance


def test_placement_normalises_its_nodes():
    placement = Placement("J", "0.5", 3, {"B": [4, 2], "A": (), "C": {0}})
    assert placement.nodes == {"B": (2, 4), "C": (0,)}
    assert (placement.start, placement.end, placement.duration) == (F(1, 2), 3, F(5, 2))
    assert placement.tasks == 3
    assert placement == Placement("J", F(1, 2), 3, {"C": [0], "B": [2, 4]})
    arrays = Placement("J", np.int64(0), np.float64(3), {"A": np.array([2, 1])})
    assert arrays == Placement("J", 0, 3, {"A": [1, 2]}) and {type(number) for number in arrays.nodes["A"]} == {int}


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("", 0, 1, {}), "job"),
        (("J", 0.5, 1, {}), "start"),
        (("J", 0, "inf", {}), "end"),
        (("J", 0, 1, {"A": [-1]}), "nodes.A"),
        (("J", 0, 1, {"A": [True]}), "nodes.A"),
        (("J", 0, 1, {"A\n": [1]}), "nodes"),
    ],
)
def test_placement_refuses(arguments, field):
    with pytest.raises(InputError) as caught:
        Placement(*arguments)
    assert caught.value.field == field


@given(instances_with_schedule(max_jobs=6, max_nodes=8))
def test_runs_of_a_feasible_schedule_get_nodes(drawn):
    instance, schedule = drawn
    scaled = instance.scaled()
    runs = runs_from_schedule(instance, scaled, schedule)
    found = schedule_from_runs(instance, scaled, reversed(runs), "first fit")
    again = runs_from_schedule(instance, scaled, found)
    assert verify(instance, found) == []
    assert sorted(again, key=lambda run: run.job) == sorted(runs, key=lambda run: run.job)
    assert found.method == "first fit"


@given(st.randoms(use_true_random=False))
def test_first_fit_succeeds_exactly_if_counts_fit_at_each_instant(rng):
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
        with pytest.raises(InputError, match="nodes free at"):
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


def numbers(rng):
    """Some with repetitions, some consecutive."""
    drawn = [rng.randrange(12) for _ in range(rng.randrange(9))]
    return rng.choice((drawn, list(dict.fromkeys(drawn)), list(range(rng.randrange(5), rng.randrange(5, 12)))))


@pytest.mark.parametrize("seed", range(20))
def test_they_are_the_tuples_given(seed):
    rng = Random(seed)
    given = {name: numbers(rng) for name in "ABC"}
    tuples = {name: tuple(sorted(own)) for name, own in given.items() if own}
    for asked_first in (False, True):
        found = NodeRanges(given)
        if asked_first:
            assert all(tuple(chain.from_iterable(found.ranges(name))) == own for name, own in tuples.items())
        assert found == tuples and tuples == found and dict(found) == tuples and list(found) == list(tuples)
        assert found == NodeRanges(tuples) and repr(found) == repr(tuples) and len(found) == len(tuples)
        assert [found.count(name) for name in found] == [len(own) for own in tuples.values()]
        assert pickle.loads(pickle.dumps(found)) == found
        assert found.get("D", 7) == 7 and "D" not in found and found.ranges("D") == ()
        assert found != {**tuples, "D": (1,)}
        with pytest.raises(KeyError):
            found["D"]


def test_what_is_given_as_ranges_equals_what_is_given_as_numbers():
    found = NodeRanges.of_ranges("A", [range(2, 5), range(6, 7)])
    assert found == NodeRanges({"A": [6, 2, 3, 4]}) == {"A": (2, 3, 4, 6)}
    assert found.ranges("A") == (range(2, 5), range(6, 7)) and found.count("A") == 4
    assert NodeRanges.of_ranges("A", []) == {}
    placement = Placement("J", 0, 1, found)
    assert placement == Placement("J", 0, 1, {"A": (2, 3, 4, 6)}) and placement.nodes["A"] == (2, 3, 4, 6)
    assert hash(placement) == hash(Placement("J", 0, 1, {})) and placement.tasks == 4
    assert NodeRanges({"A": range(3), "B": range(0)}) == {"A": (0, 1, 2)}
    assert NodeRanges({"A": range(4, 0, -2)}) == {"A": (2, 4)}


@pytest.mark.parametrize(
    "ranges", [(range(3, 3),), (range(2), range(2, 4)), (range(3), range(2, 4)), (range(0, 4, 2),), (range(-1, 2),)]
)
def test_ranges_that_are_no_ascending_stretches_are_refused(ranges):
    with pytest.raises(InputError) as caught:
        NodeRanges.of_ranges("A", ranges)
    assert caught.value.field == "nodes.A"


def test_numbers_beyond_what_a_range_can_be_long():
    """A file may name such nodes; the verifier says that there are none of them."""
    found = NodeRanges({"A": [0, 2**63], "B": [2**64, 2**64 + 1]})
    assert found == {"A": (0, 2**63), "B": (2**64, 2**64 + 1)}
    assert found.ranges("A") == (range(1), range(2**63, 2**63 + 1)) and found.count("A") == 2
    assert found.ranges("B") == (range(2**64, 2**64 + 2),) and found.count("B") == 2


def by_node(placements):
    """The definition, node by node: each placement in the order of starts against the one before it that ends last."""
    found = {}
    latest = {}
    for one in sorted(placements, key=lambda placement: (placement.start, placement.end)):
        for name, numbers in one.nodes.items():
            for number in set(numbers):
                other = latest.get((name, number))
                if other is not None and one.start < other.end:
                    message = f"node {number} of cluster {name} serves {other.job} and {one.job} at {one.start}"
                    found.setdefault((name, number), []).append(("capacity", (other.job, one.job), message))
                if other is None or one.end > other.end:
                    latest[name, number] = one
    return [violation for node in sorted(found) for violation in found[node]]


def drawn(rng, nodes, jobs, span):
    """Placements of any kind: some last for no time, or end before they start, and some name a node twice."""
    made = []
    for job in range(jobs):
        start = Fraction(rng.randint(-2, span), rng.choice((1, 1, 2, 3)))
        length = Fraction(rng.choice((1, 1, 2, 3, 0, -1)), rng.choice((1, 1, 2)))
        first = rng.randrange(nodes)
        own = list(range(first, min(nodes, first + rng.randint(1, 3))))
        if rng.random() < 0.3:
            own.append(rng.randrange(nodes))
        made.append(Placement(f"j{job}", start, start + length, {rng.choice("BA"): own}))
    return made


@pytest.mark.parametrize("seed", range(100))
def test_conflicts_are_those_of_each_node(seed):
    rng = Random(seed)
    placements = drawn(rng, rng.choice((3, 12)), rng.randint(0, 9), rng.choice((4, 6, 30)))
    found = [(one.rule, one.jobs, one.message) for one in node_conflicts(placements)]
    assert found == by_node(placements)


@pytest.mark.parametrize("longest", [1, 10, 10**30])
def test_integers_compare_as_moments_do(longest):
    rng = Random(longest)
    moments = [Fraction(rng.randint(-50, 50), rng.randint(1, longest)) for _ in range(40)] + [Fraction(0)] * 2
    found = comparable(moments)
    for one, number in zip(moments, found, strict=True):
        for other, another in zip(moments, found, strict=True):
            assert (one < other, one == other) == (number < another, number == another)
    assert comparable([]) == []


JOBS = [oas.RigidJob("a", 4, 2), oas.RigidJob("b", 2, 3, release=1), oas.RigidJob("c", 1, 1, release=3)]
INSTANCE = oas.MospInstance([oas.Organization("O", 4, JOBS, [oas.Reservation(5, 9, 1)])], locality=None)
METRICS_RUNS = [
    oas.Placement("a", 0, 4, {"O": [0, 1]}),
    oas.Placement("c", 3, 4, {"O": [2]}),
    oas.Placement("b", 4, 6, {"O": [0, 1, 2]}),
]
METRICS_SCHEDULE = oas.Schedule(METRICS_RUNS, "hand")


def test_by_hand():
    found = oas.metrics(INSTANCE, METRICS_SCHEDULE, threshold=2)
    assert [job.job for job in found.jobs] == ["a", "b", "c"]
    assert found.values("wait") == (0, 3, 0) and found.values("flow") == (4, 5, 1)
    assert found.values("slowdown") == (1, F(5, 2), 1) and found.values("bounded_slowdown") == (1, F(5, 2), 1)
    assert (found.mean("wait"), found.median("wait"), found.largest("wait")) == (1, 0, 3)
    assert found.utilisation == F(8 + 1 + 6 + 1, 4 * 6) and found.makespan == 6
    assert [(one.time, one.queue, one.running, one.nodes) for one in found.load] == [
        (0, 0, 1, 2), (1, 1, 1, 2), (3, 1, 2, 3), (4, 0, 1, 3), (5, 0, 1, 4), (6, 0, 0, 0),
    ]  # fmt: skip
    assert repr(found).startswith("Metrics of a schedule by hand: 3 jobs, makespan 6, utilisation 66.67 %")


MISTAKES = {
    "the job has no run": ([METRICS_SCHEDULE.placements[0]], {}),
    "the job has 2 runs": ([*METRICS_SCHEDULE.placements, METRICS_SCHEDULE.placements[0]], {}),
    "does not end after its start": ([*METRICS_SCHEDULE.placements[1:], oas.Placement("a", 1, 1, {"O": [0]})], {}),
    "threshold: must be above 0": (METRICS_SCHEDULE.placements, {"threshold": 0}),
    "threshold: a float may be rounded": (METRICS_SCHEDULE.placements, {"threshold": 0.5}),
}


@pytest.mark.parametrize("message", MISTAKES)
def test_mistakes(message):
    placements, options = MISTAKES[message]
    with pytest.raises(InputError, match=message):
        oas.metrics(INSTANCE, oas.Schedule(placements), **options)


def test_a_solve_ends_in_what_its_result_says():
    trace = oas.Trace()
    result = oas.solve(oas.generate.section4(seed=3), on_progress=trace)
    assert (trace.points[-1].lower_bound, trace.points[-1].objective) == (result.lower_bound, result.objective)
    seconds = [one.seconds for one in trace.points]
    assert seconds == sorted(seconds) and seconds[-1] <= trace.seconds <= result.seconds["total"]
