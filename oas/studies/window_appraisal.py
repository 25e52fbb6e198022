"""Appraisal of one window: the observed schedule, the best one found with its proof, and heuristics."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from heuristics.mosp.queueing import conservative_runs, empty_profiles
from heuristics.mosp.ticks import TickSchedule
from oas.core.result import Status, Termination
from oas.core.schedule_metrics import metrics
from oas.core.verifier import check
from oas.exact.pipeline import solve
from oas.problems.mosp.runs import cluster_runs_from_schedule
from oas.solvers.discovery import usable
from oas.studies.comparison import heuristic_row
from oas.studies.study import LEAST_SECONDS, StudyClock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heuristics.method import Method
    from oas.core.numbers import Exact
    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.io.logs.windows import Window
    from oas.problems.mosp.instance import MospInstance

FEW_JOBS = 60  # up to which CP-SAT is the stronger: the bounds with certificates then have
FIRST_SECONDS = 2.0  # at most, and
FIRST_SHARE = 0.25  # of the time limit before it; with more jobs
MANY_SHARE = 0.5  # of it, or
MANY_SECONDS = 60.0  # without a limit


@dataclass(frozen=True)
class Figures:
    """The figures of a schedule."""

    method: str  # ``observed``, ``best``, or a heuristic's name
    schedule: Schedule
    # makespan, mean_wait: in the instance's time unit
    makespan: Fraction
    mean_wait: Fraction
    bounded_slowdown: Fraction  # the jobs' mean (`oas.core.schedule_metrics.JobMetrics.bounded_slowdown`)
    utilisation: Fraction  # share of processors × makespan that jobs and reservations hold


@dataclass(frozen=True)
class CostliestJob:
    """The observed job that ends last; of several the one that starts latest against the best schedule."""

    job: str
    # how long after all others it ends, in the instance's time unit: without it the window would end as much
    # earlier
    alone: Fraction
    delay: Fraction  # how much later it starts than in the best schedule


@dataclass(frozen=True)
class WindowAppraisal:
    """One window."""

    window: Window
    # of the best schedule and the best bound found; None where the observed schedule is none of an instance
    result: Result | None = None
    # observed, best: figures of both; the best schedule's with each job as early as it can be in the order of
    # its starts
    observed: Figures | None = None
    best: Figures | None = None
    heuristics: tuple[Figures, ...] = ()  # those asked for that made a schedule
    notes: tuple[str, ...] = ()  # why another made none

    @property
    def proven(self) -> bool:
        """Whether the best schedule is an optimum."""
        return self.result is not None and self.result.status is Status.OPTIMAL

    def at_least(self, figures: Figures) -> Fraction | None:
        """Least distance of the schedule from the optimum: its makespan / the best found − 1."""
        return None if self.best is None else figures.makespan / self.best.makespan - 1

    def at_most(self, figures: Figures) -> Fraction | None:
        """Greatest distance of the schedule from the optimum: its makespan / the proven lower bound − 1."""
        bound = None if self.result is None else self.result.lower_bound
        return figures.makespan / bound - 1 if bound else None

    @property
    def costliest(self) -> CostliestJob | None:
        """The observed job that costs the makespan most; None where the observed schedule ends as early as the best."""
        if self.observed is None or self.best is None or self.observed.makespan <= self.best.makespan:
            return None
        *_, before, last = [Fraction(0), *sorted(one.end for one in self.observed.schedule.placements)]
        starts = {one.job: one.start for one in self.best.schedule.placements}
        ending = (one for one in self.observed.schedule.placements if one.end == last)
        job, delay = max(((one.job, one.start - starts[one.job]) for one in ending), key=lambda one: one[1])
        return CostliestJob(job, last - before, delay)

    @property
    def schedules(self) -> tuple[Figures, ...]:
        """Observed, best and heuristics, as far as available."""
        return (*(one for one in (self.observed, self.best) if one is not None), *self.heuristics)


def appraise_window(
    window: Window, methods: Sequence[Method], threshold: Exact, time_limit: float | None, **options: Any
) -> WindowAppraisal:
    """Appraise one window, and run heuristics on it; a schedule that breaks a rule is not compared with any optimum.

    `time_limit` is in seconds, for the proof; `threshold` is that of the bounded slowdown.
    """
    instance, observed = window.instance, window.schedule
    if instance is None or observed is None or window.violations:
        return WindowAppraisal(window)
    seed = options.get("seed", 0)
    made, notes = [], []
    for method in methods:
        row = heuristic_row(instance, method, seed)
        if row.schedule is None:
            notes.append(f"{method.name}: {row.note}")
        else:
            made.append(_figures(instance, method.name, row.schedule, threshold))
    result = _with(prove(instance, time_limit, **options), observed)
    best = None
    if result.schedule is not None:
        best = _figures(instance, "best", pulled_forward(instance, result.schedule), threshold)
    return WindowAppraisal(
        window, result, _figures(instance, "observed", observed, threshold), best, tuple(made), tuple(notes)
    )


def prove(instance: MospInstance, time_limit: float | None, **options: Any) -> Result:
    """Solve as `oas.solve` does, then let CP-SAT solve open instances if it is installed and no solver was named.

    A window is one cluster with few jobs among many reservations. CP-SAT's cumulative model proves many such windows,
    and bounds with certificates prove others quickly.
    """
    if "solver" in options or not usable("cpsat"):
        return solve(instance, time_limit=time_limit, on_interrupt="return", **options)
    clock = StudyClock(time_limit)
    if len(instance.jobs) <= FEW_JOBS:
        limit = FIRST_SECONDS if time_limit is None else min(FIRST_SECONDS, FIRST_SHARE * time_limit)
    else:
        limit = MANY_SECONDS if time_limit is None else MANY_SHARE * time_limit
    first = solve(instance, time_limit=limit, on_interrupt="return", **options)
    if first.status is Status.OPTIMAL or first.termination is Termination.INTERRUPTED:
        return first
    left = clock.left
    rest = None if left is None else max(left, LEAST_SECONDS)
    return joined(first, solve(instance, solver="cpsat", time_limit=rest, on_interrupt="return", **options))


def joined(first: Result, second: Result) -> Result:
    """Return the combined result of two solves of one instance: the shorter schedule and the higher bound."""
    bounds = [one for one in (first, second) if one.lower_bound is not None]
    bounded = max(bounds, key=lambda one: one.lower_bound or 0, default=second)
    held = _with(replace(second, lower_bound=bounded.lower_bound, proof=bounded.proof), first.schedule)
    seconds = {**first.seconds, **second.seconds}
    seconds["total"] = first.seconds.get("total", 0.0) + second.seconds.get("total", 0.0)
    return replace(held, seconds=seconds, versions={**first.versions, **second.versions})


def _with(result: Result, schedule: Schedule | None) -> Result:
    """Return the result with `schedule`, feasible, in place of a longer one, or optimal where it meets the bound."""
    makespan = result.objective
    if schedule is not None and (makespan is None or schedule.makespan < makespan):
        result = replace(result, schedule=schedule)
    if result.objective is None or result.objective != result.lower_bound:
        return result
    stopped = result.termination is Termination.INTERRUPTED
    return replace(result, status=Status.OPTIMAL, termination=result.termination if stopped else Termination.FINISHED)


def pulled_forward(instance: MospInstance, schedule: Schedule) -> Schedule:
    """Return the schedule with each job as early as can be, on its cluster, in the order of the starts.

    No job starts later: what is before it in that order held, at its old start and after, no more than it does now. The
    waits of a schedule that only its makespan was searched for say little otherwise.
    """
    scaled = instance.scaled()
    profiles = empty_profiles(scaled)
    before = sorted(cluster_runs_from_schedule(instance, scaled, schedule), key=lambda run: (run.start, run.job))
    runs = []
    for cluster in range(scaled.cluster_count):
        queue = [run.job for run in before if run.cluster == cluster]
        if queue:
            runs += conservative_runs(profiles, scaled, [cluster], queue)
    moved = TickSchedule.of(scaled, runs).to_schedule(instance, schedule.method)
    return check(instance, moved, "the best schedule, pulled forward,")


def _figures(instance: MospInstance, method: str, schedule: Schedule, threshold: Exact) -> Figures:
    found = metrics(instance, schedule, threshold=threshold)
    return Figures(
        method, schedule, found.makespan, found.mean("wait"), found.mean("bounded_slowdown"), found.utilisation
    )
