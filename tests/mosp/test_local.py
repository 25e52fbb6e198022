"""Local schedules, runs on clusters and ticks: against a naive scheduler, and there and back."""

from contextlib import suppress
from fractions import Fraction as F
from random import Random

import pytest

from oas.core.errors import InputError, TooLargeError
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.core.verifier import verify
from oas.mosp.instance import MospInstance
from oas.mosp.local import LOCAL_ORDERS, list_starts, local_starts
from oas.mosp.runs import ClusterRun, cluster_runs_from_schedule, hasty_schedule, schedule_from_cluster_runs
from oas.mosp.ticks import coarsened
from tests.mosp.instances import random_cluster_runs, random_grid, random_instance
from tests.mosp.naive import naive_starts
from tests.slow import at_least, draws


def jobs(*shapes):
    return [RigidJob(f"J{n}", *shape) for n, shape in enumerate(shapes)]


SHAPES = jobs((2, 1, 5), (3, 2), (2, 3, 1), (1, 2), (3, 1))


@pytest.mark.parametrize(
    ("policy", "order"),
    [
        ("HF", [2, 1, 3, 0, 4]),
        ("BJF", [2, 1, 3, 0, 4]),
        ("SJF", [0, 4, 1, 3, 2]),
        ("LPT", [1, 4, 0, 2, 3]),
        ("SPT", [3, 0, 2, 1, 4]),
        ("FCFS", [1, 3, 4, 2, 0]),
    ],
)
def test_orders_with_ties_by_index(policy, order):
    assert LOCAL_ORDERS[policy](SHAPES, 0) == order


def dense(rng):
    """Up to six reservations over one another, ten jobs."""
    size = rng.randint(2, 6)
    made = jobs(*((F(rng.randint(1, 9), 2), rng.randint(1, size), rng.randint(0, 6)) for _ in range(10)))
    held = []
    for _ in range(6):
        start = rng.randint(0, 12)
        more = [*held, Reservation(start, start + rng.randint(1, 6), rng.randint(1, size))]
        with suppress(InputError):
            held = list(Organization("A", size, (), more).reservations)
    return Organization("A", size, made, held)


def test_equals_the_naive_scheduler():
    with_both = 0
    for seed in range(draws(150)):
        rng = Random(seed)
        for organization in (dense(rng), *random_instance(seed, max_jobs=7).organizations):
            policy = rng.choice(list(LOCAL_ORDERS))
            order = LOCAL_ORDERS[policy](organization.jobs, seed)
            starts = list_starts(organization, order)
            assert starts == naive_starts(organization, order), (seed, organization.id)
            assert starts == local_starts(organization, policy, seed)
            with_both += bool(organization.reservations) and any(job.release for job in organization.jobs)
    assert with_both > at_least(100)


def test_times_without_a_common_unit_are_refused():
    primes = [F(1, 10**39 + n) for n in range(1, 20)]
    organization = Organization("A", 1, jobs(*((time, 1) for time in primes)))
    with pytest.raises(InputError, match=r"^local: the times have too long a common denominator"):
        local_starts(organization, "HF")
    given = {f"J{n}": n for n in range(len(primes))}
    assert MospInstance([organization], local=given).local_makespans == (18 + primes[18],)


def test_starts_too_long_for_a_file_are_refused():
    organization = Organization("A", 1, jobs((F(10**60, 10**39 + 1), 1), (F(10**40, 10**39 + 3), 1), (1, 1)))
    with pytest.raises(InputError, match=r"^local\.J2: the number is too long"):
        MospInstance([organization])


def three_jobs():
    first = Organization("A", 3, [RigidJob("a", 2, 2), RigidJob("b", "1/2", 1), RigidJob("c", 1, 2)])
    return MospInstance([first, Organization("B", 2, [RigidJob("d", 1, 2)])], None)


