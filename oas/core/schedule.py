"""Schedules: which job runs when, on which nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.numbers import Exact, exact, identifier, integer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas

    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.coallocation.ticks import ScaledCoallocation


@dataclass(frozen=True)
class Placement:
    """One job's run.

    Parameters
    ----------
    job
        The job's id.
    start, end
        In the instance's time unit; the run is [start, end).
    nodes
        For each cluster id, the numbers of the nodes used there, ascending. Clusters without nodes are left out.
    """

    job: str
    start: Fraction
    end: Fraction
    nodes: Mapping[str, tuple[int, ...]] = field(hash=False)

    def __init__(self, job: str, start: Exact, end: Exact, nodes: Mapping[str, Iterable[int]]) -> None:
        object.__setattr__(self, "job", identifier(job, "job"))
        object.__setattr__(self, "start", exact(start, "start"))
        object.__setattr__(self, "end", exact(end, "end"))
        taken = {}
        for cluster, numbers in nodes.items():
            name, used = identifier(cluster, "nodes"), tuple(numbers)
            # Thousands of nodes are looked at together; one by one only to say which is wrong.
            if used and (set(map(type, used)) != {int} or min(used) < 0):
                for number in used:
                    integer(number, f"nodes.{name}", least=0)
            if used:
                taken[name] = tuple(sorted(used))
        object.__setattr__(self, "nodes", taken)

    @property
    def tasks(self) -> int:
        """Number of nodes used."""
        return sum(len(numbers) for numbers in self.nodes.values())

    @property
    def duration(self) -> Fraction:
        """Time from start to end."""
        return self.end - self.start


@dataclass(frozen=True)
class Schedule:
    """Placements of jobs. Nothing is promised of it before the verifier has accepted it for an instance.

    Parameters
    ----------
    placements
        Kept in the order of (start, job id).
    method
        What made it, for people.
    """

    placements: tuple[Placement, ...]
    method: str = field(default="", compare=False)

    def __init__(self, placements: Iterable[Placement], method: str = "") -> None:
        object.__setattr__(self, "placements", tuple(sorted(placements, key=lambda one: (one.start, one.job))))
        object.__setattr__(self, "method", method)

    @property
    def makespan(self) -> Fraction:
        """End of the last job; 0 for no jobs."""
        return max((placement.end for placement in self.placements), default=Fraction(0))

    def __getitem__(self, job: str) -> Placement:
        for placement in self.placements:
            if placement.job == job:
                return placement
        raise KeyError(job)

    def to_frame(self) -> pandas.DataFrame:
        """Return one row a placement: job, start, end, tasks, and the nodes on each cluster.

        Times are floats, in the instance's time unit; `nodes` maps cluster ids to node numbers.
        """
        from oas.show.frames import placements_frame

        return placements_frame(self)

    def _repr_html_(self) -> str:
        from oas.show.notebook import schedule_html

        return schedule_html(self)


@dataclass(frozen=True)
class Run:
    """A job's run in ticks: what a search or a model decides.

    Attributes
    ----------
    job
        Index of the job.
    start
        Tick of its start.
    allocation
        Node counts; they set the duration.
    """

    job: int
    start: int
    allocation: Allocation

    @property
    def end(self) -> int:
        """Tick of its end."""
        return self.start + self.allocation.duration


def schedule_from_runs(
    instance: CoallocationInstance, scaled: ScaledCoallocation, runs: Iterable[Run], method: str = ""
) -> Schedule:
    """Give runs concrete nodes: first fit in time, lowest number first, for each node class.

    Raises
    ------
    InputError
        If at some moment the runs ask for more nodes of a class than it has.
    """
    free_at = [dict.fromkeys(node_class.nodes, 0) for node_class in scaled.classes]
    placements = []
    for run in sorted(runs, key=lambda one: (one.start, one.job)):
        nodes: dict[str, list[int]] = {}
        for node_class, free, count in zip(scaled.classes, free_at, run.allocation.counts, strict=True):
            idle = [number for number in node_class.nodes if free[number] <= run.start][:count]
            if len(idle) < count:
                job = instance.jobs[run.job].id
                raise InputError(f"job {job} finds {len(idle)} of {count} nodes free at tick {run.start}")
            for number in idle:
                free[number] = run.end
            nodes.setdefault(instance.clusters[node_class.cluster].id, []).extend(idle)
        start, end = scaled.to_time(run.start), scaled.to_time(run.end)
        placements.append(Placement(instance.jobs[run.job].id, start, end, nodes))
    return Schedule(placements, method)


def runs_from_schedule(instance: CoallocationInstance, scaled: ScaledCoallocation, schedule: Schedule) -> list[Run]:
    """Return a verified schedule in ticks and node counts, in the order of job indices."""
    from oas.problems.coallocation.allocations import make_allocation

    cluster_ids = [cluster.id for cluster in instance.clusters]
    by_job = {placement.job: placement for placement in schedule.placements}
    runs = []
    for index, job in enumerate(instance.jobs):
        placement = by_job[job.id]
        counts = [
            len(set(placement.nodes.get(cluster_ids[node_class.cluster], ())).intersection(node_class.nodes))
            for node_class in scaled.classes
        ]
        runs.append(Run(index, int(placement.start / scaled.tick), make_allocation(scaled, index, counts)))
    return runs
