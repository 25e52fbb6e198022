"""Display of instances as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.formats import show_count, show_exact, show_time
from oas.show.texts import first_lines, text, title

if TYPE_CHECKING:
    from oas.problems.coallocation.instance import CoallocationInstance


def instance_text(instance: CoallocationInstance) -> str:
    """Return the size of an instance, its first clusters and its slot."""
    clusters = (
        f"{cluster.id}: {show_count(cluster.size, 'node')}, link {show_time(cluster.bandwidth)}"
        for cluster in instance.clusters
    )
    slot = f"slot η = {show_exact(instance.slot)}" if instance.slot else "continuous time (η = 0)"
    jobs, groups = show_count(len(instance.jobs), "job"), show_count(len(instance.clusters), "cluster")
    size = f"{jobs}, {groups}, {show_count(instance.node_count, 'node')}, {slot}"
    return text(f"{title(instance)}: {size}", first_lines(clusters, len(instance.clusters)))
