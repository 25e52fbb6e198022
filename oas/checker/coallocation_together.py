"""Whether jobs of a co-allocation instance, each at a level, can run at the same moment on an empty grid.

Only numbers of tasks by job and cluster matter: in a cluster the jobs of level l or a faster one must not have more
tasks than it has nodes of that level or a faster one, for each l (the levels are nested, so this is Hall's condition),
and what they ask of its link must fit.

The search goes through the jobs one by one and through the splits of each. What clusters have left is kept sorted:
which of them is which does not matter, and what has failed once from there on fails again. It is left early where a job
that is to come cannot be split alone, where nodes of a level run short, or where the links have less left, all
together, than the jobs to come must ask for at least. The load is concave in the number of tasks, so that the least is
where as many as possible are in as few clusters as possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import log

from oas.checker.coallocation_instance import CoallocationTicks
from oas.checker.coallocation_levels import can_be_split, counts_of_link, nodes_up_to_level, shifts_or
from oas.checker.coallocation_pairs import can_pair_run, pair_steps
from oas.checker.effort import Effort

LeveledJob = tuple[int, int]
"""A job and a level at which it runs."""
ClusterLeft = tuple[int, ...]
"""Of a cluster: what is left of its nodes of each level or a faster one, and then of its link."""

MOST_KEPT_ANSWERS = 500_000  # of sets of jobs, to bound the memory
MOST_TOGETHER = 200
"""More jobs are not searched for a split at all."""
MOST_PAIR_STEPS = 5_000_000
"""Of the table of a pair; beyond it a pair is searched like any other set."""
MOST_SPLIT_STEPS = 2_000_000
"""Of a search, after which the answer is that they may fit."""


class SplitGivenUp(Exception):
    """The search for a split has taken too many steps."""


class Together:
    """Decides which jobs can run together, and keeps the answers.

    Parameters
    ----------
    scaled
        The instance.
    effort
        Of the whole certificate.
    """

    def __init__(self, scaled: CoallocationTicks, effort: Effort) -> None:
        self.scaled = scaled
        self.tasks, self.loads, self.links = scaled.tasks, scaled.link_loads, scaled.link_capacity
        self.nodes = nodes_up_to_level(scaled)
        self.levels = len(scaled.powers)
        self.capacity = [sum(row[level] for row in self.nodes) for level in range(self.levels)]
        self.effort = effort
        self._known: dict[frozenset[LeveledJob], bool] = {}
        self._pairs: dict[tuple[LeveledJob, LeveledJob], bool] = {}

    def fits(self, items: Iterable[LeveledJob]) -> bool:
        """Tell whether these, no two of one job, can run at the same moment; True too where that remains open."""
        key = frozenset(items)
        known = self._known.get(key)
        if known is None:
            self.effort.spend(20 + len(key) * (4 + len(self.links)))
            known = self._decide(sorted(key))
            if len(self._known) < MOST_KEPT_ANSWERS:
                self._known[key] = known
        return known

    def _decide(self, items: list[LeveledJob]) -> bool:
        used = [0] * self.levels
        for job, level in items:
            used[level] += self.tasks[job]
        total = 0
        for held, capacity in zip(used, self.capacity, strict=True):
            total += held
            if total > capacity:
                return False
        grid = zip(self.nodes, self.links, strict=True)
        if all(sum(self._peak(job, row[-1]) for job, _ in items) <= link for row, link in grid):
            return True  # however they are split
        if len(items) == 2:
            steps = pair_steps(self.scaled, items[0][0], items[1][0])
            if steps <= MOST_PAIR_STEPS:
                self.effort.spend(steps)
                return can_pair_run(self.scaled, self.nodes, *items)
        else:
            self.effort.spend(len(items) ** 2 // 8)
            if not all(self._pair_fits(pair) for pair in combinations(items, 2)):
                return False
        if len(items) > MOST_TOGETHER:
            return True
        split = Split(self, items)
        try:
            return split.found()
        except SplitGivenUp:
            return True
        finally:
            self.effort.spend(10 * (MOST_SPLIT_STEPS - split.steps))

    def _pair_fits(self, pair: tuple[LeveledJob, LeveledJob]) -> bool:
        """Tell the same of a pair, the lesser one first."""
        known = self._pairs.get(pair)
        if known is None:
            known = self._pairs[pair] = self.fits(pair)
        return known

    def _peak(self, job: int, nodes: int) -> int:
        """Return the most that a job can ask of the link of a cluster with so many nodes."""
        return self.loads[job][min(nodes, self.tasks[job] // 2)]


class Split:
    """A search for numbers of tasks by job and cluster.

    Parameters
    ----------
    together
        Of the instance.
    items
        Jobs with their levels.

    Attributes
    ----------
    steps
        That are left.
    """

    def __init__(self, together: Together, items: Sequence[LeveledJob]) -> None:
        self.together, self.steps = together, MOST_SPLIT_STEPS
        self.levels = together.levels
        start = tuple((*row, link) for row, link in zip(together.nodes, together.links, strict=True))
        self.start = tuple(sorted(start))
        self.items = sorted(items, key=lambda item: (self._choices(item), -together.tasks[item[0]], item))
        self.failed: set[tuple[int, tuple[ClusterLeft, ...]]] = set()

    def found(self) -> bool:
        """Tell whether there is a split.

        Raises
        ------
        SplitGivenUp
            If that takes too long.
        """
        open_splits = [self._splits(0, self.start)]
        states = [self.start]
        while open_splits:
            state = next(open_splits[-1], None)
            if state is None:
                open_splits.pop()
                self.failed.add((len(open_splits), states.pop()))
                continue
            if len(open_splits) == len(self.items):
                return True
            if (len(open_splits), state) not in self.failed:
                states.append(state)
                open_splits.append(self._splits(len(open_splits), state))
        return False

    def _choices(self, item: LeveledJob) -> float:
        """Return the logarithm of the number of splits of the job alone, for each of its tasks."""
        job, level = item
        loads, tasks = self.together.loads[job], self.together.tasks[job]
        width = len(self.start) * (tasks + 1).bit_length()
        ways = 1  # digit s, of `width` bits: in how many ways the clusters so far can hold s tasks
        for cluster in self.start:
            counts = 0
            for low, high in counts_of_link(loads, cluster[level], cluster[-1]):
                counts |= sum(1 << width * count for count in range(low, high + 1))
            ways = ways * counts & (1 << width * (tasks + 1)) - 1
        ways >>= width * tasks
        return log(ways) / tasks if ways else 0.0

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
        last = len(clusters) - 1
        ends = [1] * (last + 2)  # ends[k], bit s: clusters k, k + 1, … can hold s tasks
        for at in range(last, -1, -1):
            ends[at] = 0
            for low, high in runs[at]:
                ends[at] |= shifts_or(ends[at + 1], low, high)
        # may[at], bit c: the cluster can hold c; left[at + 1], bit c + tasks - n: those after it the rest of n.
        may = [0] * (last + 1)
        for at in range(last + 1):
            for low, high in runs[at]:
                may[at] |= (2 << high) - (1 << low)
        left = [int(f"{bits & (2 << tasks) - 1:0{tasks + 1}b}"[::-1], 2) for bits in ends]
        need, asked, counts, options = [tasks] * (last + 2), [0] * (last + 2), [0] * (last + 1), [0] * (last + 1)
        options[0] = may[0] & left[1]
        at = 0
        while at >= 0:
            self._spend(1)
            count = options[at].bit_length() - 1
            if count < 0:
                at -= 1
                continue
            options[at] ^= 1 << count
            if asked[at] + loads[count] > spare:
                continue
            counts[at], need[at + 1], asked[at + 1] = count, need[at] - count, asked[at] + loads[count]
            if at < last:
                at += 1
                options[at] = may[at] & left[at + 1] >> (tasks - need[at])
                if clusters[at] == clusters[at - 1]:  # the one before that is alike has as many tasks at least
                    options[at] &= (2 << count) - 1
                continue
            yield tuple(sorted(self._taken(one, level, own, loads) for one, own in zip(clusters, counts, strict=True)))

    def _taken(self, cluster: ClusterLeft, level: int, count: int, loads: Sequence[int]) -> ClusterLeft:
        left = [nodes - count for nodes in cluster[level : self.levels]]
        return (*cluster[:level], *left, cluster[-1] - loads[count])

    def _spare(self, number: int, clusters: tuple[ClusterLeft, ...]) -> int:
        """Return what the job with this number may ask of all links, so that those after it can have their least.

        -1 where those that are to come cannot all run.
        """
        free = [[min(one[level : self.levels]) for one in clusters] for level in range(self.levels)]
        waiting = [0] * self.levels
        for job, level in self.items[number:]:
            waiting[level] += self.together.tasks[job]
        for level in range(self.levels):
            if sum(free[level]) < sum(waiting[: level + 1]):
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
                spare -= self._least(loads, free[level], links)
                if spare < 0:
                    return -1
        return spare

    def _least(self, loads: Sequence[int], free: Sequence[int], links: Sequence[int]) -> int:
        """Return what a job that can be split asks of all links at least."""
        rest = len(loads) - 1
        most = sorted((counts_of_link(loads, nodes, link)[-1][1] for nodes, link in zip(free, links, strict=True)))
        asked = 0
        while rest:
            count = min(most.pop(), rest)
            asked += loads[count]
            rest -= count
        return asked
