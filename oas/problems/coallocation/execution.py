"""Plans as they run: an exact event loop under any saturation policy, sharing of links and slot size."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.numbers import ceil_to
from oas.core.problem import check_variant
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import each_job_once
from oas.problems.coallocation.allocations import allocation_of, placements_by_job
from oas.problems.coallocation.running import RunningJobs
from oas.problems.coallocation.ticks import duration, link_load
from oas.problems.registry import COALLOCATION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.instance import CoallocationInstance, Job


class PlanOrder:
    """Where each job runs, and after which others; parameters as `execute`.

    Raises `InputError` if the plan is not of the instance's jobs and nodes, or a job alone asks a link for more than it
    may be asked for.
    """

    def __init__(self, instance: CoallocationInstance, plan: Schedule, keep_starts: bool) -> None:
        _check(instance, plan)
        scaled = instance.scaled()
        # placements, allocations: by job
        self.placements = placements_by_job(instance, plan)
        self.allocations = [allocation_of(instance, scaled, job, one) for job, one in enumerate(self.placements)]
        _check_links(instance, self.allocations)
        count = len(self.placements)
        # Jobs by their starts in the plan, ties by index.
        self.order = sorted(range(count), key=lambda job: (self.placements[job].start, job))
        # By job: the moment before which it may not start.
        self.earliest = [
            ceil_to(max(one.start, Fraction(0)), instance.slot) if keep_starts else Fraction(0)
            for one in self.placements
        ]
        self.before = [0] * count  # by job: how many others are just before it on its nodes
        self.after: list[list[int]] = [[] for _ in range(count)]  # by job: those just after it on its nodes
        last = {name: [-1] * size for name, size in instance.cluster_sizes}  # by cluster and node
        for job in self.order:
            others = {-1}
            for name, own in self.placements[job].nodes.items():
                others.update(map(last[name].__getitem__, own))
                for node in own:
                    last[name][node] = job
            others.remove(-1)
            for other in others:
                self.after[other].append(job)
            self.before[job] = len(others)
        # By link: the jobs that load it, in this order.
        self.links = [
            deque(job for job in self.order if self.allocations[job].loads[link])
            for link in range(scaled.cluster_count)
        ]


def _check(instance: CoallocationInstance, plan: Schedule) -> None:
    jobs = {job.id: job for job in instance.jobs}
    for violation in each_job_once(jobs, plan):
        raise InputError(violation.message, field="plan")
    sizes = dict(instance.cluster_sizes)
    for placement in plan.placements:
        _check_nodes(jobs[placement.job], placement, sizes)


def _check_nodes(job: Job, placement: Placement, sizes: dict[str, int]) -> None:
    for name, numbers in placement.nodes.items():
        if name not in sizes:
            raise InputError(f"job {job.id} uses a cluster that does not exist", field="plan", value=name)
        if numbers[-1] >= sizes[name]:
            reason = f"job {job.id} uses a node that cluster {name} does not have"
            raise InputError(reason, field="plan", value=numbers[-1])
        if len(set(numbers)) < len(numbers):
            raise InputError(f"job {job.id} names a node of cluster {name} twice", field="plan")
    if placement.tasks != job.tasks:
        raise InputError(f"job {job.id} has {job.tasks} tasks, but other nodes", field="plan", value=placement.tasks)


def _check_links(instance: CoallocationInstance, allocations: list[Allocation]) -> None:
    for link, limit in enumerate(instance.scaled().link_capacity):
        for job, allocation in zip(instance.jobs, allocations, strict=True):
            if allocation.loads[link] > limit:
                name = instance.clusters[link].id
                reason = f"job {job.id} alone asks the link of cluster {name} for more than it may be asked for"
                raise InputError(reason, field="plan")


@dataclass(frozen=True)
class LinkStep:
    """A time in which the load of a link does not change."""

    # start, end: in the instance's time unit
    start: Fraction
    end: Fraction
    load: Fraction  # what jobs ask of the link, at nominal demand (equation 4), in the instance's unit of bandwidth
    degree: Fraction  # SC of the link, load / MBW and at least 1 (equations 5 and 6): above 1 the link is saturated


def link_steps(instance: CoallocationInstance, schedule: Schedule) -> dict[str, tuple[LinkStep, ...]]:
    """Return the steps of each cluster's link from 0 to the makespan, by the cluster's id; loads of neighbours differ.

    Jobs load their links up to their ends in the schedule, as they hold their nodes.
    """
    jobs = {job.id: job for job in instance.jobs}
    changes: dict[str, dict[Fraction, Fraction]] = {cluster.id: {} for cluster in instance.clusters}
    for placement in schedule.placements:
        for name, numbers in placement.nodes.items():
            load = link_load(jobs[placement.job], len(numbers))
            if load:
                for moment, change in ((placement.start, load), (placement.end, -load)):
                    changes[name][moment] = changes[name].get(moment, Fraction(0)) + change
    return {
        cluster.id: tuple(_steps(changes[cluster.id], cluster.bandwidth, schedule.makespan))
        for cluster in instance.clusters
    }


def _steps(changes: dict[Fraction, Fraction], bandwidth: Fraction, makespan: Fraction) -> list[LinkStep]:
    steps: list[LinkStep] = []
    start, load = Fraction(0), Fraction(0)
    for moment in sorted({*(moment for moment, change in changes.items() if change), makespan}):
        if moment > start:
            degree = load / bandwidth if load > bandwidth > 0 else Fraction(1)
            steps.append(LinkStep(start, moment, load, degree))
        start, load = moment, load + changes.get(moment, Fraction(0))
    return steps


class NodePowers:
    """The powers Γ of all nodes of an instance."""

    def __init__(self, instance: CoallocationInstance) -> None:
        self._powers = sorted({group.power for cluster in instance.clusters for group in cluster.groups})
        rank = {power: index for index, power in enumerate(self._powers)}
        self._ranks = {
            cluster.id: [index for group in cluster.groups for index in [rank[group.power]] * group.count]
            for cluster in instance.clusters
        }

    def slowest(self, nodes: Mapping[str, tuple[int, ...]]) -> Fraction:
        """Return the least power of some nodes, given as numbers by cluster."""
        return self._powers[min(min(map(self._ranks[name].__getitem__, own)) for name, own in nodes.items())]


@dataclass(frozen=True)
class Event:
    """A start or an end."""

    time: Fraction  # in the instance's time unit
    kind: str  # ``start`` or ``end``
    job: str  # the job's id


@dataclass(frozen=True)
class Execution:
    """A plan as it ran."""

    instance: CoallocationInstance  # under whose policy and slot size it ran
    schedule: Schedule  # what ran when; to be verified by the caller
    # In the order of time; at one moment ends before starts, each in the order of the instance's jobs.
    events: tuple[Event, ...]
    # For each cluster's id what its link was asked for, from 0 to the makespan.
    links: Mapping[str, tuple[LinkStep, ...]] = field(hash=False)
    # For each job's id how many times longer it ran than it would have over links that are not saturated.
    slowdowns: Mapping[str, Fraction] = field(hash=False)

    @staticmethod
    def of(instance: CoallocationInstance, schedule: Schedule) -> Execution:
        """Return what is to be told of a schedule of an instance; no rule is checked."""
        index = {job.id: number for number, job in enumerate(instance.jobs)}
        moments = [(one.end, 0, index[one.job]) for one in schedule.placements]
        moments += [(one.start, 1, index[one.job]) for one in schedule.placements]
        kinds, powers = ("end", "start"), NodePowers(instance)
        slowdowns = {}
        for one in schedule.placements:
            alone = duration(instance.jobs[index[one.job]], powers.slowest(one.nodes), instance.slot)
            slowdowns[one.job] = one.duration / alone
        return Execution(
            instance,
            schedule,
            tuple(Event(time, kinds[kind], instance.jobs[job].id) for time, kind, job in sorted(moments)),
            link_steps(instance, schedule),
            {job.id: slowdowns[job.id] for job in instance.jobs},
        )

    @property
    def mean_slowdown(self) -> Fraction:
        """Mean of `slowdowns`."""
        return sum(self.slowdowns.values(), Fraction(0)) / len(self.slowdowns)

    @property
    def greatest_slowdown(self) -> Fraction:
        """Greatest of `slowdowns`."""
        return max(self.slowdowns.values())

    def saturated(self, cluster: str) -> Fraction:
        """Return for how long a cluster's link was asked for more than its bandwidth."""
        return sum((step.end - step.start for step in self.links[cluster] if step.degree > 1), Fraction(0))


