"""Decides which jobs can run at the same moment, each on nodes of its level or faster."""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate, combinations
from math import log
from operator import le
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.coallocation.bounds.configurations import kernels
from oas.core.shared_kernels import numbers, zeros

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from oas.coallocation.ticks import ScaledCoallocation

Item = tuple[int, int]  # a job and its level

MAX_EFFORT = 500_000  # limit of a split, some tens of milliseconds; beyond it the answer is "maybe"
# With more items, or more loads by job and count, the answer is "maybe" without a search.
MAX_ITEMS = 200
MAX_LOADS = 20_000_000
MAX_CELLS = 100_000_000  # maximum size of a table of items, clusters and counts
MAX_WAYS = 1_000_000_000  # 64-bit words processed to count the splits of an item; beyond it, the count is set to 1


class Packing:
    """Decides whether items can run together, and caches the answers.

    It suffices to find numbers of tasks by cluster: in a cluster, for each level, the items of that level or faster
    must not have more tasks than it has such nodes (Hall's condition for nested levels), and the loads, equation (4),
    must fit on the link.
    """

    def __init__(self, scaled: ScaledCoallocation) -> None:
        levels = range(len(scaled.powers))
        self.tasks = scaled.tasks
        self.links = scaled.link_capacity
        # nodes[k][l]: of cluster k, at level l or faster.
        self.nodes = [[0] * len(levels) for _ in range(scaled.cluster_count)]
        for node_class in scaled.classes:
            for level in levels[node_class.level :]:
                self.nodes[node_class.cluster][level] += len(node_class.nodes)
        self.capacity = [sum(cluster[level] for cluster in self.nodes) for level in levels]
        self._tasks = numbers(scaled.tasks)
        self._nodes = numbers(self.nodes)
        self._scaled = scaled
        self._peaks = [[max(loads[: cluster[-1] + 1]) for loads in scaled.link_loads] for cluster in self.nodes]
        self._known: dict[frozenset[Item], bool] = {}
        self._choices: dict[Item, float] = {}

    def fits(self, items: Iterable[Item]) -> bool:
        """Whether these items, no two of one job, can run at the same moment.

        False is proven. True may be wrong if the search for a split reaches its limit, which makes a bound weaker,
        never wrong. The answer depends only on the items.
        """
        key = frozenset(items)
        if key not in self._known:
            self._known[key] = self._fits(sorted(key))
        return self._known[key]

    def _fits(self, items: list[Item]) -> bool:
        if not self._nodes_suffice(items):
            return False
        most = (sum(peaks[job] for job, _ in items) for peaks in self._peaks)
        if all(map(le, most, self.links)):  # no split of the items can overload a link
            return True
        # Most infeasible sets contain an infeasible pair, which is cheaper to detect and remains cached.
        return (len(items) == 2 or all(map(self.fits, combinations(items, 2)))) and self._split(items)

    def _nodes_suffice(self, items: Sequence[Item]) -> bool:
        used = [0] * len(self.capacity)
        for job, level in items:
            used[level] += self.tasks[job]
        return all(map(le, accumulate(used), self.capacity))

    def _split(self, items: Sequence[Item]) -> bool:
        """Whether the items can be split over the clusters; items with the fewest splits for their size come first."""
        if len(items) > MAX_ITEMS or len(self.tasks) * max(self.tasks) > MAX_LOADS:
            return True
        links, all_loads, kernel = self._arrays
        ordered = sorted(items, key=lambda item: (self._freedom(item), -self.tasks[item[0]], item))
        jobs = [job for job, _ in ordered]
        levels = numbers([level for _, level in ordered])
        tasks = self._tasks[jobs]
        if len(items) * (len(self.nodes) + 1) * (int(tasks.max()) + 1) > MAX_CELLS:
            return True
        loads = all_loads[jobs, : tasks.max() + 1]
        memory = make_memory(self._nodes, links, loads)
        return kernel(tasks, levels, self._nodes, links, loads, MAX_EFFORT, memory) != kernels.NO

    def _freedom(self, item: Item) -> float:
        """Return the logarithm of the number of splits that an item has on an empty grid, divided by its tasks."""
        if item in self._choices:
            return self._choices[item]
        job, level = item
        tasks, loads = self.tasks[job], self._scaled.link_loads[job]
        # Digit s of `ways`, with `bits` bits, is the number of ways to have s tasks in the clusters so far.
        bits = self._scaled.cluster_count * (tasks + 1).bit_length()
        words, taken = bits * (tasks + 1) // 64 + 1, sum(min(cluster[level], tasks) for cluster in self.nodes)
        ways = 1 << bits * tasks  # counted as one way if the count takes too long
        if words * (taken + len(self.nodes) * (40 + words // 50)) <= MAX_WAYS:
            ways = 1
            for cluster, link in zip(self.nodes, self.links, strict=True):
                counts = (count for count in range(min(cluster[level], tasks) + 1) if loads[count] <= link)
                ways = ways * sum(1 << bits * count for count in counts) & (1 << bits * (tasks + 1)) - 1
        return self._choices.setdefault(item, log(max(1, ways >> bits * tasks)) / tasks)

    @cached_property
    def _arrays(self) -> tuple[Any, Any, Callable[..., int]]:
        """Links and loads as arrays, and the function for them: with Python integers if 64 bits are too short.

        The largest sums are the capacities of all links, the loads of one item on all clusters, and the least loads of
        all items: at most the clusters times the loads of all jobs and the widest link. Numbers of nodes are at most
        `MAX_NODES`.
        """
        scaled = self._scaled
        rows = [
            loads + (0,) * (max(scaled.tasks) - tasks)
            for loads, tasks in zip(scaled.link_loads, scaled.tasks, strict=True)
        ]
        if scaled.cluster_count * (sum(map(max, rows)) + max(scaled.link_capacity)) >= 2**62:
            return np.array(scaled.link_capacity, dtype=object), np.array(rows, dtype=object), kernels.split.for_lists
        return numbers(scaled.link_capacity), numbers(rows), kernels.split


def make_memory(nodes: Any, links: Any, loads: Any) -> kernels.Memory:
    """Return the arrays that `kernels.split` writes, for items with these loads; parameters as it takes them."""
    clusters, depth = nodes.shape
    items, counts = loads.shape
    return kernels.Memory(
        room=nodes.copy(),
        left=links.copy(),
        tables=np.zeros((items, clusters + 1, counts), dtype=np.bool_),
        prefix=zeros(counts + 1),
        count=zeros(items, clusters),
        need=zeros(items, clusters + 1),
        free=zeros(items, depth, clusters),
        most=zeros(clusters),
        waiting=zeros(depth),
        spent=np.zeros((items, clusters + 1), dtype=loads.dtype),
        budget=np.zeros(items, dtype=loads.dtype),
        twin=zeros(items + 1, clusters),
    )
