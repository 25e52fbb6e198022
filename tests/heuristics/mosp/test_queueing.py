"""Queues, back-filling and their profiles against their definitions, plain and compiled."""

from itertools import pairwise
from random import Random

import pytest

from heuristics.method import NotPlacedError
from heuristics.mosp.profiles import NEVER, Profiles
from heuristics.mosp.queueing import conservative_runs, easy_runs, empty_profiles, list_runs, strict_runs
from heuristics.mosp.ticks import GLOBAL_ORDERS
from heuristics.stream import policies
from oas.core.errors import TooLargeError
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.rules import mosp_violations
from oas.problems.mosp.runs import ClusterRun, schedule_from_cluster_runs
from oas.problems.rigid import Organization, RigidJob
from tests.problems.mosp.instances import random_grid
from tests.slow import every_fourth_quick

ENGINES = (list_runs, easy_runs, conservative_runs, strict_runs)


def free_at(scaled, runs, cluster, tick):
    held = sum(count for k, start, end, count in scaled.reservations if k == cluster and start <= tick < end)
    busy = sum(
        scaled.widths[run.job]
        for run in runs
        if run.cluster == cluster and run.start <= tick < run.start + scaled.times[run.job]
    )
    return scaled.processors[cluster] - held - busy


def room_for(scaled, runs, job, cluster, start):
    """Whether the job fits there beside `runs`; what is free changes only where something begins or ends."""
    end = start + scaled.times[job]
    moments = {start, *(run.start for run in runs), *(begin for _, begin, _, _ in scaled.reservations)}
    return all(free_at(scaled, runs, cluster, at) >= scaled.widths[job] for at in moments if start <= at < end)


def moments_of(scaled, runs):
    ends = {run.start + scaled.times[run.job] for run in runs}
    return sorted({0, *scaled.releases, *ends, *(end for _, _, end, _ in scaled.reservations)})


def naive_conservative(scaled, queue):
    runs = []
    for job in queue:
        starts = [moment for moment in moments_of(scaled, runs) if moment >= scaled.releases[job]]
        places = ((start, k) for start in starts for k in range(scaled.cluster_count))
        start, k = next((start, k) for start, k in places if room_for(scaled, runs, job, k, start))
        runs.append(ClusterRun(job, k, start))
    return runs


def naive_strict(scaled, queue):
    """Wait until the first job of the queue fits, start it, and only then look at the next."""
    runs = []
    waiting, now = list(queue), 0
    while waiting:
        job = waiting[0]
        fitting = [k for k in range(scaled.cluster_count) if room_for(scaled, runs, job, k, now)]
        if scaled.releases[job] <= now and fitting:
            runs.append(ClusterRun(waiting.pop(0), fitting[0], now))
        else:
            now = min(moment for moment in moments_of(scaled, runs) if moment > now)
    return runs


def naive_queue(scaled, queue, easy):
    """List scheduling; with `easy`, the first job that must wait is first given its earliest start."""
    runs = []
    waiting, now, promise = list(queue), -1, 0
    while waiting:
        now = min(moment for moment in moments_of(scaled, runs) if moment > now)
        for job in [job for job in waiting if scaled.releases[job] <= now]:
            later = [at for at in moments_of(scaled, runs) if at >= now] if easy and promise <= now else [now]
            places = ((start, k) for start in later for k in range(scaled.cluster_count))
            found = next(((start, k) for start, k in places if room_for(scaled, runs, job, k, start)), None)
            if found:
                runs.append(ClusterRun(job, found[1], found[0]))
                waiting.remove(job)
                promise = max(promise, found[0])
    return sorted(runs, key=lambda run: queue.index(run.job))


@pytest.mark.parametrize("seed", every_fourth_quick(range(60)))
def test_engines_do_what_their_definitions_say(seed):
    instance = random_grid(seed, jobs=Random(seed).randint(1, 12), static=seed % 4 == 0)
    scaled = instance.scaled()
    queue = GLOBAL_ORDERS[Random(seed).choice(list(GLOBAL_ORDERS))](scaled, seed)
    clusters = range(scaled.cluster_count)
    assert list_runs(empty_profiles(scaled), scaled, clusters, queue) == naive_queue(scaled, queue, easy=False)
    assert easy_runs(empty_profiles(scaled), scaled, clusters, queue) == naive_queue(scaled, queue, easy=True)
    assert conservative_runs(empty_profiles(scaled), scaled, clusters, queue) == naive_conservative(scaled, queue)
    strict = strict_runs(empty_profiles(scaled), scaled, clusters, queue)
    assert strict == naive_strict(scaled, queue)
    assert all(one.start <= other.start for one, other in pairwise(strict))


@pytest.mark.parametrize("few", [1, 3])
def test_few_buckets_change_nothing(monkeypatch, few):
    """A table coarser than the jobs are, as in large instances, skips no start."""
    for name in ("TIMES", "TIMES_BEHIND", "WIDTHS"):
        monkeypatch.setattr(policies, name, few)
    for seed in range(40):
        scaled = random_grid(seed, jobs=14, static=seed % 2 == 0).scaled()
        queue, clusters = GLOBAL_ORDERS["RND"](scaled, seed), range(scaled.cluster_count)
        assert conservative_runs(empty_profiles(scaled), scaled, clusters, queue) == naive_conservative(scaled, queue)


@pytest.mark.parametrize("seed", every_fourth_quick(range(32)))
def test_compiled_loops_agree_with_plain_ones(seed):
    instance = random_grid(seed, static=seed % 4 == 0)
    scaled = instance.scaled()
    queue = GLOBAL_ORDERS["RND"](scaled, seed)
    for engine in ENGINES:
        plain, compiled = (
            engine(empty_profiles(scaled), scaled, range(scaled.cluster_count), queue, fast) for fast in (False, True)
        )
        assert plain == compiled
        assert not mosp_violations(instance.with_locality(None), schedule_from_cluster_runs(instance, scaled, compiled))


def test_large_queues_agree_with_plain_ones():
    instance = random_grid(5, jobs=700, static=False)
    scaled = instance.scaled()
    queue = GLOBAL_ORDERS["FCFS"](scaled, 0)
    for engine in ENGINES:
        by_size, plain = (
            engine(empty_profiles(scaled), scaled, range(scaled.cluster_count), queue, fast) for fast in (None, False)
        )
        assert by_size == plain


def test_a_job_too_wide_for_the_clusters_allowed_is_not_placed():
    instance = MospInstance([Organization("A", 1, [RigidJob("a", 1, 1)]), Organization("B", 2, [RigidJob("b", 1, 2)])])
    scaled = instance.scaled()
    for engine in ENGINES:
        with pytest.raises(NotPlacedError, match="1 of 2 jobs"):
            engine(empty_profiles(scaled), scaled, [0], [0, 1])


SIZES = (4, 2, 7)


def test_no_run_ends_beyond_what_engines_count():
    with pytest.raises(TooLargeError, match="2\\^62"):
        Profiles(SIZES, [(0, 1, NEVER, 1)])
    with pytest.raises(TooLargeError, match="2\\^62"):
        Profiles([3]).occupy(0, NEVER - 1, 1, 1)


def test_nothing_runs_beyond_a_closed_moment():
    profiles = Profiles([3], [(0, 2, 5, 2)])
    profiles.close(10)
    assert profiles.earliest([0], 0, 5, 2) == (0, 5)
    assert profiles.earliest([0], 0, 10, 1) == (0, 0)
    assert profiles.earliest([0], 0, 6, 2) is None
    assert profiles.earliest([0], 1, 10, 1) is None
