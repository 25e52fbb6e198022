"""The inner loop of `packing`: a plain function over arrays, run as it stands or compiled by numba."""

from __future__ import annotations

from typing import Any

import numpy as np

NO, YES, GIVEN_UP = 0, 1, 2


def reach(tasks: Any, free: Any, left: Any, loads: Any, table: Any, prefix: Any) -> bool:
    """Whether `tasks` can be split over the clusters, each within its free nodes and what is left of its link.

    Fills ``table[k, s]``: whether clusters k, k + 1, … can hold exactly s tasks.
    """
    clusters = len(free)
    table[clusters, : tasks + 1] = False
    table[clusters, 0] = True
    for k in range(clusters - 1, -1, -1):
        table[k, : tasks + 1] = False
        prefix[0] = 0
        for s in range(tasks + 1):
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


def split(tasks: Any, nodes: Any, links: Any, loads: Any, limit: int) -> int:
    """Whether items can be split over clusters at the same moment: NO, YES, or GIVEN_UP after `limit` states.

    Depth-first search over numbers of tasks by item and cluster; each state in which an item alone no longer fits is
    left at once.

    Parameters
    ----------
    tasks
        Of each item; items in the order of their levels.
    nodes
        nodes[i, k]: nodes of cluster k that are fast enough for item i.
    links
        Capacity of each cluster's link.
    loads
        loads[i, c]: load of item i on a link whose cluster holds c of its tasks.
    """
    items, clusters = nodes.shape
    used = np.zeros_like(nodes[0])
    left = links.copy()
    widest = 0
    for i in range(items):
        widest = max(widest, tasks[i])
    tables = np.zeros((items, clusters + 1, widest + 1), dtype=np.bool_)
    prefix = np.zeros(widest + 2, dtype=np.int64)
    count = np.zeros((items, clusters), dtype=np.int64)
    need = np.zeros((items, clusters + 1), dtype=np.int64)
    i, k, states, entering = 0, 0, 0, True
    while True:
        if entering:
            states += 1
            if states > limit:
                return GIVEN_UP
            dead = False
            for r in range(i, items):
                if not reach(tasks[r], nodes[r] - used, left, loads[r], tables[r], prefix):
                    dead = True
                    break
            if not dead:
                if i == items - 1:
                    return YES
                need[i, 0] = tasks[i]
                count[i, 0] = tasks[i] + 1
                k = 0
            else:
                k = -1
            entering = False
        if k < 0:  # back to the item before
            i -= 1
            if i < 0:
                return NO
            for q in range(clusters):
                used[q] -= count[i, q]
                left[q] += loads[i, count[i, q]]
            k = clusters - 1
        c = count[i, k] - 1
        while c >= 0:
            fits = used[k] + c <= nodes[i, k] and loads[i, c] <= left[k]
            if (fits or c == 0) and tables[i, k + 1, need[i, k] - c]:
                break
            c -= 1
        count[i, k] = c
        if c < 0:
            k -= 1
        elif k < clusters - 1:
            need[i, k + 1] = need[i, k] - c
            k += 1
            count[i, k] = need[i, k] + 1
        else:
            for q in range(clusters):
                used[q] += count[i, q]
                left[q] -= loads[i, count[i, q]]
            i += 1
            entering = True
