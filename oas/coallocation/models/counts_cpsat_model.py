"""The counts OAS model for CP-SAT: start, level and node counts of each job, a cumulative for each node class and link.

Integers throughout: durations are ticks by level, link loads come from the exact table of equation (4).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from oas.solvers.cpsat import CpTask
from oas.solving.model_builder import CpBuilder

if TYPE_CHECKING:
    from oas.coallocation.models.counts_cpsat import CountsSpec


def build(spec: CountsSpec) -> CpTask:
    """Build the model: minimise the makespan in units of the spec."""
    builder = _Builder(spec)
    builder.times()
    builder.makespan()
    builder.placements()
    builder.levels_admit_nodes()
    builder.nodes()
    builder.nested_nodes()
    builder.links()
    builder.identical_jobs_in_order()
    builder.clusters_in_order()
    builder.weights_fit()
    builder.apart()
    builder.one_of_two_directions()
    return builder.task


class _Builder(CpBuilder):
    """One method for each constraint family."""

    spec: CountsSpec

    def __init__(self, spec: CountsSpec) -> None:
        super().__init__(spec, CpTask())
        self.jobs = range(spec.scaled.job_count)
        self.end: list[Any] = []
        self.runs: list[Any] = []
        self.level: dict[tuple[int, int], Any] = {}
        self.at_level: dict[tuple[int, int], Any] = {}
        self.count: dict[tuple[int, int], Any] = {}
        self.usage: dict[tuple[int, int], Any] = {}

    def times(self) -> None:
        """Give each job a start, one level (15), and the duration that follows: (1), (2), (3) and (19), (20)."""
        for job in self.jobs:
            durations = {level: self.scaled.durations[job][level] for level in self.spec.levels[job]}
            shortest = min(durations.values())
            # If the job is too long, the domains are not empty, but the model is infeasible.
            start = self.task.integer("start", (job,), 0, max(0, self.spec.horizon - shortest))
            duration = self.task.integer_in("duration", (job,), durations.values())
            end = self.task.integer("end", (job,), min(shortest, self.spec.horizon), self.spec.horizon)
            for level in durations:
                self.level[job, level] = self.task.boolean("level", (job, level))
            chosen = [(ticks, self.level[job, level]) for level, ticks in durations.items()]
            self.model.add_exactly_one(one for _, one in chosen)
            self.model.add(duration == sum(ticks * one for ticks, one in chosen))
            self.start.append(start)
            self.end.append(end)
            self.runs.append(self.model.new_interval_var(start, duration, end, f"run{job}"))

    def makespan(self) -> None:
        """Minimise C_max (9), (17)."""
        makespan = self.task.integer("makespan", (), self.spec.lower_bound, self.spec.horizon)
        for end in self.end:
            self.model.add(makespan >= end)
        self.task.minimize(makespan)

    def placements(self) -> None:
        """Place every task (12): count[j,c] nodes of class c, usage[j,k] of cluster k, all of them τ."""
        for job in self.jobs:
            tasks = self.scaled.tasks[job]
            own: list[list[Any]] = [[] for _ in range(self.scaled.cluster_count)]
            for index, one in enumerate(self.scaled.classes):
                self.count[job, index] = self.task.integer("count", (job, index), 0, min(len(one.nodes), tasks))
                own[one.cluster].append(self.count[job, index])
            for cluster, counts in enumerate(own):
                usage = self.task.integer_in("usage", (job, cluster), self.spec.usage_counts(job, cluster))
                self.model.add(usage == sum(counts))
                self.usage[job, cluster] = usage
            self.model.add(sum(self.usage[job, cluster] for cluster in range(self.scaled.cluster_count)) == tasks)

    def levels_admit_nodes(self) -> None:
        """A job at a level holds only nodes at least as fast: the duration is that of its slowest node, (11), (18)."""
        for (job, index), count in self.count.items():
            one = self.scaled.classes[index]
            most = min(len(one.nodes), self.scaled.tasks[job])
            open_to = [self.level[job, level] for level in self.spec.levels[job] if level >= one.level]
            if len(open_to) < len(self.spec.levels[job]):
                self.model.add(count <= most * sum(open_to))

    def nodes(self) -> None:
        """Never use more nodes of a class than it has (10)."""
        for index, one in enumerate(self.scaled.classes):
            demands = [self.count[job, index] for job in self.jobs]
            self.model.add_cumulative(self.runs, demands, len(one.nodes))

    def nested_nodes(self) -> None:
        """Jobs at a level fit into the nodes at least as fast: implied, but effective before counts are fixed."""
        for (job, level), chosen in self.level.items():
            ticks = self.scaled.durations[job][level]
            self.at_level[job, level] = self.model.new_optional_fixed_size_interval_var(
                self.start[job], ticks, chosen, f"run{job, level}"
            )
        for level in range(len(self.scaled.powers)):
            size = sum(len(one.nodes) for one in self.scaled.classes if one.level <= level)
            within = {key: run for key, run in self.at_level.items() if key[1] <= level}
            demands = [self.scaled.tasks[job] for job, _ in within]
            self.model.add_cumulative(within.values(), demands, size)

    def links(self) -> None:
        """Never load a link above its bandwidth (4), (21), (22): saturation is forbidden."""
        for cluster, capacity in self.spec.links.items():
            demands = []
            for job in self.jobs:
                loads = self.spec.loads(job)
                counts = self.spec.usage_counts(job, cluster)
                load = self.task.integer_in("load", (job, cluster), {loads[count] for count in counts})
                pairs = [(count, loads[count]) for count in counts]
                self.model.add_allowed_assignments([self.usage[job, cluster], load], pairs)
                demands.append(load)
            self.model.add_cumulative(self.runs, demands, capacity)

    def clusters_in_order(self) -> None:
        """Of identical clusters, the widest job holds no more nodes in an earlier one: symmetry only."""
        for group in self.spec.identical_clusters:
            for one, other in pairwise(group):
                self.model.add(self.usage[self.spec.first, one] <= self.usage[self.spec.first, other])

    def weights_fit(self) -> None:
        """Jobs that run together weigh at most the capacity; over time, all jobs at most horizon · capacity."""
        for weights, capacity in self.spec.implied.weightings:
            heavy = {key: weights[key[0]][key[1]] for key in self.at_level if weights[key[0]][key[1]] > 0}
            self.model.add_cumulative([self.at_level[key] for key in heavy], list(heavy.values()), capacity)
            work = [weight * self.scaled.durations[job][level] for (job, level), weight in heavy.items()]
            total = sum(ticks * self.level[key] for ticks, key in zip(work, heavy, strict=True))
            self.model.add(total <= self.spec.horizon * capacity)

    def apart(self) -> None:
        """Jobs that cannot run together do not overlap."""
        for jobs in self.spec.implied.apart:
            self.model.add_no_overlap([self.runs[job] for job in jobs])
        for one, other in self.spec.implied.exclusive:
            if one in self.at_level and other in self.at_level:
                self.model.add_no_overlap([self.at_level[one], self.at_level[other]])

    def one_of_two_directions(self) -> None:
        """Keep only one of a schedule and its reversal: symmetry only."""
        job = self.spec.implied.reversible
        if job is not None:
            self.model.add(self.start[job] + self.end[job] <= self.spec.horizon)
