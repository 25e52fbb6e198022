"""The cumulative MOSP model for CP-SAT, before and after the solver: its size, its warm start, its answer read back.

`cumulative_cpsat_model` builds it, in the solver's process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from oas.core.errors import SolverError
from oas.models.formulation import Formulation, check_energy, check_size
from oas.models.mosp.reductions import canonical_runs, free_profile, identical_clusters, identical_jobs, latest_ends
from oas.problems.mosp.runs import ClusterRun
from oas.problems.mosp.ticks import coarsened
from oas.solvers.task import CPSAT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oas.models.formulation import Groups
    from oas.models.mosp.reductions import Profile
    from oas.problems.mosp.instance import MospInstance
    from oas.problems.mosp.ticks import ScaledMosp
    from oas.solvers.task import Key

MAX_INTERVALS = 200_000


class Budget(NamedTuple):
    """Weights of the jobs as small integers, with the maximum weight of all jobs that a cluster runs by the horizon."""

    weights: tuple[int, ...]
    room: tuple[int, ...]


@dataclass(frozen=True)
class Implied:
    """Redundant constraints that help a solver to refute a makespan."""

    budgets: tuple[Budget, ...] = ()  # a linear constraint for each cluster
    # A job that starts in the first half of some schedule of each feasible makespan, because a schedule read backwards
    # is a schedule too; None if that could contradict another symmetry.
    reversible: int | None = None


@dataclass(frozen=True)
class CumulativeSpec:
    """The data that the model is built from, in units of `unit` ticks."""

    scaled: ScaledMosp  # the instance
    unit: int  # ticks in one of its
    horizon: int  # no job ends later
    lower_bound: int  # no schedule is shorter
    ends: tuple[int, ...]  # when each job must have ended: at its deadline or the horizon
    profiles: tuple[Profile, ...]  # what reservations leave free of each cluster
    identical_jobs: Groups  # groups of identical jobs, each to start in the order of its indices
    identical_clusters: Groups  # groups of identical clusters, each to be taken in the order of its indices
    # Further constraints, for a question about one makespan; some schedule of that makespan satisfies all of them.
    implied: Implied = Implied()

    def clusters_of(self, job: int) -> list[int]:
        """Return the clusters that are wide enough for `job`."""
        return [k for k, size in enumerate(self.scaled.processors) if size >= self.scaled.widths[job]]


def prepare(instance: MospInstance, scaled: ScaledMosp, horizon: int, lower_bound: int) -> CumulativeSpec:
    """Find the unit, deadlines and symmetries, and check the model's size before it is built.

    Raises
    ------
    TooLargeError
        If there would be more than 200,000 intervals, or processors times ticks outgrow 64 bits.
    """
    coarse, unit = coarsened(scaled)
    horizon, lower_bound = horizon // unit, -(-lower_bound // unit)
    ends = latest_ends(coarse, horizon)
    energy = sum(time * width for time, width in zip(coarse.times, coarse.widths, strict=True))
    check_energy("processors", sum(coarse.processors), horizon, energy)
    profiles = tuple(free_profile(coarse, cluster) for cluster in range(coarse.cluster_count))
    spec = CumulativeSpec(
        coarse, unit, horizon, lower_bound, ends, profiles, identical_jobs(coarse, ends), identical_clusters(coarse)
    )
    intervals = sum(len(spec.clusters_of(job)) for job in range(coarse.job_count))
    check_size("cumulative", "intervals", intervals, MAX_INTERVALS)
    return spec


def read(spec: CumulativeSpec, values: Mapping[Key, float]) -> list[ClusterRun]:
    """Return the runs that an incumbent's nonzero values stand for.

    Raises
    ------
    SolverError
        If some job is not on exactly one cluster.
    """
    runs = []
    for job in range(spec.scaled.job_count):
        on = [cluster for cluster in spec.clusters_of(job) if values.get(("on", (job, cluster)))]
        if len(on) != 1:
            raise SolverError("the solver's incumbent does not start every job exactly once")
        runs.append(ClusterRun(job, on[0], spec.unit * int(values.get(("start", (job,)), 0))))
    return runs


def start_values(spec: CumulativeSpec, runs: Sequence[ClusterRun]) -> dict[Key, float] | None:
    """Return the nonzero values of a schedule's variables, moved to where symmetry wants them; None if it has none."""
    coarse = [ClusterRun(run.job, run.cluster, run.start // spec.unit) for run in runs]
    moved = canonical_runs(spec.scaled, spec.identical_jobs, spec.identical_clusters, coarse)
    if moved is None:
        return None
    makespan = max(run.start + spec.scaled.times[run.job] for run in moved)
    values: dict[Key, float] = {("start", (run.job,)): run.start for run in moved}
    values.update({("on", (run.job, run.cluster)): 1 for run in moved})
    values["makespan", ()] = max(makespan, spec.lower_bound)
    return values


def ticks_of(spec: CumulativeSpec, objective: int) -> int:
    """Return the makespan in ticks: the objective counts units."""
    return objective * spec.unit


FORMULATION = Formulation(
    name="cumulative",
    builder="oas.models.mosp.cumulative_cpsat_model:build",
    prepare=prepare,
    read=read,
    start_values=start_values,
    ticks_of=ticks_of,
    summary="starts and clusters, cumulative constraints; for CP-SAT",
    family=CPSAT,
)
