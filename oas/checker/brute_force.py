"""Shortest schedules of tiny instances by enumeration: brute force, which confirms lower bounds.

**Theorem.** An optimal schedule with the least sum of starts results from placing the jobs in the order of their
starts, each at the first moment, not before the previously placed job, at which it fits alongside the placed jobs.

**Proof.** Suppose that a job fits earlier than its start in such a schedule. Until its start only jobs placed before it
run, and from then on it needs no more than it holds; so it could start earlier, which contradicts the least sum. An
earlier start violates no deadline. This holds for any order of the jobs that start at the same moment, so equal
starts are placed in the order of the jobs' numbers. The first moment at which a job fits is the earliest permitted one,
or the end of another block.

A branch is closed if a job misses its deadline in every way to run it, since later it would miss it too; if the end of
a job or the remaining work shows that no schedule ends before the limit; or if its state occurred before. The state
consists of the remaining jobs, the last placed job with its start, and the use of the resources from then on; it
determines everything except the limit, which only decreases. Clusters of MOSP with the same number of processors and
the same blocks can be exchanged in it, because deadlines depend on the owner of a job and not on the cluster on which
it runs.

A job needs amounts of resources for its time. In co-allocation these are links and nodes by class; nodes of a class are
interchangeable, so that runs that never need more than there are can be assigned fixed nodes. In MOSP the resources are
the processors of one cluster, possibly with reservations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from oas.checker.coallocation_instance import CoallocationInstance
from oas.checker.coallocation_spread import node_counts, node_pools
from oas.checker.effort import Effort, TooCostly
from oas.checker.mosp_instance import MospInstance
from oas.checker.schedules import PlacedJob, on_nodes
from oas.checker.slowed_brute_force import slowed_schedule_before

MOST_ENUMERATED_JOBS = 6
MOST_ENUMERATED_NODES = 8
MOST_ENUMERATED_MOSP_JOBS = 7

Needs = tuple[int, ...]  # amounts of each resource
Block = tuple[int, int, Needs]  # start, end, and the amounts used


class EnumeratedJob(NamedTuple):
    """A job: its time and needs for each way to run it, its number of nodes, release and deadline."""

    ways: Sequence[tuple[int, Needs]]
    width: int
    release: int = 0
    deadline: int | None = None


def coallocation_schedule_before(
    instance: CoallocationInstance, limit: Fraction, effort: Effort
) -> list[PlacedJob] | None:
    """Return a shortest schedule if it ends before `limit`; None if there is none. Every job must have an allocation.

    `effort` limits the number of steps, which are placements or, if links slow jobs down, phases.
    """
    if instance.saturation.slows:
        return slowed_schedule_before(instance, limit, effort)
    ticks = instance.ticks
    if len(ticks.tasks) > MOST_ENUMERATED_JOBS or instance.node_count > MOST_ENUMERATED_NODES:
        raise TooCostly(f"enumeration takes at most {MOST_ENUMERATED_JOBS} jobs and {MOST_ENUMERATED_NODES} nodes")
    search = coallocation_enumeration(instance, -(-limit // ticks.tick), effort)
    search.extend()
    return search.schedule([job.id for job in instance.jobs], node_pools(instance), ticks.tick)


def coallocation_enumeration(instance: CoallocationInstance, limit: int, effort: Effort) -> Enumeration:
    """Return the enumeration of schedules that end before `limit` ticks, if links forbid saturation."""
    ticks = instance.ticks
    sizes = [one.count for one in ticks.classes]
    jobs = []
    for tasks, loads, durations in zip(ticks.tasks, ticks.link_loads, ticks.durations, strict=True):
        ways = []
        for counts, asked in node_counts(ticks.classes, loads, sizes, ticks.link_capacity, Effort()):
            slowest = max(one.level for one, count in zip(ticks.classes, counts, strict=True) if count)
            ways.append((durations[slowest], (*counts, *asked)))
        jobs.append(EnumeratedJob(ways, tasks))
    return Enumeration(jobs, (*sizes, *ticks.link_capacity), sum(sizes), effort, limit)


def mosp_schedule_before(instance: MospInstance, limit: Fraction, effort: Effort) -> list[PlacedJob] | None:
    """Return a shortest schedule if it ends before `limit`; None if there is none. `effort` limits the placements."""
    ticks = instance.ticks
    if ticks.job_count > MOST_ENUMERATED_MOSP_JOBS:
        raise TooCostly(f"enumeration takes at most {MOST_ENUMERATED_MOSP_JOBS} jobs")
    clusters = range(len(ticks.processors))

    def needs(cluster: int, processors: int) -> Needs:
        return tuple(processors if one == cluster else 0 for one in clusters)

    jobs = []
    for time, width, release, owner in zip(ticks.times, ticks.widths, ticks.releases, ticks.owners, strict=True):
        ways = [(time, needs(cluster, width)) for cluster in clusters if width <= ticks.processors[cluster]]
        jobs.append(EnumeratedJob(ways, width, release, ticks.deadlines[owner]))
    held = [(start, end, needs(cluster, width)) for cluster, start, end, width in ticks.reservations]
    total = sum(ticks.processors)
    search = Enumeration(jobs, ticks.processors, total, effort, -(-limit // ticks.tick), held, alike=True)
    search.extend()
    pools = [(one.id, range(one.processors)) for one in instance.organizations]
    return search.schedule([job.id for job in instance.jobs], pools, ticks.tick)


class Enumeration:
    """Depth-first search over the orders in which jobs can start, and over the ways to run them.

    It searches for schedules that end before `limit`, which becomes the makespan of the best schedule found.
    `capacity` is the amount of each resource, `held` are blocks that jobs cannot use. If resources are `alike`, each
    job needs only one of them, so that resources with equal capacities and blocks are interchangeable.
    """

    def __init__(
        self,
        jobs: Sequence[EnumeratedJob],
        capacity: Needs,
        nodes: int,
        effort: Effort,
        limit: int,
        held: Sequence[Block] = (),
        *,
        alike: bool = False,
    ) -> None:
        self.jobs, self.capacity, self.nodes, self.held, self.alike = jobs, capacity, nodes, held, alike
        self.works = [one.width * min(time for time, _ in one.ways) for one in jobs]  # minimum work of each job
        self.steps, self.limit = effort, limit
        self.best: list[tuple[int, Block]] | None = None
        self.seen: set[object] = set()

    def schedule(
        self, ids: Sequence[str], pools: Sequence[tuple[str, Sequence[int]]], tick: Fraction
    ) -> list[PlacedJob] | None:
        """Return the best schedule; the first resources are the pools of nodes."""
        if self.best is None:
            return None
        runs = [(job, start * tick, end * tick, needs[: len(pools)]) for job, (start, end, needs) in self.best]
        return on_nodes(ids, pools, runs)

    def extend(self, begun: tuple[int, ...] = (), placed: tuple[Block, ...] = ()) -> None:
        """Examine all schedules that continue from these placed jobs."""
        left = [job for job in range(len(self.jobs)) if job not in begun]
        if not left:
            self.limit = max(end for _, end, _ in placed)
            self.best = list(zip(begun, placed, strict=True))
            return
        last, since = (begun[-1], placed[-1][0]) if begun else (-1, 0)
        state = (tuple(left), last, since, self._usage(since, placed))
        if state in self.seen:
            return
        self.seen.add(state)
        blocks = {job: list(self._placements(self.jobs[job], since, placed)) for job in left}
        if not all(blocks.values()):
            return  # a job misses its deadline, also if it is placed later
        work = sum(self.works[job] for job in left)
        work += sum(self.jobs[job].width * max(0, end - since) for job, (_, end, _) in zip(begun, placed, strict=True))
        soonest = max(min(end for _, end, _ in of_job) for of_job in blocks.values())
        least = max(soonest, since - (-work // self.nodes))
        choices = [(block, job) for job, of_job in blocks.items() for block in of_job]
        for block, job in sorted(choices, key=lambda choice: choice[0][0]):
            if least >= self.limit:
                return
            if block[1] < self.limit and (block[0], job) > (since, last):  # equal starts in one order only
                self.extend((*begun, job), (*placed, block))

    def _placements(self, job: EnumeratedJob, since: int, placed: tuple[Block, ...]) -> Iterator[Block]:
        """Yield the earliest placement of a job for each way to run it, not before `since`."""
        blocks = [*self.held, *placed]
        earliest = max(since, job.release)
        moments = sorted({earliest, *(end for _, end, _ in blocks if end > earliest)})
        for time, needs in job.ways:
            start = next(moment for moment in moments if self._fits(needs, moment, moment + time, blocks))
            if job.deadline is None or start + time <= job.deadline:
                self.steps.spend(1)
                yield start, start + time, needs

    def _fits(self, needs: Needs, start: int, end: int, blocks: Sequence[Block]) -> bool:
        left = [(at, self.capacity[at] - need) for at, need in enumerate(needs) if need]
        for moment in [start, *[begin for begin, _, _ in blocks if start < begin < end]]:
            running = [taken for begin, stop, taken in blocks if begin <= moment < stop]
            if any(sum([taken[at] for taken in running]) > most for at, most in left):
                return False
        return True

    def _usage(self, since: int, placed: tuple[Block, ...]) -> object:
        """Return the use of each resource over time from `since` on, which determines the remaining search."""
        blocks = [(max(start, since), end, needs) for start, end, needs in (*self.held, *placed) if end > since]
        usage = [
            (size, tuple(sorted([(start, end, needs[at]) for start, end, needs in blocks if needs[at]])))
            for at, size in enumerate(self.capacity)
        ]
        return tuple(sorted(usage) if self.alike else usage)
