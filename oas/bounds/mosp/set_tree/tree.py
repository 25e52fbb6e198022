"""Branching on pairs of jobs, together on a cluster or apart: sets share out the jobs, or are refuted (worker side).

Ryan and Foster, *An integer programming approach to scheduling*, 1981: where the values of the program are no sharing,
there is a pair that is in one set in part.
"""

from __future__ import annotations

import math
from math import floor
from typing import TYPE_CHECKING

from oas.bounds.mosp.cluster_sets.heaviest import SetPacking
from oas.bounds.mosp.cluster_sets.kernels import NO, YES
from oas.bounds.mosp.cluster_sets.pricing import LONG
from oas.bounds.mosp.covering import SCALE, Covering, broken_cuts, split_pairs
from oas.bounds.mosp.pair_tree.packing import ENOUGH, Generated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.bounds.mosp.cluster_sets.pricing import Pricing
    from oas.bounds.mosp.covering import Pair, Triple

# Of a certificate.
MAX_NODES = 2_000
MAX_DEPTH = 200
MAX_CUTS = 200
MAX_REFUTED = 1_000
MAX_EFFORT = 50_000_000  # steps of the searches that close nodes and refute sets
ROOT_CUTTING, CUTTING = 12, 3  # rounds of cuts at the root and at any other node
CUTS_A_ROUND = 8
BROKEN = 0.05
# Steps of a pricing: few for columns, and many where few find none, or for a proof.
QUICK, THOROUGH = 300_000, 10_000_000
SHORTEN = 20_000  # steps of a packing where a set that cannot run is made smaller
NOISE = 1e-9  # by which a set must weigh more than the program has it to be worth adding
LARGE = 0.5  # the part from which on a set is packed with care, before branching
_WHOLE = 1e-6

Node = tuple[tuple["Pair", ...], tuple["Pair", ...]]


