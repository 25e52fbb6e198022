"""Which sets of jobs one cluster can run by a makespan, as far as knapsacks and searches of so many steps tell.

A set has to fit into the knapsacks (`mosp_knapsacks`); within them it is packed by a search (`mosp_packing`).
Reservations are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import mul

from oas.checker.effort import Effort
from oas.checker.mosp_branches import PairBranch, SetKnapsack
from oas.checker.mosp_knapsacks import JobsByArea, tightest_product
from oas.checker.mosp_packing import SET_NO, PackedJob, can_run
from oas.checker.mosp_weights import KnapsackItem, suffix_sums

MAX_PACKING_STEPS = 5_000  # of one set
SET_HEIGHTS = 12
SETS_KEPT = 2**18  # whose answers are remembered, of each size of clusters


class PossibleSets:
    """The sets of jobs that a cluster can run; a set is an integer with a bit for each job.

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
    sizes
        Of each job that the cluster can run at all, in a knapsack.
    capacity
        Of the knapsack: no set that can run exceeds it.
    """

    def __init__(self, jobs: JobsByArea, size: int, steps: int, sums: Effort, effort: Effort) -> None:
        self.size, self.makespan, self.steps = size, jobs.makespan, steps
        self.sums, self.effort = sums, effort
        rows = zip(jobs.times, jobs.widths, jobs.deadlines, strict=True)
        places = [place for place, (time, width, end) in enumerate(rows) if width <= size and time <= end]
        own = jobs.some(places)
        (row, (self.capacity,)), heights = tightest_product(own, {size: 1}, sums)
        self.sizes = dict(zip(places, row, strict=True))
        heights.sort(key=lambda one: Fraction(-sum(map(mul, one[0], own.times)), *one[1]))
        self._highest = [most for _, (most,) in heights[:SET_HEIGHTS]]
        loads = zip(*(row for row, _ in heights[:SET_HEIGHTS]), strict=True)
        packed = [
            (1 << place, PackedJob(time, width, end - time, load))
            for place, time, width, end, load in zip(places, *own[1:4], loads, strict=True)
        ]
        self._packed = sorted(packed, key=lambda one: (one[1].latest, one[0]))
        self._refuted: list[int] = []
        self._known: dict[int, int] = {}

    def refute(self, found: int, steps: int) -> bool:
        """Remember that these jobs cannot run together, if so many steps show it; return whether they do."""
        if self._searched(found, steps) != SET_NO:
            return False
        self._refuted.append(found)
        self._known[found] = SET_NO
        return True

    def may_run(self, found: int) -> bool:
        """Return whether the set is not known to be impossible: it, or itself without one job, or a refuted one."""
        if any(one & found == one for one in self._refuted):
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
            answer = self._searched(found, self.steps)
            if len(self._known) < SETS_KEPT:
                self._known[found] = answer
        return answer

    def _searched(self, found: int, steps: int) -> int:
        jobs = [job for bit, job in self._packed if found & bit]
        answer, spent = can_run(jobs, self.size, self.makespan, self._highest, steps)
        self.effort.spend(spent + len(jobs))
        return answer

    def heaviest(self, weights: Sequence[int], floor: int, branch: PairBranch | None = None) -> int:
        """Return the weight of the heaviest set that may run; `floor` if none is heavier.

        Parameters
        ----------
        weights
            Of all jobs, and then the prices of the branch's cuts; all at least 0.
        branch
            Pairs of jobs, supposed together or apart; None for none.
        """
        branch = branch or PairBranch(len(weights), ((), ()), ())
        values = branch.group_weights(weights)
        order = [place for place, group in enumerate(branch.groups) if all(job in self.sizes for job in group)]
        sizes = [sum(self.sizes[job] for job in branch.groups[place]) for place in order]
        items = [KnapsackItem(size, values[place], self.capacity) for size, place in zip(sizes, order, strict=True)]
        knapsack = SetKnapsack(order, sizes, self.capacity, suffix_sums((), items, self.sums))
        return branch.heaviest(weights, floor, knapsack, self.effort.spend, self.may_run)
