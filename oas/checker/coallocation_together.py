"""Whether jobs of a co-allocation instance, each at a level, can run at the same moment on an empty grid.

Only numbers of tasks by job and cluster matter: in a cluster the jobs of level l or a faster one must not have more
tasks than it has nodes of that level or a faster one, for each l (the levels are nested, so this is Hall's condition),
and what they ask of its link must fit.

A table over the clusters decides for two jobs. For more, a search goes through the jobs one by one and through the
splits of each. What clusters have left is kept sorted: which of them is which does not matter, and what has failed once
from there on fails again. A state is left early where a job that is to come cannot be split alone, where nodes of a
level run short, or where the links have less left, all together, than the jobs to come must ask for at least. The load
is concave in the number of tasks, so that the least is where as many as possible are in as few clusters as possible.
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

LeveledJob = tuple[int, int]  # a job and a level at which it runs
ClusterLeft = tuple[int, ...]  # what is left of a cluster's nodes of each level or a faster one, and then of its link

MOST_KEPT_ANSWERS = 500_000  # of sets of jobs, to bound the memory
MOST_PAIR_STEPS = 5_000_000  # of the table of a pair; beyond it a pair is searched like any other set
MOST_SPLIT_STEPS = 2_000_000  # of a search, after which the answer is that they may fit


class SplitGivenUp(Exception):
    """The search for a split has taken too many steps."""


class Together:
    """Decides which jobs of an instance can run together, and keeps the answers; `effort` is for the certificate."""

    def __init__(self, scaled: CoallocationTicks, effort: Effort) -> None:
        self.scaled, self.effort = scaled, effort
        self.tasks, self.loads, self.links = scaled.tasks, scaled.link_loads, scaled.link_capacity
        self.levels, self.fastest = len(scaled.powers), fastest_levels(scaled)
        self.nodes = nodes_up_to_level(scaled)
        self.capacity = list(map(sum, zip(*self.nodes, strict=True)))
        self._known: dict[frozenset[LeveledJob], bool] = {}
        self._steps = 0  # left of the present search

    def fits(self, items: Iterable[LeveledJob]) -> bool:
        """Tell whether these, no two of one job, can run at the same moment; True too where that remains open."""
        key = frozenset(items)
        known = self._known.get(key)
        if known is None:
            self.effort.spend(20 + len(key) * (4 + len(self.links)))
            known = self._decide(sorted(key, key=lambda item: (item[1], -self.tasks[item[0]], item[0])))
            if len(self._known) < MOST_KEPT_ANSWERS:
                self._known[key] = known
        return known

    def _decide(self, items: list[LeveledJob]) -> bool:
        """Tell it of these, those of the fastest levels first."""
        for level, capacity in enumerate(self.capacity):
            if sum(self.tasks[job] for job, own in items if own <= level) > capacity:
                return False
        peaks = (
            sum(self.loads[job][min(row[-1], self.tasks[job] // 2)] for job, _ in items) <= link
            for row, link in zip(self.nodes, self.links, strict=True)
        )
        if all(peaks):
            return True  # however they are split
        if len(items) == 2:
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

    def _pair_fits(self, one: LeveledJob, other: LeveledJob) -> bool:
        """Tell it of two jobs by a table of all ways to split them, in steps by the square of the first one's tasks.

        In a cluster each must find enough nodes of its level or a faster one, and both together enough of the slower
        level or a faster one; and their loads must fit on the link.
        """
        (job, level), (beside, below) = one, other
        need, more, own, others = self.tasks[job], self.tasks[beside], self.loads[job], self.loads[beside]
        slower = max(level, below)
        # ways[a], bit b: the clusters so far can hold a tasks of the first with b tasks of the second.
        ways = [1] + [0] * need
        for row, link in zip(self.nodes, self.links, strict=True):
            reached = [0] * (need + 1)
            for low, high in counts_of_link(own, row[level], link):
                for count in range(low, high + 1):
                    runs = counts_of_link(others, min(row[below], row[slower] - count), link - own[count])
                    for held in range(need - count + 1):
                        if ways[held]:
                            for least, most in runs:
                                reached[held + count] |= shifts_or(ways[held], least, most)
            ways = [bits & (2 << more) - 1 for bits in reached]
        return bool(ways[need] >> more & 1)

    def _has_split(self, items: Sequence[LeveledJob]) -> bool:
        """Search for numbers of tasks by job and cluster, job by job; raise `SplitGivenUp` if that takes too long."""
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
        """Yield what the clusters have left after each way to split the first of the jobs, sorted."""
        spare = self._spare(items, clusters)
        if spare < 0:
            return
        job, level = items[0]
        tasks, loads = self.tasks[job], self.loads[job]
        runs = [counts_of_link(loads, min(one[level:-1]), one[-1]) for one in clusters]
        ends = [1]  # ends[k], bit s: clusters k, k + 1, … can hold s tasks
        for own in reversed(runs):
            ends.append(shifted_by_runs(ends[-1], own))
        ends.reverse()
        stack: list[tuple[int, int, tuple[int, ...]]] = [(tasks, 0, ())]  # tasks left, asked of links, those placed
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
            # Of clusters that are alike the first has the most tasks.
            most = min(left, counts[-1]) if at and clusters[at] == clusters[at - 1] else left
            for low, high in runs[at]:
                self._spend(1 + at // 8)
                for count in range(low, min(high, most) + 1):
                    self._spend(1 + at // 8)
                    if ends[at + 1] >> (left - count) & 1 and asked + loads[count] <= spare:
                        stack.append((left - count, asked + loads[count], (*counts, count)))

    def _spare(self, items: Sequence[LeveledJob], clusters: tuple[ClusterLeft, ...]) -> int:
        """Return what the first of the jobs may ask of all links, so that the others can have their least.

        Below 0 where not all can run.
        """
        free = [[min(one[level:-1]) for one in clusters] for level in range(self.levels)]
        for level, nodes in enumerate(free):
            if sum(nodes) < sum(self.tasks[job] for job, own in items if own <= level):
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
    """Return what a job that can be split asks of all links at least."""
    rest, asked = len(loads) - 1, 0
    most = sorted(counts_of_link(loads, nodes, link)[-1][1] for nodes, link in zip(free, links, strict=True))
    while rest:
        count = min(most.pop(), rest)
        asked += loads[count]
        rest -= count
    return asked
