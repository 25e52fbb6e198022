"""`oas.model`: what users do with a model, and models without reductions compared with brute force."""

import subprocess
import sys
from fractions import Fraction as F
from itertools import product
from math import inf, lcm
from operator import add
from random import Random
from textwrap import dedent

import pyomo.environ as pyo
import pytest

import oas
from oas.coallocation.generate.tiny import draw_tiny, tiny
from oas.core.errors import InfeasibleError, InputError, TooLargeError, VerificationError
from oas.mosp.generate.tiny import random_instance as random_mosp
from oas.solvers.matrix import Matrix, Row, proven_bound
from tests.coallocation import grids
from tests.mosp import instances as mosp
from tests.slow import draws

INSTANCE = oas.CoallocationInstance(
    [
        oas.Cluster("A", [oas.NodeGroup(2, 1)], 1000),
        oas.Cluster("B", [oas.NodeGroup(1, "1/2"), oas.NodeGroup(1, 1)], 1000),
    ],
    [oas.Job("a", 2, 3, 10, "0.5"), oas.Job("b", 1, 2), oas.Job("c", 3, 1, 100, "0.5")],
    slot="1/2",
)
ORGANIZATIONS = mosp.unequal()


# Brute force, from the definitions in the papers: a job's runs are (start, end, nodes by cluster and kind of node).


def coallocation_runs(instance, horizon):
    """Every run of each job by the horizon; and the capacities: nodes of a kind, and links."""
    kinds = [(cluster.id, power) for cluster in instance.clusters for power in sorted(set(cluster.node_powers))]
    sizes = [
        sum(power == one for one in cluster.node_powers)
        for cluster in instance.clusters
        for power in sorted(set(cluster.node_powers))
    ]
    times = [time_on(job, power, instance.slot) for job in instance.jobs for _, power in kinds]
    tick = instance.slot or F(1, lcm(*(time.denominator for time in times)))
    runs = []
    for job in instance.jobs:
        own = []
        for counts in product(*(range(min(size, job.tasks) + 1) for size in sizes)):
            if sum(counts) == job.tasks:
                slowest = min(power for (_, power), count in zip(kinds, counts) if count)
                duration = time_on(job, slowest, instance.slot)
                nodes = {}
                for (cluster, _), count in zip(kinds, counts):
                    if count:
                        nodes[cluster] = nodes.get(cluster, 0) + count
                loads = [load(job, nodes.get(cluster.id, 0)) for cluster in instance.clusters]
                if all(one <= cluster.bandwidth for one, cluster in zip(loads, instance.clusters)):
                    steps = (horizon - duration) // tick
                    own += [(k * tick, k * tick + duration, nodes, (*counts, *loads)) for k in range(steps + 1)]
        runs.append(own)
    return runs, [*sizes, *(cluster.bandwidth for cluster in instance.clusters)], tick


