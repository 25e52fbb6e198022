"""Display of an instance of MOSP in a notebook: small tables, and a Gantt chart of the local schedules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.formats import show_exact, show_time
from oas.problems.mosp.runs import local_schedule
from oas.show.html import fragment, short_name, table

if TYPE_CHECKING:
    from oas.problems.mosp.instance import MospInstance


def instance_html(instance: MospInstance) -> str:
    """Return tables of organizations and jobs, and the local schedules if there are any."""
    from oas.show.gantt import inline_gantt

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
