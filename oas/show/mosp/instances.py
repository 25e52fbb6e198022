"""Instances of MOSP as text, as tables and charts in a notebook, and read from data frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.formats import show_count, show_exact, show_time
from oas.core.numbers import integer
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import local_schedule
from oas.problems.rigid import Organization, Reservation, RigidJob
from oas.show.html import fragment, short_name, table
from oas.show.rows import Row, Rows
from oas.show.texts import first_lines, text, title

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.core.numbers import Exact


def instance_text(instance: MospInstance) -> str:
    """Return the size of an instance, its first organizations and its locality."""
    pairs = zip(instance.organizations, instance.local_makespans, strict=True)
    organizations = (
        f"{one.id}: {show_count(one.processors, 'processor')}, {show_count(len(one.jobs), 'job')}"
        + ("" if alone is None else f", alone done at {show_time(alone)}")
        for one, alone in pairs
    )
    count = len(instance.organizations)
    locality = "no locality" if instance.locality is None else f"locality {show_exact(instance.locality)}"
    jobs = f"{show_count(len(instance.jobs), 'job')} of {show_count(count, 'organization')}"
    size = f"{jobs}, {show_count(instance.node_count, 'processor')}, {locality}"
    return text(f"{title(instance)}: {size}", first_lines(organizations, count))


def instance_html(instance: MospInstance) -> str:
    """Return tables of organizations and jobs, and the local schedules if there are any."""
    from oas.show.svg import inline_gantt

    organizations = (
        (one.id, f"{one.processors:,}", f"{len(one.jobs):,}", f"{len(one.reservations):,}", show_time(alone))
        for one, alone in zip(instance.organizations, instance.local_makespans, strict=True)
    )
    jobs = (
        (job.id, instance.organizations[instance.owner[job.id]].id, show_time(job.time), f"{job.processors:,}")
        for job in instance.jobs
    )
    locality = "no locality" if instance.locality is None else f"locality {show_exact(instance.locality)}"
    return fragment(
        f"{short_name(instance)}: {len(instance.jobs):,} jobs, {instance.node_count:,} processors, {locality}",
        table(
            ("organization", "processors", "jobs", "reservations", "makespan alone"),
            organizations,
            len(instance.organizations),
        ),
        table(("job", "organization", "time p", "processors q"), jobs, len(instance.jobs)),
        "" if instance.local is None else inline_gantt(instance, local_schedule(instance)),
    )


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
