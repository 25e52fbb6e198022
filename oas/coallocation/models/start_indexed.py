"""The start-indexed OAS model: one variable for (job, allocation, start).

Identical nodes are aggregated, link loads are computed for each allocation, and durations are integers, so that the
model needs no big-M and no ceiling. All coefficients are integers, except large link loads (`link_rows`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from oas.coallocation.allocations import Run, allocations, nodes_by_cluster, tasks_by_cluster
from oas.coallocation.models.feasible_sets import CoallocationSets
from oas.coallocation.models.reductions import (
    UNDOMINATED,
    canonical_runs,
    check_forbidden,
    identical_jobs,
    latest_end,
    link_rows,
    normal_patterns,
    reduced_allocations,
)
from oas.solving.formulation import (
    NORMAL_STARTS,
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

    from oas.coallocation.allocations import Allocation
    from oas.coallocation.instance import CoallocationInstance
    from oas.coallocation.models.reductions import LinkRows
    from oas.coallocation.ticks import ScaledCoallocation
    from oas.solvers.isolation.protocol import Session
    from oas.solvers.task import Key
    from oas.solving.formulation import Groups
    from oas.solving.weight_rows import WeightRow

MAX_VARIABLES = 300_000
MAX_NONZEROS = 5_000_000


@dataclass(frozen=True)
class StartIndexedSpec:
    """The data that the model is built from, in ticks."""

    instance: CoallocationInstance  # with saturation forbidden
    horizon: int  # no job ends later
    lower_bound: int  # no schedule is shorter
    choices: tuple[tuple[Allocation, ...], ...]  # choices[j]: the allocations of job j that are considered
    starts: tuple[Sequence[int], ...]  # starts[j]: the starts of job j that are considered, ascending
    identical_jobs: Groups  # groups of identical jobs, each to start in the order of its indices
    weight_rows: tuple[WeightRow, ...] = ()  # rows that strengthen the linear relaxation

    @property
    def scaled(self) -> ScaledCoallocation:
        """The instance in ticks."""
        return self.instance.scaled()

    @property
    def size(self) -> int:
        """Number of start variables."""
        return sum(len(starts) for _, _, _, starts in self.columns())

    @property
    def nonzeros(self) -> int:
        """Number of coefficients in the packing rows, if all of them bind."""
        total = 0
        for job, index, duration, starts in self.columns():
            choice = self.choices[job][index]
            used = sum(map(bool, choice.counts)) + sum(map(bool, choice.loads))
            for start in starts:
                total += used * (bisect_left(self.moments, start + duration) - bisect_left(self.moments, start))
        return total

    @cached_property
    def link_rows(self) -> LinkRows:
        """The links for float solvers."""
        return link_rows(self.scaled)

    @cached_property
    def link_covers(self) -> tuple[list[list[tuple[int, ...]]], list[int]]:
        """Use of each cover by each allocation of each job, 0 or 1; and greatest total use of each cover."""
        most = [max(row) for row in self.scaled.link_loads]
        covers = [(k, *cover) for k, row in enumerate(self.link_rows.covers) for cover in row.lifted(most)]
        uses = []
        for job, own in enumerate(self.choices):
            loads, counts = self.scaled.link_loads[job], [tasks_by_cluster(self.scaled, one.counts) for one in own]
            uses.append(
                [
                    tuple(int(loads[on[k]] >= least[job]) if job in least else 0 for k, least, _ in covers)
                    for on in counts
                ]
            )
        return uses, [count for _, _, count in covers]

    @cached_property
    def moments(self) -> list[int]:
        """Every tick at which some job may start: a load can only rise there."""
        return sorted({start for starts in self.starts for start in starts})

    @cached_property
    def ends(self) -> list[int]:
        """Every makespan above the lower bound that a schedule may have."""
        ends = {start + duration for _, _, duration, starts in self.columns() for start in starts}
        return sorted(end for end in ends if end > self.lower_bound)

    def columns(self) -> Iterator[tuple[int, int, int, Sequence[int]]]:
        """Yield job, index and duration of the allocation, and the starts at which it ends in time."""
        for job, (choices, starts) in enumerate(zip(self.choices, self.starts, strict=True)):
            for index, choice in enumerate(choices):
                yield job, index, choice.duration, starts[: bisect_right(starts, self.horizon - choice.duration)]


def prepare(
    instance: CoallocationInstance, scaled: ScaledCoallocation, horizon: int, lower_bound: int, *, reduced: bool = True
) -> StartIndexedSpec:
    """Reduce allocations and starts, if `reduced`, and check the model's size before it is built.

    Raises `TooLargeError` if there would be more than 300,000 start variables or 5,000,000 coefficients.
    """
    check_forbidden(instance.saturation)
    starts: tuple[Sequence[int], ...]
    if reduced:
        choices, identical = reduced_allocations(instance), identical_jobs(instance)
        starts = normal_patterns([{choice.duration for choice in own} for own in choices], horizon, cap=MAX_VARIABLES)
    else:
        choices, identical = tuple(tuple(allocations(scaled, job)) for job in range(scaled.job_count)), ()
        starts = tuple(range(horizon - min(choice.duration for choice in own) + 1) for own in choices)
    spec = StartIndexedSpec(instance, horizon, lower_bound, choices, starts, identical)
    check_size("start-indexed", "start variables", spec.size, MAX_VARIABLES)
    check_size("start-indexed", "coefficients", spec.nonzeros, MAX_NONZEROS)
    _, sizes = spec.link_covers
    check_size("start-indexed", "coefficients", len(sizes) * len(spec.moments) * len(choices), MAX_NONZEROS)
    return spec


def tighten(spec: StartIndexedSpec, session: Session) -> StartIndexedSpec:
    """Return the spec with the weight rows that its model violates and the bound that they imply (worker side)."""
    rows, bound = tightened(spec, build, CoallocationSets, session)
    return replace(spec, weight_rows=rows, lower_bound=bound)


def strengthen(spec: StartIndexedSpec, session: Session) -> StartIndexedSpec:
    """Return the spec with the weight rows that its model violates (worker side)."""
    return replace(spec, weight_rows=separated(spec, build, CoallocationSets, session))


def read(spec: StartIndexedSpec, values: Mapping[Key, float]) -> list[Run]:
    """Return the runs that an incumbent's nonzero values stand for.

    Raises `SolverError` if some job does not start exactly once.
    """
    return [Run(job, start, spec.choices[job][choice]) for job, choice, start in started(values, len(spec.choices))]


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


def meanings(instance: CoallocationInstance, spec: StartIndexedSpec) -> Iterator[tuple[Key, Meaning]]:
    """Yield the meaning of each variable."""
    to_time = spec.scaled.to_time
    for job, index, duration, starts in spec.columns():
        name, nodes = instance.jobs[job].id, nodes_by_cluster(instance, spec.choices[job][index])
        for start in starts:
            yield (
                ("start", (job, index, start)),
                Meaning(STARTS, name, nodes, to_time(start), to_time(start + duration)),
            )
    yield from beyond_meanings(spec.ends, to_time)


def build(spec: StartIndexedSpec) -> ConcreteModel:
    """Build the model: minimise the makespan in ticks."""
    builder = _Builder("start_indexed", spec)
    builder.variables()
    builder.makespan()
    builder.each_job_once()
    builder.nodes()
    builder.links()
    builder.weights()
    builder.beyond_is_monotone()
    builder.ends_in_time()
    builder.identical_jobs_in_order()
    return builder.model


class _Builder(ModelBuilder):
    """One method for each constraint family."""

    spec: StartIndexedSpec

    def variables(self) -> None:
        """Declare start[j,a,t] = 1 if job j starts at tick t on allocation a; beyond[i] = 1 if C_max ≥ ends[i].

        They stand for (15), (16) and, through the allocation, (11), (12), (13), (18), (19), (20).
        """
        spec, model = self.spec, self.model
        model.start = self.binaries((job, index, start) for job, index, _, starts in spec.columns() for start in starts)
        model.beyond = self.binaries(range(len(spec.ends)))
        self.starts: list[list[tuple[int, Any]]] = [[] for _ in spec.choices]  # by job, with their variables
        for job, index, _, starts in spec.columns():
            self.starts[job] += [(start, model.start[job, index, start]) for start in starts]

    def each_job_once(self) -> None:
        """Start each job exactly once (12), (15)."""
        self.model.once = self.pyo.Constraint(
            range(len(self.starts)), rule=lambda _, job: sum(variable for _, variable in self.starts[job]) == 1
        )

    def nodes(self) -> None:
        """Never use more nodes of a class than it has (10); none at all beyond the makespan."""
        sizes = [len(node_class.nodes) for node_class in self.spec.scaled.classes]
        rows = self._rows([[choice.counts for choice in own] for own in self.spec.choices], sizes)
        self.model.nodes = self.pyo.Constraint(
            sorted(rows), rule=lambda _, resource, moment: self.packing(rows[resource, moment], sizes[resource], moment)
        )

    def links(self) -> None:
        """Never load a link above its bandwidth (4), (21), (22): saturation is forbidden."""
        spec = self.spec
        capacities, loads, _ = spec.link_rows
        uses = [
            [tuple(loads[job][count] for count in tasks_by_cluster(spec.scaled, choice.counts)) for choice in own]
            for job, own in enumerate(spec.choices)
        ]
        rows = self._rows(uses, capacities)
        self.model.links = self.pyo.Constraint(
            sorted(rows), rule=lambda _, link, at: capacities[link] - sum(use * one for use, one in rows[link, at]) >= 0
        )
        uses_of_covers, sizes = spec.link_covers
        covers = self._rows(uses_of_covers, sizes)
        self.model.link_covers = self.pyo.Constraint(
            sorted(covers), rule=lambda _, cover, moment: self.packing(covers[cover, moment], sizes[cover], moment)
        )

    def identical_jobs_in_order(self) -> None:
        """Of identical jobs, the earlier index starts no later: symmetry only."""
        spec = self.spec
        pairs = [pair for group in spec.identical_jobs for pair in pairwise(group)]
        rows = [(first, second, moment) for first, second in pairs for moment in spec.starts[first]]

        def rule(_: Any, first: int, second: int, moment: int) -> Any:
            ahead = sum(variable for start, variable in self.starts[first] if start <= moment)
            behind = sum(variable for start, variable in self.starts[second] if start <= moment)
            return ahead >= behind

        self.model.identical_jobs = self.pyo.Constraint(rows, rule=rule)

    def _rows(
        self, uses: Sequence[Sequence[Sequence[float]]], sizes: Sequence[float]
    ) -> dict[tuple[int, int], list[tuple[Any, Any]]]:
        """Return pairs of use and start variable of running jobs, by resource that may be binding and possible start.

        uses[j][a][r] is the use of resource r by job j on allocation a, sizes[r] the size of the resource.
        """
        spec, model = self.spec, self.model
        binding = [sum(max(use[r] for use in own) for own in uses) > size for r, size in enumerate(sizes)]
        rows: dict[tuple[int, int], list[tuple[Any, Any]]] = {}
        for job, index, duration, starts in spec.columns():
            used = [(r, use) for r, use in enumerate(uses[job][index]) if use and binding[r]]
            for start in starts if used else ():
                variable = model.start[job, index, start]
                first = bisect_left(spec.moments, start)
                for moment in spec.moments[first : bisect_left(spec.moments, start + duration)]:
                    for resource, use in used:
                        rows.setdefault((resource, moment), []).append((use, variable))
        return rows


FORMULATION = Formulation(
    name="start-indexed",
    builder="oas.coallocation.models.start_indexed:build",
    prepare=prepare,
    read=read,
    start_values=start_values,
    ticks_of=ticks_of,
    tighten=tighten,
    strengthen=strengthen,
    summary="one variable for (job, allocation, start); the default",
    prepare_full=partial(prepare, reduced=False),
    latest_end=latest_end,
    meanings=meanings,
    reductions=(UNDOMINATED, NORMAL_STARTS, ORDER_OF_JOBS),
)
