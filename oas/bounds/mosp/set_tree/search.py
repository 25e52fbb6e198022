"""The search for a tree that refutes a makespan, or for a schedule (worker side).

The certificate is the tree, with weights at its leaves; `oas.checker.mosp_set_tree` says why it proves its bound.
"""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING

from oas.bounds.mosp.cluster_sets.pricing import Pricing
from oas.bounds.mosp.searched import RefutingSearch
from oas.bounds.mosp.set_tree.diving import dive
from oas.bounds.mosp.set_tree.tree import MAX_EFFORT, MAX_NODES, SetTree
from oas.bounds.mosp.two_dimensional.scales import Scales
from oas.core.errors import TooLargeError

if TYPE_CHECKING:
    from oas.bounds.request import BoundRequest
    from oas.solvers.isolation.protocol import Session

STEPS = 500  # of a packing: what the program uses is packed for longer
DIVES, SLICE = 20, 10  # dives, and then nodes of the tree, in turns
MOST_DIVES = 2_000  # at a makespan
HIGHEST_SHARE = 0.5  # of the time left, for the highest makespan


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


find_tree = SetTreeSearch.start
