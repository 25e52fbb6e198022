"""Sharing out jobs among clusters such that each can run its own by a makespan: a complete search.

Cluster by cluster, the smallest first, each takes a set of the jobs that are left. Clusters of one size can be
exchanged: let them stand in the order of their first jobs, those without jobs last. Of all ways to share out the jobs
take one whose clusters, in their order, have most jobs, as words are ordered in a dictionary; where these are as many,
the one whose set comes first. Then

- no set has room for one more job, after its first one, that a later cluster has: it could be given away;
- among the last clusters, those of the largest size, each has the first job that is left, and of equal jobs left the
  one that comes first: they could be exchanged;
- no cluster leaves more of a measure unused than all clusters hold beyond what the jobs weigh, less what the clusters
  before it leave unused.

So the search need not look at any other way. Jobs that cannot be shared out among the clusters left are remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import add, getitem, gt, sub
from typing import Any, NamedTuple

from oas.checker.effort import Effort
from oas.checker.mosp_cluster_sets import rest_table
from oas.checker.mosp_instance import MospTicks
from oas.checker.mosp_packing import SET_NO, SET_YES
from oas.checker.mosp_possible_sets import PossibleSets
from oas.checker.mosp_set_search import COARSE

SHARING_FAILED = 2**17  # sets of jobs left that are remembered
SHARING_STEPS = 1_000_000  # of a packing, where all jobs are shared out


class SharingMeasure(NamedTuple):
    """What each job weighs, and for each size of clusters what no set outweighs that one can run."""

    weights: list[int]
    capacities: list[int]


class SharingTurn(NamedTuple):
    """A cluster whose set is to be chosen.

    Attributes
    ----------
    cluster
        Its place in the order of the search.
    waiting
        The jobs left, as bits.
    jobs
        Those of them that it may take, by their places.
    limits
        [place in jobs]: by each measure, what the cluster may have left before it takes this job or one after it; and
        one more entry, for what it may leave unused.
    before
        Size, as a place among the sizes, and set of each cluster before.
    """

    cluster: int
    waiting: int
    jobs: list[int]
    limits: list[tuple[int, ...]]
    before: tuple[tuple[int, int], ...]


# A set that grows: the place in `jobs` of the next job, by each measure what is left, the set, and its area.
SharingStep = tuple[SharingTurn, int, tuple[int, ...], int, int]


class Sharing:
    """The search.

    Parameters
    ----------
    ticks
        The instance.
    deadlines
        Of each job.
    kinds
        For each size of clusters, ascending, what its clusters can run; the last ones all jobs.
    measures
        One at least, of the jobs in the order in which the last of `kinds` has them.
    knapsacks
        So many measures, the first ones, tell what the last measure can still gain.
    effort
        Steps in all.
    """

    def __init__(
        self,
        ticks: MospTicks,
        deadlines: Sequence[int],
        kinds: Sequence[PossibleSets],
        measures: Sequence[SharingMeasure],
        knapsacks: int,
        effort: Effort,
    ) -> None:
        self.kinds, self.effort, self.last = kinds, effort, len(kinds) - 1
        jobs, sizes = kinds[-1].sets.jobs, [one.sets.size for one in kinds]
        self.widths = [ticks.widths[job] for job in jobs]
        self.areas = [ticks.times[job] * ticks.widths[job] for job in jobs]
        before: dict[tuple[int, int, int], int] = {}
        self.twins = []  # the bit of the last job before that equals it
        for place, job in enumerate(jobs):
            shape = ticks.times[job], ticks.widths[job], deadlines[job]
            self.twins.append(before.get(shape, 0))
            before[shape] = 1 << place
        # No more clusters than jobs: the largest, which run whatever others do.
        self.clusters = sorted(sizes.index(size) for size in ticks.processors)[-len(jobs) :]
        self.weights = [tuple(one.weights[place] for one in measures) for place in range(len(jobs))]
        self.capacities = [tuple(one.capacities[kind] for one in measures) for kind in range(len(kinds))]
        self.rest = self._rest(measures, knapsacks)
        self._failed: dict[int, int] = {}

    def _rest(self, measures: Sequence[SharingMeasure], knapsacks: int) -> list[tuple[Any, ...]]:
        """[job][knapsack][room]: the most that this job and those after it weigh by the last measure."""
        tables = []
        for one in measures[:knapsacks]:
            sizes, capacity = [weight >> COARSE for weight in one.weights], max(one.capacities) >> COARSE
            self.effort.spend(len(sizes) * (capacity + 1))
            tables.append(rest_table(measures[-1].weights, sizes, capacity))
        return list(zip(*tables, strict=True))

    def may_succeed(self) -> bool:
        """Return whether there may be a way to share out all jobs, as far as the packings tell.

        Raises
        ------
        Refused
            If the effort is used up.
        """
        budget = tuple(map(sum, zip(*(self.capacities[kind] for kind in self.clusters), strict=True)))
        for one in self.weights:
            budget = tuple(map(sub, budget, one))
        if min(budget) < 0:
            return False
        stack: list[Any] = []
        self._open(stack, 0, (1 << len(self.weights)) - 1, budget, ())
        while stack:
            step = stack.pop()
            if len(step) == 2:  # a cluster and the jobs left: all its sets were tried
                self._remember(*step)
            elif self._grow(stack, *step):
                return True
        return False

    def _open(
        self,
        stack: list[Any],
        cluster: int,
        waiting: int,
        budget: tuple[int, ...],
        before: tuple[tuple[int, int], ...],
    ) -> None:
        """Let the next cluster choose from the jobs left."""
        kind, begin = self.clusters[cluster], 0
        if cluster and self.clusters[cluster - 1] == kind != self.last:
            set_before = before[-1][1]
            begin = (set_before & -set_before).bit_length() or len(self.widths)
        size = self.kinds[kind].sets.size
        jobs = [job for job in range(begin, len(self.widths)) if waiting >> job & 1 and self.widths[job] <= size]
        limits = [budget]
        for job in reversed(jobs):
            limits.append(tuple(map(add, limits[-1], self.weights[job])))
        turn = SharingTurn(cluster, waiting, jobs, limits[::-1], before)
        stack += [(cluster, waiting), (turn, 0, self.capacities[kind], 0, 0)]
        self.effort.spend(len(jobs))

    def _grow(
        self, stack: list[Any], turn: SharingTurn, begin: int, left: tuple[int, ...], found: int, area: int
    ) -> bool:
        """Take the next job that can be taken, or without one close the set; return whether all jobs may be shared out.

        What is to be looked at next is put onto the stack.
        """
        kind = self.clusters[turn.cluster]
        answer, sets, is_last = self.kinds[kind].answer, self.kinds[kind].sets, kind == self.last
        look: Callable[[Any, int], int] = getitem
        need, coarse = left[-1] - turn.limits[-1][-1], [one >> COARSE for one in left]
        for at in range(begin, len(turn.jobs)):
            job, limit = turn.jobs[at], turn.limits[at]
            self.effort.spend(1)
            if any(map(gt, left, limit)) or min(map(look, self.rest[job], coarse), default=need) < need:
                return False
            if is_last and at and not found:
                return False  # the first job left is this cluster's
            after = tuple(map(sub, left, self.weights[job]))
            if min(after) < 0 or (is_last and turn.waiting & ~found & self.twins[job]):
                continue
            grown, covered = found | 1 << job, area + self.areas[job]
            if 2 * covered >= sets.size * sets.makespan and answer(grown) == SET_NO:
                continue
            stack.append((turn, at + 1, left, found, area))
            stack.append((turn, at + 1, after, grown, covered))
            return False
        return self._close(stack, turn, left, found)

    def _close(self, stack: list[Any], turn: SharingTurn, left: tuple[int, ...], found: int) -> bool:
        """Let the clusters after this one share out the rest; return whether there is none, and all may run."""
        kind, budget = self.clusters[turn.cluster], turn.limits[-1]
        if any(map(gt, left, budget)) or (found and self.kinds[kind].answer(found) == SET_NO):
            return False
        cluster, waiting, before = turn.cluster + 1, turn.waiting & ~found, (*turn.before, (kind, found))
        if cluster < len(self.clusters) and self._has_room(turn, left, found):
            return False
        if not waiting:
            return all(self._may_run(*one) for one in before)
        if cluster < len(self.clusters) and self._failed.get(waiting, cluster + 1) > cluster:
            self._open(stack, cluster, waiting, tuple(map(sub, budget, left)), before)
        return False

    def _has_room(self, turn: SharingTurn, left: tuple[int, ...], found: int) -> bool:
        """Whether the set can certainly run with one more of the jobs left, after its first."""
        answer, begin = self.kinds[self.clusters[turn.cluster]].answer, (found & -found).bit_length()
        for job in turn.jobs:
            if job >= begin and not found >> job & 1 and min(map(sub, left, self.weights[job])) >= 0:
                self.effort.spend(1)
                if answer(found | 1 << job) == SET_YES:
                    return True
        return False

    def _may_run(self, kind: int, found: int) -> bool:
        """Whether a longer search does not show that the set cannot run."""
        own = self.kinds[kind]
        return not found or own.searched(found, max(SHARING_STEPS, own.steps)) != SET_NO

    def _remember(self, cluster: int, waiting: int) -> None:
        """Remember that these jobs cannot be shared out, if that does not depend on the sets of clusters before."""
        kind = self.clusters[cluster]
        is_free = not cluster or kind == self.last or kind != self.clusters[cluster - 1]
        if is_free and (waiting in self._failed or len(self._failed) < SHARING_FAILED):
            self._failed[waiting] = min(cluster, self._failed.get(waiting, cluster))
