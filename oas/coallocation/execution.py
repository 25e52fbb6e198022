"""On-line execution of plans: an exact event loop for any saturation policy, link sharing and slot size."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from oas.coallocation.allocations import allocation_of, placements_by_job
from oas.coallocation.running import RunningJobs
from oas.coallocation.ticks import duration, link_load
from oas.core.errors import InputError
from oas.core.numbers import ceil_to
from oas.core.problem import check_variant
from oas.core.registry import COALLOCATION
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import distinct_nodes, each_job_once, unknown_nodes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.coallocation.instance import CoallocationInstance


class PlanOrder:
    """The allocation of each job in a plan, and the order of jobs on nodes and links; parameters as `execute`.

    Raises `InputError` if the plan does not match the instance's jobs and nodes, or a job alone exceeds the limit of a
    link.
    """

    def __init__(self, instance: CoallocationInstance, plan: Schedule, keep_starts: bool) -> None:
        _check(instance, plan)
        scaled = instance.scaled()
        # placements, allocations: by job
        self.placements = placements_by_job(instance, plan)
        self.allocations = [allocation_of(instance, scaled, job, one) for job, one in enumerate(self.placements)]
        for one, allocation in zip(self.placements, self.allocations, strict=True):
            for link, load in allocation.links:
                if load > scaled.link_capacity[link]:
                    cluster = instance.clusters[link].id
                    reason = f"job {one.job} alone exceeds the limit of the link of cluster {cluster}"
                    raise InputError(reason, field="plan")
        count = len(self.placements)
        # Jobs by their starts in the plan, ties by index.
        self.order = sorted(range(count), key=lambda job: (self.placements[job].start, job))
        # By job: earliest permitted start.
        self.earliest = [
            ceil_to(max(one.start, Fraction(0)), instance.slot) if keep_starts else Fraction(0)
            for one in self.placements
        ]
        self.before = [0] * count  # by job: number of jobs immediately before it on its nodes
        self.after: list[list[int]] = [[] for _ in range(count)]  # by job: the jobs immediately after it on its nodes
        last = {name: [-1] * size for name, size in instance.cluster_sizes}  # by cluster and node
        for job in self.order:
            previous = {-1}
            for name, numbers in self.placements[job].nodes.items():
                previous.update(map(last[name].__getitem__, numbers))
                for number in numbers:
                    last[name][number] = job
            previous.remove(-1)
            for before in previous:
                self.after[before].append(job)
            self.before[job] = len(previous)
        # By link: the jobs that load it, in this order.
        self.links: list[deque[int]] = [deque() for _ in range(scaled.cluster_count)]
        for job in self.order:
            for link, _ in self.allocations[job].links:
                self.links[link].append(job)


def _check(instance: CoallocationInstance, plan: Schedule) -> None:
    jobs = {job.id: job for job in instance.jobs}
    for violation in each_job_once(jobs, plan):
        raise InputError(violation.message, field="plan")
    sizes = dict(instance.cluster_sizes)
    for placement in plan.placements:
        for violation in unknown_nodes(placement, sizes, "nodes"):
            raise InputError(violation.message, field="plan")
        tasks, distinct = jobs[placement.job].tasks, sum(distinct_nodes(placement, name) for name in placement.nodes)
        if not tasks == distinct == placement.tasks:
            reason = f"job {placement.job} has {tasks} tasks but {distinct} distinct nodes ({placement.tasks} named)"
            raise InputError(reason, field="plan")


@dataclass(frozen=True)
class LinkStep:
    """An interval in which the load of a link does not change."""

    # start, end: in the instance's time unit
    start: Fraction
    end: Fraction
    load: Fraction  # total nominal demand of the jobs (equation 4), in the instance's unit of bandwidth
    degree: Fraction  # SC of the link, load / MBW and at least 1 (equations 5 and 6): above 1 the link is saturated


def link_steps(instance: CoallocationInstance, schedule: Schedule) -> dict[str, tuple[LinkStep, ...]]:
    """Return the steps of each cluster's link from 0 to the makespan, by cluster id; neighbouring loads differ.

    Jobs load their links until they end in the schedule, just as they hold their nodes.
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
        """Return the least power among nodes that are given as numbers by cluster."""
        ranks = (min(map(self._ranks[name].__getitem__, numbers)) for name, numbers in nodes.items())
        return self._powers[min(ranks)]


