"""Which sets of jobs one cluster can run by a makespan, as far as knapsacks and searches of so many steps tell.

A set has to fit into the knapsacks (`mosp_knapsacks`); within them it is packed by a search (`mosp_packing`).
Reservations are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from operator import getitem, mul
from typing import Any

from oas.checker.effort import Effort
from oas.checker.mosp_branches import PairBranch, SetKnapsacks
from oas.checker.mosp_knapsacks import JobsByArea, rest_table, tightest_products
from oas.checker.mosp_packing import SET_NO, PackedJob, can_run

MAX_PACKING_STEPS = 5_000  # of one set
SET_HEIGHTS = 12
SET_THRESHOLDS = 24
SETS_KEPT = 2**18  # whose answers are remembered, of each size of clusters
COARSE = 3  # tables of knapsacks are in units of 2^3: sizes and room rounded down, so that no set is lost


class PossibleSets:
    """The sets of jobs that a cluster can run.

    Parameters
    ----------
    jobs
        All jobs of the instance.
    size
        Number of processors.
    steps
        Of each packing; a set not decided by then counts as one that can run.
    sums, effort
        Steps for knapsacks, and for packing and searches.

    Attributes
    ----------
    places
        The jobs that the cluster can run at all.
    sizes, capacities
        Knapsacks: by each of them the sizes of these jobs, and what no set that can run exceeds.
    refuted
        Sets that cannot run, as `refute` has found.
    """

    def __init__(self, jobs: JobsByArea, size: int, steps: int, sums: Effort, effort: Effort) -> None:
        self.size, self.makespan, self.steps = size, jobs.makespan, steps
        self.sums, self.effort = sums, effort
        rows = zip(jobs.times, jobs.widths, jobs.deadlines, strict=True)
        self.places = [place for place, (time, width, end) in enumerate(rows) if width <= size and time <= end]
        own = jobs.some(self.places)
        knapsacks, heights = tightest_products(own, {size: 1}, SET_THRESHOLDS, sums)
        self.sizes = list(zip(*(row for row, _ in knapsacks), strict=True))
        self.capacities = tuple(most for _, (most,) in knapsacks)
        heights.sort(key=lambda one: Fraction(-sum(map(mul, one[0], own.times)), *one[1]))
        self._highest = [most for _, (most,) in heights[:SET_HEIGHTS]]
        loads = zip(*(row for row, _ in heights[:SET_HEIGHTS]), strict=True)
        packed = [
            (1 << place, PackedJob(time, width, end - time, load))
            for place, time, width, end, load in zip(self.places, *own[1:4], loads, strict=True)
        ]
        self._packed = sorted(packed, key=lambda one: (one[1].latest, one[0]))
        self.refuted: list[int] = []
        self._known: dict[int, int] = {}

    def refute(self, found: int, steps: int) -> bool:
        """Remember that these jobs cannot run together, if so many steps show it; return whether they do."""
        if self.searched(found, steps) != SET_NO:
            return False
        self.refuted.append(found)
        return True

    def may_run(self, found: int, refuted: Sequence[int]) -> bool:
        """Whether the set is not known to be impossible: it, or itself without one job, or one of those refuted.

        Parameters
        ----------
        refuted
            Those of the refuted sets that it may hold.
        """
        for one in refuted:
            if one & found == one:
                return False
        known, rest = self._known, found
        while rest:
            bit = rest & -rest
            if known.get(found ^ bit) == SET_NO:
                return False
            rest ^= bit
        return self.answer(found) != SET_NO

    def answer(self, found: int) -> int:
        """Return what is known of a set; what is found out is remembered, up to a limit."""
        answer = self._known.get(found)
        if answer is None:
            answer = self.searched(found, self.steps)
            if len(self._known) < SETS_KEPT:
                self._known[found] = answer
        return answer

    def rule_out(self, found: int) -> None:
        """Remember that a set cannot run."""
        self._known[found] = SET_NO

    def searched(self, found: int, steps: int) -> int:
        """Return what a search of so many steps tells of a set."""
        jobs = [job for bit, job in self._packed if found & bit]
        answer, spent = can_run(jobs, self.size, self.makespan, self._highest, steps)
        self.effort.spend(spent + len(jobs))
        return answer

    def heaviest(self, branch: PairBranch, weights: Sequence[int], floor: int, *, first: bool = False) -> int:
        """Return the weight of the heaviest set that may run; `floor` if none is heavier.

        Parameters
        ----------
        branch
            Pairs of `places`, supposed together or apart.
        weights
            Of these jobs, and then the prices of the branch's cuts; all at least 0.
        first
            Whether the search ends with any set above `floor`.

        Raises
        ------
        Refused
            If the effort is used up.
        """
        bits = [sum(1 << self.places[item] for item in group) for group in branch.groups]
        refuted = [[one for one in self.refuted if one & own] for own in bits]

        def may_be(found: int, group: int) -> bool:
            return self.may_run(found, refuted[group])

        sizes = [tuple(map(sum, zip(*(self.sizes[item] for item in own), strict=True))) for own in branch.groups]
        self.sums.spend(len(sizes) * sum(self.capacities) >> COARSE)
        own_weights = branch.group_weights(weights)
        tables = [
            rest_table(own_weights, [one[row] >> COARSE for one in sizes], capacity >> COARSE)
            for row, capacity in enumerate(self.capacities)
        ]
        rows = list(zip(*tables, strict=True))
        look: Callable[[Any, int], int] = getitem

        def room(left: tuple[int, ...]) -> list[int]:
            return [one >> COARSE for one in left]

        def most(group: int, room: list[int]) -> int:
            return min(map(look, rows[group], room))

        knapsacks = SetKnapsacks(range(len(sizes)), sizes, self.capacities, room, most)
        return branch.heaviest(weights, floor, knapsacks, bits, may_be, self.effort.spend, first=first)
