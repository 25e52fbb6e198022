"""The start-indexed OAS model in Pyomo: one variable for (job, allocation, start).

Identical nodes are aggregated, link loads are exact for each allocation, and durations are integers, so that the
model holds no big-M, no ceiling and no rational number: every coefficient is an integer.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyomo.environ as pyo

from oas.models.attainable import BeyondRows
from oas.models.coallocation.reductions import link_rows
from oas.problems.coallocation.allocations import tasks_by_cluster

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.models.coallocation.start_indexed import StartIndexedSpec


def build(spec: StartIndexedSpec) -> pyo.ConcreteModel:
    """Build the model: minimise the makespan in ticks."""
    return _Builder(spec).build()


class _Builder(BeyondRows):
    """One method for each constraint family."""

    def __init__(self, spec: StartIndexedSpec) -> None:
        self.spec = spec
        self.model = pyo.ConcreteModel("start_indexed")

    def build(self) -> pyo.ConcreteModel:
        self.variables()
        self.makespan()
        self.each_job_once()
        self.nodes()
        self.links()
        self.beyond_is_monotone()
        self.ends_in_time()
        self.identical_jobs_in_order()
        return self.model

    def variables(self) -> None:
        """Declare start[j,a,t] = 1 if job j starts at tick t on allocation a; beyond[i] = 1 if C_max ≥ ends[i].

        They stand for (15), (16) and, through the allocation, (11), (12), (13), (18), (19), (20).
        """
        spec, model = self.spec, self.model
        keys = [(job, index, start) for job, index, _, starts in spec.columns() for start in starts]
        model.start = pyo.Var(keys, domain=pyo.Binary)
        model.beyond = pyo.Var(range(len(spec.ends)), domain=pyo.Binary)

    def each_job_once(self) -> None:
        """Start each job exactly once (12), (15)."""
        spec, model = self.spec, self.model
        terms: list[list[Any]] = [[] for _ in spec.choices]
        for job, index, _, starts in spec.columns():
            terms[job] += [model.start[job, index, start] for start in starts]
        model.once = pyo.Constraint(range(len(terms)), rule=lambda _, job: sum(terms[job]) == 1)

    def nodes(self) -> None:
        """Never use more nodes of a class than it has (10); none at all beyond the makespan."""
        spec = self.spec
        sizes = [len(node_class.nodes) for node_class in spec.scaled.classes]
        uses = [[choice.counts for choice in own] for own in spec.choices]
        self.model.nodes = self._packing(uses, sizes)

    def links(self) -> None:
        """Never load a link above its bandwidth (4), (21), (22): saturation is forbidden."""
        spec = self.spec
        capacities, loads = link_rows(spec.scaled)
        uses = [
            [tuple(loads[job][count] for count in tasks_by_cluster(spec.scaled, choice.counts)) for choice in own]
            for job, own in enumerate(spec.choices)
        ]
        rows = self._rows(uses, capacities)
        self.model.links = pyo.Constraint(
            sorted(rows), rule=lambda _, link, at: capacities[link] - sum(rows[link, at]) >= 0
        )

    def ends_in_time(self) -> None:
        """A job that ends at ends[i] or later puts the makespan there (17)."""
        spec, model = self.spec, self.model
        late: dict[tuple[int, int], list[Any]] = {}
        for job, index, choice, starts in spec.columns():
            for start in starts:
                last = bisect_right(spec.ends, start + choice.duration)
                for step in range(last):
                    late.setdefault((job, step), []).append(model.start[job, index, start])
        self.late(late)

    def identical_jobs_in_order(self) -> None:
        """Of identical jobs, the earlier index starts no later: symmetry only."""
        spec, model = self.spec, self.model
        started: dict[int, list[tuple[int, Any]]] = {}
        for job, index, _, starts in spec.columns():
            started.setdefault(job, []).extend((start, model.start[job, index, start]) for start in starts)
        pairs = [pair for group in spec.identical_jobs for pair in pairwise(group)]
        rows = [(first, second, moment) for first, second in pairs for moment in spec.starts[first]]

        def rule(_: Any, first: int, second: int, moment: int) -> Any:
            ahead = sum(variable for start, variable in started[first] if start <= moment)
            behind = sum(variable for start, variable in started[second] if start <= moment)
            return ahead >= behind

        model.identical_jobs = pyo.Constraint(rows, rule=rule)

    def _packing(self, uses: Sequence[Sequence[Sequence[int]]], sizes: Sequence[int]) -> pyo.Constraint:
        """Rows Σ use · running ≤ size, and ≤ 0 beyond the makespan."""
        spec, model = self.spec, self.model
        rows = self._rows(uses, sizes)

        def rule(_: Any, resource: int, moment: int) -> Any:
            load, size = sum(rows[resource, moment]), sizes[resource]
            step = bisect_right(spec.ends, moment)
            if moment >= spec.lower_bound and step < len(spec.ends):
                return load <= size * model.beyond[step]
            return load <= size

        return pyo.Constraint(sorted(rows), rule=rule)

    def _rows(
        self, uses: Sequence[Sequence[Sequence[float]]], sizes: Sequence[float]
    ) -> dict[tuple[int, int], list[Any]]:
        """Terms use · start of what runs, for each resource that can bind and each moment at which a job may start.

        uses[j][a][r] is what job j on allocation a takes of resource r, sizes[r] how much of it there is.
        """
        spec, model = self.spec, self.model
        binding = [sum(max(use[r] for use in own) for own in uses) > size for r, size in enumerate(sizes)]
        rows: dict[tuple[int, int], list[Any]] = {}
        for job, index, choice, starts in spec.columns():
            used = [(r, use) for r, use in enumerate(uses[job][index]) if use and binding[r]]
            for start in starts if used else ():
                variable = model.start[job, index, start]
                first = bisect_left(spec.moments, start)
                for moment in spec.moments[first : bisect_left(spec.moments, start + choice.duration)]:
                    for resource, use in used:
                        rows.setdefault((resource, moment), []).append(use * variable)
        return rows
