"""The start-indexed MOSP model: one variable for (job, cluster, start).

Minimise C_max so that no organization ends after its deadline, equation (1) of the MOSP papers; starts that violate
deadlines, releases or reservations have no variables. Every coefficient is an integer, none a big-M.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING, Any

from oas.mosp.models.feasible_sets import MospSets
from oas.mosp.models.reductions import (
    all_starts,
    canonical_runs,
    free_at,
    free_profile,
    identical_clusters,
    identical_jobs,
    latest_end,
    latest_ends,
    leading_jobs,
    normal_patterns,
)
from oas.mosp.runs import ClusterRun
from oas.solving.capacity_rows import capacity_row
from oas.solving.formulation import (
    NORMAL_STARTS,
    ORDER_OF_CLUSTERS,
    ORDER_OF_JOBS,
    STARTS,
    Formulation,
    Meaning,
    beyond_meanings,
    check_size,
)
from oas.solving.model_builder import ModelBuilder, beyond_values, started, ticks_of
from oas.solving.weight_rows import separated, tightened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyomo.core.base.PyomoModel import ConcreteModel

    from oas.mosp.instance import MospInstance
    from oas.mosp.models.reductions import Profile, Starts
    from oas.mosp.ticks import ScaledMosp
    from oas.solvers.isolation.protocol import Session
    from oas.solvers.task import Key
    from oas.solving.formulation import Groups
    from oas.solving.weight_rows import WeightRow

MAX_VARIABLES = 300_000
MAX_NONZEROS = 5_000_000


@dataclass(frozen=True)
class MospStartSpec:
    """The data that the model is built from, in ticks."""

    scaled: ScaledMosp  # the instance
    horizon: int  # no job ends later
    lower_bound: int  # no schedule is shorter
    profiles: tuple[Profile, ...]  # processors of each cluster left by reservations
    # starts[j][k]: normal patterns of job j on cluster k, or all starts, ascending; from each the job can end by its
    # deadline and the horizon, alongside the reservations.
    starts: tuple[tuple[Starts, ...], ...]
    identical_jobs: Groups  # groups of identical jobs, which start in the order of their indices
    identical_clusters: Groups  # groups of identical clusters, which are used in the order of their indices
    weight_rows: tuple[WeightRow, ...] = ()  # rows that strengthen the linear relaxation

    @property
    def nonzeros(self) -> int:
        """Number of coefficients in the rows of capacity and of the makespan, if none is redundant."""
        total = 0
        for _, cluster, time, starts in self.columns():
            moments = self.moments[cluster]
            for start in starts:
                total += bisect_left(moments, start + time) - bisect_left(moments, start)
                total += bisect_right(self.ends, start + time)
        return total

    @cached_property
    def units(self) -> list[int]:
        """The width of each job in units of their common divisor."""
        return [width // gcd(*self.scaled.widths) for width in self.scaled.widths]

    @cached_property
    def rows(self) -> dict[int, tuple[int, list[tuple[set[int], int]]]]:
        """Capacity in these units for each number of free processors, and covers: jobs, and how many of them may run.

        See `oas.solving.capacity_rows`.
        """
        rows = {}
        for free in {free for profile in self.profiles for _, free in profile}:
            row = capacity_row(free // gcd(*self.scaled.widths), [[width] for width in self.units])
            covers = [(set(least), most) for least, most in row.lifted(self.units)]
            rows[free] = row.capacity, covers
        return rows

    @cached_property
    def moments(self) -> list[list[int]]:
        """For each cluster, every tick at which a job may start there or a reservation begins or ends, ascending.

        Any violation of capacity begins at one of these moments.
        """
        by_cluster = []
        for cluster, profile in enumerate(self.profiles):
            begun = {moment for own in self.starts for moment in own[cluster]}
            by_cluster.append(sorted(begun | {moment for moment, _ in profile}))
        return by_cluster

    @cached_property
    def ends(self) -> list[int]:
        """Every makespan above the lower bound that a schedule may have."""
        ends = {start + time for _, _, time, starts in self.columns() for start in starts}
        return sorted(end for end in ends if end > self.lower_bound)

    def columns(self) -> Iterator[tuple[int, int, int, Starts]]:
        """Yield job, cluster, running time and starts, without pairs that have none."""
        for job, (own, time) in enumerate(zip(self.starts, self.scaled.times, strict=True)):
            for cluster, starts in enumerate(own):
                if starts:
                    yield job, cluster, time, starts


def prepare(
    instance: MospInstance, scaled: ScaledMosp, horizon: int, lower_bound: int, *, reduced: bool = True
) -> MospStartSpec:
    """Reduce starts and find symmetries, if `reduced`, and check the model's size before it is built.

    Raises `TooLargeError` if there would be more than 300,000 start variables or 5,000,000 coefficients.
    """
    profiles = tuple(free_profile(scaled, cluster) for cluster in range(scaled.cluster_count))
    ends = latest_ends(scaled, horizon)
    starts = (normal_patterns if reduced else all_starts)(scaled, profiles, ends, cap=MAX_VARIABLES)
    jobs, clusters = (identical_jobs(scaled, ends), identical_clusters(scaled)) if reduced else ((), ())
    spec = MospStartSpec(scaled, horizon, lower_bound, profiles, starts, jobs, clusters)
    check_size("start-indexed", "coefficients", spec.nonzeros, MAX_NONZEROS)
    covers = sum(len(covers) for _, covers in spec.rows.values())
    check_size("start-indexed", "coefficients", covers * sum(map(len, spec.moments)) * scaled.job_count, MAX_NONZEROS)
    return spec


def tighten(spec: MospStartSpec, session: Session) -> MospStartSpec:
    """Return the spec with the weight rows that its model violates and the bound that they imply (worker side)."""
    rows, bound = tightened(spec, build, MospSets, session)
    return replace(spec, weight_rows=rows, lower_bound=bound)


def strengthen(spec: MospStartSpec, session: Session) -> MospStartSpec:
    """Return the spec with the weight rows that its model violates (worker side)."""
    return replace(spec, weight_rows=separated(spec, build, MospSets, session))


def read(spec: MospStartSpec, values: Mapping[Key, float]) -> list[ClusterRun]:
    """Return the runs given by the nonzero values of an incumbent.

    Raises `SolverError` if some job does not start exactly once.
    """
    return [ClusterRun(*index) for index in started(values, spec.scaled.job_count)]


def start_values(spec: MospStartSpec, runs: Sequence[ClusterRun]) -> dict[Key, float] | None:
    """Return the nonzero variables of a schedule, transformed into a solution of the reduced model.

    This is possible for every feasible schedule that ends by the horizon; None for any other.
    """
    moved = canonical_runs(spec.scaled, spec.identical_jobs, spec.identical_clusters, runs)
    if moved is None or any(run.start not in spec.starts[run.job][run.cluster] for run in moved):
        return None
    makespan = max(run.start + spec.scaled.times[run.job] for run in moved)
    values: dict[Key, float] = {("start", (run.job, run.cluster, run.start)): 1 for run in moved}
    values.update({("on", (run.job, run.cluster)): 1 for run in moved})
    return values | beyond_values(spec.ends, makespan)


def meanings(instance: MospInstance, spec: MospStartSpec) -> Iterator[tuple[Key, Meaning]]:
    """Yield the meaning of each variable."""
    to_time, jobs = spec.scaled.to_time, instance.jobs
    for job, cluster, time, starts in spec.columns():
        nodes = {instance.organizations[cluster].id: spec.scaled.widths[job]}
        yield ("on", (job, cluster)), Meaning("the job has these processors", jobs[job].id, nodes)
        for start in starts:
            one = Meaning(STARTS, jobs[job].id, nodes, to_time(start), to_time(start + time))
            yield ("start", (job, cluster, start)), one
    yield from beyond_meanings(spec.ends, to_time)


def build(spec: MospStartSpec) -> ConcreteModel:
    """Build the model: minimise the makespan in ticks."""
    builder = _Builder("mosp_start_indexed", spec)
    builder.variables()
    builder.makespan()
    builder.each_job_once()
    builder.one_start_where_it_runs()
    builder.processors()
    builder.weights()
    builder.beyond_is_monotone()
    builder.ends_in_time()
    builder.identical_jobs_in_order()
    builder.clusters_in_order()
    return builder.model


class _Builder(ModelBuilder):
    """One method for each constraint family."""

    spec: MospStartSpec

    def variables(self) -> None:
        """Declare start[j,k,t] = 1 if job j starts at t on cluster k; on[j,k]; beyond[i] = 1 if C_max ≥ ends[i]."""
        spec, model = self.spec, self.model
        model.start = self.binaries((job, cluster, one) for job, cluster, _, starts in spec.columns() for one in starts)
        model.on = self.binaries((job, cluster) for job, cluster, _, _ in spec.columns())
        model.beyond = self.binaries(range(len(spec.ends)))

    def each_job_once(self) -> None:
        """Run each job on exactly one cluster."""
        model = self.model
        clusters: dict[int, list[Any]] = {job: [] for job in range(self.spec.scaled.job_count)}
        for job, cluster, _, _ in self.spec.columns():
            clusters[job].append(model.on[job, cluster])
        model.once = self.pyo.Constraint(list(clusters), rule=lambda _, job: sum(clusters[job]) == 1)

    def one_start_where_it_runs(self) -> None:
        """Start each job exactly once on its cluster, and never on another."""
        model = self.model
        own = {(job, cluster): starts for job, cluster, _, starts in self.spec.columns()}

        def rule(_: Any, job: int, cluster: int) -> Any:
            return sum(model.start[job, cluster, start] for start in own[job, cluster]) == model.on[job, cluster]

        model.starts = self.pyo.Constraint(list(own), rule=rule)

    def processors(self) -> None:
        """Never use more processors of a cluster than reservations leave, and none beyond the makespan.

        In addition there are valid cuts: of jobs wider than half of the available processors at most one runs at a
        time, of jobs of exactly half at most two, and never one of each. This is u_1 of Fekete and Schepers (2001); u_2
        and u_3 made models larger but not faster.
        """
        spec, model = self.spec, self.model
        rows = self._running()
        model.processors = self.pyo.Constraint(self.pyo.Any)
        model.covers = self.pyo.Constraint(self.pyo.Any)
        model.halves = self.pyo.Constraint(self.pyo.Any)
        for (cluster, moment), running in sorted(rows.items()):
            free = free_at(spec.profiles[cluster], moment)
            widths = {job: spec.scaled.widths[job] for job, _ in running}
            if sum(widths.values()) <= free:
                continue
            capacity, covers = spec.rows[free]
            units = {job: spec.units[job] for job in widths}
            model.processors[cluster, moment] = self._weighed(running, units, capacity, moment)
            for index, (jobs, most) in enumerate(covers):
                if len(widths.keys() & jobs) > most:
                    ones = {job: int(job in jobs) for job in widths}
                    model.covers[cluster, moment, index] = self._weighed(running, ones, most, moment)
            halves = {job: (2 * width >= free) + (2 * width > free) for job, width in widths.items()}
            if sum(halves.values()) > 2 and any(free < 2 * width < 2 * free for width in widths.values()):
                model.halves[cluster, moment] = self._weighed(running, halves, 2, moment)

    def identical_jobs_in_order(self) -> None:
        """Start the earlier index of identical jobs no later: symmetry breaking only.

        Starts are represented by their rank among all starts, from 1 on: small integers, whatever the tick.
        """
        spec, model = self.spec, self.model
        moments = sorted({start for own in spec.starts for starts in own for start in starts})
        rank = {moment: index for index, moment in enumerate(moments, 1)}

        def ranked(job: int) -> Any:
            return sum(
                rank[start] * model.start[job, cluster, start]
                for cluster, starts in enumerate(spec.starts[job])
                for start in starts
            )

        pairs = [pair for group in spec.identical_jobs for pair in pairwise(group)]
        model.identical_jobs = self.pyo.Constraint(pairs, rule=lambda _, first, second: ranked(first) <= ranked(second))

    def clusters_in_order(self) -> None:
        """Let a job use the next of identical clusters only if a job before it, widest first, is on the one before.

        Symmetry breaking only.
        """
        model = self.model
        rows: dict[tuple[int, int], Any] = {}
        for group in self.spec.identical_clusters:
            for before, cluster in pairwise(group):
                ahead: list[Any] = []
                for job in leading_jobs(self.spec.scaled):
                    if (job, cluster) in model.on:
                        rows[job, cluster] = model.on[job, cluster] <= sum(ahead)
                    if (job, before) in model.on:
                        ahead.append(model.on[job, before])
        model.clusters = self.pyo.Constraint(list(rows), rule=lambda _, job, cluster: rows[job, cluster])

    def _running(self) -> dict[tuple[int, int], list[tuple[int, Any]]]:
        """Return, for each cluster and moment, the jobs that may run then, each with the variable of its start."""
        spec = self.spec
        rows: dict[tuple[int, int], list[tuple[int, Any]]] = {}
        for job, cluster, time, starts in spec.columns():
            moments = spec.moments[cluster]
            for start in starts:
                term = (job, self.model.start[job, cluster, start])
                for moment in moments[bisect_left(moments, start) : bisect_left(moments, start + time)]:
                    rows.setdefault((cluster, moment), []).append(term)
        return rows

    def _weighed(self, running: list[tuple[int, Any]], weights: dict[int, int], size: int, moment: int) -> Any:
        """Return the constraint Σ weight · running ≤ size, and ≤ 0 beyond the makespan."""
        return self.packing([(weights[job], one) for job, one in running if weights[job]], size, moment)


FORMULATION = Formulation(
    name="start-indexed",
    builder="oas.mosp.models.start_indexed:build",
    prepare=prepare,
    read=read,
    start_values=start_values,
    ticks_of=ticks_of,
    tighten=tighten,
    strengthen=strengthen,
    summary="one variable for (job, cluster, start); the default",
    prepare_full=partial(prepare, reduced=False),
    latest_end=latest_end,
    meanings=meanings,
    reductions=(NORMAL_STARTS, ORDER_OF_JOBS, ORDER_OF_CLUSTERS),
)
