"""Feasible schedules far from the optimum, as unhelpful starts of searches."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

from oas.coallocation.allocations import allocations
from oas.coallocation.running import StartedRun, ends_of, schedule_from_starts
from oas.core.registry import COALLOCATION
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.fair.objectives import Objective, objective_value, open_at_horizon
from oas.fair.search.engine import run_policy
from oas.fair.search.policy import Watcher
from oas.fair.ticks import schedule_from_starts as fair_schedule
from oas.mosp.runs import ClusterRun, local_schedule, schedule_from_cluster_runs
from oas.solving.methods import toolkit_methods

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.coallocation.instance import CoallocationInstance
    from oas.fair.instance import FairInstance
    from oas.mosp.instance import MospInstance

ORDERS = 12  # of greedy schedules of fair sharing


def poor(instance: Any) -> Schedule:
    """Return a feasible schedule that is far from optimal."""
    return longest_start(instance) if instance.problem.name == "mosp" else serial(instance)


def serial(instance: CoallocationInstance) -> Schedule:
    """Return the jobs one after another, each on the first of its fastest allocations."""
    scaled = instance.scaled()
    runs, now = [], Fraction(0)
    for job in range(scaled.job_count):
        runs.append(StartedRun(job, now, min(allocations(scaled, job), key=lambda one: one.duration)))
        now = max(ends_of(instance, runs))
    return schedule_from_starts(instance, runs, "serial")


def late(instance: CoallocationInstance) -> Schedule:
    """Return the best heuristic schedule, a tick later: neither optimal nor much too long."""
    best = min((method(instance) for method in toolkit_methods(COALLOCATION)), key=lambda schedule: schedule.makespan)
    tick = instance.scaled().tick
    moved = [Placement(one.job, one.start + tick, one.end + tick, one.nodes) for one in best.placements]
    return Schedule(moved, "late")


def longest_start(instance: MospInstance) -> Schedule:
    """Return the longest of some schedules that keep locality.

    They are the local schedules, these delayed as far as locality allows, and all jobs one after another.
    """
    offered = [] if instance.local is None else [local_schedule(instance), _delayed(instance)]
    offered.append(_one_after_another(instance))
    return max((one for one in offered if not verify(instance, one)), key=lambda schedule: schedule.makespan)


def _delayed(instance: MospInstance) -> Schedule:
    """Delay each organization's local schedule to its deadline; reservations may prevent that."""
    scaled = instance.scaled()
    delays = [
        0 if deadline is None or alone is None else deadline - int(alone / scaled.tick)
        for deadline, alone in zip(scaled.deadlines, instance.local_makespans, strict=True)
    ]
    runs = [ClusterRun(job, k, scaled.local_starts[job] + delays[k]) for job, k in enumerate(scaled.owners)]
    return schedule_from_cluster_runs(instance, scaled, runs)


def _one_after_another(instance: MospInstance) -> Schedule:
    """Schedule all jobs one after another, on their own clusters, after the last release and the last reservation."""
    scaled = instance.scaled()
    now = max((*scaled.releases, *(end for _, _, end, _ in scaled.reservations)))
    runs = []
    for job, owner in enumerate(scaled.owners):
        runs.append(ClusterRun(job, owner, now))
        now += scaled.times[job]
    return schedule_from_cluster_runs(instance, scaled, runs)


class ByLot(Watcher):
    """A policy that picks organizations at random."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        """Return a random waiting organization."""
        return self.rng.choice(waiting)


def greedy_schedules(instance: FairInstance, count: int = ORDERS) -> list[Schedule]:
    """Return schedules that pick organizations at random."""
    runs = (run_policy(instance.scaled(), ByLot, seed) for seed in range(count))
    return [fair_schedule(instance, run, "by lot") for run in runs]


def worst_start(instance: FairInstance, objective: Objective) -> Schedule | None:
    """Return the worst of some greedy schedules; for the makespan, all jobs must be complete. None if there is none."""
    offered = greedy_schedules(instance)
    if objective is Objective.MAKESPAN:
        offered = [one for one in offered if not open_at_horizon(instance, one)]
    return max(offered, key=lambda one: objective.sign * objective_value(instance, one, objective), default=None)
