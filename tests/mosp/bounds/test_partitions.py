"""The bound by partitions: it decides as enumeration says, its certificates hold, and it is never fooled."""

from fractions import Fraction as F
from random import Random

import pytest

from oas.core.errors import TooLargeError
from oas.core.result import Termination
from oas.core.rigid import Organization, RigidJob
from oas.core.verifier import verify
from oas.mosp.bounds.partitions import kernels, partition_bound, sharing
from oas.mosp.bounds.partitions.kernels import DOUBTFUL, FOUND, REFUTED, STOPPED
from oas.mosp.bounds.partitions.sharing import Sharing
from oas.mosp.bounds.scales import Scales
from oas.mosp.generate.section7 import uni
from oas.mosp.instance import MospInstance
from oas.mosp.runs import ClusterRun, schedule_from_cluster_runs
from oas.solving.brute_force import brute_force
from oas.solving.recheck import recheck
from tests.slow import at_least, draws

EFFORT = 10**6


def equal_clusters(seed, *, releases=False):
    """Two or three equal clusters and few jobs, some of them alike, with locality or with releases."""
    draw = Random(seed)
    size, clusters = draw.randint(2, 4), draw.randint(2, 3)
    jobs = [
        RigidJob(f"J{n}", draw.randint(1, 4), draw.randint(1, size), draw.randint(0, 3) if releases else 0)
        for n in range(draw.randint(3, 6))
    ]
    owners = [draw.randrange(clusters) for _ in jobs]
    organizations = [
        Organization(f"O{k}", size, [job for job, owner in zip(jobs, owners, strict=True) if owner == k])
        for k in range(clusters)
    ]
    return MospInstance(organizations, None)


def unequal_clusters(seed):
    """Two to four clusters of up to four sizes, and few jobs, some of which fit on the largest only."""
    draw = Random(seed)
    sizes = [draw.randint(1, 4) for _ in range(draw.randint(2, 4))]
    jobs = [RigidJob(f"J{n}", draw.randint(1, 4), draw.randint(1, max(sizes))) for n in range(draw.randint(3, 6))]
    owners = [draw.choice([k for k, size in enumerate(sizes) if size >= job.processors]) for job in jobs]
    organizations = [
        Organization(f"O{k}", size, [job for job, owner in zip(jobs, owners, strict=True) if owner == k])
        for k, size in enumerate(sizes)
    ]
    return MospInstance(organizations, None)


def measures(scaled, draw):
    """No, one or two rows of weights, good and bad."""
    areas = [time * width for time, width in zip(scaled.times, scaled.widths, strict=True)]
    noise = [draw.randint(0, 9) for _ in areas]
    return draw.choice([[], [areas], [noise], [noise, areas]])


@pytest.mark.parametrize("clusters", [equal_clusters, unequal_clusters])
@pytest.mark.parametrize("plain", [True, False])
def test_decides_as_enumeration_does(plain, clusters, monkeypatch):
    if plain:
        monkeypatch.setattr(kernels, "search", kernels.search.function)
        monkeypatch.setattr(sharing, "FAILED", 8)  # hardly anything is remembered
        monkeypatch.setattr(sharing, "KNOWN", 8)
    statuses = []
    for seed in range(draws(6 if plain else 30)):
        draw = Random(seed)
        instance = clusters(seed)
        scaled = instance.scaled()
        top = int(brute_force(instance)[0] / scaled.tick)
        for makespan in range(max(1, top - 2), top + 2):
            one = Sharing(Scales(scaled, makespan), 5_000, measures(scaled, draw), EFFORT)
            for _ in range(2):
                answer = one.search(EFFORT)
                assert answer.status == (REFUTED if makespan < top else FOUND)
                if answer.runs is not None:
                    runs = [ClusterRun(*run) for run in answer.runs]
                    schedule = schedule_from_cluster_runs(instance, scaled, runs)
                    assert not verify(instance, schedule) and schedule.makespan <= makespan
                if one.possible:
                    one.shuffle(draw, 1.0)
            statuses.append(answer.status)
    assert min(statuses.count(REFUTED), statuses.count(FOUND)) >= at_least(8)


def test_few_steps_prove_nothing():
    """A packing that is not decided is no proof, and neither is a search that ends too early."""
    found = set()
    for seed in range(15):
        instance = equal_clusters(seed)
        scaled = instance.scaled()
        top = int(brute_force(instance)[0] / scaled.tick)
        for makespan in range(max(1, top - 2), top + 1):
            for effort in (0, 1, 5, 20, EFFORT):
                status = Sharing(Scales(scaled, makespan), 1, [], EFFORT).search(effort).status
                assert status != FOUND or makespan >= top
                assert status != REFUTED or makespan < top
                found.add(status)
    assert found >= {STOPPED, REFUTED, FOUND}


def test_a_doubt_is_no_proof(monkeypatch):
    """Two jobs of 2 × 2 and one of 1 × 4 fill two clusters of four by 3 only if packings may take some steps."""
    monkeypatch.setattr(kernels, "search", kernels.search.function)
    monkeypatch.setattr(kernels, "FINAL_STEPS", 1)
    seen = set()
    for seed in range(30):
        instance = equal_clusters(seed)
        scaled = instance.scaled()
        top = int(brute_force(instance)[0] / scaled.tick)
        seen.add(Sharing(Scales(scaled, top), 1, [], EFFORT).search(10_000).status)
    assert DOUBTFUL in seen and REFUTED not in seen


