"""The start-indexed MOSP model in Pyomo: one variable for (job, cluster, start).

Minimise C_max so that no organization ends after its deadline, equation (1) of the MOSP papers; deadlines, releases
and reservations have already taken away the starts that they forbid. Every coefficient is an integer, none a big-M.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyomo.environ as pyo
from pyomo.core.expr.numeric_expr import LinearExpression

from oas.models.attainable import BeyondRows
from oas.models.mosp.reductions import free_at, leading_jobs

if TYPE_CHECKING:
    from oas.models.mosp.start_indexed import MospStartSpec


def build(spec: MospStartSpec) -> pyo.ConcreteModel:
    """Build the model: minimise the makespan in ticks."""
    return _Builder(spec).build()


class _Builder(BeyondRows):
    """One method for each constraint family."""

    def __init__(self, spec: MospStartSpec) -> None:
        self.spec = spec
        self.model = pyo.ConcreteModel("mosp_start_indexed")

    def build(self) -> pyo.ConcreteModel:
        self.variables()
        self.makespan()
        self.each_job_once()
        self.one_start_where_it_runs()
        self.processors()
        self.beyond_is_monotone()
        self.ends_in_time()
        self.identical_jobs_in_order()
        self.clusters_in_order()
        return self.model

    def variables(self) -> None:
        """Declare start[j,k,t] = 1 if job j starts at t on cluster k; on[j,k]; beyond[i] = 1 if C_max ≥ ends[i]."""
        spec, model = self.spec, self.model
        model.start = pyo.Var(
            [(job, cluster, start) for job, cluster, starts in spec.columns() for start in starts], domain=pyo.Binary
        )
        model.on = pyo.Var([(job, cluster) for job, cluster, _ in spec.columns()], domain=pyo.Binary)
        model.beyond = pyo.Var(range(len(spec.ends)), domain=pyo.Binary)

    def each_job_once(self) -> None:
        """Run each job on exactly one cluster."""
        model = self.model
        clusters: dict[int, list[Any]] = {job: [] for job in range(self.spec.scaled.job_count)}
        for job, cluster, _ in self.spec.columns():
            clusters[job].append(model.on[job, cluster])
        model.once = pyo.Constraint(list(clusters), rule=lambda _, job: sum(clusters[job]) == 1)

    def one_start_where_it_runs(self) -> None:
        """A job starts once on the cluster that it runs on, on no other."""
        model = self.model
        own = {(job, cluster): starts for job, cluster, starts in self.spec.columns()}

        def rule(_: Any, job: int, cluster: int) -> Any:
            return sum(model.start[job, cluster, start] for start in own[job, cluster]) == model.on[job, cluster]

        model.starts = pyo.Constraint(list(own), rule=rule)

    def processors(self) -> None:
        """Never use more processors of a cluster than reservations leave free; none at all beyond the makespan.

        Beside them valid cuts: of jobs wider than half of what is free one runs at a time, of jobs of just half two,
        and one of each never. This is u_1 of Fekete and Schepers (2001); u_2 and u_3 made models larger but not faster.
        """
        spec, model = self.spec, self.model
        rows = self._running()
        model.processors = pyo.Constraint(pyo.Any)
        model.halves = pyo.Constraint(pyo.Any)
        for (cluster, moment), running in sorted(rows.items()):
            free = free_at(spec.profiles[cluster], moment)
            widths = {job: spec.scaled.widths[job] for job, _ in running}
            if sum(widths.values()) <= free:
                continue
            model.processors[cluster, moment] = self._packing(running, widths, free, moment)
            halves = {job: (2 * width >= free) + (2 * width > free) for job, width in widths.items()}
            if sum(halves.values()) > 2 and any(free < 2 * width < 2 * free for width in widths.values()):
                model.halves[cluster, moment] = self._packing(running, halves, 2, moment)

    def ends_in_time(self) -> None:
        """A job that ends at ends[i] or later puts the makespan there."""
        spec, model = self.spec, self.model
        late: dict[tuple[int, int], list[Any]] = {}
        for job, cluster, starts in spec.columns():
            for start in starts:
                for step in range(bisect_right(spec.ends, start + spec.scaled.times[job])):
                    late.setdefault((job, step), []).append(model.start[job, cluster, start])
        self.late(late)

    def identical_jobs_in_order(self) -> None:
        """Of identical jobs, the earlier index starts no later: symmetry only.

        Starts count by their rank among all moments, from 1 on: small integers, whatever the tick.
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
        model.identical_jobs = pyo.Constraint(pairs, rule=lambda _, first, second: ranked(first) <= ranked(second))

    def clusters_in_order(self) -> None:
        """Of identical clusters, a job takes the next one only if a job before it, widest first, is on the one before.

        Symmetry only.
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
        model.clusters = pyo.Constraint(list(rows), rule=lambda _, job, cluster: rows[job, cluster])

    def _running(self) -> dict[tuple[int, int], list[tuple[int, Any]]]:
        """For each cluster and moment, the jobs that may run then, each with the variable of its start."""
        spec = self.spec
        rows: dict[tuple[int, int], list[tuple[int, Any]]] = {}
        for job, cluster, starts in spec.columns():
            moments = spec.moments[cluster]
            for start in starts:
                term = (job, self.model.start[job, cluster, start])
                end = start + spec.scaled.times[job]
                for moment in moments[bisect_left(moments, start) : bisect_left(moments, end)]:
                    rows.setdefault((cluster, moment), []).append(term)
        return rows

    def _packing(self, running: list[tuple[int, Any]], weights: dict[int, int], size: int, moment: int) -> Any:
        """Σ weight · running ≤ size, and ≤ 0 beyond the makespan."""
        spec = self.spec
        terms = [(weights[job], variable) for job, variable in running if weights[job]]
        step = bisect_right(spec.ends, moment)
        if moment >= spec.lower_bound and step < len(spec.ends):
            terms.append((-size, self.model.beyond[step]))
            size = 0
        coefficients, variables = zip(*terms, strict=True)
        return LinearExpression(linear_coefs=coefficients, linear_vars=variables) <= size
