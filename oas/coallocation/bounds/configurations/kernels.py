"""Kernels of `packing`: functions over arrays, run in plain Python or compiled by numba."""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.core.compiling import kernel

NO, YES, GIVEN_UP = 0, 1, 2


class Memory(NamedTuple):
    """Arrays that `split` writes; initially zero unless stated otherwise."""

    room: Any  # initially a copy of the nodes: room[k, l] of nodes[k, l] are not taken by items of level l or faster
    left: Any  # initially a copy of the links: remaining capacities
    # tables, prefix: [item, cluster, tasks] and [tasks], see `reach`; one more than clusters and tasks
    tables: Any
    prefix: Any
    count: Any  # [item, cluster]: tasks of the item on the cluster
    need: Any  # [item, cluster]: tasks of the item for this cluster and later ones
    free: Any  # [item, level, cluster], see `fill_free`
    # most, waiting: [cluster] and [level], see `least` and `enough`
    most: Any
    waiting: Any
    spent: Any  # [item, cluster]: load of the item on earlier clusters
    budget: Any  # [item]: maximum total load of the item on all links
    twin: Any  # [item, cluster]: nearest identical earlier cluster that received the same tasks so far; -1 if none


def reach(tasks: Any, free: Any, left: Any, loads: Any, table: Any, prefix: Any) -> bool:
    """Whether `tasks` can be split over the clusters within their free nodes and remaining link capacities.

    Fills ``table[k, s]``: whether clusters k, k + 1, … can hold exactly s tasks.
    """
    clusters = len(free)
    for s in range(tasks + 1):
        table[clusters, s] = s == 0
    for k in range(clusters - 1, -1, -1):
        prefix[0] = 0
        for s in range(tasks + 1):
            table[k, s] = False
            prefix[s + 1] = prefix[s] + (1 if table[k + 1, s] else 0)
        most = min(free[k], tasks)
        low = 0
        while low <= most:  # each run low..high of counts that the link takes
            if loads[low] > left[k]:
                low += 1
                continue
            high = low
            while high < most and loads[high + 1] <= left[k]:
                high += 1
            for s in range(low, tasks + 1):
                if prefix[s - low + 1] > prefix[max(0, s - high)]:
                    table[k, s] = True
            low = high + 1
    return table[0, tasks]


def least(tasks: Any, free: Any, left: Any, loads: Any, most: Any) -> Any:
    """Return the minimum total load on the links over all splits of `tasks`; -1 if they do not fit.

    Equation (4) is concave in the count, so the minimum has as many tasks as possible in few clusters.
    """
    clusters = len(free)
    total = 0
    for k in range(clusters):
        count = min(free[k], tasks)
        while loads[count] > left[k]:
            count -= 1
        most[k] = count
        total += count
    if total < tasks:
        return -1
    load = loads[0]
    rest = tasks
    while rest > 0:
        best = 0
        for k in range(1, clusters):
            if most[k] > most[best]:
                best = k
        count = min(most[best], rest)
        load += loads[count]
        rest -= count
        most[best] = 0
    return load


def find_twins(levels: Any, nodes: Any, links: Any, found: Any) -> None:
    """Fill `found` with the nearest earlier cluster that is identical for items of these levels; -1 if none."""
    clusters, depth = nodes.shape
    lowest = depth
    for level in levels:
        lowest = min(lowest, level)
    for k in range(clusters):
        found[k] = -1
        for q in range(k):
            same = links[q] == links[k]
            for level in range(lowest, depth):
                same = same and nodes[q, level] == nodes[k, level]
            if same:
                found[k] = q


def fill_free(room: Any, free: Any) -> None:
    """Fill ``free[l, k]``: number of tasks of level l that fit on cluster k in addition to the items placed so far."""
    depth, clusters = free.shape
    for k in range(clusters):
        least_room = room[k, depth - 1]
        for level in range(depth - 1, -1, -1):
            least_room = min(least_room, room[k, level])
            free[level, k] = least_room


