"""Which sets of jobs a cluster can run by a makespan, as far as searches of so many steps tell.

A set is an integer with a bit for each job.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from oas.checker.effort import Effort
from oas.checker.mosp_cluster_sets import SETS_KEPT, ClusterSets
from oas.checker.mosp_packing import SET_NO, can_run


class PossibleSets:
    """What is known of the sets of a cluster.

    Parameters
    ----------
    sets
        The jobs that it can run at all, and its knapsacks.
    bits
        Of each job.
    steps
        Of each packing; a set not decided by then counts as one that can run.
    effort
        Steps in all.
    kept
        How many sets are remembered.

    Attributes
    ----------
    refuted
        Sets that cannot run, as `refute` has found.
    """

    def __init__(
        self, sets: ClusterSets, bits: Mapping[int, int], steps: int, effort: Effort, kept: int = SETS_KEPT
    ) -> None:
        self.sets, self.bits, self.steps, self.effort, self.kept = sets, bits, steps, effort, kept
        self.refuted: list[int] = []
        self._known: dict[int, int] = {}
        by_place = sorted(zip(sets.places, sets.jobs, strict=True))
        self._packed = [(bits[job], sets.packed[place]) for place, job in by_place]

    def refute(self, jobs: Sequence[int], steps: int) -> bool:
        """Remember that these jobs cannot run together, if so many steps show it; return whether they do."""
        found = sum(self.bits[job] for job in jobs)
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
            if len(self._known) < self.kept:
                self._known[found] = answer
        return answer

    def searched(self, found: int, steps: int) -> int:
        """Return what a search of so many steps tells of a set."""
        sets = self.sets
        jobs = [job for bit, job in self._packed if found & bit]
        answer, spent = can_run(jobs, sets.size, sets.makespan, sets.highest, steps)
        self.effort.spend(spent + len(jobs))
        return answer
