"""The search for a tree that refutes a makespan, or for a schedule (worker side).

The certificate is the tree, with weights at its leaves; `docs/api/certificates.rst` describes it and says why it proves
its bound.
"""

from __future__ import annotations

import math
from math import floor
from random import Random
from typing import TYPE_CHECKING, Any

from oas.bounds.mosp.cluster_sets.kernels import NO, YES
from oas.bounds.mosp.covering import SCALE
from oas.bounds.mosp.pair_tree.bins import Kind
from oas.bounds.mosp.pair_tree.generation import ENOUGH, Generated
from oas.bounds.mosp.pair_tree.tree import PairTree
from oas.bounds.mosp.set_tree.diving import dive
from oas.bounds.mosp.set_tree.packing import LONG, Cluster, SetPacking
from oas.bounds.mosp.two_dimensional.scales import Scales

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.bounds.mosp.covering import Column
    from oas.bounds.mosp.pair_tree.packing import Pair, Triple
    from oas.bounds.request import BoundRequest
    from oas.solvers.isolation.session import Session

MAX_NODES = 2_000
MAX_REFUTED = 1_000
MAX_EFFORT = 50_000_000  # steps of the searches that close nodes and refute sets
STEPS = 500  # of a packing: what the program uses is packed for longer
# Steps of a pricing: few for columns, and many where few find none, or for a proof.
QUICK, THOROUGH = 300_000, 10_000_000
SHORTEN = 20_000  # steps of a packing where a set that cannot run is made smaller
DIVES, SLICE = 20, 10  # dives, and then nodes of the tree, in turns
MOST_DIVES = 2_000  # at a makespan
HIGHEST_SHARE = 0.5  # of the time left, for the highest makespan
UNLIMITED_SECONDS = 60.0  # where there is no limit
NOISE = 1e-9  # by which a set must weigh more than the program has it to be worth adding
LARGE = 0.5  # the part from which on a set is packed with care, before branching


def find_tree(request: BoundRequest, session: Session) -> dict[str, object]:
    """Return what was found, also streamed as it grows.

    Returns
    -------
    dict
        ``certificate``, of the highest makespan refuted; ``runs``, (job, cluster, start in ticks) of a schedule shorter
        than `request.upper`. Either may be missing. With a schedule the search ends.

    Raises
    ------
    TooLargeError
        If clusters differ in size, or jobs, or processors times ticks, are too many.
    """
    return _Search(request, session).run()


class _Search:
    def __init__(self, request: BoundRequest, session: Session) -> None:
        self.request, self.session = request, session
        self.scaled = request.scaled
        self.found: dict[str, object] = {}
        self.until = math.inf

    def run(self) -> dict[str, object]:
        """Try the highest makespan left, which settles all; then the others from the lowest on."""
        makespan, highest = self.request.lower, self.request.upper - 1
        if makespan < highest:
            left = self.session.time_left()
            self.until = self.session.seconds + HIGHEST_SHARE * (UNLIMITED_SECONDS if left is None else left)
            if self._decide(highest):
                return self.found
            self.until = math.inf
        while makespan <= highest and "runs" not in self.found and not self._must_stop() and self._decide(makespan):
            makespan += 1
        return self.found

    def _decide(self, makespan: int) -> bool:
        """Refute the makespan, or find a schedule; return whether either came about."""
        scales = Scales(self.scaled, makespan, mirrored=any(self.scaled.releases))
        cluster = Cluster(scales, STEPS)
        if not cluster.possible:
            self._refute(scales, [], (), [], [])
            return True
        tree = SetTree(cluster, self._must_stop)
        self._settle(tree)
        if tree.runs is not None:
            self.found["runs"] = tree.runs
            self.session.partial(dict(self.found))
        elif tree.refuted:
            self._refute(scales, cluster.refuted, tree.cuts, tree.weights, tree.nodes)
        return tree.runs is not None or tree.refuted

    def _settle(self, tree: SetTree) -> None:
        """Dive and grow the tree in turns, beginning with its root."""
        draw, grows = Random(0), True
        tree.grow(1)
        for turn in range(MOST_DIVES):
            if tree.settled or self._must_stop() or dive(tree, draw):
                return
            if grows and turn % DIVES == DIVES - 1:
                before = len(tree.nodes)
                tree.grow(SLICE)
                grows = before < len(tree.nodes) < MAX_NODES - SLICE and tree.effort < MAX_EFFORT
                if tree.settled:
                    return

    def _refute(
        self,
        scales: Scales,
        refuted: Sequence[Sequence[int]],
        cuts: Sequence[Triple],
        weights: list[list[int]],
        tree: list[int | list[int]],
    ) -> None:
        self.found["certificate"] = {
            "makespan": scales.makespan,
            "mirrored": scales.mirrored,
            "steps": STEPS,
            "refuted": [list(one) for one in refuted],
            "cuts": [list(cut) for cut in cuts],
            "weights": weights or [[0] * self.scaled.job_count],
            "tree": tree or [0],
        }
        self.session.partial(dict(self.found))
        self.session.progress(scales.makespan + 1, None)

    def _must_stop(self) -> bool:
        return self.session.stop.requested or self.session.time_is_up or self.session.seconds > self.until


