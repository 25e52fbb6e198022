"""Conversion of instances of MOSP to data frames, and of data frames to instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.numbers import as_float, integer
from oas.core.rigid import Organization, RigidJob
from oas.mosp.instance import MospInstance
from oas.show.frames import Row, converted, frame_with

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas

    from oas.core.numbers import Exact
    from oas.core.rigid import Reservation


def rigid_jobs_frame(instance: MospInstance) -> pandas.DataFrame:
    """See `MospInstance.to_frame`."""
    rows = (
        (job.id, owner.id, job.time, job.processors, job.release)
        for owner in instance.organizations
        for job in owner.jobs
    )
    frame = frame_with(("job", "organization", "time", "processors", "release"), rows)
    local = instance.local
    return frame if local is None else frame.assign(local_start=[float(local[job.id]) for job in instance.jobs])


def organizations_frame(instance: MospInstance) -> pandas.DataFrame:
    """See `MospInstance.clusters_frame`."""
    organizations = zip(instance.organizations, instance.local_makespans, instance.deadlines, strict=True)
    rows = (
        (owner.id, owner.processors, len(owner.jobs), as_float(alone), as_float(deadline))
        for owner, alone, deadline in organizations
    )
    return frame_with(("organization", "processors", "jobs", "local_makespan", "deadline"), rows)


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
    owned: dict[str, list[RigidJob]] = {owner: [] for owner in sizes}
    starts: dict[str, Any] = {}

    def add(row: Row) -> None:
        owner = row.name("organization")
        if owner not in owned:
            raise InputError("is not among the clusters", field="organization", value=owner)
        job = RigidJob(row.name("job"), row["time"], row["processors"], row["release"])
        owned[owner].append(job)
        starts[job.id] = row["local_start"]

    converted(jobs, "jobs", columns, integer(decimals, "decimals", least=0), add)
    if local is None and any(start != "" for start in starts.values()):
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

    converted(clusters, "clusters", {"organization": None, "processors": None}, 0, add)
    return sizes
