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
    nodes_up_to_level,
    shifted_by_runs,
    shifts_or,
)
from oas.checker.effort import Effort

LeveledJob = tuple[int, int]  # a job and a level at which it runs
ClusterLeft = tuple[int, ...]
"""Of a cluster: what is left of its nodes of each level or a faster one, and then of its link."""

MOST_KEPT_ANSWERS = 500_000  # of sets of jobs, to bound the memory
MOST_PAIR_STEPS = 5_000_000  # of the table of a pair; beyond it a pair is searched like any other set
MOST_SPLIT_STEPS = 2_000_000  # of a search, after which the answer is that they may fit


class SplitGivenUp(Exception):
    """The search for a split has taken too many steps."""


class Together:
    """Decides which jobs of an instance can run together, and keeps the answers; `effort` is for the certificate."""

    def __init__(self, scaled: CoallocationTicks, effort: Effort) -> None:
        self.tasks, self.loads, self.links = scaled.tasks, scaled.link_loads, scaled.link_capacity
        self.nodes = nodes_up_to_level(scaled)
        self.levels = len(scaled.powers)
        self.capacity = [sum(row[level] for row in self.nodes) for level in range(self.levels)]
        self.effort = effort
        self._known: dict[frozenset[LeveledJob], bool] = {}

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
        grid = zip(self.nodes, self.links, strict=True)
        if all(sum(self._peak(job, row[-1]) for job, _ in items) <= link for row, link in grid):
            return True  # however they are split
        if len(items) == 2:
            fewer, more = sorted(items, key=lambda item: self.tasks[item[0]])
            steps = len(self.links) * (self.tasks[fewer[0]] + 1) ** 2 * (4 + self.tasks[more[0]] // 256)
            if steps <= MOST_PAIR_STEPS:
                self.effort.spend(steps)
                return self._pair_fits(fewer, more)
        split = Split(self, items)
        try:
            return split.exists()
        except SplitGivenUp:
            return True
        finally:
            self.effort.spend(10 * (MOST_SPLIT_STEPS - split.steps))

    def _peak(self, job: int, nodes: int) -> int:
        """Return the most that a job can ask of the link of a cluster with so many nodes."""
        return self.loads[job][min(nodes, self.tasks[job] // 2)]

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
                    free = min(row[below], row[slower] - count)
                    runs = counts_of_link(others, free, link - own[count])
                    for held in range(need - count + 1):
                        if ways[held]:
                            for least, most in runs:
                                reached[held + count] |= shifts_or(ways[held], least, most)
            ways = [bits & (2 << more) - 1 for bits in reached]
        return bool(ways[need] >> more & 1)


class Split:
    """A search for numbers of tasks by job and cluster; the items are jobs with levels, in the order of splitting."""

    def __init__(self, together: Together, items: Sequence[LeveledJob]) -> None:
        self.together, self.items, self.steps = together, items, MOST_SPLIT_STEPS
        self.levels = together.levels

    def exists(self) -> bool:
        """Tell whether there is a split; raise `SplitGivenUp` if that takes too long."""
        together = self.together
        start = tuple(sorted((*row, link) for row, link in zip(together.nodes, together.links, strict=True)))
        failed: set[tuple[int, tuple[ClusterLeft, ...]]] = set()
        states, open_splits = [start], [self._splits(0, start)]
        while open_splits:
            state = next(open_splits[-1], None)
            if state is None:
                open_splits.pop()
                failed.add((len(open_splits), states.pop()))
                continue
            if len(open_splits) == len(self.items):
                return True
            if (len(open_splits), state) not in failed:
                states.append(state)
                open_splits.append(self._splits(len(open_splits), state))
        return False

    def _spend(self, steps: int) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise SplitGivenUp

    def _splits(self, number: int, clusters: tuple[ClusterLeft, ...]) -> Iterator[tuple[ClusterLeft, ...]]:
        """Yield what the clusters have left after each way to split the job with this number, sorted."""
        spare = self._spare(number, clusters)
        if spare < 0:
            return
        job, level = self.items[number]
        tasks, loads = self.together.tasks[job], self.together.loads[job]
        runs = [counts_of_link(loads, min(one[level : self.levels]), one[-1]) for one in clusters]
        ends = [1]  # ends[k], bit s: clusters k, k + 1, … can hold s tasks
        for own in reversed(runs):
            ends.append(shifted_by_runs(ends[-1], own))
        ends.reverse()
        stack: list[tuple[int, int, tuple[int, ...]]] = [(tasks, 0, ())]  # tasks left, asked of links, those placed
        while stack:
            left, asked, counts = stack.pop()
            at = len(counts)
            if at == len(clusters):
                yield tuple(
                    sorted(self._taken(one, level, count, loads) for one, count in zip(clusters, counts, strict=True))
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

    def _taken(self, cluster: ClusterLeft, level: int, count: int, loads: Sequence[int]) -> ClusterLeft:
        left = [nodes - count for nodes in cluster[level : self.levels]]
        return (*cluster[:level], *left, cluster[-1] - loads[count])

    def _spare(self, number: int, clusters: tuple[ClusterLeft, ...]) -> int:
        """Return what the job with this number may ask of all links, so that those after it can have their least.

        -1 where those that are to come cannot all run.
        """
        free = [[min(one[level : self.levels]) for one in clusters] for level in range(self.levels)]
        for level, nodes in enumerate(free):
            if sum(nodes) < sum(self.together.tasks[job] for job, own in self.items[number:] if own <= level):
                return -1
        links = [one[-1] for one in clusters]
        spare = sum(links)
        for place in range(len(self.items) - 1, number - 1, -1):
            job, level = self.items[place]
            loads = self.together.loads[job]
            self._spend(1 + len(clusters) * (2 + len(loads) // 64))
            if not can_be_split(loads, free[level], links):
                return -1
            if place > number:
                spare -= _least_asked(loads, free[level], links)
        return max(spare, -1)


def _least_asked(loads: Sequence[int], free: Sequence[int], links: Sequence[int]) -> int:
    """Return what a job that can be split asks of all links at least."""
    rest, asked = len(loads) - 1, 0
    most = sorted(counts_of_link(loads, nodes, link)[-1][1] for nodes, link in zip(free, links, strict=True))
    while rest:
        count = min(most.pop(), rest)
        asked += loads[count]
        rest -= count
    return asked
