"""The cumulative MOSP model for CP-SAT: an optional interval for (job, cluster), a cumulative constraint per cluster.

Minimise C_max so that no organization ends after its deadline, equation (1) of the MOSP papers; deadlines and releases
are the ranges of the starts, reservations fixed intervals.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from oas.core.errors import SolverError
from oas.mosp.models.reductions import (
    canonical_runs,
    free_profile,
    identical_clusters,
    identical_jobs,
    latest_end,
    latest_ends,
    leading_jobs,
)
from oas.mosp.runs import ClusterRun
from oas.mosp.ticks import coarsened
from oas.solvers.task import CPSAT
from oas.solving.formulation import (
    ORDER_OF_CLUSTERS,
    ORDER_OF_JOBS,
    STARTS,
    UNIT_STARTS,
    Formulation,
    Meaning,
    check_energy,
    check_size,
    ticks_of_units,
)
from oas.solving.model_builder import CpBuilder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oas.mosp.instance import MospInstance
    from oas.mosp.models.reductions import Profile
    from oas.mosp.ticks import ScaledMosp
    from oas.solvers.cpsat import CpTask
    from oas.solvers.task import Key
    from oas.solving.formulation import Groups

MAX_INTERVALS = 200_000


class Budget(NamedTuple):
    """Weights of the jobs as small integers, and for each cluster the maximum weight that it runs by the horizon."""

    weights: tuple[int, ...]
    room: tuple[int, ...]


@dataclass(frozen=True)
class Implied:
    """Redundant constraints that help a solver to refute a makespan."""

    budgets: tuple[Budget, ...] = ()  # a linear constraint for each cluster
    # A job that starts in the first half of some schedule of each feasible makespan, because reversed schedules are
    # feasible too; None if that could contradict another symmetry.
    reversible: int | None = None


@dataclass(frozen=True)
class CumulativeSpec:
    """The data that the model is built from, in units of `unit` ticks."""

    scaled: ScaledMosp  # the instance
    unit: int  # ticks per unit
    horizon: int  # no job ends later
    lower_bound: int  # no schedule is shorter
    ends: tuple[int, ...]  # when each job must have ended: at its deadline or the horizon
    profiles: tuple[Profile, ...]  # processors of each cluster left by reservations
    identical_jobs: Groups  # groups of identical jobs, which start in the order of their indices
    identical_clusters: Groups  # groups of identical clusters, which are used in the order of their indices
    # Further constraints, for a question about one makespan; if it is feasible, some schedule satisfies all of them.
    implied: Implied = Implied()

    def clusters_of(self, job: int) -> list[int]:
        """Return the clusters that are wide enough for `job`."""
        return [k for k, size in enumerate(self.scaled.processors) if size >= self.scaled.widths[job]]


def prepare(
    instance: MospInstance, scaled: ScaledMosp, horizon: int, lower_bound: int, *, reduced: bool = True
) -> CumulativeSpec:
    """Find deadlines and, if `reduced`, unit and symmetries; check the model's size before it is built.

    Raises `TooLargeError` if there would be more than 200,000 intervals, or processors times ticks outgrow 64 bits.
    """
    coarse, unit = coarsened(scaled) if reduced else (scaled, 1)
    horizon, lower_bound = horizon // unit, -(-lower_bound // unit)
    ends = latest_ends(coarse, horizon)
    energy = sum(time * width for time, width in zip(coarse.times, coarse.widths, strict=True))
    check_energy("processors", sum(coarse.processors), horizon, energy)
    profiles = tuple(free_profile(coarse, cluster) for cluster in range(coarse.cluster_count))
    jobs, clusters = (identical_jobs(coarse, ends), identical_clusters(coarse)) if reduced else ((), ())
    spec = CumulativeSpec(coarse, unit, horizon, lower_bound, ends, profiles, jobs, clusters)
    intervals = sum(len(spec.clusters_of(job)) for job in range(coarse.job_count))
    check_size("cumulative", "intervals", intervals, MAX_INTERVALS)
    return spec


def read(spec: CumulativeSpec, values: Mapping[Key, float]) -> list[ClusterRun]:
    """Return the runs given by the nonzero values of an incumbent.

    Raises `SolverError` if some job is not on exactly one cluster.
    """
    runs = []
    for job in range(spec.scaled.job_count):
        on = [cluster for cluster in spec.clusters_of(job) if values.get(("on", (job, cluster)))]
        if len(on) != 1:
            raise SolverError("the solver's incumbent does not start every job exactly once")
        runs.append(ClusterRun(job, on[0], spec.unit * int(values.get(("start", (job,)), 0))))
    return runs


def start_values(spec: CumulativeSpec, runs: Sequence[ClusterRun]) -> dict[Key, float] | None:
    """Return the nonzero variables of a schedule, exchanged as the symmetry rows require; None if it does not fit."""
    coarse = [ClusterRun(run.job, run.cluster, run.start // spec.unit) for run in runs]
    moved = canonical_runs(spec.scaled, spec.identical_jobs, spec.identical_clusters, coarse)
    if moved is None:
        return None
    makespan = max(run.start + spec.scaled.times[run.job] for run in moved)
    values: dict[Key, float] = {("start", (run.job,)): run.start for run in moved}
    values.update({("on", (run.job, run.cluster)): 1 for run in moved})
    values["makespan", ()] = max(makespan, spec.lower_bound)
    return values


def meanings(instance: MospInstance, spec: CumulativeSpec) -> Iterator[tuple[Key, Meaning]]:
    """Yield the meaning of each variable; times are values, in units of the spec."""
    for index, job in enumerate(instance.jobs):
        if spec.scaled.releases[index] + spec.scaled.times[index] <= spec.ends[index]:
            yield ("start", (index,)), Meaning(STARTS, job.id)
        for cluster in spec.clusters_of(index):
            nodes = {instance.organizations[cluster].id: job.processors}
            yield ("on", (index, cluster)), Meaning("the job has these processors", job.id, nodes)
    yield ("makespan", ()), Meaning(f"makespan in units of {spec.scaled.tick}")


def build(spec: CumulativeSpec) -> CpTask:
    """Build the model: minimise the makespan in units of the spec (in the solver's process, which loads ortools)."""
    from oas.solvers.cpsat import CpTask

    builder = _Builder(spec, CpTask())
    builder.variables()
    builder.makespan()
    builder.each_job_once()
    builder.processors()
    builder.all_processors()
    builder.identical_jobs_in_order()
    builder.clusters_in_order()
    builder.weights_fit()
    builder.one_of_two_directions()
    return builder.task


class _Builder(CpBuilder):
    """One method for each constraint family."""

    spec: CumulativeSpec

    def __init__(self, spec: CumulativeSpec, task: CpTask) -> None:
        super().__init__(spec, task)
        self.on: dict[tuple[int, int], Any] = {}

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
                    times = self.start[job], self.scaled.times[job]
                    interval = self.model.new_optional_fixed_size_interval_var(
                        *times, self.on[job, cluster], f"run{job, cluster}"
                    )
                    intervals.append(interval)
                    demands.append(width)
            self.model.add_cumulative(intervals, demands, size)

    def all_processors(self) -> None:
        """Never use more processors than all clusters together have: implied, but useful before jobs have clusters."""
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

    def clusters_in_order(self) -> None:
        """Let a job use the next of identical clusters only if a job before it, widest first, is on the one before.

        Symmetry breaking only.
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
        """Exclude one of a schedule and its reversal: symmetry breaking only."""
        job = self.spec.implied.reversible
        if job is not None:
            self.model.add(2 * self.start[job] + self.scaled.times[job] <= self.spec.horizon)

    def _reserved(self, cluster: int) -> tuple[list[Any], list[int]]:
        """Return fixed intervals and demands for the unavailable processors of `cluster` before the horizon."""
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


FORMULATION = Formulation(
    name="cumulative",
    builder="oas.mosp.models.cumulative_cpsat:build",
    prepare=prepare,
    read=read,
    start_values=start_values,
    ticks_of=ticks_of_units,
    summary="starts and clusters, cumulative constraints; for CP-SAT",
    family=CPSAT,
    prepare_full=partial(prepare, reduced=False),
    latest_end=latest_end,
    meanings=meanings,
    reductions=(UNIT_STARTS, ORDER_OF_JOBS, ORDER_OF_CLUSTERS),
)
