"""Schedules: which job runs when, on which nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oas.core.display import shown
from oas.core.numbers import Exact, exact, identifier, integer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas

    from oas.core.instances import Instance


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
            # Thousands of nodes are looked at together; one by one only numpy's, or to say which is wrong.
            if used and (set(map(type, used)) != {int} or min(used) < 0):
                used = tuple(integer(number, f"nodes.{name}", least=0) for number in used)
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

    def __repr__(self) -> str:
        return shown("texts.placement_text", self)


@dataclass(frozen=True)
class Schedule:
    """Placements of jobs. A schedule may break rules until the verifier has accepted it for an instance.

    Parameters
    ----------
    placements
        Kept in the order of (start, job id).
    method
        What made it, for people.
    certificate
        Plain data by which `oas.exact.recheck.recheck_schedule` confirms what the schedule is claimed to be beyond
        keeping the rules, such as the one that REF makes; None for a schedule of which nothing is claimed.
    """

    placements: tuple[Placement, ...]
    method: str = field(default="", compare=False)
    certificate: Mapping[str, object] | None = field(default=None, compare=False, repr=False)

    def __init__(
        self, placements: Iterable[Placement], method: str = "", certificate: Mapping[str, object] | None = None
    ) -> None:
        object.__setattr__(self, "placements", tuple(sorted(placements, key=lambda one: (one.start, one.job))))
        object.__setattr__(self, "method", method)
        object.__setattr__(self, "certificate", certificate)

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
        return shown("frames.placements_frame", self)

    def plot(
        self,
        instance: Instance,
        *,
        title: str | None = None,
        unit: str = "",
        lower_bound: Exact | None = None,
    ) -> Any:
        """Draw the schedule in full, as `oas.plots.schedule_figure` does.

        Parameters
        ----------
        instance
            What the schedule is of.
        title
            In place of the schedule's method.
        unit
            Name of the time unit, for the axis.
        lower_bound
            A proven lower bound on the makespan, in the instance's time unit: a dashed line.

        Returns
        -------
        matplotlib.figure.Figure
            Which a notebook shows and `oas.plots.save_figure` writes.

        Raises
        ------
        InputError
            If the schedule names a job, cluster or node that the instance does not have, or is feasible and ends before
            the bound.
        """
        return shown("pictures.schedule_figure", instance, self, title=title, unit=unit, lower_bound=lower_bound)

    def __repr__(self) -> str:
        return shown("texts.schedule_text", self)

    def _repr_html_(self) -> str:
        return shown("notebook.schedule_html", self)
