"""The start-indexed MOSP model, before and after the solver: its size, its warm start, its answer read back.

`start_indexed_model` builds it, in the solver's process.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

from oas.core.errors import SolverError
from oas.models.attainable import beyond_values, ends_beyond, makespan_of
from oas.models.formulation import Formulation, check_size
from oas.models.mosp.reductions import (
    canonical_runs,
    free_profile,
    identical_clusters,
    identical_jobs,
    latest_ends,
    normal_patterns,
)
from oas.problems.mosp.runs import ClusterRun

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oas.models.formulation import Groups
    from oas.models.mosp.reductions import Profile, Starts
    from oas.problems.mosp.instance import MospInstance
    from oas.problems.mosp.ticks import ScaledMosp
    from oas.solvers.task import Key

MAX_VARIABLES = 300_000
MAX_NONZEROS = 5_000_000


@dataclass(frozen=True)
class MospStartSpec:
    """The data that the model is built from, in ticks."""

    scaled: ScaledMosp  # the instance
    horizon: int  # no job ends later
    lower_bound: int  # no schedule is shorter
    profiles: tuple[Profile, ...]  # what reservations leave free of each cluster
    # starts[j][k]: the starts of job j on cluster k worth considering, ascending; each leaves it time to end by its
    # deadline and the horizon, beside the reservations.
    starts: tuple[tuple[Starts, ...], ...]
    identical_jobs: Groups  # groups of identical jobs, each to start in the order of its indices
    identical_clusters: Groups  # groups of identical clusters, each to be taken in the order of its indices

    @property
    def size(self) -> int:
        """Number of start variables."""
        return sum(len(starts) for _, _, starts in self.columns())

    @property
    def nonzeros(self) -> int:
        """Number of coefficients in the rows of capacity and of the makespan, if all of them bind."""
        total = 0
        for job, cluster, starts in self.columns():
            time, moments = self.scaled.times[job], self.moments[cluster]
            for start in starts:
                total += bisect_left(moments, start + time) - bisect_left(moments, start)
                total += bisect_right(self.ends, start + time)
        return total

    @cached_property
    def moments(self) -> list[list[int]]:
        """For each cluster, every tick at which a job may start there or a reservation begins, ascending.

        Only there can what runs come to more than what is free.
        """
        found = []
        for cluster, profile in enumerate(self.profiles):
            begun = {moment for own in self.starts for moment in own[cluster]}
            found.append(sorted(begun | {moment for moment, _ in profile}))
        return found

    @cached_property
    def ends(self) -> list[int]:
        """Every makespan above the lower bound that a schedule may have."""
        ends = (start + self.scaled.times[job] for job, _, starts in self.columns() for start in starts)
        return ends_beyond(ends, self.lower_bound)

    def columns(self) -> Iterator[tuple[int, int, Starts]]:
        """Yield job, cluster and starts, without pairs that have none."""
        for job, own in enumerate(self.starts):
            for cluster, starts in enumerate(own):
                if starts:
                    yield job, cluster, starts


def prepare(instance: MospInstance, scaled: ScaledMosp, horizon: int, lower_bound: int) -> MospStartSpec:
    """Reduce starts, find symmetries, and check the model's size before it is built.

    Raises
    ------
    TooLargeError
        If there would be more than 300,000 start variables or 5,000,000 coefficients.
    """
    profiles = tuple(free_profile(scaled, cluster) for cluster in range(scaled.cluster_count))
    ends = latest_ends(scaled, horizon)
    starts = normal_patterns(scaled, profiles, ends, cap=MAX_VARIABLES)
    spec = MospStartSpec(
        scaled, horizon, lower_bound, profiles, starts, identical_jobs(scaled, ends), identical_clusters(scaled)
    )
    check_size("start-indexed", "coefficients", spec.nonzeros, MAX_NONZEROS)
    return spec


def read(spec: MospStartSpec, values: Mapping[Key, float]) -> list[ClusterRun]:
    """Return the runs that an incumbent's nonzero values stand for.

    Raises
    ------
    SolverError
        If some job does not start exactly once.
    """
    runs = []
    for (name, index), value in values.items():
        if name == "start" and value:
            job, cluster, start = cast("tuple[int, int, int]", index)
            runs.append(ClusterRun(job, cluster, start))
    if sorted(run.job for run in runs) != list(range(spec.scaled.job_count)):
        raise SolverError("the solver's incumbent does not start every job exactly once")
    return sorted(runs, key=lambda run: run.job)


def start_values(spec: MospStartSpec, runs: Sequence[ClusterRun]) -> dict[Key, float] | None:
    """Return the nonzero values of a schedule's variables, moved into the reduced model.

    Every feasible schedule that ends by the horizon has a place there; None for any other.
    """
    moved = canonical_runs(spec.scaled, spec.identical_jobs, spec.identical_clusters, runs)
    if moved is None or any(run.start not in spec.starts[run.job][run.cluster] for run in moved):
        return None
    makespan = max(run.start + spec.scaled.times[run.job] for run in moved)
    values: dict[Key, float] = {("start", (run.job, run.cluster, run.start)): 1 for run in moved}
    values.update({("on", (run.job, run.cluster)): 1 for run in moved})
    return values | beyond_values(spec.ends, makespan)


def ticks_of(spec: MospStartSpec, objective: int) -> int:
    """Return the makespan in ticks at which `objective` of the attainable makespans beyond the bound are reached."""
    return makespan_of(spec.ends, spec.lower_bound, objective)


FORMULATION = Formulation(
    name="start-indexed",
    builder="oas.models.mosp.start_indexed_model:build",
    prepare=prepare,
    read=read,
    start_values=start_values,
    ticks_of=ticks_of,
    summary="one variable for (job, cluster, start); the default",
)
