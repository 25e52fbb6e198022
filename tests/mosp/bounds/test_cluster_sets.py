"""Sets that a cluster can run: packed and priced as enumeration says."""

from functools import cache
from itertools import combinations
from random import Random

import numpy as np
import pytest

from oas.core.errors import TooLargeError
from oas.core.rigid import Organization, RigidJob
from oas.mosp.bounds.partitions import packing_kernels, pricing
from oas.mosp.bounds.partitions.pricing import MAX_WEIGHT, Pricing, pack_memory
from oas.mosp.bounds.partitions.windows import ClusterJobs
from oas.mosp.bounds.scales import Scales
from oas.mosp.generate.section7 import uni
from oas.mosp.instance import MospInstance
from tests.slow import draws, mostly_slow

EFFORT = 10**6
# Two clusters of four; three jobs that want a cluster each for five ticks.
THREE = MospInstance(
    [Organization("A", 4, [RigidJob("J0", 5, 3), RigidJob("J1", 5, 3)]), Organization("B", 4, [RigidJob("J2", 5, 3)])],
    None,
)


def shapes(draw, count):
    """Times, widths and deadlines of jobs, a cluster's size and a makespan that is often just too short or enough."""
    size = draw.randint(2, 6)
    times = [draw.randint(1, 5) for _ in range(count)]
    widths = [draw.randint(1, size) for _ in range(count)]
    area = sum(p * q for p, q in zip(times, widths, strict=True))
    makespan = max(*times, -(-area // size) + draw.randint(0, 2))
    deadlines = [draw.choice((makespan, makespan, draw.randint(p, makespan))) for p in times]
    return times, widths, deadlines, size, makespan


def can_run(times, widths, deadlines, size):
    """By trying every start of every job."""

    @cache
    def rest(job, free):
        if job == len(times):
            return True
        for start in range(deadlines[job] - times[job] + 1):
            span = range(start, start + times[job])
            if all(free[tick] >= widths[job] for tick in span):
                left = tuple(one - widths[job] * (tick in span) for tick, one in enumerate(free))
                if rest(job + 1, left):
                    return True
        return False

    return rest(0, (size,) * max(deadlines))


def test_packing():
    draw = Random(3)
    answers = []
    for _ in range(120):
        count = draw.randint(1, 5)
        times, widths, deadlines, size, makespan = shapes(draw, count)
        jobs = np.array(draw.sample(range(count), count), dtype=np.int64)
        heights = [[*widths, size], [*(int(2 * q > size) for q in widths), 1]]
        arrays = [np.array(one, dtype=np.int64) for one in (times, widths, deadlines)]
        given = ClusterJobs(*arrays, np.array(heights, dtype=np.int64), size, makespan), jobs, count
        memory = pack_memory(count, len(heights))
        answer, steps = packing_kernels.packs(*given, 100_000, memory)
        assert (answer == packing_kernels.YES) == can_run(times, widths, deadlines, size)
        assert answer != packing_kernels.GIVEN_UP and steps < 100_000
        answers.append(answer)
        assert packing_kernels.packs(*given, 2, memory)[0] in (answer, packing_kernels.GIVEN_UP)
    assert 20 < answers.count(packing_kernels.NO) < 100


@pytest.mark.parametrize("plain", mostly_slow([True, False], quick=[True]))
def test_pricing_against_enumeration(plain, monkeypatch):
    """A set that few steps do not decide counts as one that can run."""
    if plain:
        monkeypatch.setattr(packing_kernels, "heaviest_jobs", packing_kernels.heaviest_jobs.function)
    draw = Random(4)
    for _ in range(draws(10 if plain else 60)):
        times, widths, _, size, makespan = shapes(draw, draw.randint(1, 6))
        jobs = [RigidJob(f"J{n}", *one) for n, one in enumerate(zip(times, widths, strict=True))]
        instance = MospInstance([Organization("A", size, jobs)], None)
        weights = [draw.choice((1, 2**46)) * draw.randint(0, 9) for _ in jobs]
        running = {
            own
            for count in range(1, len(jobs) + 1)
            for own in combinations(range(len(jobs)), count)
            if can_run([times[job] for job in own], [widths[job] for job in own], [makespan] * count, size)
        }
        best = max((sum(weights[job] for job in own) for own in running), default=0)
        found = Pricing(Scales(instance.scaled(), makespan), size, 5_000).heaviest(weights, EFFORT)
        assert found.complete and found.weight == best
        assert not found.sets or (found.sets[-1] in running and sum(weights[job] for job in found.sets[-1]) == best)
        assert Pricing(Scales(instance.scaled(), makespan), size, 1).heaviest(weights, EFFORT).weight >= best


def is_refuted(instance, makespan, weights, steps=100, mirrored=False):
    """Whether all jobs weigh more than what the clusters can hold by a makespan in ticks."""
    scales = Scales(instance.scaled(), makespan, mirrored)
    found = {size: Pricing(scales, size, steps).heaviest(weights, EFFORT) for size in scales.sizes}
    assert all(one.complete for one in found.values())
    return sum(weights) > sum(found[size].weight for size in scales.scaled.processors)


def test_by_hand():
    three = [1, 1, 1]
    assert is_refuted(THREE, 9, three) and not is_refuted(THREE, 10, three)  # two on one cluster last until 10
    assert is_refuted(THREE, 2, three)  # none has the time
    assert not is_refuted(THREE, 9, [1, 1, 0]) and not is_refuted(THREE, 9, [0, 0, 0])
    assert is_refuted(THREE, 8, three, steps=1)
    # On the smaller cluster only the last two fit, one after another; the larger one takes two of the others by 9.
    uneven = MospInstance(
        [
            Organization("A", 6, [RigidJob(f"J{n}", 5, 3) for n in range(3)]),
            Organization("B", 2, [RigidJob("K", 5, 2), RigidJob("L", 5, 2)]),
        ],
        None,
    )
    assert is_refuted(uneven, 9, [3, 3, 3, 2, 2]) and is_refuted(uneven, 9, [1, 1, 1, 0, 0])
    assert not is_refuted(uneven, 9, [0, 0, 0, 1, 1])
    # Eight narrow jobs fill two clusters of two and one of four until 5.
    narrow = [RigidJob(f"J{n}", 5, 1) for n in range(8)]
    three_clusters = MospInstance([Organization("A", 2), Organization("B", 2), Organization("C", 4, narrow)], None)
    assert is_refuted(three_clusters, 4, [1] * 8) and not is_refuted(three_clusters, 5, [1] * 8)


@pytest.mark.parametrize(("size", "width", "makespan", "most"), [(4, 1, 5, 4), (4, 3, 15, 3), (2, 1, 5, 2)])
def test_a_search_given_up_says_so(size, width, makespan, most):
    """Of six jobs of 5 only some fit; a search of few steps does not find all that a cluster can run."""
    jobs = [RigidJob(f"J{n}", 5, width) for n in range(6)]
    instance = MospInstance([Organization("A", size, jobs)], None)
    seen = set()
    for effort in (*range(1, 12), EFFORT):
        found = Pricing(Scales(instance.scaled(), makespan), size, 100).heaviest([1] * 6, effort)
        assert found.weight <= most and (found.weight == most or not found.complete)
        seen.add(found.complete)
    assert seen == {False, True}


def test_the_greatest_weights_of_the_most_jobs_do_not_overflow():
    instance = MospInstance(
        [Organization("A", pricing.MAX_JOBS, [RigidJob(f"J{n}", 1, 1) for n in range(pricing.MAX_JOBS)])], None
    )
    weights = [MAX_WEIGHT] * pricing.MAX_JOBS
    assert not is_refuted(instance, 1, weights) and is_refuted(instance, 0, weights)


def test_too_large():
    many = uni(seed=0, jobs=121, organizations=2, processors=32)
    with pytest.raises(TooLargeError, match="121 jobs"):
        Pricing(Scales(many.scaled(), 9), 32, 5)
    with pytest.raises(TooLargeError, match="processors × ticks"):
        Pricing(Scales(THREE.scaled(), 2**40), 4, 5)
