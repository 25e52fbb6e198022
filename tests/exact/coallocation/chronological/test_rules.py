"""Each rule of the chronological search where it bites: budgets spent to the end, exact fits, states told apart.

Plain loops only: the compiled ones do the same (test_search), and compiling would cost more than all of this.
"""

from __future__ import annotations

import random
from functools import cache

import pytest

from oas.bounds.coallocation.configurations.modes import job_modes, mode_of_level
from oas.bounds.coallocation.configurations.packing import Packing
from oas.bounds.coallocation.configurations.pricing import heaviest
from oas.core.verifier import verify
from oas.exact.coallocation.brute_force import brute_force
from oas.exact.coallocation.chronological.search import ChronologicalSearch, Verdict, Weights
from oas.generate.coallocation.tiny import tiny
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.runs import schedule_from_runs
from tests.slow import every_fourth_quick

MANY = 10**9


def decide(instance, ticks, *, duals=None, placed=True, together=None):
    """What a search says of so many ticks, and the schedule that it finds."""
    scaled = instance.scaled()
    nothing = [Weights(tuple((0,) * len(scaled.powers) for _ in scaled.tasks), 0)]
    search = ChronologicalSearch(
        scaled, nothing if duals is None else duals, ticks, placed=placed, together=together, compiled=False
    )
    verdict = search.go_on(MANY)
    if verdict is not Verdict.FOUND or not placed:
        return verdict, None
    return verdict, schedule_from_runs(instance, scaled, search.runs())


def drawn_weights(instance, draw, largest):
    """Random weights and exactly what the heaviest set weighs: no slack for a mistake to hide in."""
    scaled = instance.scaled()
    modes = job_modes(scaled)
    of_modes = [[draw.randint(0, largest) for _ in row] for row in modes]
    rows = []
    for job, times in enumerate(scaled.durations):
        indices = [mode_of_level(modes[job], times, level) for level in range(len(times))]
        rows.append(tuple(0 if index is None else of_modes[job][index] for index in indices))
    return Weights(tuple(rows), heaviest(Packing(scaled), modes, of_modes).weight)


def area(instance):
    """Each job weighs its tasks."""
    scaled = instance.scaled()
    nodes = sum(len(one.nodes) for one in scaled.classes)
    return Weights(tuple((tasks,) * len(scaled.powers) for tasks in scaled.tasks), nodes)


@cache
def solved(seed):
    instance = tiny(seed=seed)
    return instance, int(brute_force(instance)[0] / instance.scaled().tick)


SEEDS = range(200, 245)


@pytest.mark.parametrize("seed", every_fourth_quick(SEEDS))
def test_tight_budgets_cut_off_no_optimum(seed):
    instance, optimum = solved(seed)
    draw = random.Random(seed)
    for largest in (1, 7, 10**30):
        duals = [area(instance), drawn_weights(instance, draw, largest)]
        verdict, schedule = decide(instance, optimum, duals=duals)
        assert verdict is Verdict.FOUND and verify(instance, schedule) == []
        assert schedule.makespan == optimum * instance.scaled().tick
        assert decide(instance, optimum - 1, duals=duals)[0] is Verdict.REFUTED


@pytest.mark.parametrize("seed", every_fourth_quick(SEEDS))
def test_the_relaxed_search_refutes_no_optimum(seed):
    instance, optimum = solved(seed)
    packing, draw = Packing(instance.scaled()), random.Random(seed)

    def together(one, other):
        return packing.fits((one, other))

    for duals in (None, [area(instance), drawn_weights(instance, draw, 7)]):
        assert decide(instance, optimum, duals=duals, placed=False, together=together)[0] is Verdict.FOUND


def on_one_cluster(groups, *jobs):
    """Jobs as (tasks, time), one slot a time unit."""
    listed = [Job(f"J{index}", tasks, time) for index, (tasks, time) in enumerate(jobs)]
    return CoallocationInstance([Cluster("A", [NodeGroup(*group) for group in groups], 0)], listed, slot=1)


def bounds_of(instance, **options):
    """The least ticks at which a search finds, and that it refutes all below."""
    for ticks in range(1, 30):
        verdict, schedule = decide(instance, ticks, **options)
        if verdict is not Verdict.REFUTED:
            assert verdict is Verdict.FOUND
            assert schedule is None or verify(instance, schedule) == []
            return ticks
    raise AssertionError("nothing found")


def test_jobs_side_by_side_fill_the_nodes():
    assert bounds_of(on_one_cluster([(3, 1)], (1, 2), (1, 2), (1, 2))) == 2
    assert bounds_of(on_one_cluster([(3, 1)], (1, 2), (1, 2), (1, 2)), placed=False) == 2
    assert bounds_of(on_one_cluster([(3, 1)], (2, 2), (2, 3), (1, 5))) == 5
    assert bounds_of(on_one_cluster([(70, 1)], *[(1, 1)] * 70)) == 1


