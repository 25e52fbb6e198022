"""The counts OAS model for CP-SAT, before and after the solver: data, size check, warm start, reading of answers.

`counts_cpsat_model` builds it, in the solver's process. It lists no allocations: a job's nodes are integer counts for
each node class, so the size of clusters does not matter. Counts for each (cluster, Γ) that fit at every moment are a
schedule without migration: nodes of one class are interchangeable, and first fit in time assigns them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import gcd
from typing import TYPE_CHECKING, NamedTuple

from oas.coallocation.allocations import Run, fastest_level, make_allocation, tasks_by_cluster
from oas.coallocation.models.reductions import (
    check_forbidden,
    class_order,
    identical_clusters,
    identical_jobs,
    latest_end,
    widest_job,
)
from oas.coallocation.ticks import coarsened
from oas.core.errors import InputError, SolverError
from oas.solvers.task import CPSAT
from oas.solving.formulation import (
    LATER_ENDS,
    ORDER_OF_CLUSTERS,
    ORDER_OF_JOBS,
    STARTS,
    UNIT_STARTS,
    Formulation,
    Meaning,
    check_energy,
    check_size,
    in_order,
    ticks_of_units,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oas.coallocation.instance import CoallocationInstance
    from oas.coallocation.ticks import ScaledCoallocation
    from oas.solvers.task import Key
    from oas.solving.formulation import Groups

MAX_VARIABLES = 200_000


class Weighting(NamedTuple):
    """Small integer weights; no set of (job, level) that can run together weighs more than `capacity`."""

    weights: tuple[tuple[int, ...], ...]
    capacity: int


@dataclass(frozen=True)
class Implied:
    """Constraints that hold in every schedule and help a solver to refute a makespan."""

    weightings: tuple[Weighting, ...] = ()  # from the configuration bound
    exclusive: tuple[tuple[tuple[int, int], ...], ...] = ()  # pairs of (job, level) that cannot run at the same moment
    apart: tuple[tuple[int, ...], ...] = ()  # sets of jobs that pairwise cannot run at the same moment, at any levels
    # For every feasible makespan, some schedule has at most as much time before this job as after it, because a
    # reversed schedule is also a schedule; None if this could contradict another symmetry.
    reversible: int | None = None


@dataclass(frozen=True)
class CountsSpec:
    """The data that the model is built from, in units of `unit` ticks."""

    scaled: ScaledCoallocation  # the instance
    unit: int  # number of ticks in a unit
    horizon: int  # no job ends later
    lower_bound: int  # no schedule is shorter
    # levels[j]: the levels worth choosing for job j, fastest first; of levels of one duration the slowest, which opens
    # the most nodes.
    levels: tuple[tuple[int, ...], ...]
    identical_jobs: Groups  # groups of identical jobs, each to start in the order of its indices
    identical_clusters: Groups  # groups of identical clusters; the last one has the most tasks of the job `first`
    implied: Implied = Implied()  # further constraints that hold in every schedule; for questions about one makespan

    @property
    def first(self) -> int:
        """The job that orders identical clusters."""
        return widest_job(self.scaled)

    @cached_property
    def sizes(self) -> list[int]:
        """Nodes of each cluster."""
        return tasks_by_cluster(self.scaled, [len(one.nodes) for one in self.scaled.classes])

    @cached_property
    def links(self) -> dict[int, int]:
        """Capacity of each link that the jobs could overload, in `load_unit`."""
        most = sum(max(row) for row in self.scaled.link_loads)
        return {
            cluster: capacity // self.load_unit
            for cluster, capacity in enumerate(self.scaled.link_capacity)
            if capacity < most
        }

    @cached_property
    def load_unit(self) -> int:
        """The common divisor of all loads: no sum of loads lies between its multiples."""
        return gcd(*(load for row in self.scaled.link_loads for load in row)) or 1

    def loads(self, job: int) -> list[int]:
        """Load of `job` on a link by the number of its tasks there, equation (4), in `load_unit`."""
        return [load // self.load_unit for load in self.scaled.link_loads[job]]

    def usage_counts(self, job: int, cluster: int) -> list[int]:
        """Return the possible numbers of tasks of `job` in the cluster, as far as its link permits."""
        most = min(self.sizes[cluster], self.scaled.tasks[job])
        capacity, loads = self.scaled.link_capacity[cluster], self.scaled.link_loads[job]
        return [count for count in range(most + 1) if loads[count] <= capacity]


def prepare(
    instance: CoallocationInstance, scaled: ScaledCoallocation, horizon: int, lower_bound: int, *, reduced: bool = True
) -> CountsSpec:
    """Reduce levels, find unit and symmetries, if `reduced`, and check the model's size before it is built.

    Raises `InputError` if a model that is not reduced has a horizon before some job's end; `TooLargeError` if there
    would be more than 200,000 variables, or nodes or link loads times ticks exceed 64 bits.
    """
    check_forbidden(instance.saturation)
    scaled, unit = coarsened(scaled) if reduced else (scaled, 1)
    horizon, lower_bound = horizon // unit, -(-lower_bound // unit)
    levels = tuple(_levels(scaled, job, horizon) for job in range(scaled.job_count))
    fastest = [scaled.durations[job][own[0]] for job, own in enumerate(levels)]
    if not reduced and max(fastest) > horizon:  # a reduced model may be asked about any makespan
        raise InputError("some job takes longer on the fastest nodes", field="horizon", value=horizon)
    jobs, clusters = (identical_jobs(instance), identical_clusters(scaled)) if reduced else ((), ())
    spec = CountsSpec(scaled, unit, horizon, lower_bound, levels, jobs, clusters)
    variables = scaled.job_count * (len(scaled.classes) + 2 * scaled.cluster_count + len(scaled.powers) + 3)
    check_size("counts", "variables", variables, MAX_VARIABLES)
    longest = [scaled.durations[job][own[-1]] for job, own in enumerate(levels)]
    energy = sum(tasks * time for tasks, time in zip(scaled.tasks, longest, strict=True))
    check_energy("nodes", sum(spec.sizes), horizon, energy)
    if spec.links:
        load = sum(max(spec.loads(job)) * time for job, time in enumerate(longest))
        check_energy("link bandwidth", max(spec.links.values()), horizon, load)
    return spec


def _levels(scaled: ScaledCoallocation, job: int, horizon: int) -> tuple[int, ...]:
    """Return the levels at which `job` has an allocation and ends in time; of equal durations only the slowest.

    If there are none, the fastest level makes the model infeasible.
    """
    fastest = fastest_level(scaled, job)
    assert fastest is not None  # otherwise there would be no horizon
    by_duration = {scaled.durations[job][level]: level for level in range(fastest, len(scaled.powers))}
    return tuple(level for duration, level in by_duration.items() if duration <= horizon) or (fastest,)


def read(spec: CountsSpec, values: Mapping[Key, float]) -> list[Run]:
    """Return the runs that an incumbent's nonzero values stand for.

    A job on nodes faster than its level gets its duration on these nodes, at most that in the model.

    Raises `SolverError` if some job does not hold as many nodes as it has tasks.
    """
    scaled = spec.scaled
    runs = []
    for job, tasks in enumerate(scaled.tasks):
        counts = [int(values.get(("count", (job, index)), 0)) for index in range(len(scaled.classes))]
        if sum(counts) != tasks:
            raise SolverError("the solver's incumbent does not place every task of every job")
        allocation = make_allocation(scaled, job, counts)
        start = spec.unit * int(values.get(("start", (job,)), 0))
        runs.append(Run(job, start, replace(allocation, duration=spec.unit * allocation.duration)))
    return runs


def start_values(spec: CountsSpec, runs: Sequence[Run]) -> dict[Key, float] | None:
    """Return the nonzero values of the variables for a feasible schedule, adapted to the symmetry rows."""
    scaled, moved = spec.scaled, _canonical(spec, runs)
    values: dict[Key, float] = {}
    for run in moved:
        job, duration, counts = run.job, run.allocation.duration, run.allocation.counts
        values["start", (job,)] = run.start
        values["duration", (job,)] = duration
        values["end", (job,)] = run.end
        level = next(one for one in spec.levels[job] if scaled.durations[job][one] == duration)
        values["level", (job, level)] = 1
        values.update({("count", (job, index)): count for index, count in enumerate(counts) if count})
        for cluster, usage in enumerate(tasks_by_cluster(scaled, counts)):
            values["usage", (job, cluster)] = usage
            if cluster in spec.links:
                values["load", (job, cluster)] = spec.loads(job)[usage]
    values["makespan", ()] = max(spec.lower_bound, *(run.end for run in moved))
    return values


def _canonical(spec: CountsSpec, runs: Sequence[Run]) -> list[Run]:
    """Return starts in units; identical jobs are ordered by start, identical clusters by the tasks of the first job."""
    by_job = in_order(spec.identical_jobs, [replace(run, start=run.start // spec.unit) for run in runs])
    usage = tasks_by_cluster(spec.scaled, by_job[spec.first].allocation.counts)
    source = {cluster: cluster for cluster in range(spec.scaled.cluster_count)}
    for group in spec.identical_clusters:
        source |= zip(group, sorted(group, key=lambda cluster: usage[cluster]), strict=True)
    order = class_order(spec.scaled, list(source.values()))
    return [
        Run(job, run.start, make_allocation(spec.scaled, job, [run.allocation.counts[index] for index in order]))
        for job, run in sorted(by_job.items())
    ]


def meanings(instance: CoallocationInstance, spec: CountsSpec) -> Iterator[tuple[Key, Meaning]]:
    """Yield the meaning of each variable; times are values, in units of the spec."""
    scaled, unit = spec.scaled, f"in units of {spec.scaled.tick}"
    clusters = [cluster.id for cluster in instance.clusters]
    for j, job in enumerate(instance.jobs):
        yield ("start", (j,)), Meaning(STARTS, job.id)
        yield ("duration", (j,)), Meaning(f"duration {unit}", job.id)
        yield ("end", (j,)), Meaning(f"end {unit}", job.id)
        for level in spec.levels[j]:
            yield ("level", (j, level)), Meaning(f"all nodes have a power of {scaled.powers[level]} or more", job.id)
        for index, one in enumerate(scaled.classes):
            kind = f"number of nodes of {clusters[one.cluster]} of power {scaled.powers[one.level]}"
            yield ("count", (j, index)), Meaning(kind, job.id)
        for k, cluster in enumerate(clusters):
            yield ("usage", (j, k)), Meaning(f"number of nodes of {cluster}", job.id)
            if k in spec.links:
                yield ("load", (j, k)), Meaning(f"load of the link of {cluster}", job.id)
    yield ("makespan", ()), Meaning(f"makespan {unit}")


FORMULATION = Formulation(
    name="counts",
    builder="oas.coallocation.models.counts_cpsat_model:build",
    prepare=prepare,
    read=read,
    start_values=start_values,
    ticks_of=ticks_of_units,
    summary="node counts for each job and node class, cumulative constraints; for CP-SAT",
    family=CPSAT,
    prepare_full=partial(prepare, reduced=False),
    latest_end=latest_end,
    meanings=meanings,
    reductions=(UNIT_STARTS, ORDER_OF_JOBS, ORDER_OF_CLUSTERS),
    assumptions=(LATER_ENDS,),
)
