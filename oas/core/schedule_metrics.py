"""Metrics of a schedule of any problem: compaction, waits, and the queue and used nodes over time.

A job waits from its release, or from 0 if the problem has no releases, until its start. Nodes in an instance's
`reserved` attribute count as used.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise
from operator import itemgetter
from statistics import median
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.formats import call_by_path
from oas.core.instances import check_instance, check_schedule
from oas.core.numbers import Exact, exact

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule


def compaction(instance: Instance, schedule: Schedule) -> Fraction:
    """Return the compaction degree Σ τ·duration / (nodes·makespan)."""
    usage = sum((placement.tasks * placement.duration for placement in schedule.placements), Fraction(0))
    return usage / (instance.node_count * schedule.makespan) if schedule.makespan else Fraction(0)


@dataclass(frozen=True)
class JobMetrics:
    """One job's times, in the instance's time unit."""

    job: str  #: the job's id
    release: Fraction  #: its release date, or 0 if the problem has none
    start: Fraction
    end: Fraction
    nodes: int  #: number of nodes that the job runs on
    threshold: Fraction  #: threshold of the bounded slowdown

    @property
    def wait(self) -> Fraction:
        """Start − release."""
        return self.start - self.release

    @property
    def run_time(self) -> Fraction:
        """End − start."""
        return self.end - self.start

    @property
    def flow(self) -> Fraction:
        """End − release, also called turnaround or response time."""
        return self.end - self.release

    @property
    def slowdown(self) -> Fraction:
        """Flow / run time."""
        return self.flow / self.run_time

    @property
    def bounded_slowdown(self) -> Fraction:
        """The larger of 1 and flow / max(run time, threshold) (Feitelson, JSSPP 2001)."""
        return max(Fraction(1), self.flow / max(self.run_time, self.threshold))


@dataclass(frozen=True)
class Load:
    """Queue and load from some moment to the next."""

    time: Fraction  #: the moment
    queue: int  #: number of jobs that are released and have not started
    running: int  #: number of running jobs
    nodes: int  #: number of nodes that are used by jobs or reserved
    utilisation: Fraction  #: share of these among all nodes


@dataclass(frozen=True, repr=False)
class ScheduleMetrics:
    """The metrics of a schedule, exact; the frames hold floats."""

    jobs: tuple[JobMetrics, ...]  #: metrics of each job, in the order of the instance
    makespan: Fraction  #: end of the last job
    utilisation: Fraction  #: share of nodes × makespan that jobs and reservations use
    load: tuple[Load, ...]  #: queue and load over time, an element for each change; nodes are idle from the last on
    method: str = ""  #: name of the method that made the schedule

    MEASURES = ("wait", "flow", "slowdown", "bounded_slowdown")

    def values(self, measure: str) -> tuple[Fraction, ...]:
        """Return a measure of each job.

        Parameters
        ----------
        measure
            ``wait``, ``flow``, ``slowdown`` or ``bounded_slowdown``; others raise `InputError`.
        """
        if measure not in self.MEASURES:
            raise InputError(f"unknown; known: {', '.join(self.MEASURES)}", field="measure", value=measure)
        return tuple(getattr(job, measure) for job in self.jobs)

    def mean(self, measure: str) -> Fraction:
        """Return the mean over jobs of a measure; parameters and errors as `values`."""
        values = self.values(measure)
        return sum(values, Fraction(0)) / len(values)

    def median(self, measure: str) -> Fraction:
        """Return the median over jobs of a measure; parameters and errors as `values`."""
        return median(self.values(measure))

    def largest(self, measure: str) -> Fraction:
        """Return the maximum over jobs of a measure; parameters and errors as `values`."""
        return max(self.values(measure))

    def to_frame(self) -> pandas.DataFrame:
        """Return a data frame with a row for each job.

        Columns: job, release, start, end, nodes, wait, run_time, flow, slowdown and bounded_slowdown. Times are floats,
        in the instance's time unit; the slowdowns are ratios.
        """
        return call_by_path("oas.show.frames:job_metrics_frame", self)

    def summary(self) -> pandas.DataFrame:
        """Return a data frame with the mean, median and maximum over jobs of each measure, as floats."""
        return call_by_path("oas.show.frames:summary_frame", self)

    def load_frame(self) -> pandas.DataFrame:
        """Return a data frame with a row for each change: time, queue, running, nodes, utilisation.

        A row is valid until the next. Time and utilisation are floats, the others integers.
        """
        return call_by_path("oas.show.frames:load_frame", self)

    def __repr__(self) -> str:
        return call_by_path("oas.show.tables:metrics_text", self)


def metrics(instance: Instance, schedule: Schedule, *, threshold: Exact = 10) -> ScheduleMetrics:
    """Return waits, flows, slowdowns and utilisation of a schedule, and its queue and load over time.

    Raises `InputError` if the threshold is not above 0, a job of the instance has no run in the schedule or more than
    one, or a run does not end after its start.

    Parameters
    ----------
    instance
        The scheduled instance.
    schedule
        A feasible schedule of the instance.
    threshold
        Threshold of the bounded slowdown, above 0, in the instance's time unit: shorter jobs count as if they had this
        running time. 10 seconds are usual.
    """
    check_instance(instance)
    check_schedule(schedule)
    limit = exact(threshold, "threshold")
    if limit <= 0:
        raise InputError("must be above 0", field="threshold", value=str(limit))
    jobs = _jobs(instance, schedule, limit)
    load = _load(instance, jobs, schedule.makespan)
    used = sum((one.nodes * (following.time - one.time) for one, following in pairwise(load)), Fraction(0))
    utilisation = used / (instance.node_count * schedule.makespan)
    return ScheduleMetrics(jobs, schedule.makespan, utilisation, load, schedule.method)


def _jobs(instance: Instance, schedule: Schedule, threshold: Fraction) -> tuple[JobMetrics, ...]:
    runs = {one.job: one for one in schedule.placements}
    for job, count in Counter(one.job for one in schedule.placements).items():
        if count > 1:
            raise InputError(f"the job has {count} runs", field="schedule", value=job)
    rows = []
    for job in instance.jobs:
        if job.id not in runs:
            raise InputError("the job has no run", field="schedule", value=job.id)
        run = runs[job.id]
        if run.end <= run.start:
            raise InputError("the job does not end after its start", field="schedule", value=job.id)
        release = getattr(job, "release", Fraction(0))
        rows.append(JobMetrics(job.id, release, run.start, run.end, run.tasks, threshold))
    return tuple(rows)


def _load(instance: Instance, jobs: Sequence[JobMetrics], makespan: Fraction) -> tuple[Load, ...]:
    # Time, and changes of the queue and of the numbers of running jobs and used nodes.
    changes = [(Fraction(0), 0, 0, 0), (makespan, 0, 0, 0)]
    for job in jobs:
        changes += [(job.release, 1, 0, 0), (job.start, -1, 1, job.nodes), (job.end, 0, -1, -job.nodes)]
    reserved: Sequence[Any] = getattr(instance, "reserved", ())
    for start, end, nodes in reserved:
        if start < makespan:
            changes += [(start, 0, 0, nodes), (min(end, makespan), 0, 0, -nodes)]
    steps = []
    queue = running = used = 0
    for time, group in groupby(sorted(changes), key=itemgetter(0)):
        for _, queued, started, nodes in group:
            queue, running, used = queue + queued, running + started, used + nodes
        steps.append(Load(time, queue, running, used, Fraction(used, instance.node_count)))
    return tuple(steps)
