"""The co-allocation problem (OAS): rigid parallel jobs on clusters of nodes of unequal speed, joined by links.

Source: Blanco, Guirado, Lérida, Albornoz, *MIP Model Scheduling for Multi-Clusters*, Euro-Par 2012 Workshops.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from oas.coallocation.saturation import PLAIN, Saturation
from oas.coallocation.ticks import ScaledCoallocation
from oas.core.errors import InputError, within
from oas.core.formats import call_by_path
from oas.core.instances import MAX_CLUSTERS, MAX_JOBS, CommonInstance, check_count
from oas.core.numbers import Exact, exact, identifier, integer, tuple_of
from oas.core.registry import COALLOCATION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas

    from oas.coallocation.saturation import SaturationLike
    from oas.core.problem import Problem

MAX_NODES = 100_000  # nodes are listed one by one, so that a typing error could fill the memory
MAX_GROUPS = 10_000  # of nodes of one cluster
_A_CLUSTER = 'Cluster("C1", [NodeGroup(4, 1)], 10)'


@dataclass(frozen=True)
class NodeGroup:
    """Identical nodes of one cluster.

    Parameters
    ----------
    count
        Number of nodes, at least 1.
    power
        Effective power Γ of each, 0 < Γ ≤ 1; processing takes 1/Γ times as long (the paper's line 3, section 3.1).
    """

    count: int
    power: Fraction

    def __init__(self, count: int, power: Exact) -> None:
        object.__setattr__(self, "count", integer(count, "count", least=1))
        object.__setattr__(self, "power", exact(power, "power"))
        if not 0 < self.power <= 1:
            raise InputError("must be above 0 and at most 1", field="power", value=str(self.power))


@dataclass(frozen=True)
class Cluster:
    """A cluster: its nodes, and the link that joins it to the central switch.

    Parameters
    ----------
    id
        The cluster's name, unique in the instance.
    groups
        The cluster's nodes, numbered from 0 through the groups in the order given.
    bandwidth
        Capacity MBW of the link, at least 0, in the unit of the jobs' per-task bandwidth.
    """

    id: str
    groups: tuple[NodeGroup, ...]
    bandwidth: Fraction

    def __init__(self, id: str, groups: Iterable[NodeGroup], bandwidth: Exact) -> None:
        object.__setattr__(self, "id", identifier(id, "id"))
        object.__setattr__(self, "groups", tuple_of(groups, NodeGroup, "groups", "NodeGroup(4, 1)"))
        object.__setattr__(self, "bandwidth", exact(bandwidth, "bandwidth"))
        if not self.groups:
            raise InputError("a cluster needs at least one group of nodes", field="groups")
        check_count(len(self.groups), MAX_GROUPS, "groups of nodes", "groups")
        if self.bandwidth < 0:
            raise InputError("must not be negative", field="bandwidth", value=str(self.bandwidth))

    @property
    def size(self) -> int:
        """Number of nodes."""
        return sum(group.count for group in self.groups)

    @cached_property
    def node_powers(self) -> tuple[Fraction, ...]:
        """Γ of each node, by node number."""
        return tuple(group.power for group in self.groups for _ in range(group.count))


@dataclass(frozen=True)
class Job:
    """A rigid parallel job: τ tasks that start and end together, one on each of τ nodes.

    Parameters
    ----------
    id
        The job's name, unique in the instance.
    tasks
        τ, at least 1.
    base_time
        Tb, running time on nodes of full power, above 0.
    bandwidth
        PTBW, bandwidth needed by each task, at least 0.
    sigma
        σ, share of processing in the base time, 0 ≤ σ ≤ 1 (equation 18).
    """

    id: str
    tasks: int
    base_time: Fraction
    bandwidth: Fraction
    sigma: Fraction

    def __init__(self, id: str, tasks: int, base_time: Exact, bandwidth: Exact = 0, sigma: Exact = 1) -> None:
        object.__setattr__(self, "id", identifier(id, "id"))
        object.__setattr__(self, "tasks", integer(tasks, "tasks", least=1))
        object.__setattr__(self, "base_time", exact(base_time, "base_time"))
        object.__setattr__(self, "bandwidth", exact(bandwidth, "bandwidth"))
        object.__setattr__(self, "sigma", exact(sigma, "sigma"))
        if self.base_time <= 0:
            raise InputError("must be above 0", field="base_time", value=str(self.base_time))
        if self.bandwidth < 0:
            raise InputError("must not be negative", field="bandwidth", value=str(self.bandwidth))
        if not 0 <= self.sigma <= 1:
            raise InputError("must be between 0 and 1", field="sigma", value=str(self.sigma))

    @property
    def kind(self) -> tuple[Fraction | int, ...]:
        """All data except the name; jobs of the same kind are interchangeable."""
        return self.tasks, self.base_time, self.bandwidth, self.sigma


@dataclass(frozen=True, repr=False)
class CoallocationInstance(CommonInstance[ScaledCoallocation]):
    """Jobs on a multi-cluster; the makespan is minimised.

    Raises `InputError` for an invalid value, naming the field.

    Parameters
    ----------
    clusters, jobs
        At least one of each, with distinct names. No job may have more tasks than there are nodes.
    slot
        Time-slot size η in the jobs' time unit: starts are multiples of η and durations are rounded up to whole slots.
        0 means continuous time.
    saturation
        Treatment of links whose load exceeds their bandwidth: a `Saturation`, its fields in a dict, or the name of a
        policy. ``forbid``: no schedule may contain such loads, as in the paper's model (equation 22). ``slowdown``:
        the jobs on the link are slowed down; with slots a job holds its nodes and loads its links until the first
        multiple of η at or after its completion.
    name, provenance
        Information for people; not included in `digest`.
    """

    problem: ClassVar[Problem] = COALLOCATION
    variant_field: ClassVar[str] = "saturation"  #: the field that determines the variant of the rules
    scaling: ClassVar[str] = "oas.coallocation.ticks:scale_coallocation"
    display: ClassVar[str] = "oas.coallocation.tables"

    clusters: tuple[Cluster, ...]
    jobs: tuple[Job, ...]
    slot: Fraction = Fraction(0)
    saturation: Saturation = PLAIN
    name: str = ""
    provenance: Mapping[str, str] = field(default_factory=dict, hash=False, compare=False)

    def __init__(
        self,
        clusters: Iterable[Cluster],
        jobs: Iterable[Job],
        slot: Exact = 0,
        saturation: SaturationLike = "forbid",
        name: str = "",
        provenance: Mapping[str, str] | None = None,
    ) -> None:
        object.__setattr__(self, "clusters", tuple_of(clusters, Cluster, "clusters", _A_CLUSTER))
        object.__setattr__(self, "jobs", tuple_of(jobs, Job, "jobs", 'Job("J1", 2, 60)'))
        object.__setattr__(self, "slot", exact(slot, "slot"))
        object.__setattr__(self, "saturation", Saturation.of(saturation))
        object.__setattr__(self, "name", identifier(name, "name") if name else "")
        object.__setattr__(self, "provenance", dict(provenance or {}))
        self._validate()

    def _validate(self) -> None:
        if not self.clusters:
            raise InputError("at least one cluster is needed", field="clusters")
        if not self.jobs:
            raise InputError("at least one job is needed", field="jobs")
        if self.slot < 0:
            raise InputError("must not be negative", field="slot", value=str(self.slot))
        _distinct([cluster.id for cluster in self.clusters], "clusters")
        _distinct([job.id for job in self.jobs], "jobs")
        nodes = self.node_count
        check_count(len(self.clusters), MAX_CLUSTERS, "clusters", "clusters")
        check_count(len(self.jobs), MAX_JOBS, "jobs", "jobs")
        check_count(nodes, MAX_NODES, "nodes", "clusters")
        for index, job in enumerate(self.jobs):
            if job.tasks > nodes:
                with within(f"jobs[{index}]"):
                    raise InputError(f"more tasks than the {nodes} nodes there are", field="tasks", value=job.tasks)

    @cached_property
    def node_count(self) -> int:
        """Number of nodes in all clusters."""
        return sum(cluster.size for cluster in self.clusters)

    @property
    def cluster_sizes(self) -> list[tuple[str, int]]:
        """Id and number of nodes of each cluster."""
        return [(cluster.id, cluster.size) for cluster in self.clusters]

    @property
    def variant(self) -> str:
        """Variant of the rules, determined by the saturation policy."""
        return self.saturation.variant

    @property
    def mean_base_time(self) -> Fraction:
        """Mean Tb; the paper states slot sizes in percent of it."""
        return sum((job.base_time for job in self.jobs), Fraction(0)) / len(self.jobs)

    def with_slot(self, slot: Exact) -> CoallocationInstance:
        """Return the same instance with another slot size η.

        Parameters
        ----------
        slot
            Slot size ≥ 0 in the jobs' time unit, 0 for continuous time; invalid numbers, such as fractional floats,
            raise `InputError`.
        """
        return replace(self, slot=exact(slot, "slot"))

    def with_saturation(self, saturation: SaturationLike) -> CoallocationInstance:
        """Return the same instance with another saturation policy.

        Parameters
        ----------
        saturation
            As in the constructor.
        """
        return replace(self, saturation=saturation)  # type: ignore[arg-type]

    @classmethod
    def from_frame(
        cls,
        jobs: object,
        clusters: object,
        *,
        decimals: int = 3,
        slot: Exact = 0,
        saturation: SaturationLike = "forbid",
        name: str = "",
    ) -> CoallocationInstance:
        """Create an instance from data frames as returned by `to_frame` and `clusters_frame`, or from arrays.

        Raises `InputError` for a missing column or value, a float that is rounded to 0, or an invalid value, naming row
        and column.

        Parameters
        ----------
        jobs
            A data frame, or data for one such as a dict of arrays, with the columns of `to_frame`. The default ids
            (job) are J1, J2, …; the default of bandwidth is 0, that of sigma 1.
        clusters
            The same with the columns of `clusters_frame`; the default of power is 1. Or a list of `Cluster`.
        decimals
            Number of decimals to which floats in the frames are rounded: 0.7 becomes the Fraction 7/10, and the float
            1/3 becomes 333/1000. Integers, Fractions, Decimals and texts are exact.
        slot, saturation, name
            As in the constructor; fractional floats are not accepted for `slot`.
        """
        instance: CoallocationInstance = call_by_path(
            "oas.coallocation.frames:coallocation_of", jobs, clusters, decimals, slot, saturation, name
        )
        return instance

    def to_frame(self) -> pandas.DataFrame:
        """Return a data frame with a row for each job: job, tasks, base_time, bandwidth (of each task) and sigma.

        Numbers are floats, in the instance's units of time and bandwidth; tasks are integers. `from_frame` is the
        inverse.
        """
        return call_by_path("oas.coallocation.frames:jobs_frame", self)

    def clusters_frame(self) -> pandas.DataFrame:
        """Return a data frame with a row for each group of nodes.

        Columns: cluster, bandwidth (of the cluster's link), nodes (their number) and power (Γ); all numbers except
        nodes are floats, the bandwidth in the instance's unit.
        """
        return call_by_path("oas.coallocation.frames:clusters_frame", self)

    def _data(self) -> list[object]:
        parts: list[object] = ["coallocation", 1, self.slot, self.saturation]
        for cluster in self.clusters:
            parts += ["cluster", cluster.bandwidth, *((group.count, str(group.power)) for group in cluster.groups)]
        for job in self.jobs:
            parts += ["job", job.tasks, job.base_time, job.bandwidth, job.sigma]
        return parts


def _distinct(ids: list[str], field: str) -> None:
    seen: dict[str, int] = {}
    for index, name in enumerate(ids):
        if name in seen:
            raise InputError(f"the same id as {field}[{seen[name]}]", field=f"{field}[{index}].id", value=name)
        seen[name] = index
