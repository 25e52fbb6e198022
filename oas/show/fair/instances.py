"""Instances of fair sharing as text, as data frames, and as tables in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.formats import show_count, show_percent, show_time
from oas.problems.fair.metrics import released_work
from oas.show.html import fragment, short_name, table
from oas.show.texts import first_lines, text, title

if TYPE_CHECKING:
    import pandas

    from oas.problems.fair.instance import FairInstance


def instance_text(instance: FairInstance) -> str:
    """Return the size of an instance, its horizon and its first organizations."""
    organizations = (
        f"{one.id}: {show_count(one.processors, 'processor')}, {show_count(len(one.jobs), 'job')} from"
        f" {show_time(one.jobs[0].release)} on"
        for one in instance.organizations
    )
    count = len(instance.organizations)
    return text(f"{title(instance)}: {size_of(instance)}", first_lines(organizations, count))


def size_of(instance: FairInstance) -> str:
    """Return jobs, organizations, processors and the horizon."""
    jobs = f"{show_count(len(instance.jobs), 'job')} of {show_count(len(instance.organizations), 'organization')}"
    return f"{jobs}, {show_count(instance.node_count, 'processor')}, horizon {instance.horizon:,}"


def jobs_frame(instance: FairInstance) -> pandas.DataFrame:
    """See `FairInstance.to_frame`."""
    import pandas

    rows = [
        (job.id, one.id, int(job.time), job.processors, int(job.release))
        for one in instance.organizations
        for job in one.jobs
    ]
    return pandas.DataFrame(rows, columns=["job", "organization", "time", "processors", "release"])


def organizations_frame(instance: FairInstance) -> pandas.DataFrame:
    """See `FairInstance.clusters_frame`."""
    import pandas

    rows = [
        (one.id, one.processors, len(one.jobs), work, float(load))
        for one, (work, load) in zip(instance.organizations, released_work(instance), strict=True)
    ]
    return pandas.DataFrame(rows, columns=["organization", "processors", "jobs", "work", "load"])


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
