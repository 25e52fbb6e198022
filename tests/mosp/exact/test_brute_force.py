"""Brute force for MOSP: right by hand, and equal to every start times every cluster."""

from collections import Counter
from fractions import Fraction as F

import pytest

from oas.core.errors import TooLargeError
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.mosp.instance import MospInstance
from oas.mosp.rules import mosp_violations
from oas.mosp.runs import ClusterRun, local_schedule
from oas.solving.brute_force import brute_force
from tests.mosp.instances import fits, random_instance
from tests.slow import at_least, draws


def jobs(*shapes, prefix="J"):
    return [RigidJob(f"{prefix}{number}", *shape) for number, shape in enumerate(shapes)]


def optimum(instance):
    makespan, schedule = brute_force(instance)
    assert schedule.makespan == makespan
    assert mosp_violations(instance, schedule) == []
    return makespan


@pytest.mark.parametrize(
    "organizations",
    [
        [
            Organization("A", 1, jobs((1, 1), prefix="a")),
            Organization("B", 1, jobs((1, 1), prefix="b")),
            Organization("C", 1, jobs((2, 1), (2, 1), prefix="c")),
        ],
        [
            Organization("A", 2, jobs((1, 1), (1, 1), prefix="a")),
            Organization("B", 2, jobs((2, 1), (2, 1), (2, 1), prefix="b")),
        ],
    ],
)
def test_the_price_of_locality(organizations):
    """The short jobs end at 1 at home; one behind the other they would leave two clusters, or three processors."""
    instance = MospInstance(organizations, 1)
    assert optimum(instance) == 3
    assert optimum(instance.with_locality(F(199, 100))) == 3
    assert optimum(instance.with_locality(2)) == 2
    assert optimum(instance.with_locality(None)) == 2


def test_releases_and_reservations_by_hand():
    """The reservation leaves [0, 1) and [3, ∞) to a job of two processors; the release 2 leaves only the latter."""

    def end(time, release):
        organization = Organization("A", 2, [RigidJob("j", time, 2, release)], [Reservation(1, 3, 1)])
        return optimum(MospInstance([organization], None))

    assert end(1, 0) == 1
    assert end(F(3, 2), 0) == F(9, 2)
    assert end(1, 2) == 4
    assert end(1, 5) == 6


def dumb(instance):
    """The least makespan over every integer start and every cluster, with no other idea."""
    scaled = instance.scaled()
    best = max(start + time for start, time in zip(scaled.local_starts, scaled.times, strict=True))

    def extend(runs, end):
        nonlocal best
        if len(runs) == scaled.job_count:
            best = min(best, end)
            return
        job = len(runs)
        deadline = scaled.deadlines[scaled.owners[job]]
        for cluster in range(scaled.cluster_count):
            for start in range(scaled.releases[job], best - scaled.times[job]):
                stop = start + scaled.times[job]
                if stop >= best or (deadline is not None and stop > deadline):
                    break
                more = [*runs, ClusterRun(job, cluster, start)]
                if fits(scaled, more, cluster):
                    extend(more, max(end, stop))

    extend([], 0)
    return scaled.to_time(best)


def test_equals_every_start_times_every_cluster():
    counts = Counter()
    for seed in range(draws(200)):
        instance = random_instance(seed, max_jobs=4, max_time=4)
        local = local_schedule(instance).makespan
        if local / instance.scaled().tick > 12:
            continue
        makespan = optimum(instance)
        assert makespan == dumb(instance), seed
        counts["compared"] += 1
        counts["better"] += makespan < local
        counts["locality"] += instance.locality is not None and makespan > optimum(instance.with_locality(None))
        counts["reservations"] += any(one.reservations for one in instance.organizations)
        counts["releases"] += any(job.release for job in instance.jobs)
        counts["unequal"] += len({one.processors for one in instance.organizations}) > 1
    assert counts["compared"] >= at_least(125), counts
    assert counts["locality"] >= at_least(1), counts  # the constraint costs something
    assert min(counts[key] for key in ("better", "reservations", "releases", "unequal")) >= at_least(15), counts


def short_jobs_and_a_long_one():
    """Seven full-width jobs on eight clusters; only the long one does not fit before a reservation: it ends at 6."""
    times = [3, *(F(number, 10) for number in range(4, 10))]
    organizations = [
        Organization(f"O{k}", 4, jobs(*[(time, 4) for time in times] if k == 0 else ()), [held])
        for k, held in enumerate(Reservation(1, 3 + F(k, 10), 1) for k in range(8))
    ]
    return MospInstance(organizations, None)


def test_too_large():
    many = MospInstance([Organization("A", 8, jobs(*[(1, 1)] * 8))])
    with pytest.raises(TooLargeError, match="at most 7 jobs"):
        brute_force(many)
    with pytest.raises(TooLargeError, match="takes too many steps"):
        brute_force(random_instance(0), 1)
