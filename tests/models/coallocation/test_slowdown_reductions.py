"""What is left out under slowdown: identical by all that matters there, and dominated in every schedule."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from oas.generate.coallocation.saturated import saturated
from oas.models.coallocation.slowdown_reductions import canonical_runs, identical_jobs, reduced_allocations
from oas.problems.coallocation.allocations import allocations
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.progress import StartedRun, ends_of

SHARINGS = ("paper", "max-min")


def policy(sharing):
    return {"policy": "slowdown", "sharing": sharing}


def clusters(*given):
    return [Cluster(f"C{place}", [NodeGroup(*one) for one in groups], own) for place, (groups, own) in enumerate(given)]


def test_jobs_of_equal_duration_may_be_slowed_unequally():
    jobs = [Job("a", 2, 4, 1, F(1, 2)), Job("b", 2, 4, 1, F(1, 4)), Job("c", 2, 4, 1, F(1, 2)), Job("d", 2, 4, 2, 1)]
    instance = CoallocationInstance(clusters(([(2, 1)], 1), ([(2, 1)], 1)), jobs, 0, "slowdown")
    assert identical_jobs(instance) == ((0, 2),)


def test_clusters_with_other_links_are_not_alike():
    jobs = [Job("wide", 2, 4, 1, F(1, 2)), Job("x", 2, 3, 1, F(1, 2))]
    alike = CoallocationInstance(clusters(([(1, 1)], 1), ([(1, 1)], 1), ([(1, 1)], 1)), jobs, 0, "slowdown")
    unlike = CoallocationInstance(clusters(([(1, 1)], 1), ([(1, 1)], F(1, 2)), ([(1, 1)], 1)), jobs, 0, "slowdown")
    # Where the wide job leaves a cluster to x, both on the other two is worse for x.
    assert [len(own) for own in reduced_allocations(alike)] == [1, 2]
    assert [len(own) for own in reduced_allocations(unlike)] == [2, 3]


@pytest.mark.parametrize(("sharing", "left"), [("paper", 1), ("max-min", 2)])
def test_dominance_is_that_of_the_sharing(sharing, left):
    # On C1 and C2 job x runs alone on links that the wide job saturates beside it; on C0 it needs no link at all.
    jobs = [Job("wide", 3, 4, 2, F(1, 2)), Job("x", 2, 3, 1, F(1, 2))]
    grid = clusters(([(5, 1)], 9), ([(4, 1)], F(1, 2)))
    instance = CoallocationInstance(grid, jobs, 0, policy(sharing))
    assert len(reduced_allocations(instance)[1]) == left


def test_a_faster_node_is_no_better_for_a_job_that_does_not_compute():
    grid = clusters(([(2, 1), (2, F(1, 2))], 0))
    for sigma, speeds in ((F(0), 1), (F(1, 2), 2)):
        instance = CoallocationInstance(grid, [Job("a", 1, 4, 0, sigma), Job("b", 1, 2, 0, 1)], 0, policy("max-min"))
        assert len(reduced_allocations(instance)[0]) == speeds


@pytest.mark.parametrize("sharing", SHARINGS)
def test_runs_are_moved_onto_what_is_kept(sharing):
    moved_at_all = False
    for seed in range(40):
        instance = saturated(seed=seed, jobs=3, sharing=sharing)
        scaled, kept = instance.scaled(), reduced_allocations(instance)
        own = [allocations(scaled, job)[-1] for job in range(3)]
        runs = [StartedRun(job, F(20 * (2 - job)), choice) for job, choice in enumerate(own)]  # one after the other
        found = canonical_runs(instance, kept, runs)
        assert found is not None and [run.job for run in found] == [0, 1, 2]
        assert all(run.allocation in kept[run.job] for run in found)
        assert sorted(run.start for run in found) == [0, 20, 40]
        assert max(ends_of(instance, found)) <= max(ends_of(instance, runs))
        moved_at_all |= found != runs
        for group in identical_jobs(instance):
            assert sorted(group, key=lambda job: found[job].start) == list(group)
    assert moved_at_all