@dataclass(frozen=True)
class Event:
    """A start or an end."""

    time: Fraction  # in the instance's time unit
    kind: str  # ``start`` or ``end``
    job: str  # the job's id


@dataclass(frozen=True)
class Execution:
    """An executed plan."""

    instance: CoallocationInstance  # with the policy and slot size of the execution
    schedule: Schedule  # the runs, not verified yet
    # By time; at the same moment ends before starts, each in the order of the instance's jobs.
    events: tuple[Event, ...]
    # By cluster id: the load of the cluster's link, from 0 to the makespan.
    links: Mapping[str, tuple[LinkStep, ...]] = field(hash=False)
    # By job id: the ratio of its running time to that with unsaturated links.
    slowdowns: Mapping[str, Fraction] = field(hash=False)

    @staticmethod
    def of(instance: CoallocationInstance, schedule: Schedule) -> Execution:
        """Return the execution that a schedule describes, without checking any rule."""
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
        """Return the total time in which the load of a cluster's link exceeds its bandwidth."""
        return sum((step.end - step.start for step in self.links[cluster] if step.degree > 1), Fraction(0))


def execute(instance: CoallocationInstance, plan: Schedule, *, keep_starts: bool = False) -> Execution:
    """Execute a plan on-line.

    Jobs keep their nodes, and the plan's order of starts (ties by index in the instance) on each node and on each link
    that they load: a job starts as soon as the jobs before it on its nodes have ended, the jobs before it on its links
    have started, and no link exceeds its limit. This decision does not use future ends. The plan's ends are ignored:
    the plan may have been made under another policy, for other bandwidths or slots.

    If no link is ever saturated, no job ends later than in a plan with the same rules. With saturated links, a job that
    starts earlier may slow others down, so that they end later.

    `instance`: with the policy and slot size of the execution. `plan`: a schedule with each job once, on as many nodes
    as it has tasks. `keep_starts`: whether jobs also wait for the starts of the plan, rounded up to whole slots.

    Raises `InputError` if the plan does not match the instance's jobs and nodes, if a job alone exceeds the limit of a
    link, or, naming ``slot``, if exact times become longer than files can hold.
    """
    return Execution.of(instance, execute_schedule(instance, plan, keep_starts=keep_starts))


def execute_schedule(instance: CoallocationInstance, plan: Schedule, *, keep_starts: bool = False) -> Schedule:
    """Return only the runs of `execute`, without events and the loads of links."""
    check_variant(instance, "execution", COALLOCATION.variants)
    order = PlanOrder(instance, plan, keep_starts)
    ran = _event_loop(instance, order)
    placements = [
        Placement(one.job, start, end, one.nodes) for one, (start, end) in zip(order.placements, ran, strict=True)
    ]
    return Schedule(placements, plan.method)


def _event_loop(instance: CoallocationInstance, order: PlanOrder) -> list[tuple[Fraction, Fraction]]:
    """Return the start and end of each job; modifies `order.before` and `order.links`."""
    grid, free = RunningJobs(instance), list(instance.scaled().link_capacity)
    position = {job: index for index, job in enumerate(order.order)}
    starts: dict[int, Fraction] = {}
    ends: dict[int, Fraction] = {}
    early: list[tuple[Fraction, int]] = []  # a heap of jobs with free nodes that wait for their starts in the plan
    ready: list[int] = []  # positions of the jobs that wait for links only
    for job, count in enumerate(order.before):
        if not count:
            heappush(early, (order.earliest[job], job))
    while len(ends) < len(order.order):
        while early and early[0][0] <= grid.now:
            ready.append(position[heappop(early)[1]])
        for index in sorted(ready):  # a start may allow later jobs to start, never earlier ones
            job = order.order[index]
            links = order.allocations[job].links
            if all(order.links[link][0] == job and load <= free[link] for link, load in links):
                for link, load in links:
                    order.links[link].popleft()
                    free[link] -= load
                ready.remove(index)
                grid.start(job, order.allocations[job])
                starts[job] = grid.now
        moments = [moment for moment in (grid.next_end(), early[0][0] if early else None) if moment is not None]
        for ended in grid.pass_until(min(moments)):
            ends[ended.job] = grid.now
            for link, load in ended.allocation.links:
                free[link] += load
            for job in order.after[ended.job]:
                order.before[job] -= 1
                if not order.before[job]:
                    heappush(early, (order.earliest[job], job))
    return [(starts[job], ends[job]) for job in range(len(order.order))]
