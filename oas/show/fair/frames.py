"""Data frames of instances of fair sharing; the methods that return them say what their columns mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.problems.fair.metrics import released_work

if TYPE_CHECKING:
    import pandas

    from oas.problems.fair.instance import FairInstance


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
