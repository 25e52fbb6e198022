"""Instances of organizations out of data frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.numbers import integer
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, Reservation, RigidJob
from oas.show.rows import Row, Rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.core.numbers import Exact


def instance_of(
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
    sizes = _sizes(clusters)
    held = dict(reservations or {})
    for one in held:
        if one not in sizes:
            raise InputError("no organization has this id", field="reservations", value=one)
    columns = {"job": "", "organization": None, "time": None, "processors": None, "release": 0, "local_start": ""}
    table = Rows(jobs, "jobs", columns, integer(decimals, "decimals", least=0))
    owned: dict[str, list[RigidJob]] = {one: [] for one in sizes}
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
    return MospInstance(
        [Organization(one, size, owned[one], held.get(one, ())) for one, size in sizes.items()],
        locality,
        local,
        seed,
        name,
    )


def _sizes(clusters: object) -> dict[str, int]:
    """Return the processors of each organization."""
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
