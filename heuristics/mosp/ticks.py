"""Schedules in ticks, as methods pass them on to one another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from oas.problems.mosp.runs import ClusterRun, schedule_from_cluster_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from heuristics.method import Scheduler
    from oas.core.schedule import Schedule
    from oas.problems.mosp.instance import MospInstance
    from oas.problems.mosp.ticks import ScaledMosp


@dataclass(frozen=True)
class TickSchedule:
    """Runs of all jobs of an instance.

    Attributes
    ----------
    scaled
        The instance in the ticks that the runs' starts count.
    runs
        By job.
    """

    scaled: ScaledMosp
    runs: tuple[ClusterRun, ...]

    @classmethod
    def of(cls, scaled: ScaledMosp, runs: Iterable[ClusterRun]) -> TickSchedule:
        """Return the schedule of `runs`, in whatever order they come."""
        return cls(scaled, tuple(sorted(runs, key=lambda run: run.job)))

    def end(self, run: ClusterRun) -> int:
        """Tick at which `run` ends."""
        return run.start + self.scaled.times[run.job]

    def to_schedule(self, instance: MospInstance, method: str) -> Schedule:
        """Return the schedule with concrete processors, in the instance's time unit."""
        return schedule_from_cluster_runs(instance, self.scaled, self.runs, method)


def local_runs(scaled: ScaledMosp) -> TickSchedule:
    """Return the local schedules, side by side."""
    return TickSchedule(scaled, tuple(local_run(scaled, job) for job in range(scaled.job_count)))


def local_run(scaled: ScaledMosp, job: int) -> ClusterRun:
    """Return the run of `job` in its organization's local schedule."""
    return ClusterRun(job, scaled.owners[job], scaled.local_starts[job])


def scheduler(name: str, place: Callable[[ScaledMosp], TickSchedule]) -> Scheduler:
    """Return the heuristic called `name` that runs `place`, which draws nothing by lot."""
    return partial(_schedule, name, place)


def _schedule(
    name: str, place: Callable[[ScaledMosp], TickSchedule], instance: MospInstance, *, seed: int = 0
) -> Schedule:
    return place(instance.scaled()).to_schedule(instance, name)
