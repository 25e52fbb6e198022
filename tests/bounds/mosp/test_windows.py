"""The search by windows of starts: what trying every start says, whatever its limit; the stand-alone checker's too."""

import zlib
from base64 import b64decode, b64encode
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest

from oas.bounds.mosp.cluster_sets import windows
from oas.bounds.mosp.cluster_sets.heaviest import MAX_DEPTH
from oas.bounds.mosp.cluster_sets.windows import GIVEN_UP, NO, YES, ClusterJobs, WindowMemory, split_windows
from oas.bounds.mosp.windows import Search
from oas.bounds.request import BoundRequest
from oas.checker.mosp_packing import WindowSearch
from oas.checker.mosp_windows import check_mosp_windows
from oas.checker.reading import Refused
from oas.core.result import Bound
from oas.core.verifier import verify
from oas.exact.mosp.brute_force import brute_force
from oas.exact.recheck import recheck
from oas.generate.mosp.tiny import alone, random_instance
from oas.problems.mosp.runs import ClusterRun, schedule_from_cluster_runs
from tests.bounds.mosp.test_cluster_sets import can_run, shapes
from tests.checker.instances import own_mosp as read
from tests.slow import every_fourth_quick

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


@pytest.mark.parametrize("limit", [1, 2, 5, 20])
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


SESSION = SimpleNamespace(
    stop=SimpleNamespace(requested=False), time_is_up=False, partial=lambda _: None, progress=lambda *_: None
)


def searched(instance, lower, upper):
    """What the search finds of makespans from `lower` to below `upper`, in ticks."""
    return Search(BoundRequest(instance, lower, upper, heights=tuple(instance.scaled().widths)), SESSION).run()


@pytest.mark.parametrize("draw", [random_instance, alone])
@pytest.mark.parametrize("seed", every_fourth_quick(range(120)))
def test_it_refutes_what_is_shorter_than_the_optimum_and_finds_the_optimum(draw, seed):
    instance = draw(seed)
    scaled = instance.scaled()
    optimum = brute_force(instance)[0]
    ticks = int(optimum / scaled.tick)
    below = searched(instance, 1, ticks)
    assert "runs" not in below
    if "certificate" in below:  # else no makespan on the grid is shorter
        assert recheck(instance, Bound("windows", optimum, below["certificate"]))
    runs = searched(instance, ticks, ticks + 1)["runs"]
    schedule = schedule_from_cluster_runs(instance, scaled, [ClusterRun(*run) for run in runs])
    assert not verify(instance, schedule) and schedule.makespan == optimum


@pytest.fixture(scope="module")
def proven():
    """An instance with reservations, and the certificate of its optimum."""
    instance = alone(8)
    optimum = int(brute_force(instance)[0] / instance.scaled().tick)
    certificate = searched(instance, 1, optimum)["certificate"]
    assert instance.scaled().reservations and len(b64decode(certificate["log"])) > 20
    return instance, certificate


def test_another_log_or_makespan_proves_nothing_more(proven):
    instance, certificate = proven
    log = bytearray(zlib.decompress(b64decode(certificate["log"])))
    optimum = brute_force(instance)[0]
    changed = [certificate | {"makespan": certificate["makespan"] + 1}]
    for place in range(len(log)):
        for bit in (1, 16):
            other = bytearray(log)
            other[place] ^= bit
            changed.append(certificate | {"log": b64encode(zlib.compress(bytes(other))).decode("ascii")})
        changed.append(certificate | {"log": b64encode(zlib.compress(bytes(log[:place]))).decode("ascii")})
    assert check_mosp_windows(read(instance), certificate) == optimum
    assert {check_mosp_windows(read(instance), one) for one in changed} <= {0, optimum}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("version", 2),
        ("makespan", 0),
        ("mirrored", 0),
        ("weights", [[1]]),
        ("weights", [[-1] * 5]),
        ("weights", 3),
        ("log", "x"),
        ("log", 3),
    ],
)
def test_a_malformed_certificate_is_refused(proven, field, value):
    instance, certificate = proven
    with pytest.raises(Refused, match=field):
        check_mosp_windows(read(instance), certificate | {field: value})
