"""Queues, back-filling and their profiles against their definitions, off line and for streams, plain and compiled."""

from functools import partial
from itertools import pairwise
from random import Random

import pytest

from oas.core.errors import TooLargeError
from oas.core.rigid import Organization, RigidJob
from oas.core.shared_kernels import NEVER
from oas.mosp.instance import MospInstance
from oas.mosp.local import LOCAL_ORDERS
from oas.mosp.rules import mosp_violations
from oas.mosp.runs import ClusterRun, schedule_from_cluster_runs
from oas.mosp.search.queueing import Profiles, conservative_runs, empty_profiles, queue_of, queue_runs
from oas.queueing import policies
from oas.queueing.policies import find_policy
from oas.queueing.stream import no_reservations
from oas.solving.method import NotPlacedError
from tests.mosp.instances import random_grid
from tests.slow import every_fourth_quick, mostly_slow
from tests.streams import POLICIES, naive, naive_places, random_case, stream_of

ENGINES = {name: partial(queue_runs, name) for name in ("LIST", "EASY", "CONSERVATIVE", "STRICT")}


def naive_runs(engine, scaled, queue):
    jobs = [(scaled.releases[job], scaled.times[job], scaled.widths[job]) for job in queue]
    places = naive_places(engine, jobs, scaled.processors, scaled.reservations)
    return [ClusterRun(job, *place) for job, place in zip(queue, places, strict=True)]


@pytest.mark.parametrize("seed", every_fourth_quick(range(60)))
def test_engines_do_what_their_definitions_say_plain_and_compiled(seed):
    instance = random_grid(seed, jobs=Random(seed).randint(1, 12), static=seed % 4 == 0)
    scaled = instance.scaled()
    queue = queue_of(Random(seed).choice(list(LOCAL_ORDERS)), scaled, seed)
    for name, engine in ENGINES.items():
        for compiled in (False, True):
            runs = engine(empty_profiles(scaled), scaled, range(scaled.cluster_count), queue, compiled)
            assert runs == naive_runs(name, scaled, queue)
        assert not mosp_violations(instance.with_locality(None), schedule_from_cluster_runs(instance, scaled, runs))
    assert all(one.start <= other.start for one, other in pairwise(runs)), "no job starts before one that precedes it"


@pytest.mark.parametrize("few", [1, 3])
def test_few_buckets_change_nothing(monkeypatch, few):
    """A table coarser than the jobs are, as in large instances, skips no start."""
    for name in ("TIMES", "TIMES_BEHIND", "WIDTHS"):
        monkeypatch.setattr(policies, name, few)
    for seed in range(40):
        scaled = random_grid(seed, jobs=14, static=seed % 2 == 0).scaled()
        queue, clusters = queue_of("RND", scaled, seed), range(scaled.cluster_count)
        assert conservative_runs(empty_profiles(scaled), scaled, clusters, queue) == naive_runs(
            "CONSERVATIVE", scaled, queue
        )


def test_large_queues_agree_with_plain_ones():
    instance = random_grid(5, jobs=700, static=False)
    scaled = instance.scaled()
    queue = queue_of("FCFS", scaled)
    for engine in ENGINES.values():
        given = scaled, range(scaled.cluster_count), queue
        assert engine(empty_profiles(scaled), *given) == engine(empty_profiles(scaled), *given, False)


def test_a_job_too_wide_for_the_clusters_allowed_is_not_placed():
    instance = MospInstance([Organization("A", 1, [RigidJob("a", 1, 1)]), Organization("B", 2, [RigidJob("b", 1, 2)])])
    scaled = instance.scaled()
    for engine in ENGINES.values():
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


def starts(policy, stream, machine, reservations, compiled=False):
    return find_policy(policy).starts(stream, machine, reservations, compiled).tolist()


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seed", every_fourth_quick(range(21)))
def test_small_streams(policy, seed):
    stream, reservations = random_case(seed, count=30 + seed, load=(0.6, 1.0, 3.0)[seed % 3], reservations=seed % 7)
    stream = stream.submitted_together() if seed % 5 == 4 else stream
    assert starts(policy, stream, 8, reservations) == naive(policy, stream, 8, reservations).tolist()


@pytest.mark.parametrize("policy", mostly_slow(POLICIES, quick=("FCFS", "EASY")))
def test_two_thousand_jobs_around_reservations(policy):
    stream, reservations = random_case(3, 2000, machine=24, longest=60, load=0.95, reservations=150)
    expected = naive(policy, stream, 24, reservations).tolist()
    assert starts(policy, stream, 24, reservations) == expected
    assert starts(policy, stream, 24, reservations, compiled=True) == expected


@pytest.mark.slow
def test_a_thousand_jobs_off_line():
    stream, reservations = random_case(4, 1000, machine=24, longest=20, reservations=80)
    stream = stream.submitted_together()
    expected = naive("conservative", stream, 24, reservations).tolist()
    assert starts("conservative", stream, 24, reservations) == expected
    assert starts("conservative", stream, 24, reservations, compiled=True) == expected


def test_who_overtakes():
    """Two of three processors are taken until 10; the second job needs three; the others one, for 9 and 8."""
    stream = stream_of((0, 10, 2), (1, 5, 3), (2, 9, 1), (2, 8, 1))
    found = {policy: starts(policy, stream, 3, no_reservations()) for policy in ("FCFS", "EASY", "FCFS-strict")}
    assert found == {"FCFS": [0, 18, 2, 10], "EASY": [0, 10, 15, 2], "FCFS-strict": [0, 10, 15, 15]}


def test_easy_delays_who_is_not_first_and_conservative_does_not():
    """The fourth job fits next to the first two, and delays the third."""
    stream = stream_of((0, 10, 2), (1, 10, 3), (1, 10, 4), (3, 20, 1))
    assert starts("EASY", stream, 4, no_reservations()) == [0, 10, 23, 3]
    assert starts("conservative", stream, 4, no_reservations()) == [0, 10, 20, 30]
