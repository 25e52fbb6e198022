"""What a cluster can run by a makespan, with pairs of jobs together or apart, and the heaviest set of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oas.bounds.mosp.arrays import numbers, zeros
from oas.bounds.mosp.cluster_sets.kernels import NO, WORD
from oas.bounds.mosp.cluster_sets.pricing import MAX_FOUND, MAX_WEIGHT, MEMO, Pricing, pack_memory
from oas.bounds.mosp.set_tree import kernels
from oas.bounds.mosp.set_tree.kernels import Items, Jobs, Memory
from oas.core.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.bounds.mosp.two_dimensional.scales import Scales

# Steps for a set that is to be refuted for good.
LONG = 200_000

Pair = tuple[int, int]


class Packed(NamedTuple):
    """The answer for a set, NO, YES or GIVEN_UP, the steps it took, and with YES the start of each job."""

    answer: int
    steps: int
    starts: dict[int, int]


class Heaviest(NamedTuple):
    """The greatest weight above the floor, the sets found, heaviest last, and the effort; see `complete`."""

    weight: int
    sets: list[tuple[int, ...]]
    effort: int
    complete: bool


class Cluster:
    """One of the equal clusters of `scales`.

    Parameters
    ----------
    scales
        The instance, makespan and direction of time.
    steps
        Of each packing; a set not decided by then counts as one that can run, unless it is refuted for good.

    Attributes
    ----------
    possible
        Whether every job can run at all.
    refuted
        Sets of jobs that cannot run, as far as `refute` was told.

    Raises
    ------
    TooLargeError
        If clusters differ in size, or jobs, or processors times ticks, are too many.
    """

    def __init__(self, scales: Scales, steps: int) -> None:
        if len(scales.sizes) > 1:
            raise TooLargeError("clusters of different sizes; the tree is for equal ones only")
        self.scales = scales
        self.pricing = pricing = Pricing(scales, scales.sizes[0], steps)
        self.job_count = scales.scaled.job_count
        self.possible = len(pricing.jobs) == self.job_count
        if not self.possible:
            return
        self.refuted: list[tuple[int, ...]] = []
        self.place = {job: place for place, job in enumerate(pricing.jobs)}
        self.sizes, capacities = pricing.knapsacks
        self.jobs = Jobs(
            sizes=numbers([pricing.size, pricing.makespan, steps]),
            times=numbers(pricing.times),
            widths=numbers(pricing.widths),
            deadlines=numbers(pricing.deadlines),
            rank=pricing.rank,
            heights=pricing.heights,
            capacities=capacities,
            refuted=zeros(0, 2),
            memo=zeros(MEMO, 3),
        )

    def pack(self, jobs: Sequence[int], steps: int) -> Packed:
        """Return whether the cluster can run these jobs, as far as so many steps tell."""
        count = len(jobs)
        members, ordered = numbers([self.place[job] for job in jobs]), zeros(count)
        memory = pack_memory(count, len(self.jobs.heights))
        answer, spent = kernels.pack(self.jobs, members, count, steps, ordered, memory)
        placed = zip(ordered.tolist(), memory.starts.tolist(), strict=True)
        return Packed(int(answer), int(spent) + 1, {self.pricing.jobs[one]: start for one, start in placed})

    def refute(self, jobs: Sequence[int]) -> bool:
        """Remember that a set cannot run, if LONG steps show it; return whether they do."""
        answer = self.pack(jobs, LONG).answer
        if answer == NO:
            self.refuted.append(tuple(jobs))
            words = words_of([[self.place[job] for job in one] for one in self.refuted])
            self.jobs = self.jobs._replace(refuted=words)
        return answer == NO


class SetPacking:
    """Sets that the cluster can run, with pairs of jobs supposed to be together or apart.

    Parameters
    ----------
    cluster
        It remembers what is found out about sets.
    together, apart
        Pairs of jobs.
    cuts
        Triples of jobs, each with a price for sets that have two of them or more.
    """

    effort = 0  # of making it, as `PairTree` counts it

    def __init__(
        self, cluster: Cluster, together: Sequence[Pair], apart: Sequence[Pair], cuts: Sequence[Sequence[int]]
    ) -> None:
        self.cluster, self.cuts = cluster, cuts
        self.groups = _groups(cluster.pricing.jobs, together, apart)
        self._items = self._make(apart)

    def _make(self, apart: Sequence[Pair]) -> Items:
        cluster = self.cluster
        of = {job: item for item, group in enumerate(self.groups) for job in group}
        members = [[cluster.place[job] for job in group] for group in self.groups]
        barred = zeros(len(self.groups), len(self.groups))
        for one, other in apart:
            if one in of and other in of:
                barred[of[one], of[other]] = barred[of[other], of[one]] = 1
        own: list[list[tuple[int, int]]] = [[] for _ in self.groups]
        for index, cut in enumerate(self.cuts):
            for item, count in Counter(of[job] for job in cut if job in of).items():
                own[item].append((index, count))
        columns = [cluster.sizes[:, group].sum(axis=1) for group in members]
        return Items(
            weights=zeros(len(members)),
            first=_starts(members),
            members=numbers([job for group in members for job in group]),
            words=words_of(members),
            sizes=np.ascontiguousarray(np.array(columns, dtype=np.int64).reshape(len(members), len(cluster.sizes)).T),
            apart=barred,
            first_cut=_starts(own),
            cuts=numbers([index for cuts in own for index, _ in cuts]),
            counts=numbers([count for cuts in own for _, count in cuts]),
            prices=zeros(len(self.cuts)),
        )

    def heaviest(self, weights: Sequence[int], floor: int, effort: int) -> Heaviest:
        """Return the heaviest set of weight above `floor`, after at most `effort` steps.

        Parameters
        ----------
        weights
            Of all jobs, and then the prices of the cuts, from 0 to MAX_WEIGHT.

        Raises
        ------
        ValueError
            If a weight is more.
        """
        if max(weights) > MAX_WEIGHT:
            raise ValueError(f"a weight of {max(weights)}; at most {MAX_WEIGHT} can be added up")
        jobs, count = self.cluster.jobs, self.cluster.job_count
        if not self.groups:
            return Heaviest(floor, [], 0, complete=True)
        items = self._items._replace(
            weights=numbers([sum(weights[job] for job in group) for group in self.groups]),
            prices=numbers(list(weights[count:])),
        )
        found = np.full((MAX_FOUND, count + 1), -1, dtype=np.int64)
        memory, packing = _memory(len(self.groups), count, len(self.cuts), jobs), pack_memory(count, len(jobs.heights))
        weight, sets, left = kernels.heaviest_items(jobs, items, floor, effort, found, memory, packing)
        own = self.cluster.pricing.jobs
        rows = [tuple(sorted(own[place] for place in row if place >= 0)) for row in found.tolist()]
        return Heaviest(int(weight), rows[: min(sets, MAX_FOUND)], effort - max(0, int(left)), complete=left >= 0)


def _groups(jobs: Sequence[int], together: Sequence[Pair], apart: Sequence[Pair]) -> list[list[int]]:
    """Groups of jobs that are together, in the order of `jobs`; without those of which two are apart."""
    of = {job: job for job in jobs}
    for one, other in together:
        kept, gone = of[one], of[other]
        of = {job: kept if group == gone else group for job, group in of.items()}
    found: dict[int, list[int]] = defaultdict(list)
    for job in jobs:
        found[of[job]].append(job)
    for one, other in apart:
        if of[one] == of[other]:
            found.pop(of[one], None)
    return list(found.values())


def words_of(sets: Sequence[Sequence[int]]) -> Any:
    """Return the sets, of positions of jobs, in bits, two words each."""
    words = zeros(len(sets), 2)
    for row, members in zip(words, sets, strict=True):
        for place in members:
            row[place // WORD] += 1 << (place % WORD)
    return words


def _memory(items: int, jobs: int, cuts: int, known: Jobs) -> Memory:
    knapsacks = len(known.capacities)
    return Memory(
        rest=zeros(knapsacks, items + 1, int(known.capacities.max()) + 1),
        left=zeros(items + 1, knapsacks),
        weight=zeros(items + 1),
        count=zeros(items + 1),
        taken=zeros(items + 1),
        members=zeros(jobs),
        ordered=zeros(jobs),
        words=zeros(items + 1, 2),
        held=zeros(cuts),
    )


def _starts(rows: Sequence[Sequence[object]]) -> Any:
    return np.cumsum([0, *(len(row) for row in rows)], dtype=np.int64)