def test_lowest_idle_processors_first():
    runs = [ClusterRun(2, 0, 4), ClusterRun(0, 0, 0), ClusterRun(1, 0, 3), ClusterRun(3, 1, 0)]
    schedule = schedule_from_cluster_runs(three_jobs(), three_jobs().scaled(), runs, "by hand")
    assert schedule.method == "by hand"
    assert {one.job: (one.start, one.end, one.nodes) for one in schedule.placements} == {
        "a": (0, 2, {"A": (0, 1)}),
        "b": (F(3, 2), 2, {"A": (2,)}),
        "c": (2, 3, {"A": (0, 1)}),
        "d": (0, 1, {"B": (0, 1)}),
    }


def test_there_and_back():
    for seed in range(150):
        made = random_instance(seed)
        scaled = made.scaled()
        runs = random_cluster_runs(scaled, seed)
        schedule = schedule_from_cluster_runs(made, scaled, runs)
        assert cluster_runs_from_schedule(made, scaled, schedule) == runs
        assert verify(made.with_locality(None), schedule) == []


def test_too_many_at_once():
    runs = [ClusterRun(0, 0, 0), ClusterRun(2, 0, 3)]
    with pytest.raises(InputError, match=r"^job c finds 1 of 2 processors free at tick 3$"):
        schedule_from_cluster_runs(three_jobs(), three_jobs().scaled(), runs)
    with pytest.raises(InputError, match=r"^job a finds 0 of 2 processors free"):
        runs = [ClusterRun(3, 1, 0), ClusterRun(0, 1, 1)]
        schedule_from_cluster_runs(three_jobs(), three_jobs().scaled(), runs)


def one(*jobs, **changes):
    return MospInstance([Organization("A", 4, jobs)], **changes)


@pytest.mark.parametrize("place", ["time", "release", "start", "end", "local"])
def test_each_kind_of_time_counts_for_the_unit(place):
    value = {kind: F(2) for kind in ("time", "release", "start", "end", "local")} | {"end": F(3), "local": F(4)}
    value[place] += F(1, 7)
    job = RigidJob("a", value["time"], 1, value["release"])
    organization = Organization("A", 1, [job], [Reservation(value["start"], value["end"], 1)])
    assert MospInstance([organization], local={"a": value["local"]}).scaled().tick == F(1, 7)


def test_too_many_ticks():
    limit = F(2**53)
    assert one(RigidJob("a", limit / 2, 1), RigidJob("b", limit / 2 - 1, 4), local={"a": 0, "b": 0 + limit // 2})
    for time in (limit, F(1, 2**60) + 1):
        with pytest.raises(TooLargeError, match="2\\^53 ticks"):
            one(RigidJob("a", time, 1)).scaled()
    with pytest.raises(TooLargeError):
        one(RigidJob("a", 1, 1), local={"a": limit - 1}).scaled()
    assert one(RigidJob("a", 1, 1), local={"a": limit - 2}).scaled().local_starts == (2**53 - 2,)


@pytest.mark.slow
def test_long_denominators_are_refused_without_working_them_out():
    jobs = [RigidJob(f"J{n}", F(1, 10**39 + n), 1) for n in range(1, 2000)]
    instance = one(*jobs, local={job.id: n for n, job in enumerate(jobs)})
    with pytest.raises(TooLargeError, match="coarser times"):
        instance.scaled()


def test_a_unit_is_the_common_divisor_of_all_times():
    jobs = [RigidJob("a", 12, 2, 6), RigidJob("b", 18, 1)]
    instance = MospInstance([Organization("A", 4, jobs, [Reservation(24, 42, 2)])], None)
    coarse, unit = coarsened(instance.scaled())
    assert (coarse.tick, unit, coarse.times, coarse.releases) == (6, 6, (2, 3), (1, 0))
    assert coarse.reservations == ((0, 4, 7, 2),) and coarse.processors == (4,) and coarse.widths == (2, 1)


@pytest.mark.parametrize("seed", range(40))
def test_the_hasty_schedule_is_feasible(seed):
    instance = random_grid(seed, static=False)
    assert verify(instance, hasty_schedule(instance)) == []
    for organization in instance.organizations:
        if organization.jobs:
            lone = MospInstance([organization], locality=None)
            assert lone.local is None and verify(lone, hasty_schedule(lone)) == []
