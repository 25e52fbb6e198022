"""The bound by a tree over pairs of jobs whose leaves are refuted by cluster sets: together on a cluster, or apart.

It decides makespans where some five jobs share a cluster and the weights of cluster sets just fall short; where it
finds sets that share out all jobs it has a schedule.

For clusters of one size. Reservations are left out, and where jobs have releases locality is too: a schedule found need
not keep them. The certificate is the tree, with weights at its leaves; `oas.checker.mosp_set_tree` says why it proves
its bound.

Schedules come from the sets of the program: some clusters run sets that it uses, a complete search fills the others.
This is diving as Sadykov et al., *Primal heuristics for branch and price*, INFORMS Journal on Computing 2019, describe
it, with its end left to the search for partitions.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from oas.bounds.mosp.cluster_sets.kernels import YES
from oas.bounds.mosp.cluster_sets.pricing import LONG, Pricing
from oas.bounds.mosp.partitions.sharing import Sharing
from oas.bounds.mosp.scales import Scales
from oas.bounds.mosp.searched import RefutingSearch, SearchedBound
from oas.bounds.mosp.set_tree.tree import MAX_EFFORT, MAX_NODES, SetTree
from oas.core.errors import TooLargeError

if TYPE_CHECKING:
    from oas.bounds.mosp.covering import Pair
    from oas.bounds.request import BoundRequest
    from oas.solvers.isolation.protocol import Session

BOUND = SearchedBound("set tree", search="oas.bounds.mosp.set_tree:find_tree")
set_tree_bound = BOUND

STEPS = 500  # of a packing: what the program uses is packed for longer
DIVES, SLICE = 20, 10  # dives, and then nodes of the tree, in turns
MOST_DIVES = 2_000  # at a makespan
HIGHEST_SHARE = 0.5  # of the time left, for the highest makespan
FEW = 22  # jobs left that a complete search is for
REST_STEPS, REST_EFFORT = 2_000, 2_000_000  # of a packing there, and of the search, some tenths of a second
_USED = 1e-6


class SetTreeSearch(RefutingSearch):
    """The search for certificates that refute makespans; it ends if it finds a schedule instead."""

    def __init__(self, request: BoundRequest, session: Session) -> None:
        super().__init__(request, session)
        self.scaled = request.scaled
        if len(set(self.scaled.processors)) > 1:
            raise TooLargeError("clusters of different sizes; the tree is for equal ones only")
        self.until = math.inf

    def run(self) -> dict[str, object]:
        """Try the highest makespan left, which settles all; then the others from the lowest on."""
        if self.lower < self.upper - 1:
            self.until = self.session.seconds + self.seconds(HIGHEST_SHARE)
            if self._decide(self.upper - 1):
                return self.found
            self.until = math.inf
        while self.is_open() and self._decide(self.lower):
            pass
        return self.found

    def _decide(self, makespan: int) -> bool:
        """Refute the makespan, or find a schedule; return whether either succeeded."""
        scales = Scales(self.scaled, makespan, mirrored=any(self.scaled.releases))
        cluster = Pricing(scales, scales.sizes[0], STEPS)
        known = {"makespan": makespan, "mirrored": scales.mirrored, "steps": STEPS}
        if len(cluster.jobs) < self.scaled.job_count:  # some cannot run at all, whatever the weights
            weights = [[0] * self.scaled.job_count]
            self.refute(makespan, {**known, "refuted": [], "cuts": [], "weights": weights, "tree": [0]})
            return True
        tree = SetTree(cluster, self.must_stop)
        self._settle(tree)
        if tree.runs is not None:
            self.attain(tree.runs)
        elif tree.refuted:
            refuted, cuts = [list(one) for one in cluster.refuted], [list(one) for one in tree.cuts]
            found = {"refuted": refuted, "cuts": cuts, "weights": tree.weights, "tree": tree.nodes}
            self.refute(makespan, {**known, **found})
        return tree.runs is not None or tree.refuted

    def _settle(self, tree: SetTree) -> None:
        """Dive and grow the tree in turns, beginning with its root."""
        draw, grows = Random(0), True
        tree.grow(1)
        for turn in range(MOST_DIVES):
            if tree.settled or self.must_stop() or dive(tree, draw):
                return
            if grows and turn % DIVES == DIVES - 1:
                before = len(tree.nodes)
                tree.grow(SLICE)
                grows = before < len(tree.nodes) < MAX_NODES - SLICE and tree.effort < MAX_EFFORT
                if tree.settled:
                    return

    def must_stop(self) -> bool:
        """Return whether the search must stop, or the share of the highest makespan is used up."""
        return super().must_stop() or self.session.seconds > self.until


def dive(tree: SetTree, draw: Random) -> bool:
    """Look for a schedule, which `tree` then has; return whether there is one.

    Sets that the program uses are taken one after the other, drawn by their parts, as long as the program says that the
    other clusters suffice for what is left.
    """
    cluster = tree.cluster
    kept: list[tuple[int, ...]] = []
    together: tuple[Pair, ...] = ()
    while not tree.must_stop():
        gone = {job for jobs in kept for job in jobs}
        left = [job for job in range(len(cluster.jobs)) if job not in gone]
        if len(left) <= FEW:
            return _finish(tree, kept, left)
        tree.suppose(together)
        if not tree.suffices(together):
            return False
        choices = [
            (jobs, amount)
            for (_, jobs), amount in zip(tree.master.columns, tree.master.values, strict=True)
            if amount > _USED and not gone & {*jobs} and cluster.pack(jobs, LONG).answer == YES
        ]
        if not choices or len(kept) + 1 >= tree.count:
            return False
        jobs = draw.choices([one for one, _ in choices], [amount for _, amount in choices])[0]
        kept.append(jobs)
        together += tuple(pairwise(jobs))
    return False


def _finish(tree: SetTree, kept: list[tuple[int, ...]], left: list[int]) -> bool:
    """Share the jobs left out among the clusters left."""
    scales = tree.cluster.scales
    scaled = scales.scaled
    rest = replace(
        scaled,
        processors=scaled.processors[len(kept) :],
        times=tuple(scaled.times[job] for job in left),
        widths=tuple(scaled.widths[job] for job in left),
        releases=tuple(scaled.releases[job] for job in left),
        owners=tuple(scaled.owners[job] for job in left),
        local_starts=(),
    )
    answer = Sharing(Scales(rest, scales.makespan, scales.mirrored), REST_STEPS, [], REST_EFFORT).search(REST_EFFORT)
    if answer.runs is None:
        return False
    runs = [(job, len(kept) + own, start) for job, (own, start) in zip(left, answer.runs, strict=True)]
    return tree.take(kept, runs)


find_tree = SetTreeSearch.start
