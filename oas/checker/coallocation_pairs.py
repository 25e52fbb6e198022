"""Whether two jobs of a co-allocation instance, each at a level, can run at the same moment on an empty grid."""

from __future__ import annotations

from collections.abc import Sequence

from oas.checker.coallocation_instance import CoallocationTicks
from oas.checker.coallocation_levels import counts_of_link, shifts_or


def can_pair_run(
    scaled: CoallocationTicks, nodes: Sequence[Sequence[int]], one: tuple[int, int], other: tuple[int, int]
) -> bool:
    """Tell it by a table over the clusters of all ways to split the two.

    In a cluster the job of the faster level must find enough nodes of that level or a faster one, and both together
    enough of the slower level or a faster one; and their loads must fit on the link.

    Parameters
    ----------
    nodes
        Of `nodes_up_to_level`.
    one, other
        Job and level, of different jobs.
    """
    (job, level), (beside, below) = sorted((one, other), key=lambda item: item[1])
    need, more = scaled.tasks[job], scaled.tasks[beside]
    mask = (2 << more) - 1
    # ways[a], bit b: the clusters so far can hold a tasks of the first with b tasks of the second.
    ways = [1] + [0] * need
    for row, link in zip(nodes, scaled.link_capacity, strict=True):
        reached = [0] * (need + 1)
        for low, high in counts_of_link(scaled.link_loads[job], row[level], link):
            for count in range(low, high + 1):
                if count > row[below]:
                    break
                runs = counts_of_link(
                    scaled.link_loads[beside], row[below] - count, link - scaled.link_loads[job][count]
                )
                for held in range(need - count + 1):
                    if ways[held]:
                        for least, most in runs:
                            reached[held + count] |= shifts_or(ways[held], least, most)
        ways = [bits & mask for bits in reached]
    return bool(ways[need] >> more & 1)


def pair_steps(scaled: CoallocationTicks, job: int, beside: int) -> int:
    """Return about how many steps that takes."""
    return scaled.cluster_count * (scaled.tasks[job] + 1) ** 2 * (4 + scaled.tasks[beside] // 256)
