"""Decision whether jobs of a co-allocation instance, each at a level, can run at the same time on an empty grid.

Only the numbers of tasks by job and cluster matter. For each level l, the jobs of level l or a faster one must not have
more tasks on a cluster than it has nodes of level l or a faster one (the levels are nested, so this is Hall's
condition), and the load of its link must not exceed the capacity.

The minimum total load of each job alone decides most sets with narrow links: for each level l, the sum over the jobs
of level l or a faster one must not exceed the bandwidth of the clusters that have such nodes. The load is concave in
the number of tasks, so it is minimal if as many tasks as possible are on as few clusters as possible.

Two jobs may fit if the first one takes as much as it can of the largest clusters; otherwise, a table over the clusters
decides. For more jobs, a search considers the jobs one by one and the divisions of each among the clusters. The
remaining resources of the clusters are sorted, since clusters are interchangeable, and failed states are recorded. A
state fails early if some remaining job alone cannot be divided, if there are too few nodes of a level, or if the total
free bandwidth is less than the minimum demand of the remaining jobs. If a search takes too many steps, the jobs count
as able to run together. That is safe: bounds only become weaker.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from oas.checker.coallocation_instance import CoallocationTicks
from oas.checker.coallocation_spread import (
    can_be_split,
    counts_of_link,
    fastest_levels,
    nodes_up_to_level,
    shifted_by_runs,
    shifts_or,
)
from oas.checker.effort import Effort

LeveledJob = tuple[int, int]  # a job and its level
ClusterLeft = tuple[int, ...]  # a cluster's free nodes of each level or a faster one, and finally its free bandwidth

MOST_KEPT_ANSWERS = 500_000  # recorded sets of jobs, to limit the memory
MOST_PAIR_STEPS = 5_000_000  # steps of the table of a pair; if there are more, the pair is searched like other sets
MOST_SPLIT_STEPS = 2_000_000  # steps of a search; if there are more, the jobs count as possible


class SplitGivenUp(Exception):
    """The search for a division of tasks has taken too many steps."""


class Together:
    """Decides which jobs of an instance can run together, and records the answers; `effort` is for the certificate."""

    def __init__(self, scaled: CoallocationTicks, effort: Effort) -> None:
        self.scaled, self.effort = scaled, effort
        self.tasks, self.loads, self.links = scaled.tasks, scaled.link_loads, scaled.link_capacity
        self.levels, self.fastest = len(scaled.powers), fastest_levels(scaled)
        self.nodes = nodes_up_to_level(scaled)
        self.capacity = list(map(sum, zip(*self.nodes, strict=True)))
        rows = list(zip(self.nodes, self.links, strict=True))
        self._bandwidth = [sum(link for row, link in rows if row[level]) for level in range(self.levels)]
        self._least: dict[LeveledJob, int] = {}
        self._known: dict[frozenset[LeveledJob], bool] = {}
        self._steps = 0  # remaining steps of the current search

    def fits(self, items: Iterable[LeveledJob]) -> bool:
        """Return whether these different jobs can run at the same time; True also if that is undecided."""
        key = frozenset(items)
        known = self._known.get(key)
        if known is None:
            self.effort.spend(20 + len(key) * (4 + len(self.links)))
            known = self._decide(sorted(key, key=lambda item: (item[1], -self.tasks[item[0]], item[0])))
            if len(self._known) < MOST_KEPT_ANSWERS:
                self._known[key] = known
        return known

    def _decide(self, items: list[LeveledJob]) -> bool:
        """Return the answer of `fits` for items sorted by level, fastest first."""
        for level, capacity in enumerate(self.capacity):
            if sum(self.tasks[job] for job, job_level in items if job_level <= level) > capacity:
                return False
        peaks = (
            sum(self.loads[job][min(row[-1], self.tasks[job] // 2)] for job, _ in items) <= link
            for row, link in zip(self.nodes, self.links, strict=True)
        )
        if all(peaks):
            return True  # any division is allowed
        if any(level < self.fastest[job] for job, level in items):
            return False
        for level, bandwidth in enumerate(self._bandwidth):
            if sum(self._least_load(item) for item in items if item[1] <= level) > bandwidth:
                return False
        if len(items) == 2:
            self.effort.spend(80 * len(self.links))
            if self._fit_in_turn(*items) or self._fit_in_turn(*reversed(items)):
                return True
            fewer, more = sorted(items, key=lambda item: self.tasks[item[0]])
            steps = len(self.links) * (self.tasks[fewer[0]] + 1) ** 2 * (4 + self.tasks[more[0]] // 256)
            if steps <= MOST_PAIR_STEPS:
                self.effort.spend(steps)
                return self._pair_fits(fewer, more)
        self._steps = MOST_SPLIT_STEPS
        try:
            return self._has_split(items)
        except SplitGivenUp:
            return True

    def _least_load(self, item: LeveledJob) -> int:
        """Return the minimum total load on an empty grid of a job at a level at which it has an allocation."""
        if item not in self._least:
            job, level = item
            self.effort.spend(40 * len(self.links))
            self._least[item] = _least_asked(self.loads[job], [row[level] for row in self.nodes], self.links)
        return self._least[item]

    def _fit_in_turn(self, first: LeveledJob, second: LeveledJob) -> bool:
        """Return whether the second job fits if the first one takes as much as it can of the largest clusters."""
        (job1, level1), (job2, level2) = first, second
        left, loads, slower = self.tasks[job1], self.loads[job1], max(level1, level2)
        free, links = [], []
        for row, link in sorted(zip(self.nodes, self.links, strict=True), key=lambda one: -one[0][level1]):
            most = min(left, row[level1])
            taken = max(high for _, high in counts_of_link(loads, most, link))
            left -= taken
            free.append(min(row[level2], row[slower] - taken))
            links.append(link - loads[taken])
        return left == 0 and can_be_split(self.loads[job2], free, links)

    def _pair_fits(self, first: LeveledJob, second: LeveledJob) -> bool:
        """Return the answer for two jobs by a table of all divisions; its time is quadratic in the first job's tasks.

        A cluster needs enough nodes for each job of its level or a faster one, and for both together of the slower
        level or a faster one; and their loads must fit on the link.
        """
        (job1, level1), (job2, level2) = first, second
        tasks1, tasks2, loads1, loads2 = self.tasks[job1], self.tasks[job2], self.loads[job1], self.loads[job2]
        slower = max(level1, level2)
        # ways[a], bit b: the clusters so far can hold a tasks of the first with b tasks of the second.
        ways = [1] + [0] * tasks1
        for row, link in zip(self.nodes, self.links, strict=True):
            reached = [0] * (tasks1 + 1)
            for low, high in counts_of_link(loads1, row[level1], link):
                for count in range(low, high + 1):
                    runs = counts_of_link(loads2, min(row[level2], row[slower] - count), link - loads1[count])
                    for held in range(tasks1 - count + 1):
                        if ways[held]:
                            for least, most in runs:
                                reached[held + count] |= shifts_or(ways[held], least, most)
            ways = [bits & (2 << tasks2) - 1 for bits in reached]
        return bool(ways[tasks1] >> tasks2 & 1)

    def _has_split(self, items: Sequence[LeveledJob]) -> bool:
        """Search for numbers of tasks by job and cluster; raise `SplitGivenUp` after too many steps."""
        start = tuple(sorted((*row, link) for row, link in zip(self.nodes, self.links, strict=True)))
        failed: set[tuple[int, tuple[ClusterLeft, ...]]] = set()
        states, open_splits = [start], [self._splits(items, start)]
        while open_splits:
            state = next(open_splits[-1], None)
            if state is None:
                open_splits.pop()
                failed.add((len(open_splits), states.pop()))
                continue
            number = len(open_splits)
            if number == len(items):
                return True
            if (number, state) not in failed:
                states.append(state)
                open_splits.append(self._splits(items[number:], state))
        return False

    def _spend(self, steps: int) -> None:
        self.effort.spend(10 * steps)
        self._steps -= steps
        if self._steps < 0:
            raise SplitGivenUp

    def _splits(
        self, items: Sequence[LeveledJob], clusters: tuple[ClusterLeft, ...]
    ) -> Iterator[tuple[ClusterLeft, ...]]:
        """Yield the sorted remaining resources of the clusters for each division of the first job."""
        spare = self._spare(items, clusters)
        if spare < 0:
            return
        job, level = items[0]
        tasks, loads = self.tasks[job], self.loads[job]
        runs = [counts_of_link(loads, min(one[level:-1]), one[-1]) for one in clusters]
        ends = [1]  # ends[k], bit s: clusters k, k + 1, … can hold s tasks
        for cluster_runs in reversed(runs):
            ends.append(shifted_by_runs(ends[-1], cluster_runs))
        ends.reverse()
        stack: list[tuple[int, int, tuple[int, ...]]] = [(tasks, 0, ())]  # tasks left, total load, tasks by cluster
        while stack:
            left, asked, counts = stack.pop()
            at = len(counts)
            if at == len(clusters):
                taken = zip(clusters, counts, strict=True)
                yield tuple(
                    sorted(
                        (*one[:level], *[nodes - count for nodes in one[level:-1]], one[-1] - loads[count])
                        for one, count in taken
                    )
                )
                continue
            # The first of identical clusters has the most tasks.
            most = min(left, counts[-1]) if at and clusters[at] == clusters[at - 1] else left
            for low, high in runs[at]:
                self._spend(1 + at // 8)
                for count in range(low, min(high, most) + 1):
                    self._spend(1 + at // 8)
                    if ends[at + 1] >> (left - count) & 1 and asked + loads[count] <= spare:
                        stack.append((left - count, asked + loads[count], (*counts, count)))

    def _spare(self, items: Sequence[LeveledJob], clusters: tuple[ClusterLeft, ...]) -> int:
        """Return the maximum total load of the first job that leaves the others their minimum; negative for none."""
        free = [[min(one[level:-1]) for one in clusters] for level in range(self.levels)]
        for level, nodes in enumerate(free):
            if sum(nodes) < sum(self.tasks[job] for job, job_level in items if job_level <= level):
                return -1
        links = [one[-1] for one in clusters]
        spare = sum(links)
        for place, (job, level) in reversed(list(enumerate(items))):
            loads = self.loads[job]
            self._spend(1 + len(clusters) * (2 + len(loads) // 64))
            if not can_be_split(loads, free[level], links):
                return -1
            if place:
                spare -= _least_asked(loads, free[level], links)
        return spare


def _least_asked(loads: Sequence[int], free: Sequence[int], links: Sequence[int]) -> int:
    """Return the minimum total load of a job that can be divided among the clusters."""
    rest, asked = len(loads) - 1, 0
    most = sorted(counts_of_link(loads, nodes, link)[-1][1] for nodes, link in zip(free, links, strict=True))
    while rest:
        count = min(most.pop(), rest)
        asked += loads[count]
        rest -= count
    return asked