def execute(instance: CoallocationInstance, plan: Schedule, *, keep_starts: bool = False) -> Execution:
    """Run a plan on line.

    Jobs keep their nodes, and the plan's order of starts (ties by index in the instance) on each node and on each link
    that they load: a job starts as soon as those before it on its nodes have ended, those before it on its links have
    started, and no link is asked for more than it may be. Later ends are not known when that is decided. The plan's
    ends are not used: it may have been made under another policy, for other bandwidths or slots.

    Where no link is ever saturated, no job ends later than in a plan that keeps the same rules. Where saturated links
    slow jobs down that may be so: a job that starts earlier may slow down others.

    Raises `InputError` if the plan is not of the instance's jobs and nodes, if a job alone asks a link for more than it
    may be asked for, or, naming ``slot``, if exact times become longer than files hold.

    Parameters
    ----------
    instance
        Under whose policy and slot size the plan runs: `with_saturation` and `with_slot` change them.
    plan
        Each job once, on as many nodes as it has tasks.
    keep_starts
        Whether jobs also wait for the starts of the plan, rounded up to whole slots.
    """
    check_variant(instance, "execution", COALLOCATION.variants)
    order = PlanOrder(instance, plan, keep_starts)
    ran = _event_loop(instance, order)
    placements = [
        Placement(one.job, start, end, one.nodes) for one, (start, end) in zip(order.placements, ran, strict=True)
    ]
    return Execution.of(instance, Schedule(placements, plan.method))