class SetTree:
    """A tree that shares the jobs out among the clusters, or proves that they cannot be.

    Sets that the program uses are packed with care; those that cannot run are refuted for good, and the program is
    solved again without them.

    Attributes: `runs`: (job, cluster, start in ticks) of each job, if it has found a schedule. `cuts`, `weights`,
    `nodes`: of the certificate, complete once `refuted`.
    """

    def __init__(self, cluster: Pricing, must_stop: Callable[[], bool]) -> None:
        scaled = cluster.scales.scaled
        self.cluster, self.must_stop = cluster, must_stop
        self.areas = [time * width for time, width in zip(scaled.times, scaled.widths, strict=True)]
        self.count = scaled.cluster_count
        jobs = len(self.areas)
        self.master = Covering(range(jobs), [1.0] * jobs, [(self.count, 0.0)])
        self.master.add((0, (job,)) for job in range(jobs))
        self.runs: list[tuple[int, int, int]] | None = None
        self.cuts: list[Triple] = []
        self.weights: list[list[int]] = []
        self.nodes: list[int | list[int]] = []
        self.effort = 0
        self._open: list[Node] = [((), ())]
        self._price_effort = 0  # of the last pricing
        self._sure: set[tuple[int, ...]] = set()  # sets that certainly run

    @property
    def refuted(self) -> bool:
        """Whether every leaf is closed."""
        return not self._open and self.runs is None

    @property
    def settled(self) -> bool:
        """Whether it is refuted, or has a schedule."""
        return self.refuted or self.runs is not None

    def grow(self, nodes: int) -> None:
        """Grow the tree by so many nodes, or until it is closed, has a schedule, is too large, or must stop."""
        nodes += len(self.nodes)
        while self._open and self.runs is None and len(self.nodes) < nodes and not self.must_stop():
            if len(self.nodes) >= MAX_NODES or self.effort > MAX_EFFORT:
                return
            together, apart = self._open[-1]
            before = len(self.cluster.refuted)
            is_deep = len(together) + len(apart) >= MAX_DEPTH
            if is_deep or not (self._grow(together, apart) or len(self.cluster.refuted) > before):
                return

    def _grow(self, together: tuple[Pair, ...], apart: tuple[Pair, ...]) -> bool:
        """Close a node, branch on it, or find a schedule; return whether any could be done."""
        for _ in range(ROOT_CUTTING if not together and not apart else CUTTING):
            self.suppose(together, apart)
            found = self._fill(SetPacking(self.cluster, together, apart, self.cuts))
            if found.weights:
                self.nodes.append(len(self.weights))
                self.weights.append(list(found.weights))
                self.effort += self._price_effort
                self._open.pop()
                return True
            if not found.suffices:
                return False
            if not self._cut():
                break
        pair = self._pair()
        if pair is None:
            return self._share_out()
        self.nodes.append(list(pair))
        self._open[-1:] = [(together, (*apart, pair)), ((*together, pair), apart)]
        return True

    def suffices(self, together: Sequence[Pair]) -> bool:
        """Whether the program says that the clusters suffice with these pairs together, which are supposed."""
        return self._fill(SetPacking(self.cluster, together, (), self.cuts)).suffices

    def _fill(self, packing: SetPacking) -> Generated:
        """Generate sets until the clusters suffice with sets that can run, or weights prove that they do not."""
        while True:
            found = self._generate(packing)
            if not found.suffices or not self._refute_some():
                return found

    def _generate(self, packing: SetPacking) -> Generated:
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
            jobs = len(self.areas)
            if found.complete and sum(weights[:jobs]) - sum(weights[jobs:]) > self.count * found.weight:
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

    def suppose(self, together: Sequence[Pair], apart: Sequence[Pair] = ()) -> None:
        """Forbid the columns that break what is supposed of pairs, or hold a set refuted."""
        for index, (_, jobs) in enumerate(self.master.columns):
            fits = all((one in jobs) == (other in jobs) for one, other in together) and not any(
                one in jobs and other in jobs for one, other in apart
            )
            self.master.bound(index, 0, math.inf if fits else 0)
        self._forbid()

    def _forbid(self) -> None:
        """Forbid the columns that hold a set refuted."""
        for index, (_, jobs) in enumerate(self.master.columns):
            if any({*one} <= {*jobs} for one in self.cluster.refuted):
                self.master.bound(index, 0, 0)

    def _used(self) -> list[tuple[tuple[int, ...], float]]:
        """The sets that the values use, and how much."""
        values = zip(self.master.columns, self.master.values, strict=True)
        return [(jobs, amount) for (_, jobs), amount in values if amount > _WHOLE]

    def _cut(self) -> bool:
        """Add the cuts that the values break most; return whether there are any."""
        broken = broken_cuts(self._used(), BROKEN)
        broken = broken[: min(CUTS_A_ROUND, MAX_CUTS - len(self.cuts))]
        for cut in broken:
            self.master.cut(cut)
        self.cuts += broken
        for one in self.weights:
            one += [0] * len(broken)
        return bool(broken)

    def _pair(self) -> Pair | None:
        """The pair to branch on: in one set in part, and of great area; None where the values share out the jobs."""
        split = split_pairs(self._used())
        return max(split, key=lambda pair: (self.areas[pair[0]] + self.areas[pair[1]]) * split[pair], default=None)

    def _share_out(self) -> bool:
        """Make a schedule of the sets that the values use, where no pair is in one set in part, if they can all run."""
        left = set(range(len(self.areas)))
        sets: list[tuple[int, ...]] = []
        for jobs, _ in sorted(self._used(), key=lambda one: -one[1]):
            own = tuple(job for job in jobs if job in left)
            if own:
                sets.append(own)
                left -= set(own)
        if left or len(sets) > self.count:
            return False
        for jobs in sets:
            if self.cluster.pack(jobs, LONG).answer == NO:
                self.cluster.refute(self._shortened(jobs))
        return self.take(sets, ())

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

    def _start(self, job: int, start: int) -> int:
        scales = self.cluster.scales
        return scales.makespan - start - scales.scaled.times[job] if scales.mirrored else start
