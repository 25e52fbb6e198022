"""Metrics of a schedule of any problem: compaction, waits, and the queue and used nodes over time.

A job waits from its release, 0 where the problem has none, to its start. An instance whose nodes are partly reserved
for others says so by `reserved`; reserved nodes count as used.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.formats import shown
from oas.core.instances import check_instance, check_schedule
from oas.core.numbers import Exact, exact

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule


def compaction(instance: Instance, schedule: Schedule) -> Fraction:
    """Compaction degree: the share of nodes × makespan in which nodes are used, Σ τ·duration / (nodes·makespan)."""
    usage = sum((placement.tasks * placement.duration for placement in schedule.placements), Fraction(0))
    return usage / (instance.node_count * schedule.makespan) if schedule.makespan else Fraction(0)


@dataclass(frozen=True)
class JobMetrics:
    """One job's times, in the instance's time unit.

    Attributes
    ----------
    job
        The job's id.
    release, start, end
        When it is there, starts and ends.
    nodes
        How many it runs on.
    threshold
        Of the bounded slowdown.
    """

    job: str
    release: Fraction
    start: Fraction
    end: Fraction
    nodes: int
    threshold: Fraction

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
    """Queue and load from a moment to the next one.

    Attributes
    ----------
    time
        The moment.
    queue
        Jobs that are released and have not started.
    running
        Jobs that run.
    nodes
        Nodes that jobs run on or that are reserved for others.
    utilisation
        Their share of all nodes.
    """

    time: Fraction
    queue: int
    running: int
    nodes: int
    utilisation: Fraction


@dataclass(frozen=True, repr=False)
class ScheduleMetrics:
    """The metrics of a schedule, exact; the frames hold floats.

    Attributes
    ----------
    jobs
        In the order of the instance.
    makespan
        End of the last job.
    utilisation
        Share of nodes × makespan that jobs and reservations use.
    load
        Over time, a step at each moment at which something changes; nothing is used or waited for after the last.
    method
        What made the schedule.
    """

    jobs: tuple[JobMetrics, ...]
    makespan: Fraction
    utilisation: Fraction
    load: tuple[Load, ...]
    method: str = ""

    MEASURES = ("wait", "flow", "slowdown", "bounded_slowdown")

    def values(self, measure: str) -> tuple[Fraction, ...]:
        """Return a measure of each job: ``wait``, ``flow``, ``slowdown`` or ``bounded_slowdown``.

        Parameters
        ----------
        measure
            Its name.

        Raises
        ------
        InputError
            If there is none of the name.
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
        """Return the largest of a measure among jobs; parameters and errors as `values`."""
        return max(self.values(measure))

    def to_frame(self) -> pandas.DataFrame:
        """Return one row a job: job, release, start, end, nodes, wait, run_time, flow, slowdown, bounded_slowdown.

        Times are floats, in the instance's time unit; the slowdowns are ratios.
        """
        return shown("frames.job_metrics_frame", self)

    def summary(self) -> pandas.DataFrame:
        """Return one row a measure (wait, flow, slowdown, bounded_slowdown): mean, median and max over jobs, as floats.

        The utilisation and the makespan are attributes.
        """
        return shown("frames.summary_frame", self)

    def load_frame(self) -> pandas.DataFrame:
        """Return one row a moment at which something changes: time, queue, running, nodes, utilisation.

        What a row says holds until the next. Time and utilisation are floats, the others integers.
        """
        return shown("frames.load_frame", self)

    def __repr__(self) -> str:
        return shown("tables.metrics_text", self)


def metrics(instance: Instance, schedule: Schedule, *, threshold: Exact = 10) -> ScheduleMetrics:
    """Return waits, flows, slowdowns and utilisation of a schedule, and its queue and load over time.

    Parameters
    ----------
    instance
        What it is a schedule of.
    schedule
        One that `oas.verify` accepts; of another the figures mean little.
    threshold
        Of the bounded slowdown, above 0, in the instance's time unit: shorter jobs count as if they ran for so long. In
        the field it is 10 seconds.

    Raises
    ------
    InputError
        If the threshold is not above 0, a job of the instance has no run in the schedule or more than one, or a run
        does not end after its start.
    """
    check_instance(instance)
    check_schedule(schedule)
    least = exact(threshold, "threshold")
    if least <= 0:
        raise InputError("must be above 0", field="threshold", value=str(least))
    jobs = _jobs(instance, schedule, least)
    load = _load(instance, jobs, schedule.makespan)
    used = sum((one.nodes * (after.time - one.time) for one, after in pairwise(load)), Fraction(0))
    utilisation = used / (instance.node_count * schedule.makespan)
    return ScheduleMetrics(jobs, schedule.makespan, utilisation, load, schedule.method)


def _jobs(instance: Instance, schedule: Schedule, threshold: Fraction) -> tuple[JobMetrics, ...]:
    runs = {one.job: one for one in schedule.placements}
    for job, count in Counter(one.job for one in schedule.placements).items():
        if count > 1:
            raise InputError(f"the job has {count} runs", field="schedule", value=job)
    found = []
    for job in instance.jobs:
        if job.id not in runs:
            raise InputError("the job has no run", field="schedule", value=job.id)
        run = runs[job.id]
        if run.end <= run.start:
            raise InputError("the job does not end after its start", field="schedule", value=job.id)
        release = getattr(job, "release", Fraction(0))
        found.append(JobMetrics(job.id, release, run.start, run.end, run.tasks, threshold))
    return tuple(found)


def _load(instance: Instance, jobs: Sequence[JobMetrics], end: Fraction) -> tuple[Load, ...]:
    changes: dict[Fraction, list[int]] = {Fraction(0): [0, 0, 0], end: [0, 0, 0]}  # of queue, running, nodes

    def change(time: Fraction, queue: int, running: int, nodes: int) -> None:
        found = changes.setdefault(time, [0, 0, 0])
        for place, number in enumerate((queue, running, nodes)):
            found[place] += number

    for job in jobs:
        change(job.release, 1, 0, 0)
        change(job.start, -1, 1, job.nodes)
        change(job.end, 0, -1, -job.nodes)
    reserved: Sequence[Any] = getattr(instance, "reserved", ())
    for start, stop, nodes in reserved:
        if start < end:
            change(start, 0, 0, nodes)
            change(min(stop, end), 0, 0, -nodes)
    steps = []
    queue = running = nodes = 0
    for time, (waiting, begun, used) in sorted(changes.items()):
        queue, running, nodes = queue + waiting, running + begun, nodes + used
        steps.append(Load(time, queue, running, nodes, Fraction(nodes, instance.node_count)))
    return tuple(steps)