def test_the_relaxed_search_counts_fast_nodes_as_slow_ones_too():
    # One fast node, two slow: the wide job needs all three, and takes 4; the narrow one 3 on the fast, 6 elsewhere.
    instance = on_one_cluster([(1, 1), (2, "1/2")], (3, 2), (1, 3))
    assert bounds_of(instance, placed=False) == bounds_of(instance) == 7


def test_pairs_that_no_link_carries_are_kept_apart():
    # Three clusters of two nodes: two jobs of three tasks fill them, but both are split and meet on some link.
    def grid(link):
        clusters = [Cluster(name, [NodeGroup(2, 1)], link) for name in "ABC"]
        return CoallocationInstance(clusters, [Job("a", 3, 3, 1), Job("b", 3, 2, 1)], slot=1)

    for link, least in ((1, 5), (2, 3)):
        instance = grid(link)
        packing = Packing(instance.scaled())
        assert bounds_of(instance) == least
        assert bounds_of(instance, placed=False, together=lambda *pair, fits=packing.fits: fits(pair)) == least
        assert bounds_of(instance, placed=False) == 3


def test_a_link_is_given_back_when_its_job_ends():
    # One job at a time on the links, four jobs of 1 tick: 4 ticks.
    clusters = [Cluster(name, [NodeGroup(1, 1)], 1) for name in "ABCD"]
    instance = CoallocationInstance(clusters, [Job(f"J{index}", 3, 1, 1) for index in range(4)], slot=1)
    assert bounds_of(instance) == 4


def test_a_job_may_run_in_the_very_middle():
    # Three nodes, six ticks, no node ever idle. P and Q follow one another on one node; A may not run beside Q, nor B
    # beside P, so the largest job has to run between A and B: in the middle, and nowhere else.
    instance = on_one_cluster([(3, 1)], (2, 4), (1, 3), (1, 3), (2, 1), (2, 1))
    apart = [{3, 2}, {4, 1}]

    def together(one, other):
        return {one[0], other[0]} not in apart

    assert bounds_of(instance, placed=False, together=together) == 6


def test_a_link_is_a_reason_to_wait():
    # Z holds both fast nodes for 4 and X the slow ones for 5; Y needs the fast nodes, free from 4 on, but A's link
    # carries X or Y. Whichever of X and Y comes first, the other starts on nodes that were idle, when the link is free.
    clusters = [
        Cluster("A", [NodeGroup(1, 1), NodeGroup(1, "1/2")], 1),
        Cluster("B", [NodeGroup(1, "1/2")], 1),
        Cluster("C", [NodeGroup(1, 1)], 1),
    ]
    jobs = [Job("X", 2, 5, 1, 0), Job("Y", 2, 2, 1, 1), Job("Z", 2, 4, 0, 1)]
    instance = CoallocationInstance(clusters, jobs, slot=1)
    assert brute_force(instance)[0] == bounds_of(instance) == 7


def test_who_runs_is_part_of_a_state():
    # First tried: a fast to 30, b slow to 49, which c may not run beside. Then a slow to 50, b fast to 31 and c from
    # there to 51: at 30 and at 31 c waits beside one job with 19 ticks left.
    instance = CoallocationInstance(
        [Cluster("A", [NodeGroup(2, 1), NodeGroup(2, "1/2")], 0)],
        [Job("a", 2, 30, 0, "2/3"), Job("b", 2, 31, 0, "18/31"), Job("c", 2, 20, 0, 0)],
        slot=1,
    )

    def together(one, other):
        return {one[0], other[0]} != {1, 2}

    assert decide(instance, 51, placed=False, together=together)[0] is Verdict.FOUND
    assert decide(instance, 50, placed=False, together=together)[0] is Verdict.REFUTED


def drawn(seed):
    """Up to six short jobs on few nodes of two speeds, with links that carry little."""
    draw = random.Random(seed)
    clusters = [
        Cluster(
            name,
            [NodeGroup(draw.randint(1, 2), power) for power in draw.sample(["1", "1/2"], draw.randint(1, 2))],
            draw.choice([1, 1, 2, 3]),
        )
        for name in "ABC"[: draw.randint(1, 3)]
    ]
    nodes = sum(cluster.size for cluster in clusters)
    jobs = []
    for index in range(draw.randint(4, 6)):
        tasks, time = draw.randint(1, min(3, nodes)), draw.randint(1, 6)
        jobs.append(Job(f"J{index}", tasks, time, draw.choice([0, 0, 1, 1, "1/2"]), draw.choice([0, 1, 1])))
    return CoallocationInstance(clusters, jobs, slot=1)


@pytest.mark.parametrize(("seed", "optimum"), [(221, 18), (415, 10), (10023, 13), (10121, 6)])
def test_times_are_part_of_a_state(seed, optimum):
    """Drawn until it showed that a later state was taken for an earlier one, or time left did not count."""
    instance = drawn(seed)
    assert brute_force(instance)[0] == optimum
    assert decide(instance, optimum)[0] is Verdict.FOUND
    assert decide(instance, optimum - 1)[0] is Verdict.REFUTED
