"""The chronological search against brute force: it finds at the optimum, refutes below it, and tells states apart."""

import random
from functools import cache
from itertools import pairwise
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oas.coallocation.allocations import schedule_from_runs
from oas.coallocation.bounds.configurations import Weights, job_modes, mode_of_level
from oas.coallocation.bounds.configurations.packing import Packing
from oas.coallocation.bounds.configurations.pricing import heaviest
from oas.coallocation.exact import chronological_kernels as kernels
from oas.coallocation.exact.chronological_search import MAX_WORD, ChronologicalSearch, Verdict, node_words
from oas.coallocation.exact.relaxation import Relaxation
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core.errors import TooLargeError
from oas.core.verifier import verify
from oas.generate import section4, tiny
from oas.solving.brute_force import brute_force
from tests.coallocation.bounds.naive import area_weights, level_weights, no_weights

MANY = 10**9


def decide(instance, ticks, *, duals=None, placed=True, fits=None):
    """What a search says of so many ticks, and the schedule that it finds."""
    scaled = instance.scaled()
    search = ChronologicalSearch(
        scaled,
        duals or [no_weights(scaled)],
        ticks,
        placed=placed,
        relaxation=Relaxation(scaled, fits),
        compiled=False,
    )
    verdict = search.resume(MANY)
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


@cache
def solved(seed):
    instance = tiny(seed=seed)
    return instance, int(brute_force(instance)[0] / instance.scaled().tick)


@pytest.mark.parametrize("seed", range(200, 212))
def test_tight_budgets_cut_off_no_optimum(seed):
    instance, optimum = solved(seed)
    draw = random.Random(seed)
    for largest in (1, 7, 10**30):
        quick = [area_weights(instance.scaled()), level_weights(instance.scaled())]
        duals = [*quick, drawn_weights(instance, draw, largest)]
        verdict, schedule = decide(instance, optimum, duals=duals)
        assert verdict is Verdict.FOUND and verify(instance, schedule) == []
        assert schedule.makespan == optimum * instance.scaled().tick
        assert decide(instance, optimum - 1, duals=duals)[0] is Verdict.REFUTED


@pytest.mark.parametrize("seed", range(200, 208))
def test_the_relaxed_search_refutes_no_optimum(seed):
    instance, optimum = solved(seed)
    packing, draw = Packing(instance.scaled()), random.Random(seed)
    for duals in (
        None,
        [area_weights(instance.scaled()), level_weights(instance.scaled()), drawn_weights(instance, draw, 7)],
    ):
        assert decide(instance, optimum, duals=duals, placed=False, fits=packing.fits)[0] is Verdict.FOUND


def bounds_of(instance, **options):
    """The least ticks at which a search finds, and that it refutes all below."""
    for ticks in range(1, 30):
        verdict, schedule = decide(instance, ticks, **options)
        if verdict is not Verdict.REFUTED:
            assert verdict is Verdict.FOUND
            assert schedule is None or verify(instance, schedule) == []
            return ticks
    raise AssertionError("nothing found")


def test_pairs_that_no_link_carries_are_kept_apart():
    # Three clusters of two nodes: two jobs of three tasks fill them, but both are split and meet on some link.
    def grid(link):
        clusters = [Cluster(name, [NodeGroup(2, 1)], link) for name in "ABC"]
        return CoallocationInstance(clusters, [Job("a", 3, 3, 1), Job("b", 3, 2, 1)], slot=1)

    for link, least in ((1, 5), (2, 3)):
        instance = grid(link)
        packing = Packing(instance.scaled())
        assert bounds_of(instance) == least
        assert bounds_of(instance, placed=False, fits=packing.fits) == least
        assert bounds_of(instance, placed=False) == 3


def test_a_link_is_given_back_when_its_job_ends():
    # One job at a time on the links, four jobs of 1 tick: 4 ticks.
    clusters = [Cluster(name, [NodeGroup(1, 1)], 1) for name in "ABCD"]
    instance = CoallocationInstance(clusters, [Job(f"J{index}", 3, 1, 1) for index in range(4)], slot=1)
    assert bounds_of(instance) == 4


