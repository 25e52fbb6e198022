"""The start-indexed OAS model, before and after the solver: its size, its warm start, its answer read back.

`start_indexed_model` builds it, in the solver's process.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

from oas.core.errors import SolverError
from oas.models.attainable import beyond_values, ends_beyond, makespan_of
from oas.models.coallocation.reductions import (
    canonical_runs,
    check_forbidden,
    identical_jobs,
    normal_patterns,
    reduced_allocations,
)
from oas.models.formulation import Formulation, check_size
from oas.problems.coallocation.allocations import Run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oas.models.formulation import Groups
    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.coallocation.ticks import ScaledCoallocation
    from oas.solvers.task import Key

MAX_VARIABLES = 300_000
MAX_NONZEROS = 5_000_000


@dataclass(frozen=True)
class StartIndexedSpec:
    """The data that the model is built from, in ticks."""

    instance: CoallocationInstance  # where saturation is forbidden
    horizon: int  # no job ends later
    lower_bound: int  # no schedule is shorter
    choices: tuple[tuple[Allocation, ...], ...]  # choices[j]: the allocations of job j, reduced
    starts: tuple[tuple[int, ...], ...]  # starts[j]: the starts of job j worth considering, ascending
    identical_jobs: Groups  # groups of identical jobs, each to start in the order of its indices

    @property
    def scaled(self) -> ScaledCoallocation:
        """The instance in ticks."""
        return self.instance.scaled()

    @property
    def size(self) -> int:
        """Number of start variables."""
        return sum(
            bisect_right(starts, self.horizon - choice.duration)
            for choices, starts in zip(self.choices, self.starts, strict=True)
            for choice in choices
        )

    @property
    def nonzeros(self) -> int:
        """Number of coefficients in the packing rows, if all of them bind."""
        total = 0
        for _, _, choice, starts in self.columns():
            used = sum(map(bool, choice.counts)) + sum(map(bool, choice.loads))
            for start in starts:
                covered = bisect_left(self.moments, start + choice.duration) - bisect_left(self.moments, start)
                total += used * covered
        return total

    @cached_property
    def moments(self) -> list[int]:
        """Every tick at which some job may start: a load can only rise there."""
        return sorted({start for starts in self.starts for start in starts})

    @cached_property
    def ends(self) -> list[int]:
        """Every makespan above the lower bound that a schedule may have."""
        ends = (start + choice.duration for _, _, choice, starts in self.columns() for start in starts)
        return ends_beyond(ends, self.lower_bound)

    def columns(self) -> Iterator[tuple[int, int, Allocation, Sequence[int]]]:
        """Yield job, index of the allocation, the allocation, and the starts at which it ends in time."""
        for job, (choices, starts) in enumerate(zip(self.choices, self.starts, strict=True)):
            for index, choice in enumerate(choices):
                yield job, index, choice, starts[: bisect_right(starts, self.horizon - choice.duration)]


def prepare(
    instance: CoallocationInstance, scaled: ScaledCoallocation, horizon: int, lower_bound: int
) -> StartIndexedSpec:
    """Reduce allocations and starts, and check the model's size before it is built.

    Raises
    ------
    TooLargeError
        If there would be more than 300,000 start variables or 5,000,000 coefficients.
    """
    check_forbidden(instance.saturation)
    choices = reduced_allocations(instance)
    starts = normal_patterns([{choice.duration for choice in own} for own in choices], horizon, cap=MAX_VARIABLES)
    spec = StartIndexedSpec(instance, horizon, lower_bound, choices, starts, identical_jobs(instance))
    check_size("start-indexed", "start variables", spec.size, MAX_VARIABLES)
    check_size("start-indexed", "coefficients", spec.nonzeros, MAX_NONZEROS)
    return spec


def read(spec: StartIndexedSpec, values: Mapping[Key, float]) -> list[Run]:
    """Return the runs that an incumbent's nonzero values stand for.

    Raises
    ------
    SolverError
        If some job does not start exactly once.
    """
    runs = []
    for (name, index), value in values.items():
        if name == "start" and value:
            job, choice, start = cast("tuple[int, int, int]", index)
            runs.append(Run(job, start, spec.choices[job][choice]))
    if sorted(run.job for run in runs) != list(range(spec.scaled.job_count)):
        raise SolverError("the solver's incumbent does not start every job exactly once")
    return runs


def start_values(spec: StartIndexedSpec, runs: Sequence[Run]) -> dict[Key, float] | None:
    """Return the nonzero values of a feasible schedule's variables; None if it has no place in the reduced model."""
    moved = canonical_runs(spec.instance, spec.choices, spec.identical_jobs, runs)
    if moved is None or any(run.start not in spec.starts[run.job] for run in moved):
        return None
    makespan = max(run.end for run in moved)
    values: dict[Key, float] = {
        ("start", (run.job, spec.choices[run.job].index(run.allocation), run.start)): 1 for run in moved
    }
    return values | beyond_values(spec.ends, makespan)


def ticks_of(spec: StartIndexedSpec, objective: int) -> int:
    """Return the makespan in ticks at which `objective` of the attainable makespans beyond the bound are reached."""
    return makespan_of(spec.ends, spec.lower_bound, objective)


FORMULATION = Formulation(
    name="start-indexed",
    builder="oas.models.coallocation.start_indexed_model:build",
    prepare=prepare,
    read=read,
    start_values=start_values,
    ticks_of=ticks_of,
    summary="one variable for (job, allocation, start); the default",
)
