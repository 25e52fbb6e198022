"""Display of an instance of co-allocation in a notebook: small tables."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from oas.core.formats import show_exact, show_time
from oas.show.html import MAX_ROWS, fragment, remark, short_name, table

if TYPE_CHECKING:
    from oas.problems.coallocation.instance import CoallocationInstance


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
    slot = f"slot η = {show_exact(instance.slot)}" if instance.slot else "continuous time (η = 0)"
    return fragment(
        f"{short_name(instance)}: {len(instance.jobs):,} jobs, {instance.node_count:,} nodes",
        remark(slot),
        table(("cluster", "nodes", "of power Γ", "link"), clusters, len(instance.clusters)),
        table(("job", "tasks τ", "base time Tb", "bandwidth of a task", "σ"), jobs, len(instance.jobs)),
    )
