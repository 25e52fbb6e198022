"""The heaviest set of jobs that a cluster can run by a makespan, with pairs of jobs together or apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oas.bounds import numbers, zeros
from oas.bounds.mosp.cluster_sets import heaviest_kernels
from oas.bounds.mosp.cluster_sets.heaviest_kernels import Items, Jobs, Memory
from oas.bounds.mosp.cluster_sets.kernels import WINDOW_JOBS, WORD, PackMemory
from oas.bounds.mosp.cluster_sets.windows import WindowMemory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.bounds.mosp.cluster_sets.pricing import Pricing

# The number of sets that a pricing returns at most: the last ones found.
MAX_FOUND = 32
MAX_WEIGHT = 2**50  # of a job; all of them add up in 64 bits
# Maximum depth of the search by windows: all pairs of `WINDOW_JOBS`, and halved windows.
MAX_DEPTH = 256

Pair = tuple[int, int]


class Heaviest(NamedTuple):
    """The greatest weight above the threshold, the sets found with the heaviest last, the steps, and completeness."""

    weight: int
    sets: list[tuple[int, ...]]
    effort: int
    complete: bool


class SetPacking:
    """Sets that the cluster of `pricing` can run, with pairs of jobs that must be together or apart.

    `together`, `apart`: pairs of jobs, each of which the cluster can run alone. `cuts`: triples of jobs; each has a
    price for sets with two or more of its jobs.
    """

    def __init__(
        self,
        pricing: Pricing,
        together: Sequence[Pair] = (),
        apart: Sequence[Pair] = (),
        cuts: Sequence[Sequence[int]] = (),
    ) -> None:
        self.pricing, self.cuts = pricing, cuts
        self.groups = _groups(pricing.jobs, together, apart)
        self._items = self._make(apart) if self.groups else None

    def _make(self, apart: Sequence[Pair]) -> Items:
        sizes, _ = self.pricing.knapsacks
        place = {job: place for place, job in enumerate(self.pricing.jobs)}
        of = {job: item for item, group in enumerate(self.groups) for job in group}
        members = [[place[job] for job in group] for group in self.groups]
        barred = zeros(len(self.groups), len(self.groups))
        for one, other in apart:
            if one in of and other in of:
                barred[of[one], of[other]] = barred[of[other], of[one]] = 1
        own: list[list[tuple[int, int]]] = [[] for _ in self.groups]
        for index, cut in enumerate(self.cuts):
            for item, count in Counter(of[job] for job in cut if job in of).items():
                own[item].append((index, count))
        columns = [sizes[:, group].sum(axis=1) for group in members]
        return Items(
            weights=zeros(len(members)),
            first=_starts(members),
            members=numbers([job for group in members for job in group]),
            words=words_of(members),
            sizes=np.ascontiguousarray(np.array(columns, dtype=np.int64).reshape(len(members), len(sizes)).T),
            apart=barred,
            first_cut=_starts(own),
            cuts=numbers([index for cuts in own for index, _ in cuts]),
            counts=numbers([count for cuts in own for _, count in cuts]),
            prices=zeros(len(self.cuts)),
        )

    def heaviest(self, weights: Sequence[int], floor: int, effort: int) -> Heaviest:
        """Return the heaviest set of weight above `floor`, after at most `effort` steps.

        `weights`: of all jobs, and then the prices of the cuts, from 0 to MAX_WEIGHT.

        Raises
        ------
        ValueError
            If a weight is above MAX_WEIGHT.
        """
        if max(weights) > MAX_WEIGHT:
            raise ValueError(f"a weight of {max(weights)}; at most {MAX_WEIGHT} can be added up")
        if self._items is None:
            return Heaviest(floor, [], 0, complete=True)
        known, own, count = self.pricing.known, self.pricing.jobs, len(weights) - len(self.cuts)
        items = self._items._replace(
            weights=numbers([sum(weights[job] for job in group) for group in self.groups]),
            prices=numbers(list(weights[count:])),
        )
        found = np.full((MAX_FOUND, len(own) + 1), -1, dtype=np.int64)
        memory = _memory(len(self.groups), len(own), len(self.cuts), known)
        weight, sets, left = heaviest_kernels.heaviest_items(
            known, items, floor, effort, found, memory, pack_memory(len(own), len(known.heights))
        )
        rows = [tuple(sorted(own[place] for place in row if place >= 0)) for row in found.tolist()]
        return Heaviest(int(weight), rows[: min(sets, MAX_FOUND)], effort - max(0, int(left)), complete=left >= 0)


def _groups(jobs: Sequence[int], together: Sequence[Pair], apart: Sequence[Pair]) -> list[list[int]]:
    """Return the groups of jobs that must be together, in the order of `jobs`; contradictory groups are left out."""
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
    """Return sets of positions of jobs as bits, two words for each set."""
    words = zeros(len(sets), 2)
    for row, members in zip(words, sets, strict=True):
        for place in members:
            row[place // WORD] += 1 << (place % WORD)
    return words


def pack_memory(jobs: int, functions: int) -> PackMemory:
    """Return the arrays that `packs` writes for up to `jobs` jobs and `functions` rows of heights."""
    depth = 2 * jobs + 2
    return PackMemory(
        starts=zeros(jobs),
        started=zeros(depth),
        moments=zeros(depth),
        before=zeros(depth),
        slack=zeros(depth, functions),
        windows=WindowMemory(*(zeros(MAX_DEPTH, min(jobs, WINDOW_JOBS)) for _ in range(3))),
    )


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
