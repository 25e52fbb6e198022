"""The start-indexed model of fair sharing in Pyomo: one variable for (job, moment), 1 while the job waits on.

It is the step form of a start-indexed model: x = 1 if job j starts at s is the fall of `waits` from the start worth
considering before s to s. Both forms have the same relaxation (Artigues, Operations Research Letters 45, 2017), and the
rows of this one are shorter. Machines are one capacity, for any processors serve any job. Every coefficient is an
integer, none a big-M.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyomo.environ as pyo

from oas.models.builder import ModelBuilder
from oas.problems.fair.objectives import Objective

if TYPE_CHECKING:
    from oas.models.fair.start_indexed import FairStartSpec


def build(spec: FairStartSpec) -> pyo.ConcreteModel:
    """Build the model: minimise what the cost is above its least."""
    return _Builder("fair_start_indexed", spec).build()


class _Row:
    """A linear expression: variables by name with their coefficients, and a constant."""

    def __init__(self, builder: _Builder) -> None:
        self.builder = builder
        self.terms: dict[tuple[int, int], int] = {}
        self.constant = 0

    def add(self, factor: int, job: int, moment: int) -> None:
        """Add factor · (whether `job` waits on at `moment`)."""
        waits = self.builder.spec.waits(job, moment)
        if isinstance(waits, tuple):
            self.terms[waits] = self.terms.get(waits, 0) + factor
        else:
            self.constant += factor * waits

    def at_most(self, bound: int, extra: tuple[int, Any] | None = None) -> Any:
        """Return the row Σ + extra ≤ bound; `pyo.Constraint.Skip` if it always holds."""
        own = {key: factor for key, factor in self.terms.items() if factor}
        if extra is None and self.constant + sum(factor for factor in own.values() if factor > 0) <= bound:
            return pyo.Constraint.Skip
        terms = [(factor, self.builder.model.waits[key]) for key, factor in own.items()]
        terms += [] if extra is None else [extra]
        if not terms:
            return pyo.Constraint.Infeasible
        factors, variables = zip(*terms, strict=True)
        return self.builder.linear(factors, variables) <= bound - self.constant


class _Builder(ModelBuilder):
    """One method for each constraint family."""

    spec: FairStartSpec

    def build(self) -> pyo.ConcreteModel:
        self.variables()
        self.cost()
        self.starts_for_good()
        self.first_come_first_served()
        self.processors()
        self.greedy()
        self.ends_in_time()
        self.alike_in_order()
        return self.model

    def variables(self) -> None:
        """Declare waits[j,s] = 1 if job j has not started at s or before; beyond[i] = 1 if C_max ≥ ends[i].

        Where every start is certain there is one variable without a meaning, for HiGHS takes no empty model.
        """
        self.model.waits = self.binaries(self.spec.columns())
        certain = [] if self.spec.size else [0]
        self.model.nothing = self.binaries(certain)
        self.model.nothing_is_0 = pyo.Constraint(certain, rule=lambda model, index: model.nothing[index] <= 0)
        ends = self.spec.ends if self.spec.objective is Objective.MAKESPAN else []
        self.model.beyond = self.binaries(range(len(ends)))

    def cost(self) -> None:
        """Minimise −Σ ψ_sp (equation (3) of the paper) or the flow, relative to the first start of each job.

        The unit is the greatest common divisor of all losses by waiting. The makespan is counted in attainable values
        beyond the lower bound. So the objective is a small integer.
        """
        spec, model = self.spec, self.model
        if spec.objective is Objective.MAKESPAN:
            expression = pyo.quicksum(model.beyond.values())
        else:
            losses = {key: loss // spec.unit for key, loss in spec.losses.items() if loss}
            expression = self.linear(list(losses.values()), [model.waits[key] for key in losses])
        model.objective = pyo.Objective(expr=expression, sense=pyo.minimize)

    def starts_for_good(self) -> None:
        """Once started, a job does not wait again: it starts at most once."""
        model, known = self.model, self.model.waits
        pairs = [
            (job, first, second)
            for job, own in enumerate(self.spec.starts)
            for first, second in pairwise(own)
            if (job, second) in known
        ]
        model.once = pyo.Constraint(pairs, rule=lambda _, job, first, second: known[job, second] <= known[job, first])

    def first_come_first_served(self) -> None:
        """While a job waits, those behind it in its organization wait too (section 2 of the paper)."""
        spec = self.spec
        model = self.model
        pairs = [
            (before, job, start)
            for queue in spec.queues
            for before, job in pairwise(queue)
            for start in spec.starts[job]
        ]

        def rule(_: Any, before: int, job: int, start: int) -> Any:
            row = _Row(self)
            row.add(1, before, start)
            row.add(-1, job, start)
            return row.at_most(0)

        model.fifo = pyo.Constraint(pairs, rule=rule)

    def processors(self) -> None:
        """Never use more than M processors; checked at possible starts, because use only increases there."""
        spec = self.spec
        starts = sorted({start for own in spec.starts for start in own})
        self.model.processors = pyo.Constraint(
            starts, rule=lambda _, moment: self._running(1, moment).at_most(spec.total)
        )

    def greedy(self) -> None:
        """While job j is the first to wait in its organization, fewer than q_j processors are idle (section 2).

        Σ of running jobs ≥ Σ_j (M − q_j + 1)·(waits_j − waits of the job before j), over the released jobs of one
        organization: the difference is 1 for the first waiting job and 0 for all others. With q = 1 the right-hand side
        is M times whether the last released job waits. Nothing changes between the moments.
        """
        spec, model = self.spec, self.model
        rows = [
            (number, moment)
            for number, queue in enumerate(spec.queues)
            for moment in (spec.moments if spec.greedy and queue else ())
            if moment >= spec.releases[queue[0]]
        ]

        def rule(_: Any, number: int, moment: int) -> Any:
            row = self._running(-1, moment)
            queue = spec.queues[number]
            released = queue[: bisect_left(queue, moment + 1, key=lambda job: spec.releases[job])]
            for place, job in enumerate(released):
                factor = spec.total - spec.widths[job] + 1
                row.add(factor, job, moment)
                if place:
                    row.add(-factor, queue[place - 1], moment)
            return row.at_most(0)

        model.greedy = pyo.Constraint(rows, rule=rule)

    def ends_in_time(self) -> None:
        """Of the makespan: a job that waits so long that it ends at ends[i] or later puts the makespan there."""
        spec, model = self.spec, self.model
        steps = range(len(model.beyond))
        model.monotone = pyo.Constraint(steps[1:], rule=lambda _, step: model.beyond[step] <= model.beyond[step - 1])

        def rule(_: Any, job: int, step: int) -> Any:
            row = _Row(self)
            row.add(1, job, spec.ends[step] - spec.times[job] - 1)
            return (
                pyo.Constraint.Skip if not row.terms and not row.constant else row.at_most(0, (-1, model.beyond[step]))
            )

        model.late = pyo.Constraint([(job, step) for job in range(len(spec.times)) for step in steps], rule=rule)

    def alike_in_order(self) -> None:
        """Of identical organizations, the i-th job of the second waits as long as that of the first: symmetry only."""
        spec, model = self.spec, self.model
        pairs = [(*pair, start) for pairs in spec.alike for pair in pairs for start in spec.starts[pair[0]]]

        def rule(_: Any, first: int, second: int, start: int) -> Any:
            row = _Row(self)
            row.add(1, first, start)
            row.add(-1, second, start)
            return row.at_most(0)

        model.alike = pyo.Constraint(pairs, rule=rule)

    def _running(self, factor: int, moment: int) -> _Row:
        """Return factor · the processors in use in [moment, moment + 1)."""
        spec, row = self.spec, _Row(self)
        for job, own in enumerate(spec.starts):
            if own and own[0] <= moment < own[-1] + spec.times[job]:
                row.add(factor * spec.widths[job], job, moment - spec.times[job])
                row.add(-factor * spec.widths[job], job, moment)
        return row
