"""How ruin and recreate of co-allocated jobs asks the profile for a split, and changes its rows.

`annealing_kernels.place_job` has the same written out: with these calls instead, annealing took 1.6 times as
long.
"""

from __future__ import annotations

from typing import Any

from heuristics.coallocation.search.annealing_kernels import (
    CLASSES,
    CLUSTERS,
    LEVELS,
    PATTERNS,
    Problem,
    quiet_count,
    sort_by_room,
    split_job,
)


def split_over_rows(problem: Problem, memory: Any, job: int, level: int, pattern: int, row: int, after: int) -> bool:
    """Split a job over what the rows from `row` to `after` − 1 of the profile leave; False if there is no split.

    Written are `memory.counts`, the nodes of each class that stay free, and `memory.split`.
    """
    sizes, profile, counts = problem.sizes, memory.profile, memory.counts
    clusters, classes, levels = sizes[CLUSTERS], sizes[CLASSES], sizes[LEVELS]
    first_class = 1 + levels
    first_link = first_class + classes
    width = first_link + clusters
    tasks = problem.tasks[job]
    for k in range(clusters):
        memory.room[k] = 0
    total = 0
    for c in range(classes):
        if problem.class_level[c] <= level:
            place = row * width + first_class + c
            least = profile[place]
            for _ in range(row + 1, after):
                place += width
                if profile[place] < least:
                    least = profile[place]
            counts[c] = least
            memory.room[problem.class_cluster[c]] += least
            total += least
    if total < tasks:
        return False
    for k in range(clusters):
        place = row * width + first_link + k
        least = profile[place]
        for _ in range(row + 1, after):
            place += width
            if profile[place] < least:
                least = profile[place]
        memory.quiet[k] = quiet_count(problem.loads, problem.link[k] + problem.job[job], tasks // 2, least)
    kind = sizes[PATTERNS] - pattern
    if kind > 2:
        for a in range(clusters):
            memory.order[a] = problem.orders[pattern * clusters + a]
    else:
        sort_by_room(memory.room, memory.order, clusters, 1 if kind == 2 else -1)
    return split_job(tasks, clusters, memory.order, memory.room, memory.quiet, memory.split)


def take_nodes(problem: Problem, memory: Any, level: int) -> int:
    """Make `memory.counts` the nodes that the split takes of each class; return the level of the slowest."""
    counts = memory.counts
    for k in range(problem.sizes[CLUSTERS]):
        memory.room[k] = memory.split[k]
    slowest = 0
    classes = problem.sizes[CLASSES]
    for back in range(classes):  # the slowest nodes of a cluster go first, so that fast ones stay free
        c = classes - 1 - back
        taken = 0
        if problem.class_level[c] <= level:
            k = problem.class_cluster[c]
            taken = min(counts[c], memory.room[k])
            memory.room[k] -= taken
            if taken > 0 and problem.class_level[c] > slowest:
                slowest = problem.class_level[c]
        counts[c] = taken
    return slowest


def change_rows(problem: Problem, memory: Any, job: int, row: int, after: int, sign: int) -> None:
    """Take `memory.counts` and the loads of `memory.split` from the rows before `after` (sign 1), or add them (−1)."""
    sizes, profile = problem.sizes, memory.profile
    clusters, classes, levels = sizes[CLUSTERS], sizes[CLASSES], sizes[LEVELS]
    first_class = 1 + levels
    first_link = first_class + classes
    width = first_link + clusters
    tasks = problem.tasks[job]
    for c in range(classes):
        taken = sign * memory.counts[c]
        if taken != 0:
            for place in range(row * width, after * width, width):
                profile[place + first_class + c] -= taken
                for higher in range(problem.class_level[c], levels):
                    profile[place + 1 + higher] -= taken
    for k in range(clusters):
        held = min(memory.split[k], tasks - memory.split[k])
        load = sign * problem.loads[problem.link[k] + problem.job[job] + held]
        if load != 0:
            for place in range(row * width + first_link + k, after * width, width):
                profile[place] -= load