def test_who_runs_is_part_of_a_state():
    # First tried: a fast to 30, b slow to 49, which c may not run beside. Then a slow to 50, b fast to 31 and c from
    # there to 51: at 30 and at 31 c waits beside one job with 19 ticks left.
    instance = CoallocationInstance(
        [Cluster("A", [NodeGroup(2, 1), NodeGroup(2, "1/2")], 0)],
        [Job("a", 2, 30, 0, "2/3"), Job("b", 2, 31, 0, "18/31"), Job("c", 2, 20, 0, 0)],
        slot=1,
    )

    def fits(items):
        return not {job for job, _ in items} >= {1, 2}

    assert decide(instance, 51, placed=False, fits=fits)[0] is Verdict.FOUND
    assert decide(instance, 50, placed=False, fits=fits)[0] is Verdict.REFUTED


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


def search(scaled, horizon, *, placed=True, compiled=False, duals=None):
    own = [area_weights(scaled), level_weights(scaled)] if duals is None else duals
    return ChronologicalSearch(scaled, own, horizon, placed=placed, compiled=compiled)


@pytest.mark.parametrize("placed", [True, False])
@pytest.mark.parametrize("bandwidth", ["std", "tight"])
def test_compiled_and_plain_do_the_same(placed, bandwidth):
    scaled = section4(seed=1, jobs=7, bandwidth=bandwidth, slot_percent=50).scaled()
    for horizon in (8, 12, 15):
        both = [search(scaled, horizon, placed=placed, compiled=compiled) for compiled in (False, True)]
        verdicts = [one.resume(3000) for one in both]
        assert verdicts[0] is verdicts[1]
        assert both[0].decisions == both[1].decisions
        if verdicts[0] is Verdict.FOUND and placed:
            assert both[0].runs() == both[1].runs()


def test_a_job_may_split_in_more_ways_than_can_be_tried():
    """Both jobs want the two clusters with links; side by side, the second has no end of splits over the others."""
    clusters = [Cluster(f"c{k}", [NodeGroup(20, 1)], 10**6 if k < 2 else "1/1000") for k in range(9)]
    jobs = [Job(f"j{number}", tasks=40, base_time=4, bandwidth=1, sigma=1) for number in range(2)]
    one = search(CoallocationInstance(clusters, jobs, slot=1).scaled(), 6)
    assert one.resume(10) is Verdict.UNDECIDED
    assert 10 < one._state[kernels.SPLITS] <= 10 * kernels.SPLITS_A_NODE
    assert one.resume(10) is Verdict.UNDECIDED
    assert one._state[kernels.SPLITS] > 10 * kernels.SPLITS_A_NODE


def wide_jobs(count):
    jobs = [Job(f"J{number}", 2, 1, 0, 1) for number in range(count)]
    return CoallocationInstance([Cluster("C", [NodeGroup(2, 1)], 1)], jobs, slot=1).scaled()


@pytest.mark.parametrize("count", [32, 33, 65])
def test_more_jobs_than_a_word_has_bits(count):
    scaled = wide_jobs(count)
    for placed in (False, True):
        assert search(scaled, count - 1, placed=placed).resume(MANY) is Verdict.REFUTED
        assert search(scaled, count, placed=placed).resume(MANY) is Verdict.FOUND


def test_too_large():
    with pytest.raises(TooLargeError, match="600 jobs"):
        search(wide_jobs(600), 600)


def beside_filled(clusters, jobs, filled, ticks, nodes=1):
    """The grid, of slow nodes, beside so many clusters of fast ones that the blocker fills for so many ticks."""
    if filled:
        clusters = [*clusters, *(Cluster(f"filled {k}", [NodeGroup(nodes, 1)], 0) for k in range(filled))]
        jobs = [*jobs, Job("blocker", filled * nodes, ticks, 0, 1)]
    return CoallocationInstance(clusters, jobs, slot=1)


def on_four_clusters(sizes, links, jobs):
    """Four clusters of slow nodes; jobs as (tasks, time, bandwidth), as fast on slow nodes as on fast ones."""
    clusters = [
        Cluster(f"C{k}", [NodeGroup(size, "1/2")], link)
        for k, (size, link) in enumerate(zip(sizes, links, strict=True))
    ]
    return clusters, [Job(f"J{number}", *job, 0) for number, job in enumerate(jobs)]


