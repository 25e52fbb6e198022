"""Appraisal of one window: the observed schedule, the best one found with its proof, and heuristics."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oas.core.result import Status, Termination
from oas.core.schedule_metrics import metrics
from oas.core.verifier import check
from oas.mosp.runs import cluster_runs_from_schedule
from oas.mosp.search.queueing import TickSchedule, conservative_runs, empty_profiles
from oas.solvers.discovery import usable
from oas.solving.comparison import heuristic_row
from oas.solving.pipeline import solve
from oas.solving.study import LEAST_SECONDS, StudyClock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.core.numbers import Exact
    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.logs.windows import Window
    from oas.mosp.instance import MospInstance
    from oas.solving.method import Method

FEW_JOBS = 60  # up to this number of jobs CP-SAT is stronger than bounds with certificates
FIRST_SECONDS = 2.0  # maximum time for these bounds before CP-SAT starts


@dataclass(frozen=True)
class Figures:
    """The figures of a schedule."""

    method: str  # ``observed``, ``best``, or the name of a heuristic
    schedule: Schedule
    makespan: Fraction  # in the time unit of the instance, like `mean_wait`
    mean_wait: Fraction
    bounded_slowdown: Fraction  # mean over the jobs (`oas.core.schedule_metrics.JobMetrics.bounded_slowdown`)
    utilisation: Fraction  # share of processors × makespan used by jobs and reservations


@dataclass(frozen=True)
class CostliestJob:
    """The observed job that ends last; in case of ties the one with the greatest delay."""

    job: str
    alone: Fraction  # time between the last end of the other jobs and its end, in the time unit of the instance
    delay: Fraction  # difference of its start from that in the best schedule


@dataclass(frozen=True)
class WindowAppraisal:
    """One window."""

    window: Window
    result: Result | None = None  # the best schedule and bound; None without an instance or a valid observed schedule
    observed: Figures | None = None
    best: Figures | None = None  # of the best schedule, pulled forward
    heuristics: tuple[Figures, ...] = ()  # of the heuristics that have a schedule
    notes: tuple[str, ...] = ()  # the reasons why other heuristics have none

    @property
    def proven(self) -> bool:
        """Whether the best schedule is an optimum."""
        return self.result is not None and self.result.status is Status.OPTIMAL

    def at_least(self, figures: Figures) -> Fraction | None:
        """Return the minimum distance of a schedule from the optimum: makespan / best known makespan − 1."""
        return None if self.best is None else figures.makespan / self.best.makespan - 1

    def at_most(self, figures: Figures) -> Fraction | None:
        """Return the maximum distance of a schedule from the optimum: makespan / proven lower bound − 1."""
        bound = None if self.result is None else self.result.lower_bound
        return figures.makespan / bound - 1 if bound else None

    @property
    def costliest(self) -> CostliestJob | None:
        """The observed job that determines the makespan; None if the best schedule is not shorter."""
        if self.observed is None or self.best is None or self.observed.makespan <= self.best.makespan:
            return None
        *_, before, last = [Fraction(0), *sorted(placement.end for placement in self.observed.schedule.placements)]
        starts = {placement.job: placement.start for placement in self.best.schedule.placements}
        delays = {
            placement.job: placement.start - starts[placement.job]
            for placement in self.observed.schedule.placements
            if placement.end == last
        }
        job = max(delays, key=delays.__getitem__)
        return CostliestJob(job, last - before, delays[job])

    @property
    def schedules(self) -> tuple[Figures, ...]:
        """The figures of all available schedules: observed, best, heuristics."""
        return tuple(figures for figures in (self.observed, self.best, *self.heuristics) if figures is not None)


def appraise_window(
    window: Window, methods: Sequence[Method], threshold: Exact, time_limit: float | None, **options: Any
) -> WindowAppraisal:
    """Appraise one window and run heuristics on it; an infeasible observed schedule is not compared with an optimum.

    `time_limit` is in seconds, for the proof; `threshold` is that of the bounded slowdown.
    """
    instance, observed = window.instance, window.schedule
    if instance is None or observed is None or window.violations:
        return WindowAppraisal(window)
    seed = options.get("seed", 0)
    figures, notes = [], []
    for method in methods:
        row = heuristic_row(instance, method, seed)
        if row.schedule is None:
            notes.append(f"{method.name}: {row.note}")
        else:
            figures.append(_figures(instance, method.name, row.schedule, threshold))
    result = _with_schedule(prove(instance, time_limit, **options), observed)
    best = None
    if result.schedule is not None:
        best = _figures(instance, "best", pulled_forward(instance, result.schedule), threshold)
    return WindowAppraisal(
        window, result, _figures(instance, "observed", observed, threshold), best, tuple(figures), tuple(notes)
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
        limit = FIRST_SECONDS if time_limit is None else min(FIRST_SECONDS, time_limit / 4)
    else:
        limit = 60.0 if time_limit is None else time_limit / 2
    first = solve(instance, time_limit=limit, on_interrupt="return", **options)
    if first.status is Status.OPTIMAL or first.termination is Termination.INTERRUPTED:
        return first
    left = None if clock.left is None else max(clock.left, LEAST_SECONDS)
    second = solve(instance, solver="cpsat", time_limit=left, on_interrupt="return", **options)
    # The shorter schedule and the higher bound of both.
    bounded = second
    if first.lower_bound is not None and (second.lower_bound is None or first.lower_bound >= second.lower_bound):
        bounded = first
    combined = _with_schedule(replace(second, lower_bound=bounded.lower_bound, proof=bounded.proof), first.schedule)
    seconds = Counter(first.seconds)
    seconds.update(second.seconds)  # adds
    return replace(combined, seconds=dict(seconds), versions={**first.versions, **second.versions})


def _with_schedule(result: Result, schedule: Schedule | None) -> Result:
    """Return the result with a feasible `schedule` if it is shorter; the status is optimal if it attains the bound."""
    makespan = result.objective
    if schedule is not None and (makespan is None or schedule.makespan < makespan):
        result = replace(result, schedule=schedule)
    if result.objective is None or result.objective != result.lower_bound:
        return result
    if result.termination is not Termination.INTERRUPTED:
        result = replace(result, termination=Termination.FINISHED)
    return replace(result, status=Status.OPTIMAL)


def pulled_forward(instance: MospInstance, schedule: Schedule) -> Schedule:
    """Return the schedule with each job as early as possible on its cluster, placed in the order of the starts.

    No job starts later, because from its old start on, the jobs before it in this order occupy no more than before.
    Without this step the waiting times would be arbitrary, because the search minimizes only the makespan.
    """
    scaled = instance.scaled()
    profiles = empty_profiles(scaled)
    old_runs = sorted(cluster_runs_from_schedule(instance, scaled, schedule), key=lambda run: (run.start, run.job))
    runs = []
    for cluster in range(scaled.cluster_count):
        queue = [run.job for run in old_runs if run.cluster == cluster]
        if queue:
            runs += conservative_runs(profiles, scaled, [cluster], queue)
    moved = TickSchedule.of(scaled, runs).to_schedule(instance, schedule.method)
    return check(instance, moved, "the best schedule, pulled forward,")


def _figures(instance: MospInstance, method: str, schedule: Schedule, threshold: Exact) -> Figures:
    values = metrics(instance, schedule, threshold=threshold)
    slowdown = values.mean("bounded_slowdown")
    return Figures(method, schedule, values.makespan, values.mean("wait"), slowdown, values.utilisation)
