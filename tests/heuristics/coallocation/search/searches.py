"""Instances for the local searches of co-allocated jobs, and each search with its start."""

from fractions import Fraction as F
from random import Random

from heuristics.coallocation.search.annealing import AnnealingSearch
from heuristics.coallocation.search.beam import BeamSearch
from heuristics.registry import own_methods
from oas.bounds.coallocation.configurations import Weights
from oas.core.result import Bound
from oas.core.verifier import check
from oas.exact.coallocation.search import CoallocationExactSearch
from oas.exact.evidence import Evidence
from oas.problems.coallocation.allocations import runs_from_schedule, schedule_from_runs
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup


def checked(instance, runs):
    assert runs is not None
    assert [run.job for run in runs] == list(range(len(instance.jobs)))
    return check(instance, schedule_from_runs(instance, instance.scaled(), runs))


def makespan(runs):
    return max(run.end for run in runs)


def several_classes(seed):
    """Clusters of two or three Γ, links from absent to wide, jobs up to the whole grid, η = 0 among the slots."""
    rng = Random(seed)
    powers = (F(1), F(3, 4), F(1, 2))
    clusters = [
        Cluster(
            f"C{k}",
            [NodeGroup(rng.randint(1, 6), power) for power in rng.sample(powers, rng.randint(1, 3))],
            rng.choice((F(0), F(5), F(12), F(40), F(1000))),
        )
        for k in range(rng.randint(1, 5))
    ]
    largest, nodes = max(one.size for one in clusters), sum(one.size for one in clusters)
    jobs = []
    for index in range(rng.randint(1, 14)):
        tasks = rng.randint(1, nodes)
        need = F(rng.randint(0, 8), rng.choice((1, 3)))
        job = Job(f"J{index}", tasks, F(rng.randint(1, 30), 3), need, F(7, 10))
        alone = CoallocationInstance(clusters, [job])
        jobs.append(job if AnnealingSearch(alone.scaled(), compiled=False).improve(0, 1) else _cut(job, largest))
    return CoallocationInstance(clusters, jobs, slot=rng.choice((F(0), F(1), F(5, 2))))


def _cut(job, most):
    return Job(job.id, min(job.tasks, most), job.base_time, job.bandwidth, job.sigma)


def worst_list(instance):
    schedules = [method(instance) for method in own_methods(CoallocationInstance)]
    return runs_from_schedule(instance, instance.scaled(), max(schedules, key=lambda schedule: schedule.makespan))


def by_tasks(scaled):
    """Weights of jobs for which the number of nodes is a valid bound."""
    return [[tasks] * len(scaled.powers) for tasks in scaled.tasks]


def duals_of(scaled):
    return [(by_tasks(scaled), sum(len(one.nodes) for one in scaled.classes))]


def annealing(instance, seed=0, *, compiled=False):
    return AnnealingSearch(instance.scaled(), seed, compiled=compiled)


def beam(instance, seed=0, *, compiled=False):
    scaled = instance.scaled()
    return BeamSearch(scaled, worst_list(instance), duals_of(scaled), seed, compiled=compiled)


class PlainBeam(BeamSearch):
    """Plain Python only: starts without loading compiled code."""

    def __init__(self, *arguments):
        super().__init__(*arguments, compiled=False)


def exact_search_of(instance, target):
    """The worst schedule of a list, `target` for a bound, and weights that differ from job to job."""
    scaled = instance.scaled()
    evidence = Evidence(instance)
    assert evidence.offer(schedule_from_runs(instance, scaled, worst_list(instance)), "list") is None
    evidence.bound = Bound("told", target, {})
    exact = CoallocationExactSearch(evidence, 0, lambda: None, lambda: None)
    weights = tuple((job + 1,) * len(scaled.powers) for job in range(scaled.job_count))
    exact.duals = [Weights(weights, 10**6), Weights(weights[::-1], 10**6)]
    return exact