class SetTree(PairTree):
    """A tree that shares the jobs out among the clusters, or proves that they cannot be.

    Sets that the program uses are packed with care; those that cannot run are refuted for good, and the program is
    solved again without them.

    Attributes
    ----------
    runs
        (job, cluster, start in ticks) of each job, if it has found a schedule.
    """

    def __init__(self, cluster: Cluster, must_stop: Callable[[], bool]) -> None:
        scaled = cluster.scales.scaled
        areas = [time * width for time, width in zip(scaled.times, scaled.widths, strict=True)]
        kind = Kind(scaled.cluster_count, (1,) * scaled.job_count)
        super().__init__(areas, [kind], [(0, (job,)) for job in range(scaled.job_count)], must_stop)
        self.cluster = cluster
        self._price_effort = 0  # of the last pricing
        self.runs: list[tuple[int, int, int]] | None = None
        self._sure: set[tuple[int, ...]] = set()  # sets that certainly run

    def _packings(self, together: Sequence[Pair], apart: Sequence[Pair], cuts: Sequence[Triple], _: int) -> list[Any]:
        return [SetPacking(self.cluster, together, apart, cuts)]

    def _grow(self, together: tuple[Pair, ...], apart: tuple[Pair, ...]) -> bool:
        """Close a node, branch on it, refute a set for it, or find a schedule; return whether any could be done."""
        before = len(self.cluster.refuted)
        return super()._grow(together, apart) or len(self.cluster.refuted) > before

    def _fill(self, packings: Sequence[Any]) -> Generated:
        """Generate sets until the clusters suffice with sets that can run, or weights prove that they do not."""
        while True:
            found = self._generate(packings[0])
            if not found.suffices or not self._refute_some():
                return found

    def _generate(self, packing: SetPacking) -> Generated:
        count = self.counts[0]
        while not self.must_stop():
            value, duals, rooms = self.master.solve()
            if value <= ENOUGH:
                return Generated(suffices=True)
            weights = [min(max(0, floor(dual * SCALE)), SCALE) for dual in duals]
            least = max(0, floor((rooms[0] + NOISE) * SCALE))
            for effort in (QUICK, THOROUGH):
                found = packing.heaviest(weights, least, effort)
                if found.sets or found.complete:
                    break
            self._price_effort = found.effort
            jobs = len(self.sizes)
            if found.complete and sum(weights[:jobs]) - sum(weights[jobs:]) > count * found.weight:
                return Generated(weights=tuple(weights))
            if not self.master.add((0, jobs) for jobs in found.sets):
                break
        return Generated()

    def _refute_some(self) -> bool:
        """Refute sets that the program uses and that cannot run; return whether there are any."""
        any_refuted = False
        for index, amount in enumerate(self.master.values):
            _, jobs = self.master.columns[index]
            if amount < LARGE or jobs in self._sure or len(self.cluster.refuted) >= MAX_REFUTED:
                continue
            answer, steps, _ = self.cluster.pack(jobs, LONG)
            if answer == YES:
                self._sure.add(jobs)
            elif answer == NO:
                any_refuted = True
                self.effort += steps
                self.cluster.refute(self._shortened(jobs))
        if any_refuted:
            self._forbid()
        return any_refuted

    def _shortened(self, jobs: tuple[int, ...]) -> tuple[int, ...]:
        """A set that cannot run, without jobs that do not matter for that."""
        for job in jobs:
            less = tuple(one for one in jobs if one != job)
            if self.cluster.pack(less, SHORTEN).answer == NO:
                jobs = less
        return jobs

    def _allow(self, together: Sequence[Pair], apart: Sequence[Pair]) -> None:
        super()._allow(together, apart)
        self._forbid()

    def _forbid(self) -> None:
        """Forbid the columns that hold a set refuted."""
        for index, (_, jobs) in enumerate(self.master.columns):
            if any({*one} <= {*jobs} for one in self.cluster.refuted):
                self.master.bound(index, 0, 0)

    def _known(self, packings: Sequence[Any]) -> int | None:
        """Look for no weights that are known: that takes as long as a pricing."""
        return None

    def _keep(self, packings: Sequence[Any], weights: Sequence[int]) -> int:
        """Keep weights that close a node as they are; return their index."""
        self.weights.append(list(weights))
        self.effort += self._price_effort
        return len(self.weights) - 1

    @property
    def settled(self) -> bool:
        """Whether it is refuted, or has a schedule."""
        return self.refuted or self.runs is not None

    def suppose(self, together: Sequence[Pair]) -> None:
        """Forbid the columns that part these pairs."""
        self._allow(together, ())

    def suffices(self, together: Sequence[Pair]) -> bool:
        """Whether the program says that the clusters suffice with these pairs together."""
        return self._fill(self._packings(together, (), self.cuts, 0)).suffices

    def take(self, sets: Sequence[Sequence[int]], runs: Sequence[tuple[int, int, int]]) -> bool:
        """Make a schedule of sets, one for each of the first clusters, and runs on others; return whether they run."""
        found = [*runs]
        for number, jobs in enumerate(sets):
            answer, _, starts = self.cluster.pack(jobs, LONG)
            if answer != YES:
                return False
            found += [(job, number, self._start(job, start)) for job, start in starts.items()]
        self.runs = sorted(found)
        return True

    def _packing(self) -> list[Column] | None:
        """The sets that share out the jobs, if they can all run."""
        found = super()._packing()
        for _, jobs in found or ():
            if self.cluster.pack(jobs, LONG).answer == NO:
                self.cluster.refute(self._shortened(jobs))
        return found if found and self.take([jobs for _, jobs in found], ()) else None

    def _start(self, job: int, start: int) -> int:
        scales = self.cluster.scales
        return scales.makespan - start - scales.scaled.times[job] if scales.mirrored else start