def time_on(job, power, slot):
    time = job.base_time * (job.sigma / power + 1 - job.sigma)
    return -(-time // slot) * slot if slot else time


def load(job, count):
    return F(0) if job.tasks == 1 else count * job.bandwidth * F(job.tasks - count, job.tasks - 1)


def mosp_runs(instance, horizon):
    """The same for organizations; a reservation is a run of nobody, which all schedules contain."""
    names = [one.id for one in instance.organizations]
    blocks = [(k, one) for k, owner in enumerate(instance.organizations) for one in owner.reservations]
    moments = [m for job in instance.jobs for m in (job.time, job.release)]
    moments += [m for _, one in blocks for m in (one.start, one.end)]
    local = instance.local or {}
    tick = F(1, lcm(*(moment.denominator for moment in [*moments, *local.values()])))
    deadline = {}
    for owner in instance.organizations:
        ends = [local[job.id] + job.time for job in owner.jobs] if instance.locality is not None else []
        for job in owner.jobs:
            deadline[job.id] = min(horizon, instance.locality * max(ends)) if ends else horizon

    def run(start, end, k, width):
        uses = [0] * len(names)
        uses[k] = width
        return start, end, {names[k]: width}, tuple(uses)

    fixed = [run(one.start, one.end, k, one.processors) for k, one in blocks]
    runs = [
        [
            run(step * tick, step * tick + job.time, k, job.processors)
            for k in range(len(names))
            for step in range(int(horizon / tick) + 1)
            if job.release <= step * tick and step * tick + job.time <= deadline[job.id]
        ]
        for job in instance.jobs
    ]
    sizes = [one.processors for one in instance.organizations]
    return [*([one] for one in fixed), *runs], sizes, tick


def fits(chosen, sizes):
    """Whether the runs fit at each of their starts."""
    for moment, *_ in chosen:
        uses = [run[3] for run in chosen if run[0] <= moment < run[1]]
        if any(sum(column) > size for column, size in zip(zip(*uses), sizes)):
            return False
    return True


def cheapest(runs, sizes, cost, allowed, chosen=()):
    """The least cost of runs that fit and are allowed; infinite if there are none."""
    if len(chosen) == len(runs):
        return cost(chosen) if allowed(chosen) else inf
    best = inf
    for run in runs[len(chosen)]:
        longer = (*chosen, run)
        if fits(longer, sizes):
            best = min(best, cheapest(runs, sizes, cost, allowed, longer))
    return best


class Wishes:
    """Random constraints, as a predicate of runs by job and as rows of a model."""

    def __init__(self, rng, jobs, clusters, horizon, tick):
        self.jobs = jobs
        self.first, self.second = rng.choice(jobs), rng.choice(jobs)
        self.lag = rng.choice((0, 0, tick)) if self.first != self.second and rng.random() < 0.5 else None
        self.placed, self.cluster = rng.choice(jobs), rng.choice(clusters) if rng.random() < 0.3 else None
        self.begin = rng.randint(0, 2) * tick if rng.random() < 0.4 else None
        self.factors = [rng.randint(-1, 2) for _ in jobs] if rng.random() < 0.4 else None
        self.limit = rng.randint(1, 3) * horizon / 2

    def allow(self, runs):
        by_job = dict(zip(self.jobs, runs))
        first, second, placed = by_job[self.first], by_job[self.second], by_job[self.placed]
        return (
            (self.lag is None or second[0] >= first[1] + self.lag)
            and (self.cluster is None or set(placed[2]) == {self.cluster})
            and (self.begin is None or placed[0] >= self.begin)
            and (self.factors is None or sum(c * run[1] for c, run in zip(self.factors, runs)) <= self.limit)
        )

    def add_to(self, model):
        m = model.pyomo
        m.wishes = pyo.ConstraintList()
        if self.lag is not None:
            for b in model.starts(self.second):
                before = [a.variable for a in model.starts(self.first) if a.end + float(self.lag) <= b.start]
                m.wishes.add(b.variable <= sum(before))
        for one in model.starts(self.placed):
            elsewhere = self.cluster is not None and set(one.nodes) != {self.cluster}
            early = self.begin is not None and one.start < float(self.begin)
            if elsewhere or early:
                m.wishes.add(one.variable <= 0)
        if self.factors is not None:
            m.wishes.add(weighted_ends(model, self.jobs, self.factors) <= float(self.limit))


def weighted_ends(model, jobs, factors):
    return sum(c * s.end * s.variable for job, c in zip(jobs, factors) for s in model.starts(job))


def compare_with_brute_force(rng, instance, runs_of, formulation, weights, solver="highs"):
    jobs, clusters = [job.id for job in instance.jobs], [name for name, _ in instance.cluster_sizes]
    tick = instance.scaled().tick
    shortest = max(job.end for job in oas.solve(instance).schedule.placements)
    horizon = shortest + rng.randint(0, 2) * tick
    runs, sizes, tick = runs_of(instance, horizon)
    wishes = Wishes(rng, jobs, clusters, horizon, tick)
    factors = [rng.choice(weights) for _ in jobs]
    blocks = len(runs) - len(jobs)

    def cost(chosen):
        return sum(c * run[1] for c, run in zip(factors, chosen[blocks:]))

    expected = cheapest(runs, sizes, cost, lambda chosen: wishes.allow(chosen[blocks:]))
    model = oas.model(instance, formulation, horizon=horizon, reduced=False)
    wishes.add_to(model)
    model.pyomo.objective.deactivate()
    model.pyomo.goal = pyo.Objective(expr=weighted_ends(model, jobs, factors))
    answer = model.solve(solver)
    if expected == inf:
        assert answer.status == "infeasible"
        return False
    assert answer.status == "optimal" and answer.objective == pytest.approx(float(expected), abs=1e-6)
    assert not answer.violations and oas.verify(instance, answer.schedule) == []
    ends = {one.job: one.end for one in answer.schedule.placements}
    assert sum(c * ends[job] for job, c in zip(jobs, factors)) == expected
    chosen = {one.job: one for one in answer.schedule.placements}
    assert wishes.allow(
        [
            (chosen[job].start, chosen[job].end, {name: len(list(own)) for name, own in chosen[job].nodes.items()})
            for job in jobs
        ]
    )
    return True


def short(instance):
    """Whether brute force is quick."""
    return len(instance.jobs) > 1 and oas.solve(instance).objective / instance.scaled().tick <= 7


def tiny_grids(count):
    seeds = iter(range(10_000))
    while count:
        instance = tiny(seed=next(seeds), jobs=3, nodes=4, clusters=2)
        if short(instance):
            count -= 1
            yield instance


def tiny_organizations(count):
    seeds = iter(range(10_000))
    while count:
        instance = random_mosp(next(seeds), max_jobs=3, max_clusters=2, max_processors=3, max_time=3)
        if short(instance):
            count -= 1
            yield instance


@pytest.mark.parametrize(
    ("instances", "runs_of"), [(tiny_grids, coallocation_runs), (tiny_organizations, mosp_runs)], ids=["grid", "mosp"]
)
def test_without_reductions_any_objective_and_constraints_have_the_optimum_of_brute_force(instances, runs_of):
    rng, feasible = Random(1), 0
    for instance in instances(draws(30)):
        feasible += compare_with_brute_force(rng, instance, runs_of, "start-indexed", (-2, -1, 0, 1, 2, 3))
    assert feasible > draws(30) / 3


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["highs", "cbc"])
@pytest.mark.parametrize(
    ("instances", "runs_of"), [(tiny_grids, coallocation_runs), (tiny_organizations, mosp_runs)], ids=["grid", "mosp"]
)
def test_the_same_with_many_draws_and_both_solvers(instances, runs_of, solver):
    rng = Random(2)
    for instance in instances(draws(150)):
        compare_with_brute_force(rng, instance, runs_of, "start-indexed", (-2, -1, 0, 1, 2, 3), solver)
