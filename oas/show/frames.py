"""Conversion of core types to data frames, and of data frames to instances; pandas is imported on first use.

The columns are documented at the methods that return frames. Input may be anything that `pandas.DataFrame` accepts,
such as a dict of lists. Errors name row (from 0) and column: ``jobs[3].time``.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Rational, Real
from typing import TYPE_CHECKING, Any, TypeVar

from oas.core.errors import InputError, within
from oas.core.numbers import as_float, integer
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, RigidJob

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas

    from oas.core.numbers import Exact
    from oas.core.result import Result, Trace
    from oas.core.schedule import Schedule
    from oas.core.schedule_metrics import ScheduleMetrics
    from oas.problems.coallocation.saturation import SaturationLike
    from oas.problems.rigid import Reservation


def frame_with(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], index: Sequence[str] | None = None
) -> pandas.DataFrame:
    """Return a data frame; fractions become floats."""
    import pandas

    cells = [[float(value) if isinstance(value, Fraction) else value for value in row] for row in rows]
    return pandas.DataFrame(cells, index=index, columns=list(columns))


def jobs_frame(instance: CoallocationInstance) -> pandas.DataFrame:
    """See `CoallocationInstance.to_frame`."""
    rows = ((job.id, job.tasks, job.base_time, job.bandwidth, job.sigma) for job in instance.jobs)
    return frame_with(("job", "tasks", "base_time", "bandwidth", "sigma"), rows)


def clusters_frame(instance: CoallocationInstance) -> pandas.DataFrame:
    """See `CoallocationInstance.clusters_frame`."""
    rows = (
        (cluster.id, cluster.bandwidth, group.count, group.power)
        for cluster in instance.clusters
        for group in cluster.groups
    )
    return frame_with(("cluster", "bandwidth", "nodes", "power"), rows)


def rigid_jobs_frame(instance: MospInstance) -> pandas.DataFrame:
    """See `MospInstance.to_frame`."""
    rows = (
        (job.id, one.id, job.time, job.processors, job.release) for one in instance.organizations for job in one.jobs
    )
    frame = frame_with(("job", "organization", "time", "processors", "release"), rows)
    local = instance.local
    return frame if local is None else frame.assign(local_start=[float(local[job.id]) for job in instance.jobs])


def organizations_frame(instance: MospInstance) -> pandas.DataFrame:
    """See `MospInstance.clusters_frame`."""
    organizations = zip(instance.organizations, instance.local_makespans, instance.deadlines, strict=True)
    rows = (
        (one.id, one.processors, len(one.jobs), as_float(alone), as_float(deadline))
        for one, alone, deadline in organizations
    )
    return frame_with(("organization", "processors", "jobs", "local_makespan", "deadline"), rows)


def placements_frame(schedule: Schedule) -> pandas.DataFrame:
    """See `Schedule.to_frame`."""
    rows = ((one.job, one.start, one.end, one.tasks, dict(one.nodes)) for one in schedule.placements)
    return frame_with(("job", "start", "end", "tasks", "nodes"), rows)


def result_frame(result: Result) -> pandas.DataFrame:
    """See `Result.to_frame`."""
    row = {
        "instance": result.instance_digest,
        "method": "" if result.schedule is None else result.schedule.method,
        "status": result.status.value,
        "termination": result.termination.value,
        "makespan": as_float(result.objective),
        "lower_bound": as_float(result.lower_bound),
        "gap": as_float(result.gap),
        "proof": "" if result.proof is None else str(result.proof),
        "solver": result.solver,
        "formulation": result.formulation,
        "seconds": result.seconds.get("total", float("nan")),
        "seed": result.seed,
        "threads": result.threads,
        "message": result.message,
    }
    return frame_with(list(row), [list(row.values())])


def trace_frame(trace: Trace) -> pandas.DataFrame:
    """See `Trace.to_frame`."""
    rows = ((one.seconds, as_float(one.lower_bound), as_float(one.objective)) for one in trace.points)
    return frame_with(("seconds", "lower_bound", "makespan"), rows)


_JOB = ("job", "release", "start", "end", "nodes", "wait", "run_time", "flow", "slowdown", "bounded_slowdown")
_LOAD = ("time", "queue", "running", "nodes", "utilisation")


def job_metrics_frame(metrics: ScheduleMetrics) -> pandas.DataFrame:
    """See `ScheduleMetrics.to_frame`."""
    return frame_with(_JOB, ([getattr(job, name) for name in _JOB] for job in metrics.jobs))


def summary_frame(metrics: ScheduleMetrics) -> pandas.DataFrame:
    """See `ScheduleMetrics.summary`."""
    names = list(metrics.MEASURES)
    rows = ((metrics.mean(one), metrics.median(one), metrics.largest(one)) for one in names)
    return frame_with(("mean", "median", "max"), rows, names)


def load_frame(metrics: ScheduleMetrics) -> pandas.DataFrame:
    """See `ScheduleMetrics.load_frame`."""
    return frame_with(_LOAD, ([getattr(step, name) for name in _LOAD] for step in metrics.load))


Item = TypeVar("Item")


class Rows:
    """The rows of a frame, called `field` in errors; floats are rounded to `decimals`.

    `columns` are the columns to read and their default values; None for a required column.
    """

    def __init__(self, source: object, field: str, columns: Mapping[str, object], decimals: int) -> None:
        import pandas

        try:
            self._frame = source if isinstance(source, pandas.DataFrame) else pandas.DataFrame(source)
        except (TypeError, ValueError) as error:
            raise InputError(f"must be a data frame, or convertible to one: {error}", field=field) from error
        self._field, self._columns, self._decimals = field, columns, decimals
        if not self._frame.columns.is_unique:
            raise InputError("the frame has two columns of the same name", field=field)
        for column, default in columns.items():
            if default is None and not self.has(column):
                known = ", ".join(map(str, self._frame.columns))
                raise InputError(f"the frame has no column {column}; it has: {known or 'none'}", field=field)

    def has(self, column: str) -> bool:
        return column in self._frame.columns

    def each(self, convert: Callable[[Row], Item]) -> list[Item]:
        """Convert every row; errors of `convert` get the number of the row."""
        present = [column for column in self._columns if self.has(column)]
        for column in present:
            for index in self._frame[column].isna().to_numpy().nonzero()[0]:
                raise InputError("is missing", field=f"{self._field}[{index}].{column}")
        items = []
        for index, values in enumerate(zip(*(self._frame[column].tolist() for column in present), strict=True)):
            cells = {**self._columns, **dict(zip(present, values, strict=True))}
            with within(f"{self._field}[{index}]"):
                items.append(convert(Row(index, cells, self._decimals)))
        return items


class Row:
    """The values of a row by column; a float is read as the nearest Fraction with `decimals` decimals."""

    def __init__(self, index: int, values: Mapping[str, Any], decimals: int) -> None:
        self._index, self._values, self._decimals = index, values, decimals

    def __getitem__(self, column: str) -> Any:
        value = self._values[column]
        if not isinstance(value, Real) or isinstance(value, Rational | Decimal):
            return value
        if not isfinite(value):
            raise InputError("must be a finite number", field=column, value=value)
        rounded = round(Fraction(*value.as_integer_ratio()), self._decimals)  # type: ignore[attr-defined]
        if value and not rounded:
            reason = f"is 0 when rounded to decimals={self._decimals}; increase decimals"
            raise InputError(reason, field=column, value=value)
        return Fraction(rounded)

    def name(self, column: str) -> str:
        """Return an id, which may be a number in the frame; by default J and the number of the row from 1."""
        value = self._values[column]
        if value == "":
            return f"J{self._index + 1}"
        return str(value) if isinstance(value, Rational) and not isinstance(value, bool) else value


def coallocation_of(
    jobs: object, clusters: object, decimals: int, slot: Exact, saturation: SaturationLike, name: str
) -> CoallocationInstance:
    """See `CoallocationInstance.from_frame`."""
    places = integer(decimals, "decimals", least=0)
    columns = {"job": "", "tasks": None, "base_time": None, "bandwidth": 0, "sigma": 1}
    table = Rows(jobs, "jobs", columns, places)
    items = table.each(lambda row: Job(row.name("job"), row["tasks"], row["base_time"], row["bandwidth"], row["sigma"]))
    return CoallocationInstance(_clusters_of(clusters, places), items, slot, saturation, name)


def _clusters_of(clusters: object, decimals: int) -> Sequence[Cluster]:
    if isinstance(clusters, list | tuple) and all(isinstance(cluster, Cluster) for cluster in clusters):
        return clusters
    columns = {"cluster": None, "bandwidth": None, "nodes": None, "power": 1}
    table = Rows(clusters, "clusters", columns, decimals)
    links: dict[str, Any] = {}
    groups: dict[str, list[NodeGroup]] = {}

    def add(row: Row) -> None:
        cluster = row.name("cluster")
        if links.setdefault(cluster, row["bandwidth"]) != row["bandwidth"]:
            raise InputError(f"differs from that of {cluster} above", field="bandwidth", value=str(row["bandwidth"]))
        groups.setdefault(cluster, []).append(NodeGroup(row["nodes"], row["power"]))

    table.each(add)
    return [Cluster(cluster, groups[cluster], links[cluster]) for cluster in groups]


def mosp_of(
    jobs: object,
    clusters: object,
    decimals: int,
    locality: Exact | None,
    local: str | Mapping[str, Exact] | None,
    seed: int,
    reservations: Mapping[str, Iterable[Reservation]] | None,
    name: str,
) -> MospInstance:
    """See `MospInstance.from_frame`."""
    sizes = _sizes_of(clusters)
    reserved = dict(reservations or {})
    for owner in reserved:
        if owner not in sizes:
            raise InputError("no organization has this id", field="reservations", value=owner)
    columns = {"job": "", "organization": None, "time": None, "processors": None, "release": 0, "local_start": ""}
    table = Rows(jobs, "jobs", columns, integer(decimals, "decimals", least=0))
    owned: dict[str, list[RigidJob]] = {owner: [] for owner in sizes}
    starts: dict[str, Any] = {}

    def add(row: Row) -> None:
        owner = row.name("organization")
        if owner not in owned:
            raise InputError("is not among the clusters", field="organization", value=owner)
        job = RigidJob(row.name("job"), row["time"], row["processors"], row["release"])
        owned[owner].append(job)
        starts[job.id] = row["local_start"]

    table.each(add)
    if local is None and table.has("local_start"):
        local = starts
    organizations = [Organization(owner, size, owned[owner], reserved.get(owner, ())) for owner, size in sizes.items()]
    return MospInstance(organizations, locality, local, seed, name)


def _sizes_of(clusters: object) -> dict[str, int]:
    if isinstance(clusters, Mapping) and not {"organization", "processors"} <= set(clusters):
        clusters = {"organization": list(clusters), "processors": list(clusters.values())}
    sizes: dict[str, int] = {}

    def add(row: Row) -> None:
        owner = row.name("organization")
        if owner in sizes:
            raise InputError("the id is taken", field="organization", value=owner)
        sizes[owner] = integer(row["processors"], "processors", least=1)

    Rows(clusters, "clusters", {"organization": None, "processors": None}, 0).each(add)
    return sizes
