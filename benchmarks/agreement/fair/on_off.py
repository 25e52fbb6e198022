"""A second model of fair sharing, to hold the first against: one variable for (job, moment), 1 while the job runs.

It shares nothing with `oas.models.fair`: no reduction of starts, no symmetry, no bound; other variables, other rows.
Weak and large, for tiny instances only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pyomo.environ as pyo

from oas.core.errors import SolverError
from oas.models.formulation import Formulation
from oas.problems.fair.objectives import Objective, ScheduleClass
from oas.problems.fair.ticks import NOT_STARTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.problems.fair.instance import FairInstance
    from oas.problems.fair.ticks import FairTicks
    from oas.solvers.task import Key


@dataclass(frozen=True)
class OnOffSpec:
    """The jobs as presented, M, t_end (of the makespan: that of a known schedule), and what is asked for."""

    jobs: tuple[tuple[int, int, int, int], ...]  # owner, release, time, width
    total: int
    until: int
    objective: Objective
    greedy: bool

    def before(self, job: int) -> int | None:
        """Return the job that the same organization presents before `job`."""
        own = [one for one in range(job) if self.jobs[one][0] == self.jobs[job][0]]
        return own[-1] if own else None


def prepare(
    instance: FairInstance, ticks: FairTicks, horizon: int, lower_bound: int, *, objective: Objective, greedy: bool
) -> OnOffSpec:
    """Return what the model is made of; the bound is not used."""
    columns = (ticks.owner, ticks.release, ticks.time, ticks.width)
    jobs = tuple(zip(*(column.tolist() for column in columns), strict=True))
    return OnOffSpec(jobs, ticks.total, horizon, objective, greedy)


def build(spec: OnOffSpec) -> pyo.ConcreteModel:
    """Build the model."""
    model = pyo.ConcreteModel("fair_on_off")
    jobs, moments = range(len(spec.jobs)), range(spec.until)
    model.runs = pyo.Var(jobs, moments, domain=pyo.Binary)
    model.started = pyo.Var(jobs, moments, domain=pyo.Binary)
    model.rows = pyo.ConstraintList()

    def ran(job: int, until: int) -> Any:
        return sum(model.runs[job, moment] for moment in range(until)) + 0

    def add(row: Any) -> None:
        if row is not True:
            model.rows.add(row)

    for job, (_, release, time, _) in enumerate(spec.jobs):
        before = spec.before(job)
        add(ran(job, spec.until) <= time)
        if spec.objective is Objective.MAKESPAN:
            add(ran(job, spec.until) >= time)
        for now in moments:
            runs, started = model.runs[job, now], model.started[job, now]
            if now < release:
                add(runs <= 0)
            add(started <= ran(job, now + 1))
            add(ran(job, now + 1) <= time * started)
            if before is not None:
                add(started <= model.started[before, now])
            if now + 1 < spec.until:
                ends = runs - model.runs[job, now + 1]
                add(time * ends <= ran(job, now + 1))
                for later in range(now + 2, spec.until):
                    add(ends + model.runs[job, later] <= 1)
    for now in moments:
        idle = spec.total - sum(spec.jobs[job][3] * model.runs[job, now] for job in jobs)
        add(idle >= 0)
        for job, (_, release, _, width) in enumerate(spec.jobs):
            if spec.greedy and release <= now:
                before = spec.before(job)
                ahead = 1 if before is None else model.started[before, now]
                add(idle <= width - 1 + spec.total * (1 - ahead + model.started[job, now]))
    model.objective = pyo.Objective(expr=_cost(spec, model, ran))
    return model


def _cost(spec: OnOffSpec, model: Any, ran: Any) -> Any:
    jobs, moments = range(len(spec.jobs)), range(spec.until)
    if spec.objective is Objective.STRATEGY_PROOF:
        return -sum((spec.until - now) * spec.jobs[job][3] * model.runs[job, now] for job in jobs for now in moments)
    if spec.objective is Objective.MAKESPAN:
        model.unfinished = pyo.Var(moments, domain=pyo.Binary)
        for job in jobs:
            for now in moments:
                for later in range(now, spec.until):
                    model.rows.add(model.runs[job, later] <= model.unfinished[now])
        return sum(model.unfinished.values())
    model.ended = pyo.Var(jobs, moments, domain=pyo.Binary)
    for job in jobs:
        for now in moments:
            model.rows.add(spec.jobs[job][2] * model.ended[job, now] <= ran(job, now))
    return sum(1 - model.ended[job, now] for job in jobs for now in range(spec.jobs[job][1], spec.until))


def read(spec: OnOffSpec, values: Mapping[Key, float]) -> list[int]:
    """Return the start of each job, -1 for none.

    Raises
    ------
    SolverError
        If a job does not run as long as it should.
    """
    starts = []
    for job, (_, _, time, _) in enumerate(spec.jobs):
        on = [now for now in range(spec.until) if values.get(("runs", (job, now)))]
        if on and on != list(range(on[0], min(on[0] + time, spec.until))):
            raise SolverError("the solver's incumbent interrupts a job")
        starts.append(on[0] if on else NOT_STARTED)
    return starts


def formulation(objective: Objective, wanted: ScheduleClass) -> Formulation:
    """Return the model of the schedule that is best by `objective` among those of a class."""
    return Formulation(
        name="on-off",
        builder=f"{__name__}:build",
        prepare=partial(prepare, objective=objective, greedy=wanted is ScheduleClass.GREEDY),
        read=read,
        start_values=_no_start,
        ticks_of=_cost_of,
        summary="one variable for (job, moment): whether the job runs",
    )


def _no_start(*_: object) -> None:
    return None


def _cost_of(_: OnOffSpec, objective: int) -> int:
    return objective