def status_of(instance, makespan, weights=(), steps=500, mirrored=False):
    """How a search for a makespan in ticks ends."""
    return Sharing(Scales(instance.scaled(), makespan, mirrored), steps, weights, EFFORT).search(EFFORT).status


def test_bound_or_schedule():
    """The search settles tiny instances: the bound is the optimum, or a schedule of that length is found."""
    bounds = schedules = 0
    for seed in range(12):
        instance = equal_clusters(seed, releases=seed % 3 == 1) if seed % 3 else unequal_clusters(seed)
        optimum = brute_force(instance)[0]
        lower, upper = max(F(1), optimum - 1), optimum + seed % 2
        found = partition_bound(instance, lower, upper)
        assert found.termination is Termination.FINISHED, found.message
        if found.runs is not None:
            schedule = schedule_from_cluster_runs(instance, instance.scaled(), found.runs)
            assert not verify(instance, schedule) and schedule.makespan == optimum
            schedules += 1
        if found.bound is not None:
            assert found.bound.value == optimum and recheck(instance, found.bound)
            bounds += 1
    assert bounds >= 2 and schedules >= 2


def test_too_large():
    many = uni(seed=0, jobs=121, organizations=2, processors=32)
    assert partition_bound(many, F(1), F(10**4)).termination is Termination.TOO_LARGE
    sizes = MospInstance(
        [Organization(f"O{n}", n, [RigidJob("J", 3, 1)] if n == 1 else []) for n in range(1, 102)], None
    )
    with pytest.raises(TooLargeError, match="clusters of 101 sizes; at most 40"):
        status_of(sizes, 2)


def test_the_greatest_weights_of_the_most_jobs_do_not_overflow():
    jobs = [RigidJob(f"J{n}", 1, 1) for n in range(120)]
    instance = MospInstance([Organization("A", 60, jobs), Organization("B", 60)], None)
    weights = [[sharing.MAX_WEIGHT] * 120]
    assert (status_of(instance, 1, weights), status_of(instance, 0, weights)) == (FOUND, REFUTED)


def cut_to_pieces(draw: Random, time: int, width: int, count: int) -> list[tuple[int, int]]:
    """Times and widths of `count` jobs that fill a cluster of this width for this time."""
    pieces = [(time, width)]
    while len(pieces) < count:
        time, width = pieces.pop(draw.randrange(len(pieces)))
        if time > 1 and (width == 1 or draw.random() < 0.5):
            first = draw.randint(1, time - 1)
            pieces += [(first, width), (time - first, width)]
        elif width > 1:
            first = draw.randint(1, width - 1)
            pieces += [(time, first), (time, width - first)]
        else:
            pieces.append((time, width))
    return pieces


def test_clusters_that_the_jobs_fill_exactly() -> None:
    """Packings that may take one step only leave sets open, which is no proof."""
    for seed in range(60):
        draw = Random(seed)
        time, sizes = draw.randint(5, 8), draw.choice([(4, 2, 2), (4, 2, 2, 2), (3, 3, 2, 2, 2), (3, 3, 3)])
        pieces = [one for size in sizes for one in cut_to_pieces(draw, time, size, draw.randint(2, 4))]
        draw.shuffle(pieces)
        jobs = [RigidJob(f"J{n}", *one) for n, one in enumerate(pieces)]
        organizations = [Organization(f"O{k}", size, jobs if k == 0 else []) for k, size in enumerate(sizes)]
        assert status_of(MospInstance(organizations, None), time, steps=1) in (FOUND, STOPPED), seed


def test_clusters_that_take_no_job_do_not_hinder():
    """One job is wider than each cluster but the last; of more clusters than jobs the smallest are left out."""
    for sizes in ((1, 1, 2), (1, 2, 2, 3), (2, 2, 2, 2, 3)):
        jobs = [RigidJob("J0", 2, sizes[-1]), RigidJob("J1", 1, sizes[-1])]
        organizations = [Organization(f"O{k}", size, jobs if size == sizes[-1] else []) for k, size in enumerate(sizes)]
        scaled = MospInstance(organizations, None).scaled()
        assert Sharing(Scales(scaled, 2), 500, [], EFFORT).search(EFFORT).status == REFUTED
        answer = Sharing(Scales(scaled, 3), 500, [], EFFORT).search(EFFORT)
        assert answer.runs is not None and {cluster for _, cluster, _ in answer.runs} == {len(sizes) - 1}


def test_nothing_wraps_where_ticks_are_many():
    """Areas times windows beyond 2^63 once made a set fit that does not, so that another was left out."""
    jobs = [RigidJob(f"J{k}", time * 2**28, width) for k, (time, width) in enumerate([(4, 8), (9, 4), (3, 8), (3, 8)])]
    instance = MospInstance([Organization("A", 16, jobs), Organization("B", 16)], None)
    optimum = 9 * 2**28
    assert brute_force(instance)[0] == optimum
    for steps in (20, 500):
        assert status_of(instance, optimum, steps=steps) != REFUTED
        assert status_of(instance, optimum - 1, steps=steps) == REFUTED
