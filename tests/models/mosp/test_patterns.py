"""Normal patterns and symmetries of the start-indexed MOSP model: right by hand, and no optimum is lost."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise, product
from typing import TYPE_CHECKING

import pytest

from oas.core.errors import TooLargeError
from oas.exact.mosp.brute_force import brute_force
from oas.models.mosp.patterns import free_at, free_profile, least_free, normal_patterns
from oas.models.mosp.reductions import identical_clusters, identical_jobs, latest_ends, leading_jobs
from oas.models.mosp.start_indexed import prepare
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import ClusterRun
from oas.problems.rigid import Organization, Reservation, RigidJob
from tests.problems.mosp import grids
from tests.problems.mosp.instances import fits, random_instance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.models.mosp.start_indexed import MospStartSpec
    from oas.problems.mosp.ticks import ScaledMosp


def patterns(instance: MospInstance, horizon: int, cap: int = 1000) -> tuple[tuple[tuple[int, ...], ...], ...]:
    scaled = instance.scaled()
    profiles = [free_profile(scaled, cluster) for cluster in range(scaled.cluster_count)]
    return normal_patterns(scaled, profiles, latest_ends(scaled, horizon), cap)


def one_cluster(*jobs: tuple[int, ...], size: int = 2, reservations: Sequence[Reservation] = ()) -> MospInstance:
    made = [RigidJob(f"J{number}", *job) for number, job in enumerate(jobs)]
    return MospInstance([Organization("A", size, made, reservations)], None)


def test_profiles() -> None:
    held = [Reservation(1, 4, 1), Reservation(2, 3, 2), Reservation(4, 6, 1), Reservation(9, 10, 3)]
    scaled = one_cluster((1, 1), size=3, reservations=held).scaled()
    profile = free_profile(scaled, 0)
    assert profile == ((0, 3), (1, 2), (2, 0), (3, 2), (6, 3), (9, 0), (10, 3))
    for tick in range(12):
        reserved = sum(one.processors for one in held if one.start <= tick < one.end)
        assert free_at(profile, tick) == 3 - reserved
        for end in range(tick + 1, 13):
            assert least_free(profile, tick, end) == min(free_at(profile, moment) for moment in range(tick, end))


def test_normal_patterns_by_hand() -> None:
    assert patterns(one_cluster((2, 1), (3, 1), (5, 1)), 10) == (((0, 3, 5, 8),), ((0, 2, 5, 7),), ((0, 2, 3, 5),))
    assert patterns(one_cluster((2, 1)), 9) == (((0,),),)


def test_a_release_starts_a_chain_with_its_own_job() -> None:
    """Job 1, released at 4, runs for 3: others may follow it at 7, but nothing else starts at 4.

    That it cannot end at 3 goes unnoticed: sums on top of 0 do not know of releases.
    """
    assert patterns(one_cluster((2, 1), (3, 1, 4)), 20) == (((0, 3, 7),), ((4,),))
    three = patterns(one_cluster((2, 1), (3, 1, 4), (10, 1)), 40)
    assert three == (((0, 3, 7, 10, 13, 17),), ((4, 10, 12),), ((0, 2, 3, 5, 7, 9),))


def test_a_reservation_starts_a_chain_on_its_own_cluster() -> None:
    first = Organization("A", 2, [RigidJob("a", 2, 2), RigidJob("b", 1, 1)], [Reservation(3, 5, 1)])
    instance = MospInstance([first, Organization("B", 2)], None)
    assert patterns(instance, 9) == (((0, 1, 5, 6), (0, 1)), ((0, 2, 5, 7), (0, 2)))


def test_starts_that_end_late_or_find_no_processors_are_left_out() -> None:
    wide, narrow = Organization("A", 3, [RigidJob("a", 4, 3)]), Organization("B", 1, [RigidJob("b", 1, 1)])
    assert patterns(MospInstance([wide, narrow], None), 9) == (((0, 1), ()), ((0, 4), (0,)))
    assert patterns(MospInstance([wide, narrow], 1), 9) == (((0,), ()), ((0,), (0,)))
    assert patterns(MospInstance([wide, narrow], 5), 9) == (((0, 1), ()), ((0, 4), (0,)))


def test_the_cap() -> None:
    instance = one_cluster((1, 1), (2, 1), (4, 1))
    assert sum(len(own[0]) for own in patterns(instance, 20)) == 12
    assert patterns(instance, 20, cap=12) == patterns(instance, 20)
    with pytest.raises(TooLargeError, match="more than 11 starts"):
        patterns(instance, 20, cap=11)
    with pytest.raises(TooLargeError, match="more than 23 starts"):
        patterns(MospInstance([*instance.organizations, Organization("B", 2)], None), 20, cap=23)


def naive_patterns(scaled: ScaledMosp, job: int, cluster: int, latest: int) -> set[int]:
    """By the definition: every subset of other jobs of the cluster, on top of everything it may be put on."""
    others = [j for j, width in enumerate(scaled.widths) if j != job and width <= scaled.processors[cluster]]
    bases = {0, *(end for k, _, end, _ in scaled.reservations if k == cluster)}
    found = {scaled.releases[job], *bases}
    for size in range(1, len(others) + 1):
        for chosen in combinations(others, size):
            total = sum(scaled.times[j] for j in chosen)
            found |= {base + total for base in bases | {scaled.releases[j] for j in chosen}}
    return {start for start in found if scaled.releases[job] <= start <= latest - scaled.times[job]}


def test_patterns_are_what_their_definition_says() -> None:
    """Up to starts that collide with a reservation, and reservation ends at which nothing comes free."""
    for seed in range(100):
        instance = random_instance(seed)
        scaled = instance.scaled()
        horizon = sum(scaled.times) + 8
        ends = latest_ends(scaled, horizon)
        found = patterns(instance, horizon)
        for job, cluster in product(range(scaled.job_count), range(scaled.cluster_count)):
            if scaled.widths[job] > scaled.processors[cluster]:
                assert found[job][cluster] == ()
                continue
            naive = naive_patterns(scaled, job, cluster, ends[job])
            free = {start for start in naive if fits(scaled, [ClusterRun(job, cluster, start)], cluster)}
            assert set(found[job][cluster]) <= free
            if all(k != cluster for k, _, _, _ in scaled.reservations):
                assert set(found[job][cluster]) == naive


def reaches(spec: MospStartSpec, target: int) -> bool:
    """Whether the reduced starts and orders hold a schedule that ends by `target`: every combination is tried."""
    scaled = spec.scaled
    order = leading_jobs(scaled)
    before = {second: first for group in spec.identical_jobs for first, second in pairwise(group)}
    preceding = {second: first for group in spec.identical_clusters for first, second in pairwise(group)}

    def extend(runs: dict[int, ClusterRun]) -> bool:
        if len(runs) == scaled.job_count:
            return all(runs[first].start <= runs[second].start for second, first in before.items())
        job = order[len(runs)]
        taken = {run.cluster for run in runs.values()}
        for cluster, starts in enumerate(spec.starts[job]):
            if cluster in preceding and preceding[cluster] not in taken:
                continue
            for start in starts:
                new = ClusterRun(job, cluster, start)
                in_time = start + scaled.times[job] <= target
                if in_time and fits(scaled, [*runs.values(), new], cluster) and extend({**runs, job: new}):
                    return True
        return False

    return extend({})


@pytest.mark.parametrize("slack", [0, 3])
def test_patterns_and_symmetries_keep_an_optimum(slack: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(70):
        instance = random_instance(seed)
        scaled = instance.scaled()
        optimum = int(brute_force(instance)[0] / scaled.tick)
        spec = prepare(instance, scaled, optimum + slack, 0)
        assert reaches(spec, optimum), seed
        assert not reaches(spec, optimum - 1), seed
        every = scaled.job_count * scaled.cluster_count * (optimum + slack)
        seen["smaller"] += spec.size < every / 2
        seen["identical_jobs"] += bool(spec.identical_jobs)
        seen["identical_clusters"] += bool(spec.identical_clusters)
        seen["releases"] += any(scaled.releases)
        seen["reservations"] += bool(scaled.reservations)
    assert min(seen.values()) >= 7 and len(seen) == 5, seen


def test_identical_jobs_have_one_deadline_too() -> None:
    scaled = grids.alike().scaled()
    assert scaled.deadlines == (1, 3, 0)
    assert identical_jobs(scaled, latest_ends(scaled, 3)) == ((0, 1),)
    assert identical_jobs(scaled, latest_ends(scaled, 1)) == ((0, 1, 2),)
    free = grids.alike().with_locality(None).scaled()
    assert identical_jobs(free, latest_ends(free, 3)) == ((0, 1, 2),)


def test_identical_clusters_have_the_same_processors_free() -> None:
    job = [RigidJob("j", 1, 1)]
    whole, parts = [Reservation(1, 3, 2)], [Reservation(1, 2, 2), Reservation(2, 3, 1), Reservation(2, 3, 1)]
    shapes = [(2, job, whole), (3, [], []), (2, [], parts), (2, [], []), (2, [], []), (2, [], whole[:0])]
    organizations = [Organization(f"O{k}", *shape) for k, shape in enumerate(shapes)]
    assert identical_clusters(MospInstance(organizations).scaled()) == ((0, 2), (3, 4, 5))
