"""The cumulative MOSP model for CP-SAT: an optional interval for (job, cluster), a cumulative for each cluster.

Minimise C_max so that no organization ends after its deadline, equation (1) of the MOSP papers; deadlines and releases
are the ranges of the starts, reservations fixed intervals.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from oas.models.mosp.reductions import leading_jobs
from oas.solvers.cpsat import CpTask

if TYPE_CHECKING:
    from oas.models.mosp.cumulative_cpsat import CumulativeSpec


def build(spec: CumulativeSpec) -> CpTask:
    """Build the model: minimise the makespan in units of the spec."""
    return _Builder(spec).build()


class _Builder:
    """One method for each constraint family."""

    def __init__(self, spec: CumulativeSpec) -> None:
        self.spec = spec
        self.scaled = spec.scaled
        self.task = CpTask()
        self.model = self.task.model
        self.start: list[Any] = []
        self.on: dict[tuple[int, int], Any] = {}

    def build(self) -> CpTask:
        self.variables()
        self.makespan()
        self.each_job_once()
        self.processors()
        self.all_processors()
        self.identical_jobs_in_order()
        self.clusters_in_order()
        self.weights_fit()
        self.one_of_two_directions()
        return self.task

    def variables(self) -> None:
        """Declare start[j], between release and deadline, and on[j,k] = 1 if job j runs on cluster k."""
        spec, scaled = self.spec, self.scaled
        for job, (release, time) in enumerate(zip(scaled.releases, scaled.times, strict=True)):
            self.start.append(self.task.integer("start", (job,), release, spec.ends[job] - time))
            for cluster in spec.clusters_of(job):
                self.on[job, cluster] = self.task.boolean("on", (job, cluster))

    def makespan(self) -> None:
        """Minimise C_max."""
        spec = self.spec
        end = self.task.integer("makespan", (), spec.lower_bound, spec.horizon)
        for start, time in zip(self.start, self.scaled.times, strict=True):
            self.model.add(end >= start + time)
        self.task.minimize(end)

    def each_job_once(self) -> None:
        """Run each job on exactly one cluster."""
        for job in range(self.scaled.job_count):
            self.model.add_exactly_one(self.on[job, cluster] for cluster in self.spec.clusters_of(job))

    def processors(self) -> None:
        """Never use more processors of a cluster than reservations leave free."""
        for cluster, size in enumerate(self.scaled.processors):
            intervals, demands = self._reserved(cluster)
            for job, width in enumerate(self.scaled.widths):
                if (job, cluster) in self.on:
                    time, present = self.scaled.times[job], self.on[job, cluster]
                    name = f"run{job, cluster}"
                    intervals.append(
                        self.model.new_optional_fixed_size_interval_var(self.start[job], time, present, name)
                    )
                    demands.append(width)
            self.model.add_cumulative(intervals, demands, size)

    def all_processors(self) -> None:
        """Never use more processors than all clusters together leave free: implied, but seen before jobs have one."""
        if self.scaled.cluster_count == 1:
            return
        intervals = [
            self.model.new_fixed_size_interval_var(start, time, f"run{job}")
            for job, (start, time) in enumerate(zip(self.start, self.scaled.times, strict=True))
        ]
        demands = list(self.scaled.widths)
        for cluster in range(self.scaled.cluster_count):
            reserved, sizes = self._reserved(cluster)
            intervals += reserved
            demands += sizes
        self.model.add_cumulative(intervals, demands, sum(self.scaled.processors))

    def identical_jobs_in_order(self) -> None:
        """Of identical jobs, the earlier index starts no later: symmetry only."""
        for group in self.spec.identical_jobs:
            for first, second in pairwise(group):
                self.model.add(self.start[first] <= self.start[second])

    def clusters_in_order(self) -> None:
        """Of identical clusters, a job takes the next one only if a job before it, widest first, is on the one before.

        Symmetry only.
        """
        for group in self.spec.identical_clusters:
            for before, cluster in pairwise(group):
                ahead: list[Any] = []
                for job in leading_jobs(self.scaled):
                    if (job, cluster) in self.on:
                        self.model.add_bool_or(*ahead, self.on[job, cluster].negated())
                    if (job, before) in self.on:
                        ahead.append(self.on[job, before])

    def weights_fit(self) -> None:
        """Keep the jobs of each cluster within every budget: implied."""
        for weights, room in self.spec.implied.budgets:
            for cluster, limit in enumerate(room):
                own = [weights[job] * on for (job, k), on in self.on.items() if k == cluster and weights[job]]
                if own:
                    self.model.add(sum(own) <= limit)

    def one_of_two_directions(self) -> None:
        """Of a schedule and the same read backwards, one will do: symmetry only."""
        job = self.spec.implied.reversible
        if job is not None:
            self.model.add(2 * self.start[job] + self.scaled.times[job] <= self.spec.horizon)

    def _reserved(self, cluster: int) -> tuple[list[Any], list[int]]:
        """Fixed intervals and demands of what is not free of `cluster` before the horizon."""
        spec = self.spec
        profile = [step for step in spec.profiles[cluster] if step[0] < spec.horizon]
        intervals, demands = [], []
        for (moment, free), (after, _) in pairwise([*profile, (spec.horizon, 0)]):
            reserved = self.scaled.processors[cluster] - free
            if reserved:
                name = f"reserved{cluster, moment}"
                intervals.append(self.model.new_fixed_size_interval_var(moment, after - moment, name))
                demands.append(reserved)
        return intervals, demands