def _event_loop(instance: CoallocationInstance, order: PlanOrder) -> list[tuple[Fraction, Fraction]]:
    """Return start and end of each job. `order.before` and `order.links` are used up."""
    grid, room = RunningJobs(instance), list(instance.scaled().link_capacity)
    place = {job: number for number, job in enumerate(order.order)}
    starts: dict[int, Fraction] = {}
    ends: dict[int, Fraction] = {}
    early: list[tuple[Fraction, int]] = []  # a heap: their nodes are free, but the plan has them wait
    ready: list[int] = []  # places of those that links alone may hold up
    for job, count in enumerate(order.before):
        if not count:
            heappush(early, (order.earliest[job], job))
    while len(ends) < len(order.order):
        while early and early[0][0] <= grid.now:
            ready.append(place[heappop(early)[1]])
        for one in sorted(ready):  # one that starts lets later ones through, never earlier ones
            job = order.order[one]
            loads = order.allocations[job].loads
            queues = [queue for load, queue in zip(loads, order.links, strict=True) if load]
            if all(queue[0] == job for queue in queues) and all(map(int.__le__, loads, room)):
                for queue in queues:
                    queue.popleft()
                room = [left - load for left, load in zip(room, loads, strict=True)]
                ready.remove(one)
                grid.start(job, order.allocations[job])
                starts[job] = grid.now
        moments = [moment for moment in (grid.next_end(), early[0][0] if early else None) if moment is not None]
        for ended in grid.pass_until(min(moments)):
            ends[ended.job] = grid.now
            room = [left + load for left, load in zip(room, ended.allocation.loads, strict=True)]
            for job in order.after[ended.job]:
                order.before[job] -= 1
                if not order.before[job]:
                    heappush(early, (order.earliest[job], job))
    return [(starts[job], ends[job]) for job in range(len(order.order))]