# Found by drawing. With one word for a job's nodes, where they are on the four clusters has no place in it beside 64
# others, and the branch that holds the only schedule counts as left before: none is found in 3,000,000 decisions.
HIDDEN = [
    (
        ((2, 1, 1, 2), (1, 1, 2, 1)),
        ((2, 2, 1), (1, 1, 1), (2, 3, 1), (2, 4, 1), (2, 4, 0), (1, 1, 0), (4, 3, 1), (2, 3, 1)),
        8,
    ),
    (((2, 1, 3, 2), (2, 2, 1, 1)), ((3, 3, 1), (4, 1, 1), (4, 4, 1), (1, 4, 1), (3, 3, 1), (1, 4, 1), (1, 1, 1)), 7),
]


@pytest.mark.parametrize(("clusters", "jobs", "ticks"), HIDDEN)
@pytest.mark.parametrize(("filled", "nodes"), [(0, 1), (64, 1), (196, 1), (8, 255)])
def test_a_schedule_is_found_whatever_stands_beside(clusters, jobs, ticks, filled, nodes):
    instance = beside_filled(*on_four_clusters(*clusters, jobs), filled, ticks, nodes)
    one = search(instance.scaled(), ticks, compiled=True, duals=[no_weights(instance.scaled())])
    assert one.resume(6000) is Verdict.FOUND
    schedule = schedule_from_runs(instance, instance.scaled(), one.runs())
    assert verify(instance, schedule) == [] and schedule.makespan == ticks


@given(st.lists(st.integers(1, 100_000), min_size=1, max_size=200))
def test_a_word_holds_the_product_of_its_classes(sizes):
    words = node_words(sizes)
    assert words[0] == 0 and all(b - a in (0, 1) for a, b in pairwise(words))
    for word in range(words[-1] + 1):
        assert prod(size + 1 for size, own in zip(sizes, words, strict=True) if own == word) <= MAX_WORD
    assert words[-1] <= len(sizes) // 3  # 17 bits at most for each: at least three share a word


def test_numbers_beyond_their_bounds_are_refused():
    clusters, jobs = on_four_clusters((1, 1, 1, 1), (0, 0, 0, 0), [(1, 1, 0)] * 3)
    instance = beside_filled(clusters, jobs, 0, 0)
    with pytest.raises(TooLargeError, match=r"2\^53"):
        search(instance.scaled(), 2**53)
    with pytest.raises(ValueError, match="alone weighs 5, more than the 4"):
        search(instance.scaled(), 3, duals=[Weights(((5,),) * 3, 4)])
    many = [Cluster(f"C{k}", [NodeGroup(1, 1)], 0) for k in range(600)]
    with pytest.raises(TooLargeError, match="500 jobs on 600 node classes"):
        search(CoallocationInstance(many, [Job(f"J{k}", 1, 1, 0, 0) for k in range(500)], slot=1).scaled(), 3)


def on_one_cluster(groups, *jobs):
    """Jobs as (tasks, time), one slot a time unit."""
    listed = [Job(f"J{index}", tasks, time) for index, (tasks, time) in enumerate(jobs)]
    return CoallocationInstance([Cluster("A", [NodeGroup(*group) for group in groups], 0)], listed, slot=1)


def test_a_job_may_run_in_the_very_middle():
    # Three nodes, six ticks, no node ever idle. P and Q follow one another on one node; A may not run beside Q, nor B
    # beside P, so the largest job has to run between A and B: in the middle, and nowhere else.
    instance = on_one_cluster([(3, 1)], (2, 4), (1, 3), (1, 3), (2, 1), (2, 1))
    apart = [{3, 2}, {4, 1}]

    def fits(items):
        return not any({job for job, _ in items} >= pair for pair in apart)

    assert bounds_of(instance, placed=False, fits=fits) == 6


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


def test_stopping_between_two_splits_changes_nothing(monkeypatch):
    monkeypatch.setattr(kernels, "SPLITS_A_NODE", 1)
    paused = 0
    for seed in range(100, 108):
        scaled = tiny(seed=seed).scaled()
        for horizon in range(1, 8):
            whole, bitten = search(scaled, horizon), search(scaled, horizon)
            verdict = whole.resume(MANY)
            while bitten.resume(1) is Verdict.UNDECIDED:
                paused += int(bitten._state[kernels.SPLITS] > bitten.decisions)
            assert bitten.resume(1) is verdict and bitten.decisions == whole.decisions
    assert paused
