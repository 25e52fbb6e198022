"""The search over grid moments against brute force: it finds at the optimum and refutes below it."""

import random
from fractions import Fraction as F

import pytest

from oas.coallocation.allocations import allocations, jobs_without_allocation
from oas.coallocation.exact.chronological_search import Verdict
from oas.coallocation.exact.saturated import grid_kernels as kernels
from oas.coallocation.exact.saturated import grid_search
from oas.coallocation.exact.saturated.grid_search import GridSearch, GridWeights
from oas.coallocation.generate.tiny import saturated
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.rates import rates
from oas.coallocation.running import schedule_from_starts
from oas.core.errors import InfeasibleError, InputError, TooLargeError
from oas.core.verifier import verify
from oas.solving.brute_force import brute_force
from tests.coallocation.grids import four_jobs
from tests.coallocation.naive import sets_that_fit
from tests.slow import every_fourth_quick

MANY = 10**9
SHARINGS = ("paper", "max-min")


def decide(instance, slots, **options):
    """What a search of plain loops says of so many slots; what it finds is verified."""
    search = GridSearch(instance, slots, compiled=False, **options)
    while (verdict := search.resume(MANY)) is Verdict.UNDECIDED:
        pass
    if verdict is Verdict.FOUND:
        schedule = schedule_from_starts(instance, search.runs())
        assert verify(instance, schedule) == [] and schedule.makespan <= slots * instance.slot
    return verdict


def in_slots(instance):
    """The optimum."""
    optimum = brute_force(instance)[0] / instance.slot
    assert optimum.denominator == 1
    return int(optimum)


def drawn(seed, sharing="paper"):
    """A tiny instance: of the generator, or of jobs or clusters that are alike."""
    draw = random.Random(seed)
    slot = draw.choice([F(1), F(2, 3), F(1, 2)])
    threshold = draw.choice([None, None, F(1, 2), 1])
    if seed % 2:
        return saturated(seed=seed, jobs=3, nodes=2, slot=slot, sharing=sharing, threshold=threshold)
    size, link = draw.choice([1, 2]), draw.choice([F(1, 2), 1, F(3, 2)])
    clusters = [Cluster(name, [NodeGroup(size, draw.choice([1, 1, F(1, 2)]))], link) for name in "PQR"]
    jobs = [Job(f"J{k}", draw.choice([1, 2, 2, 3]), draw.randint(2, 6) * slot / 2, 1, F(1, 2)) for k in range(2)]
    jobs.append(Job("twin", jobs[0].tasks, jobs[0].base_time, 1, F(1, 2)))
    policy = {"policy": "slowdown", "sharing": sharing, **({} if threshold is None else {"threshold": threshold})}
    return CoallocationInstance(clusters, jobs, slot, policy)


CASES = [(seed, sharing) for seed in range(10) for sharing in SHARINGS]


@pytest.mark.parametrize(("seed", "sharing"), CASES)
def test_finds_at_the_optimum_and_refutes_below(seed, sharing):
    instance = drawn(seed, sharing)
    if jobs_without_allocation(instance.scaled()):
        with pytest.raises(InfeasibleError, match="has no allocation"):
            GridSearch(instance, 3)
        return
    optimum = in_slots(instance)
    assert decide(instance, optimum) is Verdict.FOUND
    assert decide(instance, optimum + 1) is Verdict.FOUND
    assert decide(instance, optimum - 1) is Verdict.REFUTED


def drawn_weights(instance, draw, largest):
    """Random weights and exactly what the heaviest set weighs: no slack for a mistake to hide in."""
    scaled = instance.scaled()
    choices = [allocations(scaled, job) for job in range(scaled.job_count)]
    rows = [[draw.randint(0, largest) for _ in own] for own in choices]
    heaviest = 0
    for members in sets_that_fit(scaled, choices):
        speeds = rates(instance, [(job, choices[job][index]) for job, index in members])
        gains = (rows[job][index] * speed for (job, index), speed in zip(members, speeds, strict=True))
        heaviest = max(heaviest, sum(gains) * instance.slot)
    return GridWeights(rows, heaviest or 1)


