"""Instances of co-allocation and the cost of forbidding saturation as text and in a notebook."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.formats import MISSING, show_count, show_exact, show_factor, show_time
from oas.core.numbers import integer
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.show.frames import Row, Rows
from oas.show.views import MAX_ROWS, first_lines, fragment, remark, short_name, study_lines, table, text, title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.core.numbers import Exact
    from oas.problems.coallocation.saturation import SaturationLike
    from oas.studies.saturation_price import SaturationPoint, SaturationPrice


def instance_text(instance: CoallocationInstance) -> str:
    """Return the size of an instance, its first clusters and its slot."""
    clusters = (
        f"{cluster.id}: {show_count(cluster.size, 'node')}, link {show_time(cluster.bandwidth)}"
        for cluster in instance.clusters
    )
    jobs, groups = show_count(len(instance.jobs), "job"), show_count(len(instance.clusters), "cluster")
    size = f"{jobs}, {groups}, {show_count(instance.node_count, 'node')}, {_slot(instance)}"
    return text(f"{title(instance)}: {size}", first_lines(clusters, len(instance.clusters)))


def instance_html(instance: CoallocationInstance) -> str:
    """Return tables of clusters and jobs."""
    clusters = (
        (
            cluster.id,
            f"{cluster.size:,}",
            ", ".join(f"{group.count:,} × {show_time(group.power)}" for group in islice(cluster.groups, MAX_ROWS)),
            show_time(cluster.bandwidth),
        )
        for cluster in instance.clusters
    )
    jobs = (
        (job.id, f"{job.tasks:,}", show_time(job.base_time), show_time(job.bandwidth), show_time(job.sigma))
        for job in instance.jobs
    )
    return fragment(
        f"{short_name(instance)}: {len(instance.jobs):,} jobs, {instance.node_count:,} nodes",
        remark(_slot(instance)),
        table(("cluster", "nodes", "of power Γ", "link"), clusters, len(instance.clusters)),
        table(("job", "tasks τ", "base time Tb", "bandwidth of a task", "σ"), jobs, len(instance.jobs)),
    )


def _slot(instance: CoallocationInstance) -> str:
    return f"slot η = {show_exact(instance.slot)}" if instance.slot else "continuous time (η = 0)"


def instance_of(
    jobs: object,
    clusters: object,
    decimals: int,
    slot: Exact,
    saturation: SaturationLike,
    name: str,
) -> CoallocationInstance:
    """See `CoallocationInstance.from_frame`."""
    places = integer(decimals, "decimals", least=0)
    columns = {"job": "", "tasks": None, "base_time": None, "bandwidth": 0, "sigma": 1}
    table = Rows(jobs, "jobs", columns, places)
    made = table.each(lambda row: Job(row.name("job"), row["tasks"], row["base_time"], row["bandwidth"], row["sigma"]))
    return CoallocationInstance(_clusters(clusters, places), made, slot, saturation, name)


def _clusters(clusters: object, decimals: int) -> Sequence[Cluster]:
    if isinstance(clusters, list | tuple) and all(isinstance(one, Cluster) for one in clusters):
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
    return [Cluster(one, own, links[one]) for one, own in groups.items()]


PRICE_HEADINGS = (
    *("policy", "makespan", "lower bound", "status", "forbid / this"),
    *("best heuristic", "its makespan", "proof"),
)


def price_cells(study: SaturationPrice) -> Iterator[tuple[str, ...]]:
    """Yield the cells of `PRICE_HEADINGS`: under forbid, then at each threshold."""
    for one in (study.forbid, *study.points):
        yield (
            _name(one),
            show_time(one.makespan),
            show_time(one.lower_bound) if one.lower_bound else MISSING,
            one.status.value.replace("_", " "),
            _ratio(one),
            one.heuristic or MISSING,
            show_time(one.heuristic_makespan),
            one.proof or MISSING,
        )


def _name(point: SaturationPoint) -> str:
    if not point.saturation.slows:
        return point.saturation.policy
    return f"threshold {'none' if point.threshold is None else point.threshold}"


def _ratio(point: SaturationPoint) -> str:
    """Return a ratio, or the two that it lies between where they can be told apart."""
    if point.ratio is None:
        return MISSING
    low, high = show_factor(point.ratio.low), show_factor(point.ratio.high)
    return low if low == high else f"{low} to {high}"


def price_notes(study: SaturationPrice) -> list[str]:
    """Return what stands beneath the table: the sharing, and what is open."""
    lines = [f"sharing: {study.points[0].saturation.sharing}"]
    if study.forbid.status.value == "infeasible":
        lines.append("under forbid some job can never run: there is no ratio")
    elif not study.forbid.optimum.proven or not all(one.optimum.proven for one in study):
        lines.append("a range is given where an optimum is not proven; more time may settle it")
    return lines


def price_text(study: SaturationPrice) -> str:
    """Return a line a threshold."""
    lines = [
        f"{name}: makespan {end}, {status}, forbid / this {ratio}"
        for name, end, _, status, ratio, *_ in list(price_cells(study))[1:]
    ]
    forbid = study.forbid
    heading = f"SaturationPrice of {short_name(study.instance)}: forbid {show_time(forbid.makespan)}"
    return study_lines(f"{heading}, {forbid.status.value.replace('_', ' ')}", lines)


def price_html(study: SaturationPrice) -> str:
    """Return a table of the points."""
    rows = list(price_cells(study))
    title = f"{short_name(study.instance)}: what forbidding saturation costs"
    return fragment(title, table(PRICE_HEADINGS, rows, len(rows)), *map(remark, price_notes(study)))
