"""The start-indexed MOSP model's rows, patterns and symmetries, none of which loses all optima."""

import pytest

from oas.core.errors import TooLargeError
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.mosp.instance import MospInstance
from oas.mosp.models.reductions import (
    free_profile,
    identical_clusters,
    identical_jobs,
    latest_ends,
    normal_patterns,
)
from oas.mosp.models.start_indexed import build, prepare
from oas.mosp.runs import ClusterRun
from tests.mosp import instances as grids
from tests.solving.rows import broken, every_cluster_start, rows_of, values_of


def test_each_job_runs_exactly_once():
    instance = grids.alike().with_locality(None)
    spec = every_cluster_start(prepare(instance, instance.scaled(), 4, 0))
    runs = [ClusterRun(0, 0, 0), ClusterRun(1, 1, 0), ClusterRun(2, 2, 0), ClusterRun(3, 1, 1)]
    rows, values = rows_of(build(spec)), values_of(spec, runs)
    assert broken(rows, values) == set()
    first = ("start", (0, 0, 0))
    assert broken(rows, {key: value for key, value in values.items() if key != first}) == {"starts"}
    assert "starts" in broken(rows, values | {("start", (0, 0, 2)): 1.0})
    assert "starts" in broken(rows, values | {("start", (0, 2, 1)): 1.0})
    assert "once" in broken(rows, values | {("start", (0, 2, 1)): 1.0, ("on", (0, 2)): 1.0})


def test_a_reservation_may_begin_where_no_job_starts():
    """Each of two jobs of 3 fits beside the reservation of [1, 2), both do not, though neither can start at 1."""
    jobs = [RigidJob("a", 3, 1), RigidJob("b", 3, 1)]
    instance = MospInstance([Organization("A", 2, jobs, [Reservation(1, 2, 1)])], None)
    spec = prepare(instance, instance.scaled(), 6, 0)
    assert spec.starts == (((0, 2, 3),), ((0, 2, 3),))
    rows = rows_of(build(spec))
    assert broken(rows, values_of(spec, [ClusterRun(0, 0, 0), ClusterRun(1, 0, 0)])) == {"processors"}
    assert broken(rows, values_of(spec, [ClusterRun(0, 0, 0), ClusterRun(1, 0, 2)])) == set()


def chain(count, length):
    jobs = [RigidJob(f"J{index}", length + index * index, 1) for index in range(count)]
    return MospInstance([Organization("A", 2, jobs)], None)


@pytest.mark.slow
def test_a_model_too_large_is_refused_before_it_is_built():
    instance = chain(40, 2000)
    with pytest.raises(TooLargeError, match="starts to consider"):
        prepare(instance, instance.scaled(), 60_000, 0)
    instance = chain(20, 600)
    with pytest.raises(TooLargeError, match="coefficients"):
        prepare(instance, instance.scaled(), 7000, 0)


def patterns(instance, horizon, cap=1000):
    scaled = instance.scaled()
    profiles = [free_profile(scaled, cluster) for cluster in range(scaled.cluster_count)]
    return normal_patterns(scaled, profiles, latest_ends(scaled, horizon), cap)


def one_cluster(*jobs, size=2, reservations=()):
    made = [RigidJob(f"J{number}", *job) for number, job in enumerate(jobs)]
    return MospInstance([Organization("A", size, made, reservations)], None)


def test_normal_patterns_by_hand():
    assert patterns(one_cluster((2, 1), (3, 1), (5, 1)), 10) == (((0, 3, 5, 8),), ((0, 2, 5, 7),), ((0, 2, 3, 5),))
    assert patterns(one_cluster((2, 1)), 9) == (((0,),),)


def test_the_cap():
    instance = one_cluster((1, 1), (2, 1), (4, 1))
    assert sum(len(own[0]) for own in patterns(instance, 20)) == 12
    assert patterns(instance, 20, cap=12) == patterns(instance, 20)
    with pytest.raises(TooLargeError, match="more than 11 starts"):
        patterns(instance, 20, cap=11)
    with pytest.raises(TooLargeError, match="more than 23 starts"):
        patterns(MospInstance([*instance.organizations, Organization("B", 2)], None), 20, cap=23)


def test_identical_jobs_have_one_deadline_too():
    scaled = grids.alike().scaled()
    assert scaled.deadlines == (1, 3, 0)
    assert identical_jobs(scaled, latest_ends(scaled, 3)) == ((0, 1),)
    assert identical_jobs(scaled, latest_ends(scaled, 1)) == ((0, 1, 2),)
    free = grids.alike().with_locality(None).scaled()
    assert identical_jobs(free, latest_ends(free, 3)) == ((0, 1, 2),)


def test_identical_clusters_have_the_same_processors_free():
    job = [RigidJob("j", 1, 1)]
    whole, parts = [Reservation(1, 3, 2)], [Reservation(1, 2, 2), Reservation(2, 3, 1), Reservation(2, 3, 1)]
    shapes = [(2, job, whole), (3, [], []), (2, [], parts), (2, [], []), (2, [], []), (2, [], whole[:0])]
    organizations = [Organization(f"O{k}", *shape) for k, shape in enumerate(shapes)]
    assert identical_clusters(MospInstance(organizations).scaled()) == ((0, 2), (3, 4, 5))