@pytest.mark.parametrize(
    ("seed", "sharing"), every_fourth_quick([(seed, SHARINGS[seed // 4 % 2]) for seed in range(60, 72)])
)
def test_tight_budgets_cut_off_no_optimum(seed, sharing):
    instance = drawn(seed, sharing)
    if jobs_without_allocation(instance.scaled()):
        return
    optimum, draw = in_slots(instance), random.Random(seed)
    for largest in (1, 7, 10**30):
        weights = [drawn_weights(instance, draw, largest), drawn_weights(instance, draw, largest)]
        assert decide(instance, optimum, weights=weights) is Verdict.FOUND
        assert decide(instance, optimum - 1, weights=weights) is Verdict.REFUTED


@pytest.mark.parametrize("sharing", SHARINGS)
def test_a_state_with_more_progress_leaves_no_less_to_try_under_max_min(sharing):
    search = GridSearch(drawn(1, sharing), 9, compiled=False)
    most, digits = search._frames.running.shape[1] - 1, search._frames.left.shape[2]
    behind = search._memory.row.copy()
    behind[:] = -1
    behind[:2] = 0  # no job waits, and one runs
    behind[1 + most : 1 + most + digits] = 1
    ahead = behind.copy()
    ahead[1 + most] = 0
    assert kernels.compare(search._grid, behind, behind, most, digits)
    assert kernels.compare(search._grid, ahead, behind, most, digits) is (sharing == "paper")


def rough(seed):
    """Times of many digits: no unit of 62 bits holds what every job can gain."""
    draw = random.Random(seed)
    clusters = [Cluster(name, [NodeGroup(2, 1)], F(draw.randint(50, 99), 101)) for name in "PQR"]
    jobs = [
        Job(f"J{k}", draw.choice([2, 3]), F(draw.randint(1000, 3000), 997), F(draw.randint(80, 99), 89), F(k + 1, 7))
        for k in range(3)
    ]
    return CoallocationInstance(clusters, jobs, 1, "slowdown")


@pytest.mark.parametrize("seed", every_fourth_quick(range(3)))
def test_a_unit_too_small_to_tell_ends_apart_is_made_smaller(seed, monkeypatch):
    instance = rough(seed)
    optimum = in_slots(instance)
    for bits in (2, 62, 500):
        monkeypatch.setattr(grid_search, "ROUNDED_BITS", bits)
        search = GridSearch(instance, optimum, compiled=False)
        while search.resume(MANY) is Verdict.UNDECIDED:
            pass
        assert search.resume(1) is Verdict.FOUND
        assert search._rates.rounded == (bits < 500)
        assert schedule_from_starts(instance, search.runs()).makespan == optimum
        assert decide(instance, optimum - 1) is Verdict.REFUTED


@pytest.mark.parametrize("seed", range(4))
def test_compiled_and_plain_do_the_same(seed):
    instance = drawn(seed, SHARINGS[seed // 2 % 2])
    if jobs_without_allocation(instance.scaled()):
        return
    optimum, draw = in_slots(instance), random.Random(seed)
    weights = [drawn_weights(instance, draw, 7)] * (seed % 3)
    for slots in (optimum - 1, optimum, optimum + 2):
        plain, compiled = (GridSearch(instance, slots, weights, compiled=own) for own in (False, True))
        assert plain.resume(MANY) is compiled.resume(MANY)
        assert plain.decisions == compiled.decisions
        if slots >= optimum:
            assert plain.runs() == compiled.runs()


def test_steps_make_no_difference():
    paused = 0
    for seed in (1, 2, 3, 5):
        instance = drawn(seed, SHARINGS[seed % 2])
        for slots in range(1, 8):
            whole, bitten = (GridSearch(instance, slots, compiled=False) for _ in range(2))
            verdict = whole.resume(MANY)
            while bitten.resume(1) is Verdict.UNDECIDED:
                paused += 1
            assert bitten.resume(1) is verdict is whole.resume(1) and bitten.decisions == whole.decisions
            if verdict is Verdict.FOUND:
                assert bitten.runs() == whole.runs()
            else:
                with pytest.raises(ValueError, match="there is no schedule: the search is refuted"):
                    bitten.runs()
    assert paused


def wide_jobs(count):
    """Jobs that fill the grid one after another."""
    jobs = [Job(f"J{number}", 2, 1, 0, 1) for number in range(count)]
    return CoallocationInstance([Cluster("C", [NodeGroup(2, 1)], 1)], jobs, 1, "slowdown")


def test_what_it_does_not_take():
    with pytest.raises(InputError, match="slot: the search over grid moments needs slots"):
        GridSearch(four_jobs("slowdown"), 3)
    with pytest.raises(InputError, match="saturation: the search over grid moments is for slowdown"):
        GridSearch(four_jobs(slot=1), 3)
    with pytest.raises(InputError, match="weights: weights are at least 0"):
        GridSearch(four_jobs("slowdown", slot=1), 3, [GridWeights([[-1] * 9] * 4, 1)])
    with pytest.raises(TooLargeError, match="too many slots"):
        GridSearch(four_jobs("slowdown", slot=1), 10**9)
    draw = random.Random(0)
    clusters = [Cluster(f"C{k}", [NodeGroup(4, 1)], F(draw.randint(50, 99), 101)) for k in range(4)]
    jobs = [Job(f"J{k}", 2 + k % 3, F(draw.randint(1000, 3000), 997), F(k + 9, 8), F(1, 2)) for k in range(8)]
    with pytest.raises(TooLargeError, match="max-min"):
        GridSearch(CoallocationInstance(clusters, jobs, 1, {"policy": "slowdown", "sharing": "max-min"}), 9)


def test_up_to_sixty_jobs():
    assert decide(wide_jobs(60), 60) is Verdict.FOUND
    assert decide(wide_jobs(60), 59) is Verdict.REFUTED
    with pytest.raises(TooLargeError, match="61 jobs; the search over grid moments takes at most 60"):
        GridSearch(wide_jobs(61), 61)
