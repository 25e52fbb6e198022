"""Schedules: the start, end and nodes of each job."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from operator import gt
from typing import TYPE_CHECKING, Any

from oas.core.formats import call_by_path
from oas.core.node_ranges import NodeRanges
from oas.core.numbers import Exact, FormattableFraction, comparable, exact, identifier, tuple_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from fractions import Fraction

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
        Interval [start, end) of the run, in the instance's time unit.
    nodes
        Ascending numbers of the nodes used, by cluster id; clusters without nodes are omitted. Stored as `NodeRanges`,
        a mapping of tuples; `ranges` returns ranges without listing the numbers.
    """

    job: str
    start: Fraction
    end: Fraction
    nodes: NodeRanges = field(hash=False)

    def __init__(self, job: str, start: Exact, end: Exact, nodes: Mapping[str, Iterable[int]]) -> None:
        object.__setattr__(self, "job", identifier(job, "job"))
        object.__setattr__(self, "start", exact(start, "start"))
        object.__setattr__(self, "end", exact(end, "end"))
        object.__setattr__(self, "nodes", nodes if type(nodes) is NodeRanges else NodeRanges(nodes))

    @classmethod
    def of_parts(cls, job: str, start: Fraction, end: Fraction, nodes: NodeRanges) -> Placement:
        """Return a placement without checks and conversions; the parts are valid and of these types."""
        placement = object.__new__(cls)
        placement.__dict__.update(job=job, start=start, end=end, nodes=nodes)
        return placement

    def ranges(self, cluster: str) -> tuple[range, ...]:
        """Return the nodes used on a cluster as ascending ranges of consecutive numbers; none if it is not used.

        A repeated number, which the verifier reports, is in several ranges.

        Parameters
        ----------
        cluster
            The cluster's id.
        """
        return self.nodes.ranges(cluster)

    @property
    def tasks(self) -> int:
        """Number of nodes used, repeated ones included."""
        return sum(map(self.nodes.count, self.nodes))

    @property
    def duration(self) -> Fraction:
        """Time from start to end."""
        return self.end - self.start

    def __repr__(self) -> str:
        return call_by_path("oas.show.tables:placement_text", self)


@dataclass(frozen=True)
class Schedule:
    """Placements of jobs. A schedule may break rules until the verifier has accepted it for an instance.

    Parameters
    ----------
    placements
        The placements, in any order; stored in the order of (start, job id).
    method
        Name of the method that made the schedule, for people.
    certificate
        Plain data with which `oas.solving.recheck.recheck_schedule` confirms a further claim about the schedule, such
        as being the one of REF; None without a claim.
    """

    placements: tuple[Placement, ...]
    method: str = field(default="", compare=False)
    certificate: Mapping[str, object] | None = field(default=None, compare=False, repr=False)

    def __init__(
        self, placements: Iterable[Placement], method: str = "", certificate: Mapping[str, object] | None = None
    ) -> None:
        given = tuple_of(placements, Placement, "placements", 'Placement("J1", 0, 60, {"C1": [0, 1]})')
        keys = [(start, one.job) for start, one in zip(comparable([one.start for one in given]), given, strict=True)]
        if any(map(gt, keys, keys[1:])):
            given = tuple(given[place] for place in sorted(range(len(given)), key=keys.__getitem__))
        object.__setattr__(self, "placements", given)
        object.__setattr__(self, "method", method)
        object.__setattr__(self, "certificate", certificate)

    @cached_property
    def makespan(self) -> Fraction:
        """End of the last job; 0 for no jobs."""
        ends = [placement.end for placement in self.placements]
        if not ends:
            return FormattableFraction(0)
        order = comparable(ends)
        return FormattableFraction(ends[order.index(max(order))])

    def __getitem__(self, job: str) -> Placement:
        for placement in self.placements:
            if placement.job == job:
                return placement
        raise KeyError(job)

    def to_frame(self) -> pandas.DataFrame:
        """Return a data frame with a row for each placement: job, start, end, tasks, and the nodes on each cluster.

        Times are floats, in the instance's time unit; `nodes` maps cluster ids to node numbers.
        """
        return call_by_path("oas.show.frames:placements_frame", self)

    def plot(
        self, instance: Instance, *, title: str | None = None, unit: str = "", lower_bound: Exact | None = None
    ) -> Any:
        """Draw the schedule; return a figure, as `oas.plots.schedule_figure` does.

        Raises `InputError` if the schedule names a job, cluster or node that the instance does not have, or is feasible
        and ends before the bound.

        Parameters
        ----------
        instance
            The scheduled instance.
        title
            Title instead of the schedule's method.
        unit
            Name of the time unit, for the axis.
        lower_bound
            A proven lower bound on the makespan, in the instance's time unit: a dashed line.
        """
        return call_by_path(
            "oas.show.pictures:schedule_figure", instance, self, title=title, unit=unit, lower_bound=lower_bound
        )

    def __repr__(self) -> str:
        return call_by_path("oas.show.tables:schedule_text", self)

    def _repr_html_(self) -> str:
        return call_by_path("oas.show.tables:schedule_html", self)
