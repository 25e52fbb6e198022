"""Display of an instance of fair sharing in a notebook: small tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.formats import show_percent, show_time
from oas.problems.fair.metrics import released_work
from oas.show.fair.texts import size_of
from oas.show.html import fragment, short_name, table

if TYPE_CHECKING:
    from oas.problems.fair.instance import FairInstance


def instance_html(instance: FairInstance) -> str:
    """Return tables of organizations and jobs."""
    organizations = (
        (one.id, f"{one.processors:,}", f"{len(one.jobs):,}", f"{work:,}", show_percent(load))
        for one, (work, load) in zip(instance.organizations, released_work(instance), strict=True)
    )
    jobs = (
        (
            job.id,
            instance.organizations[instance.owner[job.id]].id,
            show_time(job.release),
            show_time(job.time),
            f"{job.processors:,}",
        )
        for job in instance.jobs
    )
    return fragment(
        f"{short_name(instance)}: {size_of(instance)}",
        table(("organization", "processors", "jobs", "work", "load"), organizations, len(instance.organizations)),
        table(("job", "organization", "release", "time p", "processors q"), jobs, len(instance.jobs)),
    )