def enough(tasks: Any, levels: Any, first: int, free: Any, waiting: Any) -> bool:
    """Whether the free nodes of each level and faster suffice for item `first` and later ones."""
    for level in range(len(waiting)):
        waiting[level] = 0
    for r in range(first, len(tasks)):
        waiting[levels[r]] += tasks[r]
    asked = 0
    for level in range(len(waiting)):
        asked += waiting[level]
        total = 0
        for k in range(free.shape[1]):
            total += free[level, k]
        if total < asked:
            return False
    return True


@kernel
def split(tasks: Any, levels: Any, nodes: Any, links: Any, loads: Any, limit: int, memory: Memory) -> int:
    """Whether items can be split over clusters at the same moment: NO, YES, or GIVEN_UP after an effort of `limit`.

    Depth-first search over the number of tasks by item and cluster. A state is pruned if a single item no longer fits,
    if nodes of some level are short, or if the minimum loads of the items add up to more than the links have left. Of
    identical clusters that received the same tasks so far, the first takes the most.

    `tasks`, `levels`: of each item; the hardest to split come first. `nodes`: nodes[k, l]: number of nodes of cluster k
    at level l or faster. `links`: link capacity of each cluster. `loads`: loads[i, c]: load of item i on the link of a
    cluster with c of its tasks. `limit`: in steps of the inner loop, so that the time until the search stops hardly
    depends on the sizes of items and grid. `memory`: for these items and this grid.
    """
    items = len(tasks)
    clusters, depth = nodes.shape
    room, left, tables, prefix, count, need, free, most, waiting, spent, budget, twin = memory
    find_twins(levels, nodes, links, twin[0])
    i, k, entering, effort = 0, 0, True, 0
    while effort < limit:
        effort += 1
        if entering:
            effort += items - i + clusters * tasks[i] // 64
            entering = False
            k = -1
            fill_free(room, free[i])
            alive = enough(tasks, levels, i, free[i], waiting)
            spare = 0
            for q in range(clusters):
                spare += left[q]
            for r in range(items - 1, i, -1):
                if alive:
                    load = least(tasks[r], free[i, levels[r]], left, loads[r], most)
                    spare -= load
                    alive = load >= 0 and spare >= 0
            if alive and reach(tasks[i], free[i, levels[i]], left, loads[i], tables[i], prefix):
                if i == items - 1:
                    return YES
                k = 0
                budget[i] = spare
                need[i, 0] = tasks[i]
                count[i, 0] = tasks[i] + 1
                for q in range(clusters):
                    p = twin[i, q]
                    while p >= 0 and i > 0 and count[i - 1, p] != count[i - 1, q]:
                        p = twin[i - 1, p]
                    twin[i, q] = p
        if k < 0:  # back to the item before
            i -= 1
            if i < 0:
                return NO
            for q in range(clusters):
                for level in range(levels[i], depth):
                    room[q, level] += count[i, q]
                left[q] += loads[i, count[i, q]]
            k = clusters - 1
        c = min(count[i, k] - 1, free[i, levels[i], k])
        if twin[i, k] >= 0:
            c = min(c, count[i, twin[i, k]])
        while c >= 0:
            if loads[i, c] <= left[k] and tables[i, k + 1, need[i, k] - c] and spent[i, k] + loads[i, c] <= budget[i]:
                break
            c -= 1
        count[i, k] = c
        if c < 0:
            k -= 1
            continue
        need[i, k + 1] = need[i, k] - c
        spent[i, k + 1] = spent[i, k] + loads[i, c]
        if k < clusters - 1:
            k += 1
            count[i, k] = need[i, k] + 1
            continue
        for q in range(clusters):
            for level in range(levels[i], depth):
                room[q, level] -= count[i, q]
            left[q] -= loads[i, count[i, q]]
        i += 1
        for q in range(clusters):
            twin[i, q] = twin[i - 1, q]
        entering = True
    return GIVEN_UP
