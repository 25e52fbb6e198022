"""Whether two jobs can run at the same moment: a table over the clusters of all ways to split them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oas.problems.coallocation.ticks import ScaledCoallocation

# A job, running on nodes of a level or faster ones.
Item = tuple[int, int]


def can_run_together(scaled: ScaledCoallocation, one: Item, other: Item) -> bool:
    """Tell whether these two, of different jobs, can run at the same moment on the empty grid.

    Nodes: of each cluster, those of a level or faster must be enough for what runs at that level or a faster one.
    Links: equation (4) of the OAS paper.
    """
    (job, level), (beside, below) = sorted((one, other), key=lambda item: item[1])
    need, more = scaled.tasks[job], scaled.tasks[beside]
    # ways[a]: bit b is set if the clusters so far can hold a tasks of the one with b tasks of the other.
    ways = [1] + [0] * need
    for cluster, link in enumerate(scaled.link_capacity):
        sizes = [(held.level, len(held.nodes)) for held in scaled.classes if held.cluster == cluster]
        fast = sum(size for at, size in sizes if at <= level)
        room = sum(size for at, size in sizes if at <= below)
        loads, besides = scaled.link_loads[job], scaled.link_loads[beside]
        reached = [0] * (need + 1)
        for count in range(min(fast, need) + 1):
            fits = [b for b in range(min(room - count, more) + 1) if loads[count] + besides[b] <= link]
            for held in range(need - count + 1):
                for b in fits:
                    reached[held + count] |= ways[held] << b
        ways = [bits & (2 << more) - 1 for bits in reached]
    return bool(ways[need] >> more & 1)
