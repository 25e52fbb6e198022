"""The start-indexed model of fair sharing in Pyomo: one variable for (job, moment), 1 while the job waits.

It is the step form of a start-indexed model, whose binary for a start of job j at s is the decrease of `waits` from the
previous candidate start to s. Both forms have the same relaxation (Artigues, Operations Research Letters 45, 2017), and
the rows of this one are shorter. All machines form one capacity, because any processor can serve any job. Every
coefficient is an integer, none a big-M.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyomo.environ as pyo

from oas.fair.objectives import Objective
from oas.solving.model_builder import ModelBuilder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.fair.models.start_indexed import FairStartSpec

Term = tuple[int, int, int]  # factor, job and moment: factor · (1 if the job has not started at the moment or before)


def build(spec: FairStartSpec) -> pyo.ConcreteModel:
    """Build the model: minimise the cost above its lower bound."""
    builder = _Builder("fair_start_indexed", spec)
    builder.variables()
    builder.cost()
    builder.starts_for_good()
    builder.first_come_first_served()
    builder.processors()
    builder.greedy()
    builder.ends_in_time()
    builder.alike_in_order()
    return builder.model


class _Builder(ModelBuilder):
    """One method for each constraint family."""

    spec: FairStartSpec

    def variables(self) -> None:
        """Declare waits[j,s] = 1 if job j has not started at s or before; beyond[i] = 1 if C_max ≥ ends[i].

        If every start is certain, there is one variable without meaning, because HiGHS rejects an empty model.
        """
        columns = list(self.spec.columns())
        self.model.waits = self.binaries(columns)
        certain = [] if columns else [0]
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
        pairs = [
            (before, job, start)
            for queue in spec.queues
            for before, job in pairwise(queue)
            for start in spec.starts[job]
        ]
        self.model.fifo = pyo.Constraint(pairs, rule=self._waits_no_longer)

    def processors(self) -> None:
        """Never use more than M processors; checked at possible starts, because use only increases there."""
        spec = self.spec
        starts = sorted({start for own in spec.starts for start in own})
        self.model.processors = pyo.Constraint(
            starts, rule=lambda _, moment: self._at_most(self._running(1, moment), spec.total)
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
            terms = self._running(-1, moment)
            queue = spec.queues[number]
            released = queue[: bisect_left(queue, moment + 1, key=lambda job: spec.releases[job])]
            for place, job in enumerate(released):
                factor = spec.total - spec.widths[job] + 1
                terms.append((factor, job, moment))
                if place:
                    terms.append((-factor, queue[place - 1], moment))
            return self._at_most(terms, 0)

        model.greedy = pyo.Constraint(rows, rule=rule)

    def ends_in_time(self) -> None:
        """For the makespan: beyond[i] = 1 if a job waits until it can only end at ends[i] or later."""
        spec, model = self.spec, self.model
        steps = range(len(model.beyond))
        model.monotone = pyo.Constraint(steps[1:], rule=lambda _, step: model.beyond[step] <= model.beyond[step - 1])

        def rule(_: Any, job: int, step: int) -> Any:
            latest = spec.ends[step] - spec.times[job] - 1
            if spec.waits(job, latest) == 0:
                return pyo.Constraint.Skip
            return self._at_most([(1, job, latest)], 0, (-1, model.beyond[step]))

        model.late = pyo.Constraint([(job, step) for job in range(len(spec.times)) for step in steps], rule=rule)

    def alike_in_order(self) -> None:
        """Symmetry of identical organizations: while the i-th job of the first waits, that of the second waits too."""
        spec = self.spec
        pairs = [(*pair, start) for pairs in spec.alike for pair in pairs for start in spec.starts[pair[0]]]
        self.model.alike = pyo.Constraint(pairs, rule=self._waits_no_longer)

    def _waits_no_longer(self, _: Any, first: int, second: int, start: int) -> Any:
        """Return the row: if job `first` waits at `start`, so does `second`."""
        return self._at_most([(1, first, start), (-1, second, start)], 0)

    def _at_most(self, terms: Iterable[Term], bound: int, *further: tuple[int, Any]) -> Any:
        """Return the row Σ terms + further terms ≤ bound; `pyo.Constraint.Skip` if it always holds."""
        factors: Counter[tuple[int, int]] = Counter()
        for factor, job, moment in terms:
            waits = self.spec.waits(job, moment)
            if isinstance(waits, tuple):
                factors[waits] += factor
            else:
                bound -= factor * waits
        if not further and sum(factor for factor in factors.values() if factor > 0) <= bound:
            return pyo.Constraint.Skip
        row = [*((factor, self.model.waits[key]) for key, factor in factors.items() if factor), *further]
        if not row:
            return pyo.Constraint.Infeasible
        coefficients, variables = zip(*row, strict=True)
        return self.linear(coefficients, variables) <= bound

    def _running(self, factor: int, moment: int) -> list[Term]:
        """Return factor · the processors in use in [moment, moment + 1)."""
        spec, terms = self.spec, []
        for job, (own, time, width) in enumerate(zip(spec.starts, spec.times, spec.widths, strict=True)):
            if own and own[0] <= moment < own[-1] + time:
                terms += [(factor * width, job, moment - time), (-factor * width, job, moment)]
        return terms
