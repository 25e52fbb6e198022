"""Sets of jobs on a cluster by windows of starts: what trying every start says; the stand-alone checker's too."""

from random import Random

import numpy as np
import pytest

from oas.checker.mosp_packing import WindowSearch
from oas.mosp.bounds.partitions import windows
from oas.mosp.bounds.partitions.pricing import MAX_DEPTH
from oas.mosp.bounds.partitions.windows import GIVEN_UP, NO, YES, ClusterJobs, WindowMemory, split_windows
from tests.mosp.bounds.test_cluster_sets import can_run, shapes
from tests.slow import mostly_slow

NO_HEIGHTS = np.zeros((0, 1), dtype=np.int64)
# (time, processors) of jobs that cannot run on 32 processors by 110, which takes millions of steps in order of time.
HARD = ((3, 20), (4, 23), (5, 14), (6, 11), (10, 31), (13, 26), (23, 27), (25, 18), (30, 7), (40, 7), (43, 12))


def split(times, widths, deadlines, size, makespan, limit, depth=256):
    """Return the answer, the nodes and the starts."""
    count = len(times)
    memory = WindowMemory(*(np.full((depth, count), 7, dtype=np.int64) for _ in range(3)))
    arrays = (np.array(one, dtype=np.int64) for one in (times, widths, deadlines))
    cluster = ClusterJobs(*arrays, NO_HEIGHTS, size, makespan)
    answer, nodes = split_windows(cluster, np.arange(count), count, limit, memory)
    return answer, nodes, memory.first[0].tolist()


def keeps(times, widths, deadlines, size, starts):
    in_time = all(0 <= s <= end - p for s, p, end in zip(starts, times, deadlines, strict=True))
    used = [sum(q for s, p, q in zip(starts, times, widths, strict=True) if s <= at < s + p) for at in starts]
    return in_time and max(used) <= size


def test_windows_say_what_every_start_says():
    draw, seen = Random(1), set()
    for _ in range(200):
        times, widths, deadlines, size, makespan = shapes(draw, draw.randint(1, 5))
        answer, nodes, starts = split(times, widths, deadlines, size, makespan, 10_000)
        possible = can_run(times, widths, deadlines, size)
        assert answer == (YES if possible else NO)
        assert not possible or keeps(times, widths, deadlines, size, starts)
        seen.add((answer, nodes > 1, min(deadlines) == makespan))
        latest = [end - time for end, time in zip(deadlines, times, strict=True)]
        impossible, taken = WindowSearch(times, widths, latest, size, makespan).cannot_run(10_000)
        assert impossible is not possible and taken < 10_000
    assert len(seen) == 8


def test_areas_times_windows_do_not_wrap():
    """Seven jobs of 2^30 on what are two machines take 4 · 2^30; of 8 processors and windows of 2^31 that is 2^64."""
    jobs, memory = np.arange(7), WindowMemory(*(np.zeros((256, 7), dtype=np.int64) for _ in range(3)))
    times, widths, ends = np.full(7, 2**30), np.full(7, 8), np.full(7, 3 * 2**30)
    ends[0] -= 1  # the search is not mirrored then
    assert windows.widest_window(jobs, 7, times, widths, memory.first[0], ends - times) >= 0
    assert (
        split_windows(ClusterJobs(times, widths, ends, NO_HEIGHTS, 21, 3 * 2**30), jobs, 7, 20, memory)[0] == GIVEN_UP
    )


@pytest.mark.parametrize("limit", mostly_slow([1, 2, 5, 20], quick=[5]))
def test_a_search_that_ends_too_early_says_nothing(limit):
    draw, seen = Random(limit), set()
    for _ in range(60):
        times, widths, deadlines, size, makespan = shapes(draw, 6)
        possible = split(times, widths, deadlines, size, makespan, 10_000)[0] == YES
        for depth in (1, 2, MAX_DEPTH):
            answer, nodes, _ = split(times, widths, deadlines, size, makespan, limit, depth)
            assert answer in (GIVEN_UP, YES if possible else NO) and nodes <= limit
            seen.add(answer)
        latest = [end - time for end, time in zip(deadlines, times, strict=True)]
        impossible, _ = WindowSearch(times, widths, latest, size, makespan).cannot_run(limit)
        assert not (impossible and possible)
    assert GIVEN_UP in seen and NO in seen


def test_pairs_settle_what_order_of_time_does_not():
    times, widths = ([job[k] for job in sorted(HARD, key=lambda job: -job[0] * job[1])] for k in range(2))
    deadlines = [110] * len(times)
    assert split(times, widths, deadlines, 32, 110, 5_000)[0] == NO
    answer, _, starts = split(times, widths, [111] * len(times), 32, 111, 10_000)
    assert answer == YES and keeps(times, widths, [111] * len(times), 32, starts)
    assert WindowSearch(times, widths, [110 - time for time in times], 32, 110).cannot_run(5_000)[0]
